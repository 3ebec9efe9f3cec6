/// The names that folders get, and those that they may have.
public enum FolderName {
  /// The name of the folder that a type declares: the type's name up to its first space, with a
  /// space for each underscore.
  ///
  /// `Application_Support` gives `Application Support`. Nothing else is changed: `CoreData` stays
  /// one word and the spaces of `_Hidden` and `___` are kept.
  public static func derived(fromTypeName name: String) -> String {
    String(name.prefix { $0 != " " }.map { $0 == "_" ? " " : $0 })
  }

  /// Checks a name of one folder.
  ///
  /// Spaces at either end are kept: the file system keeps them, too.
  /// - Throws: ``DirectoryError/refusedName(_:)`` for what is empty, `.` or `..`, or contains a
  ///   slash or NUL, as those would lead elsewhere.
  public static func check(_ name: String) throws(DirectoryError) {
    let bytes = name.utf8
    guard !bytes.isEmpty, name != ".", name != "..",
      !bytes.contains(where: { $0 == NameByte.slash || $0 == 0 })
    else { throw .refusedName(name) }
  }
}
