/// What a directory entry is, as the file system and the package rules see it.
///
/// The raw values are stored in catalogs: they never change their meaning.
public enum EntryKind: UInt8, Sendable, Hashable, CaseIterable, Codable {
  /// A regular file.
  case file = 1
  /// A directory that is no package.
  case directory = 2
  /// A directory that people see as one item, such as `Notes.rtfd`. Its content has no rows.
  case package = 3
  /// A symbolic link, wherever it leads.
  case symlink = 4
  /// A named pipe.
  case fifo = 5
  /// A socket.
  case socket = 6
  /// A device that is read and written in blocks.
  case blockDevice = 7
  /// A device that is read and written as a stream.
  case characterDevice = 8

  /// The word used in queries, in JSON and in the SQL view `files`.
  public var name: String {
    switch self {
    case .file: "file"
    case .directory: "directory"
    case .package: "package"
    case .symlink: "symlink"
    case .fifo: "fifo"
    case .socket: "socket"
    case .blockDevice: "block_device"
    case .characterDevice: "character_device"
    }
  }

  /// The kind with this name, or `nil`.
  public init?(name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  /// The kind in the file type bits of `st_mode`, or `nil` for bits that no known system sets.
  public init?(mode: UInt32) {
    switch mode & 0o170000 {
    case 0o100000: self = .file
    case 0o040000: self = .directory
    case 0o120000: self = .symlink
    case 0o010000: self = .fifo
    case 0o140000: self = .socket
    case 0o060000: self = .blockDevice
    case 0o020000: self = .characterDevice
    default: return nil
    }
  }

  /// The kind that `readdir(3)` reports in `d_type`, or `nil` for `DT_UNKNOWN`.
  package init?(directoryEntryType type: UInt8) {
    // DT_ constants are the file type bits of `st_mode` shifted by twelve.
    self.init(mode: UInt32(type) << 12)
  }
}
