public import SystemPackage

/// A word that somebody has put on a file, as desktops of Linux keep them.
public struct Tag: Hashable, Sendable, CustomStringConvertible {
  /// The word, with U+FFFD for bytes that are not UTF-8.
  public let name: String

  /// A tag to set; spaces around it do not count.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidArgument`` for a word that is empty, or has a comma in
  ///   it, which separates tags, or a NUL.
  public init(_ name: String) throws(CatalogError) {
    let words = name.split(separator: " ", omittingEmptySubsequences: false)
    let name = words.drop { $0.isEmpty }.reversed().drop { $0.isEmpty }.reversed()
      .joined(separator: " ")
    guard !name.isEmpty else { throw CatalogError(.invalidArgument, "a tag is empty") }
    guard !name.utf8.contains(where: { $0 == UInt8(ascii: ",") || $0 == 0 }) else {
      throw CatalogError(
        .invalidArgument, "“\(name)” is no tag: a comma separates tags, and NUL ends texts")
    }
    self.name = name
  }

  /// A tag as it is stored.
  init(stored bytes: [UInt8]) { name = String(decoding: bytes, as: UTF8.self) }

  /// The bytes of the tag.
  var bytes: [UInt8] { Array(name.utf8) }

  /// The word.
  public var description: String { name }
}

/// What has become of the tags of one entry.
public struct Tagging: Hashable, Sendable {
  /// Why a file does not keep a tag itself.
  public enum Refusal: Hashable, Sendable {
    /// A symbolic link has no extended attributes of users.
    case symbolicLink
    /// The file system stores none, or not here, for this reason.
    case fileSystem(Errno)
  }

  /// The tags of the entry now, in their order.
  public let tags: [Tag]
  /// Whether they are others than before.
  public let hasChanged: Bool
  /// Why the tag is in the catalog alone; `nil` if the file keeps it.
  public let refusal: Refusal?
}

/// An entry with its tags.
public struct TaggedEntry: Hashable, Sendable {
  /// The entry.
  public let entry: Entry
  /// Its tags, in their order.
  public let tags: [Tag]
}
