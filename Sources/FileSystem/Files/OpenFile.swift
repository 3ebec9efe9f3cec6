internal import CPlatform
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// An open file or directory, closed when nobody refers to it any more.
///
/// The thin layer over system calls that take descriptors: each method is one call, named after what
/// it does, and throws the error number of the system. All of them may block.
final class OpenFile: Sendable {
  let descriptor: Int32

  /// Takes over an open descriptor.
  init(taking descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    // Whoever wrote and wants to know about it has flushed before.
    _ = close(descriptor)
  }

  /// What a file is opened for.
  struct Purpose: Sendable {
    fileprivate let flags: Int32

    static let reading = Purpose(flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    static let writing = Purpose(flags: O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    static let listing = Purpose(flags: reading.flags | O_DIRECTORY)
    static let creating = Purpose(
      flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
    /// A directory by any path: links are followed.
    static let directory = Purpose(flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #if os(Linux)
      /// A directory in which names are looked up, but which is neither read nor locked (`O_PATH`).
      static let passage = Purpose(flags: 0o10_000_000 | O_DIRECTORY | O_CLOEXEC)
    #else
      static let passage = directory
    #endif
  }

  /// Opens by path.
  convenience init(_ path: FilePath, for purpose: Purpose) throws(Errno) {
    let path = path.isEmpty ? "." : path
    self.init(
      taking: try retrying {
        path.withPlatformString { openat(AT_FDCWD, $0, purpose.flags, 0o666) }
      })
  }

  /// Opens a name in a directory. A symbolic link of that name is not followed.
  func open(
    _ name: FilePath.Component, for purpose: Purpose, mode: mode_t = 0o666
  ) throws(Errno) -> OpenFile {
    OpenFile(
      taking: try retrying {
        name.withPlatformString { openat(descriptor, $0, purpose.flags, mode) }
      })
  }

  /// ``open(_:for:mode:)`` with a name that ends with NUL.
  func open(
    platformName name: UnsafePointer<CChar>, for purpose: Purpose
  ) throws(Errno) -> OpenFile {
    OpenFile(taking: try retrying { openat(descriptor, name, purpose.flags, 0o666) })
  }

  /// Makes a file without a name in this directory, or `nil` where the file system cannot.
  func openNameless(mode: mode_t) -> OpenFile? {
    let descriptor = cplatform_open_nameless(descriptor, mode)
    return descriptor < 0 ? nil : OpenFile(taking: descriptor)
  }

  /// The values of what is open.
  func status() throws(Errno) -> FileStatus {
    var code: Int32 = 0
    var empty: CChar = 0
    let status = FileStatus(of: &empty, in: descriptor, errno: &code)
    guard code == 0 else { throw Errno(rawValue: code) }
    return status
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
    try check(cplatform_flush(descriptor))
  }

  /// The path by which the system knows this file; `nil` where it does not tell.
  var path: FilePath? {
    let capacity = 4096
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      buffer.withMemoryRebound(to: CChar.self) {
        count = max(0, cplatform_path_of(descriptor, $0.baseAddress, capacity))
      }
    }
    return bytes.first == UInt8(ascii: "/") ? FilePath(bytes: bytes) : nil
  }
}

/// Throws the error number that a function of the platform layer returned.
func check(_ code: Int32) throws(Errno) {
  if code != 0 { throw Errno(rawValue: code) }
}

/// Calls again while a signal interrupts; throws `errno` for results below zero.
@discardableResult
func retrying(_ body: () -> Int32) throws(Errno) -> Int32 {
  while true {
    let result = body()
    if result >= 0 { return result }
    if errno != EINTR { throw Errno(rawValue: errno) }
  }
}
