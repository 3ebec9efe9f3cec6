internal import CPlatform
internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// How an item is held.
enum LockMode: Int, Sendable, Comparable {
  /// Together with others that hold it so.
  case shared
  case exclusive

  static func < (one: LockMode, other: LockMode) -> Bool { one.rawValue < other.rawValue }
}

/// Reading, writing and holding a file as a whole.
extension OpenFile {
  /// Makes a file without a name in this directory, or `nil` where the file system cannot.
  func openNameless(mode: mode_t) -> OpenFile? {
    let descriptor = cplatform_open_nameless(descriptor, mode)
    return descriptor < 0 ? nil : OpenFile(taking: descriptor)
  }

  /// Reads from the current position to the end.
  ///
  /// - Parameter expected: how many bytes there probably are.
  func readToEnd(expected: Int) throws(Errno) -> [UInt8] {
    var bytes: [UInt8] = []
    var capacity = max(expected, 0)
    while true {
      // One byte more than expected, so that the end is seen without a second array.
      let piece = try read(upTo: capacity + 1)
      if bytes.isEmpty { bytes = piece } else { bytes += piece }
      if piece.count <= capacity { return bytes }
      capacity = max(bytes.count, 64 * 1024)
    }
  }

  /// Reads so many bytes, fewer only at the end.
  private func read(upTo capacity: Int) throws(Errno) -> [UInt8] {
    var failure: Errno?
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      while count < capacity {
        guard let start = buffer.baseAddress else { return }
        #if canImport(Darwin)
          let step = Darwin.read(descriptor, start + count, capacity - count)
        #else
          let step = Glibc.read(descriptor, start + count, capacity - count)
        #endif
        if step == 0 { return }
        if step > 0 {
          count += step
        } else if errno != EINTR {
          failure = Errno(rawValue: errno)
          return
        }
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes all bytes at the current position.
  func write(_ bytes: [UInt8]) throws(Errno) {
    let failure: Errno? = bytes.withUnsafeBytes { buffer in
      var rest = buffer
      while !rest.isEmpty {
        #if canImport(Darwin)
          let step = Darwin.write(descriptor, rest.baseAddress, rest.count)
        #else
          let step = Glibc.write(descriptor, rest.baseAddress, rest.count)
        #endif
        if step >= 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest[step...])
        } else if errno != EINTR {
          return Errno(rawValue: errno)
        }
      }
      return nil
    }
    if let failure { throw failure }
  }

  /// Writes the rest of another file, sharing its blocks where the file system can.
  func write(restOf source: OpenFile) throws(Errno) {
    let piece = 1 << 30
    while true {
      let count = cplatform_copy_range(source.descriptor, descriptor, piece)
      if count == 0 { break }
      if count < 0 {
        let code = Errno(rawValue: Int32(-count))
        if code == .interrupted { continue }
        if code == .noSpace || code == .diskQuotaExceeded || code == .ioError { throw code }
        break
      }
    }
    // What the system cannot copy by itself; nothing when it could.
    while true {
      let bytes = try source.read(upTo: 256 * 1024)
      if bytes.isEmpty { return }
      try write(bytes)
    }
  }

  /// Returns when content and values are on the disk.
  func flush() throws(Errno) {
    try Errno.check(cplatform_flush(descriptor))
  }

  /// Locks the file itself, whatever its name, until it is closed or the process dies. Returns
  /// whether that was possible at once.
  ///
  /// `flock(2)` rather than `fcntl(2)`: it takes directories and files opened for reading, and it
  /// belongs to this open file, so that the tasks of one process exclude each other as well.
  func tryLock(_ mode: LockMode) throws(Errno) -> Bool {
    let operation = (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
    do throws(Errno) {
      try Errno.retrying { flock(descriptor, operation) }
      return true
    } catch {
      if error == .wouldBlock { return false }
      throw error
    }
  }

  /// Gives the lock up before the file is closed.
  func unlock() {
    _ = flock(descriptor, LOCK_UN)
  }
}
