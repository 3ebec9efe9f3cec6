internal import FileSystem
package import SystemPackage

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A file of pages, as the loader reads and writes it: one of its own, or that of an open connection.
protocol PageFile: AnyObject {
  var path: FilePath { get }
  /// The length of the file in bytes.
  func size() throws(PageLoaderError) -> Int
  /// Fills a buffer with the bytes from `offset` on.
  ///
  /// - Returns: How many there were: fewer at the end of the file.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(PageLoaderError) -> Int
  /// Writes all of `bytes` at `offset`.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(PageLoaderError)
  /// Makes the file end at `size`.
  func truncate(to size: Int) throws(PageLoaderError)
  /// Waits until all that was written is on the disk.
  func synchronize() throws(PageLoaderError)
}

extension PageFile {
  /// Reads `count` bytes from `offset` on, fewer at the end of the file.
  func read(_ count: Int, at offset: Int) throws(PageLoaderError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let done = try bytes.withUnsafeMutableBufferPointer { buffer throws(PageLoaderError) in
      try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
    }
    bytes.removeLast(count - done)
    return bytes
  }
}

extension [UInt8] {
  /// The big-endian number of `size` bytes; nil outside of the array.
  func number(at offset: Int, size: Int) -> Int? {
    guard offset >= 0, offset + size <= count else { return nil }
    var number = 0
    for index in offset..<offset + size { number = number << 8 | Int(self[index]) }
    return number
  }
}

/// An open file: the only place with system calls.
package final class DatabaseFile: PageFile {
  let path: FilePath
  private let descriptor: Int32

  /// Opens an existing file for reading and writing.
  init(path: FilePath) throws(PageLoaderError) {
    self.path = path
    var descriptor: Int32
    repeat {
      descriptor = path.withPlatformString { open($0, O_RDWR | O_CLOEXEC) }
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else {
      throw PageLoaderError(.system(.open, errno: errno), path: path)
    }
    self.descriptor = descriptor
  }

  /// Makes an empty file that no directory lists and that is gone when it is closed, on the file
  /// system of a database.
  package init(unnamedBeside path: FilePath) throws(PageLoaderError) {
    var name = path.with(ending: "-XXXXXX").withPlatformString { start in
      Array(UnsafeBufferPointer(start: start, count: strlen(start) + 1))
    }
    descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw PageLoaderError(.system(.open, errno: errno), path: path) }
    unlink(name)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    self.path = path
  }

  deinit {
    close(descriptor)
  }

  func size() throws(PageLoaderError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(.inspect) }
    return Int(status.st_size)
  }

  /// Whether a file with this ending lies beside and holds something.
  func hasCompanion(_ ending: String) -> Bool {
    var status = stat()
    let code = path.with(ending: ending).withPlatformString { stat($0, &status) }
    return code == 0 && status.st_size > 0
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(PageLoaderError) -> Int {
    var done = 0
    while done < buffer.count {
      let count = pread(
        descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(offset + done))
      if count == 0 { break }
      if count > 0 {
        done += count
      } else if errno != EINTR {
        throw failure(.read)
      }
    }
    return done
  }

  /// Fills a buffer with the bytes from `offset` on, all of which the file has to have.
  package func fill(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(PageLoaderError) {
    guard try read(into: buffer, at: offset) == buffer.count else {
      throw PageLoaderError(.unsupportedFile(.truncated), path: path)
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(PageLoaderError) {
    var done = 0
    while done < bytes.count {
      let count = pwrite(
        descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
      if count >= 0 {
        done += count
      } else if errno != EINTR {
        throw failure(.write)
      }
    }
  }

  func truncate(to size: Int) throws(PageLoaderError) {
    while ftruncate(descriptor, off_t(size)) != 0 {
      if errno != EINTR { throw failure(.truncate) }
    }
  }

  func synchronize() throws(PageLoaderError) {
    #if canImport(Darwin)
      // Not every file system has the stronger call.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    while fsync(descriptor) != 0 {
      if errno != EINTR { throw failure(.synchronize) }
    }
  }

  private func failure(_ operation: PageLoaderError.Operation) -> PageLoaderError {
    PageLoaderError(.system(operation, errno: errno), path: path)
  }
}
