public import FileSystem
public import StandardDirectories
public import SystemPackage

/// An entry as a catalog knows it: a value that never changes.
///
/// Times are nanoseconds since 1970-01-01 UTC, sizes are bytes. What could not be read is `nil`.
public struct Entry: Sendable, Hashable, Identifiable {
  /// The number of the entry.
  public let id: EntryID
  /// The directory it is in; `nil` for a root.
  public let parentID: EntryID?
  /// The absolute path, with the exact bytes of the names.
  public let path: FilePath
  /// What it is.
  public let kind: EntryKind
  /// The uniform type identifier, such as `public.jpeg`.
  public let type: String
  /// The length of the content; for a package the sum over what it holds.
  public let size: Int64?
  /// The bytes on disk; for a package the sum over what it holds.
  public let allocated: Int64?
  /// `nil` where the file system records no birth.
  public let created: Int64?
  /// The last change of the content, in nanoseconds since 1970.
  public let modified: Int64?
  /// The last change of the content or the values, in nanoseconds since 1970.
  public let changed: Int64?
  /// The last reading, in nanoseconds since 1970, as exact as the mount options allow.
  public let accessed: Int64?
  /// File type and permissions (`st_mode`).
  public let mode: UInt32?
  /// The number of the owner.
  public let uid: UInt32?
  /// The number of the group.
  public let gid: UInt32?
  /// The name of the owner when the entry was scanned.
  public let owner: String?
  /// The name of the group when the entry was scanned.
  public let group: String?
  /// The number of the entry in its file system.
  public let inode: UInt64?
  /// How many names it has.
  public let links: Int?
  /// Whether the name begins with a dot.
  public let isHidden: Bool
  /// Whether it is a directory that people see as one item.
  public let isPackage: Bool
  /// The text of a symbolic link.
  public let linkTarget: FilePath?
  /// Steps below the root; 0 for a root.
  public let depth: Int
  /// The name of the container it is in, as queries know it (`container:`); `nil` outside of all.
  public let container: String?
  /// The number of the container it is in.
  public let containerID: ContainerID?
  /// What the directory is for that it is, or that it is in; `nil` where no role says so.
  public let role: Role?
  /// What its own marks on disk say of backups; `nil` where they are not known, since scans of its root
  /// do not store extended attributes (``/CatalogScan/ExtendedAttributeValues``).
  ///
  /// A mark holds for all that is inside of what is marked. A directory is marked by a `CACHEDIR.TAG`
  /// as well, which is known after any scan. What is promised is ``backupPolicy``.
  public let backupMark: BackupMark?
  /// The scan that saw it first.
  public let firstSeenScan: ScanID
  /// The scan that last saw it changed.
  public let lastChangedScan: ScanID
  /// Further values, such as `entry.values["pixel_width"]?.integer`: extended attributes and what other
  /// resource value providers have said. Only those are here whose keys the request asks for
  /// (``TableRequest/columns``, ``TableRequest/order``).
  public let values: [ValueKey: ResourceValue]

  /// The last component of the path.
  public var name: String { path.lastComponent?.string ?? path.string }

  /// The name's extension: the text after the last dot; `nil` when the name begins or ends with that
  /// dot or a space follows it.
  public var pathExtension: String? {
    let bytes = path.lastComponent?.bytes ?? []
    let found = bytes.withUnsafeBytes { FilenameExtension.range(in: $0) }
    return found.isEmpty ? nil : String(decoding: bytes[found], as: UTF8.self)
  }

  /// The name without its extension.
  public var displayName: String {
    let bytes = path.lastComponent?.bytes ?? path.bytes
    let found = bytes.withUnsafeBytes { FilenameExtension.range(in: $0) }
    return found.isEmpty
      ? name : String(decoding: bytes[..<(found.lowerBound - 1)], as: UTF8.self)
  }

  /// Whether it is a plain file.
  public var isRegularFile: Bool { kind == .file }
  /// Whether it is a directory to the file system; packages are.
  public var isDirectory: Bool { kind == .directory || kind == .package }
  /// Whether it is a symbolic link.
  public var isSymbolicLink: Bool { kind == .symlink }
}

// What follows from the role and from the name. Nothing is read for it: whoever does not ask does not
// pay.

extension Entry {
  /// Whether the role promises that a backup holds the entry; `nil` without a role.
  public var backupPolicy: Role.Policy.Backup? { role?.policy.backup }

  /// Whether the system may delete the entry by itself; `nil` without a role.
  public var isPurgeable: Bool? { role?.policy.isPurgeable }

  /// The name taken apart as that of an asset, such as `icon@2x~ipad.png`; `nil` for what can be none:
  /// directories, pipes, sockets and devices.
  public var asset: AssetName? {
    switch kind {
    case .file, .package, .symlink: AssetName(bytes: path.lastComponent?.bytes ?? [])
    default: nil
    }
  }

  /// The name without marks and extension: `icon` of `icon@2x~ipad.png`. What is not UTF-8 becomes
  /// U+FFFD; ``asset`` has the bytes.
  public var assetStem: String? { asset?.stem }

  /// The scale that the name states; `nil` where it states none, which is not the same as 1.
  public var assetScale: AssetScale? { asset?.variant.scale }

  /// The kind of device that the name states.
  public var assetIdiom: Idiom? { asset?.variant.idiom }

  /// The height of a screen that the name states, in points.
  public var assetHeight: Int? { asset?.variant.height }

  /// Whether the name has the mark `-hd`; `nil` for what can be no asset.
  public var isAssetHD: Bool? { asset?.variant.isHD }
}
