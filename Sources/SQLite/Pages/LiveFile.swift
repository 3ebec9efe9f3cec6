internal import CSQLite
internal import SystemPackage

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The file of a database that others may have open, for appending pages behind its end.
///
/// It is there inside of a write transaction that began when all of the write-ahead log was in the file
/// (``Connection/transaction(_:completing:)``). So the file itself holds what was committed last,
/// nobody else writes, and nobody reads or cuts off what is behind the end.
///
/// All is done by SQLite's own file: closing any other descriptor of it would take the locks away from
/// all connections of this process.
package final class LiveFile: PageFile {
  let path: FilePath
  private let connection: Connection
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: sqlite3_io_methods
  /// Where the database ends.
  private let end: Int

  /// - Returns: `nil` where the file is not such that pages could be appended.
  init?(of connection: Connection) throws {
    guard let handle = connection.handle, let file = csqlite_main_file(handle),
      let path = connection.path,
      let methods = file.pointee.pMethods?.pointee
    else { return nil }
    self.connection = connection
    self.file = file
    self.methods = methods
    self.path = path
    var bytes = [UInt8](repeating: 0, count: DatabaseHeader.size)
    guard methods.xRead(file, &bytes, Int32(bytes.count), 0) == SQLITE_OK,
      let header = DatabaseHeader(bytes), header.hasPageCount, header.problem(isLive: true) == nil
    else { return nil }
    end = Int(header.pageCount(fileSize: 0)) * header.pageSize
    // What the file says must be what the transaction sees.
    guard try connection.integer("PRAGMA page_count") == Int64(header.pageCount(fileSize: 0)),
      try size() >= end
    else { return nil }
  }

  func size() throws(PageLoaderError) -> Int {
    var size: sqlite3_int64 = 0
    try require(.inspect, methods.xFileSize(file, &size))
    return Int(size)
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(PageLoaderError) -> Int {
    let code = methods.xRead(file, buffer.baseAddress, Int32(buffer.count), sqlite3_int64(offset))
    // `SQLITE_IOERR_SHORT_READ`, a macro that Swift does not import.
    guard code == SQLITE_IOERR | 2 << 8 else {
      try require(.read, code)
      return buffer.count
    }
    return max(0, min(buffer.count, try size() - offset))
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(PageLoaderError) {
    precondition(offset >= end, "pages that are there stay as they are")
    var done = 0
    while done < bytes.count {
      let piece = UnsafeRawBufferPointer(rebasing: bytes[done...].prefix(Self.writeAtOnce))
      try require(
        .write,
        methods.xWrite(file, piece.baseAddress, Int32(piece.count), sqlite3_int64(offset + done)))
      done += piece.count
    }
  }

  /// SQLite's own file writes less than 128 KB at once.
  private static let writeAtOnce = 64 << 10

  func truncate(to size: Int) throws(PageLoaderError) {
    precondition(size >= end, "pages that are there stay as they are")
    try require(.truncate, methods.xTruncate(file, sqlite3_int64(size)))
  }

  func synchronize() throws(PageLoaderError) {
    try require(.synchronize, methods.xSync(file, SQLITE_SYNC_NORMAL))
  }

  private func require(
    _ operation: PageLoaderError.Operation, _ code: Int32
  ) throws(PageLoaderError) {
    guard code != SQLITE_OK else { return }
    throw PageLoaderError(
      .system(operation, errno: code & 0xff == SQLITE_FULL ? ENOSPC : EIO), path: path)
  }

  /// Cuts off what was appended. The transaction must not have ended.
  func takeBack() {
    guard let size = try? size(), size > end else { return }
    // What stays is behind the end, and is written over.
    try? truncate(to: end)
  }

  // MARK: - The graft

  /// Calls `body` while the connection reads the file as it is with a graft.
  func withOverlay<Result>(_ graft: Graft, _ body: () throws -> Result) throws -> Result {
    let overlay = UnsafeMutablePointer<csqlite_overlay>.allocate(capacity: 1)
    let pages = UnsafeMutableRawBufferPointer.allocate(
      byteCount: 2 * graft.pageSize, alignment: 16)
    defer {
      overlay.deallocate()
      pages.deallocate()
    }
    pages.copyBytes(from: graft.first + graft.trunk)
    var value = csqlite_overlay()
    value.pages = (
      UnsafeRawPointer(pages.baseAddress), UnsafeRawPointer(pages.baseAddress! + graft.pageSize)
    )
    value.offsets = (0, sqlite3_int64(graft.trunkPage - 1) * sqlite3_int64(graft.pageSize))
    value.page_size = Int32(graft.pageSize)
    overlay.initialize(to: value)
    csqlite_lay_over(file, overlay)
    defer { csqlite_take_off(file, overlay) }
    return try body()
  }
}
