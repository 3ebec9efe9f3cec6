internal import SQLite
public import SystemPackage

/// The sums of a directory, as they are stored with it.
///
/// Sizes are the bytes of files, symbolic links and packages. Allocated bytes are what `du` counts:
/// the blocks of everything, directories among them, a file with several names once.
public struct DirectoryTotals: Sendable, Hashable {
  /// How much of a directory is known.
  public enum State: String, Sendable, Hashable {
    case complete
    /// It could not be read.
    case unreadable
    /// It was left alone: below a shallow root, or on another file system.
    case unscanned
  }

  /// The entry of the directory.
  public let id: EntryID
  /// The absolute path.
  public let path: FilePath
  /// Steps below the root.
  public let depth: Int
  /// How much of it is known.
  public let state: State
  /// Why it could not be read.
  public let error: String?
  /// Direct children that are not directories, and those that are.
  public let files: Int
  /// Direct children that are directories.
  public let directories: Int
  /// Bytes of the direct children that are not directories.
  public let size: Int64
  /// Bytes on disk of the direct children.
  public let allocated: Int64
  /// The same for everything below.
  public let totalFiles: Int
  /// Directories at any depth.
  public let totalDirectories: Int
  /// Bytes of everything at any depth that is not a directory.
  public let totalSize: Int64
  /// With the blocks of the directory itself.
  public let totalAllocated: Int64
  /// The latest modification of anything below, in seconds since 1970.
  public let newestModified: Int64?
}

extension DirectoryTotals {
  static let columns = """
    id, ifnull(path_bytes, path), depth, state, error, files, directories, size, allocated, total_files,
    total_directories, total_size, total_allocated, newest_modified
    """

  init(_ row: Row) {
    id = EntryID(rawValue: row.id(0))
    path = row.path(1)
    depth = Int(row.count(2))
    state = State(rawValue: row.text(3)) ?? .unscanned
    error = row.optionalText(4)
    files = Int(row.count(5))
    directories = Int(row.count(6))
    size = row.count(7)
    allocated = row.count(8)
    totalFiles = Int(row.count(9))
    totalDirectories = Int(row.count(10))
    totalSize = row.count(11)
    totalAllocated = row.count(12)
    newestModified = row.optionalInteger(13)
  }
}
