internal import FileSystem
internal import SQLite
package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// What the first bytes of a file say, by the SQLite file format (sqlite.org/fileformat2.html).
///
/// They are read through SQLite's own file: closing any other descriptor of the file would take the
/// locks away from all connections that this process has to it (sqlite.org/howtocorrupt.html, 2.2).
/// Reading them takes no lock and makes no file.
package enum FileHeader {
  case missing
  case empty
  case foreign
  case truncated
  case database(applicationID: Int32, version: Int, pages: Int)

  private static let size = 100

  package init(reading path: FilePath) throws(CatalogError) {
    guard let kind = try Self.status(of: path) else {
      self = .missing
      return
    }
    // Nothing but a file is opened: a pipe would be waited for.
    guard kind.st_mode & S_IFMT == S_IFREG else {
      self = .foreign
      return
    }
    for ending in ["-wal", "-shm", "-journal"] { try Self.requireFile(path, ending) }
    // In this order, as others may write meanwhile: once the log is gone, the file has all that its header
    // has said.
    let header = try Self.read(path)
    let hasLog = path.with(ending: "-wal").isThere
    guard let status = try Self.status(of: path) else {
      self = .missing
      return
    }
    // Not SQLite's word for the size: to it a file of one byte is an empty one.
    self.init(header, fileSize: Int64(status.st_size), hasLog: hasLog)
  }

  /// - Returns: `nil` where there is no file.
  private static func status(of path: FilePath) throws(CatalogError) -> stat? {
    var status = stat()
    if path.withPlatformString({ stat($0, &status) }) == 0 { return status }
    guard errno == ENOENT else {
      throw CatalogError(
        .cannotOpen, path: path, "\(path.string) cannot be opened: \(Errno(rawValue: errno))")
    }
    return nil
  }

  private init(_ header: [UInt8], fileSize: Int64, hasLog: Bool) {
    if fileSize == 0 {
      self = .empty
      return
    }
    guard fileSize >= Self.size, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      self = .foreign
      return
    }
    func field(at offset: Int) -> UInt32 {
      header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    let stored = Int64(header[16]) << 8 | Int64(header[17])
    let pageSize = stored == 1 ? 65536 : stored
    // With a log, pages may be there only.
    if Int64(field(at: 28)) * pageSize > fileSize, !hasLog {
      self = .truncated
      return
    }
    self = .database(
      applicationID: Int32(bitPattern: field(at: 68)), version: Int(field(at: 60)),
      pages: Int(field(at: 28)))
  }

  /// Refuses what SQLite would open beside the file if it is no file either.
  private static func requireFile(
    _ path: FilePath, _ ending: String
  ) throws(CatalogError) {
    var status = stat()
    let other = path.with(ending: ending)
    guard other.withPlatformString({ lstat($0, &status) }) == 0,
      status.st_mode & S_IFMT != S_IFREG
    else { return }
    throw CatalogError(
      .cannotOpen, path: path,
      "\(path.string) cannot be opened: \(other.string) is not a file")
  }

  /// The first bytes of a file.
  private static func read(_ path: FilePath) throws(CatalogError) -> [UInt8] {
    do throws(SQLiteError) {
      return try Connection.beginning(ofFileAt: path, count: size)
    } catch {
      let failed = error.code == .cannotOpen ? "opened" : "read"
      throw CatalogError(
        .cannotOpen, path: path,
        "\(path.string) cannot be \(failed): \(Errno(rawValue: error.systemError))")
    }
  }
}
