package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Reads the first bytes of regular files, one after the other, into one piece of memory.
///
/// Nothing else is ever read: a pipe, a device or a link that has taken the place of a file is
/// refused, and opening one does not block.
package final class FileBeginning {
  private let buffer: UnsafeMutableRawBufferPointer

  /// A reader of beginnings of one length.
  ///
  /// - Parameter length: how many bytes to read at most.
  package init(length: Int) {
    buffer = .allocate(byteCount: length, alignment: 16)
  }

  deinit {
    buffer.deallocate()
  }

  /// Reads the beginning of an open file and calls `body` with it, on memory that is only lent.
  ///
  /// - Returns: the values of the file when it was read, and what `body` made of its bytes.
  package func read<Result>(
    _ file: OpenFile, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) throws(Errno) -> (FileStatus, Result) {
    let status = try file.status()
    guard EntryKind(mode: status.mode) == .file else { throw .invalidArgument }
    var count = 0
    while count < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let step = pread(file.descriptor, rest.baseAddress, rest.count, off_t(count))
      if step == 0 { break }
      if step > 0 {
        count += step
      } else if errno != EINTR {
        throw Errno(rawValue: errno)
      }
    }
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    return (status, bytes.withMemoryRebound(to: UInt8.self, body))
  }
}
