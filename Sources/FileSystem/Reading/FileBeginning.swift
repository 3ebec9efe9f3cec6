package import SystemPackage

/// Reads the first bytes of regular files, one after the other, into one piece of memory.
///
/// Nothing else is ever read: a pipe, a device or a link that has taken the place of a file is
/// refused, and opening one does not block.
package final class FileBeginning {
  private let buffer: UnsafeMutableRawBufferPointer

  /// - Parameter length: how many bytes to read at most.
  package init(length: Int) {
    buffer = .allocate(byteCount: length, alignment: 16)
  }

  deinit {
    buffer.deallocate()
  }

  /// Reads the beginning of a file and calls `body` with it, on memory that is only lent.
  ///
  /// - Returns: the values of the file when it was read, and what `body` made of its bytes.
  package func read<Result>(
    _ path: FilePath, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) throws(Errno) -> (FileStatus, Result) {
    let descriptor: FileDescriptor
    do {
      descriptor = try FileDescriptor.open(
        path, .readOnly, options: [.noFollow, .nonBlocking, .closeOnExec])
    } catch {
      throw error as? Errno ?? .ioError
    }
    // Nothing was written, so closing loses nothing.
    defer { try? descriptor.close() }
    var code: Int32 = 0
    var empty: CChar = 0
    let status = FileStatus(of: &empty, in: descriptor.rawValue, errno: &code)
    guard code == 0 else { throw Errno(rawValue: code) }
    guard EntryKind(mode: status.mode) == .file else { throw .invalidArgument }
    var count = 0
    do {
      while count < buffer.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        let step = try descriptor.read(fromAbsoluteOffset: Int64(count), into: rest)
        if step == 0 { break }
        count += step
      }
    } catch {
      throw error as? Errno ?? .ioError
    }
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    return (status, bytes.withMemoryRebound(to: UInt8.self, body))
  }
}
