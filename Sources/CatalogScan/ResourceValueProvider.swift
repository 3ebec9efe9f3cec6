internal import CatalogStore
public import FileSystem
public import SystemPackage

/// Adds values of your own to every entry that is scanned.
///
/// A provider is given to `Catalog.init(at:access:providers:types:)` and switched on by its key in
/// ``/CatalogStore/ScanOptions/resourceValues``. Its values are stored with the entry and read from the SQL view
/// `resource_values`.
///
/// ```swift
/// struct FirstLetter: ResourceValueProvider {
///   let key = "letter"
///   func values(of entry: ScannedEntry) -> [String: ResourceValue] {
///     ["letter": .text(String(entry.path.lastComponent?.string.first ?? "?"))]
///   }
/// }
/// ```
public protocol ResourceValueProvider: Sendable {
  /// By this name scans ask for the values. Keep it stable: it is stored with the roots.
  var key: String { get }

  /// The values of one entry, each by its own key and of at most 8 MB. Called on several threads at a
  /// time; it may read the file system. What it throws is recorded in `scan_errors` and the scan goes on,
  /// as for a value that is too long, and for the key `tags`, which is the catalog's own.
  func values(of entry: ScannedEntry) throws -> [String: ResourceValue]
}

extension ResourceValueProvider {
  /// The values of one entry, none of them longer than a catalog can hold.
  func storableValues(of entry: ScannedEntry) throws -> [String: ResourceValue] {
    let values = try values(of: entry)
    guard values.values.allSatisfy(\.isStorable) else { throw Errno.fileTooLarge }
    // No scan removes what is kept under this key.
    guard values[TagTable.ownKey] == nil else { throw Errno.invalidArgument }
    return values
  }
}

/// An entry as a provider sees it.
public struct ScannedEntry: Sendable {
  /// The absolute path.
  public let path: FilePath
  /// A path to read by: it leads to this very entry while the provider is asked, even if a directory above
  /// has been exchanged for a link meanwhile. Where the system has no such paths it is ``path``.
  public let place: FilePath
  /// What the entry is.
  public let kind: EntryKind
  /// The values of the file system; sizes of a package are its own, not yet those of its content.
  public let status: FileStatus
}

/// The built-in provider `xattr`: every extended attribute, as `xattr:NAME`.
public struct ExtendedAttributeValues: ResourceValueProvider {
  /// `xattr`.
  public let key = "xattr"

  /// Makes the provider.
  public init() {}

  /// The extended attributes of the entry; text where they are UTF-8.
  public func values(of entry: ScannedEntry) throws -> [String: ResourceValue] {
    var values: [String: ResourceValue] = [:]
    for (name, bytes) in try ExtendedAttributes.all(of: entry.place) {
      values[Self.key(of: name)] = ResourceValue(attribute: bytes)
    }
    return values
  }

  private static let prefix = "xattr:"

  /// The key under which an extended attribute is stored.
  public static func key(of name: String) -> String { prefix + name }

  /// The name of the extended attribute that is stored under a key; `nil` for keys of other values.
  public static func attribute(ofKey key: String) -> String? {
    let (key, prefix) = (key.utf8, prefix.utf8)
    guard key.starts(with: prefix), key.count > prefix.count else { return nil }
    return String(Substring(key.dropFirst(prefix.count)))
  }
}

extension ResourceValue {
  /// What an extended attribute is stored as: text where it is UTF-8.
  init(attribute bytes: [UInt8]) {
    self = String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .bytes(bytes)
  }
}
