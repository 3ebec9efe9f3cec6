/// A kind of directory in a container, declared as a type.
///
/// ```swift
/// struct Images_Cache: DirectoryKind {}
/// container.caches.appending(Images_Cache())      // …/Caches/Images Cache
///
/// struct UserDirectory: DirectoryKind {
///   let id: Int
///   var directoryName: String { "User-\(id)" }
/// }
/// container.applicationSupport.appending(UserDirectory(id: 5))
/// ```
///
/// Without a name of its own, a directory is called like its type: up to the first space, with a
/// space for each underscore. `Application_Support` gives `Application Support`.
public protocol DirectoryKind: Sendable {
  /// The name of the directory: one component of a path.
  var directoryName: String { get }

  /// The role whose place the container's style decides; `nil` for a directory that is simply
  /// inside another one.
  static var role: Role? { get }
}

extension DirectoryKind {
  /// The name that the type gives.
  public var directoryName: String {
    DirectoryName.derived(fromTypeName: String(describing: type(of: self)))
  }

  /// No role of its own.
  public static var role: Role? { nil }
}

/// A kind of directory that is known by its type alone, so that the type itself can be appended.
///
/// ```swift
/// struct CoreData: ParameterlessDirectoryKind {}
/// container.applicationSupport.appending(CoreData.self)
/// ```
public protocol ParameterlessDirectoryKind: DirectoryKind {
  /// Creates the only value there is.
  init()
}

/// The names that directories get, and those that they may have.
package enum DirectoryName {
  /// The name of the directory that a type declares: the type's name up to its first space, with a
  /// space for each underscore.
  ///
  /// Nothing else is changed: `CoreData` stays one word, and the spaces of `_Hidden` and `___` are
  /// kept.
  package static func derived(fromTypeName name: String) -> String {
    String(name.prefix { $0 != " " }.map { $0 == "_" ? " " : $0 })
  }

  /// Checks the name of one directory.
  ///
  /// Spaces at either end are kept: the file system keeps them, too.
  /// - Throws: ``DirectoryError/refusedName(_:)`` for what is empty, `.` or `..`, or contains a
  ///   slash or NUL, as those would lead elsewhere.
  package static func check(_ name: String) throws(DirectoryError) {
    let bytes = name.utf8
    guard !bytes.isEmpty, name != ".", name != "..",
      !bytes.contains(where: { $0 == NameByte.slash || $0 == 0 })
    else { throw .refusedName(name) }
  }
}
