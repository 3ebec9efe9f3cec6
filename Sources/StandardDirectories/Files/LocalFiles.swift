package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The disks of this machine. Its calls block.
package struct LocalFiles: Sendable {
  /// The disks of this machine.
  package init() {}

  /// The names in a directory without `.` and `..`, in any order.
  package func names(in directory: FilePath) throws(Errno) -> [FilePath.Component] {
    guard let stream = directory.withPlatformString({ opendir($0) }) else {
      throw Errno(rawValue: errno)
    }
    defer { closedir(stream) }
    var names: [FilePath.Component] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(
          to: CInterop.PlatformChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)
        ) { FilePath.Component(platformString: $0) }
      }
      if let name, name.kind == .regular { names.append(name) }
    }
    if errno != 0 { throw Errno(rawValue: errno) }
    return names
  }

  /// Whether a path is a directory and no symbolic link.
  package func isDirectory(_ path: FilePath) -> Bool {
    (try? path.stat(followTargetSymlink: false).type) == .directory
  }

  /// The first bytes of a regular file, at most `limit` of them.
  ///
  /// - Throws: `Errno.invalidArgument` for pipes, devices and symbolic links, which are not opened.
  package func contents(of file: FilePath, atMost limit: Int) throws(Errno) -> [UInt8] {
    guard try file.stat(followTargetSymlink: false).type == .regular else {
      throw .invalidArgument
    }
    return try read(file, atMost: limit, [.noFollow, .nonBlocking, .closeOnExec]).bytes
  }

  /// The first bytes of a regular file in a directory, at most `limit` of them. Neither is a symbolic
  /// link, whoever exchanges them meanwhile.
  package func contents(
    of name: FilePath.Component, in directory: FilePath, atMost limit: Int
  ) throws(Errno) -> [UInt8] {
    do {
      let opened = try FileDescriptor.open(
        directory, .readOnly, options: [.directory, .noFollow, .closeOnExec])
      return try opened.closeAfter {
        let file = name.withPlatformString {
          openat(opened.rawValue, $0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        }
        guard file >= 0 else { throw Errno(rawValue: errno) }
        return try read(FileDescriptor(rawValue: file), atMost: limit).bytes
      }
    } catch let error as Errno {
      throw error
    } catch {
      throw .ioError
    }
  }

  /// The largest file that is read as a whole, in bytes. What this package reads so has a
  /// thousandth of it; a larger file is a mistake or a trap.
  package static let largestFile = 16 << 20

  /// All bytes of a regular file, to which a symbolic link may lead.
  ///
  /// - Throws: `Errno.invalidArgument` for pipes and devices, which are not opened, and
  ///   `Errno.fileTooLarge` for a file beyond ``largestFile``.
  package func contents(of file: FilePath) throws(Errno) -> [UInt8] {
    try wholeFile(file, limit: Self.largestFile).bytes
  }

  /// A regular file as it was when it was read.
  package struct WholeFile {
    package let bytes: [UInt8]
    package let status: Stat
  }

  /// A file that a user may have in their home, to which a symbolic link may lead; `nil` where there is
  /// none, and where this process may not know: after `sudo -u` the home is that of somebody else.
  ///
  /// - Throws: as ``contents(of:)``, with `Errno.fileTooLarge` beyond `limit` bytes.
  package func fileOfUser(
    _ file: FilePath, limit: Int = largestFile
  ) throws(Errno) -> WholeFile? {
    do throws(Errno) {
      return try wholeFile(file, limit: limit)
    } catch {
      switch error {
      case .noSuchFileOrDirectory, .notDirectory: return nil
      case .permissionDenied where (try? file.stat()) == nil: return nil
      default: throw error
      }
    }
  }

  private func wholeFile(_ file: FilePath, limit: Int) throws(Errno) -> WholeFile {
    guard try file.stat().type == .regular else { throw .invalidArgument }
    let whole = try read(file, atMost: limit + 1, [.nonBlocking, .closeOnExec])
    guard whole.bytes.count <= limit else { throw .fileTooLarge }
    return whole
  }

  private func read(
    _ file: FilePath, atMost limit: Int, _ options: FileDescriptor.OpenOptions
  ) throws(Errno) -> WholeFile {
    do {
      return try read(FileDescriptor.open(file, .readOnly, options: options), atMost: limit)
    } catch let error as Errno {
      throw error
    } catch {
      throw .ioError
    }
  }

  /// Reads an open file, and closes it.
  private func read(_ handle: FileDescriptor, atMost limit: Int) throws -> WholeFile {
    try handle.closeAfter {
      // Somebody may have put a device in its place meanwhile.
      let status = try handle.stat()
      guard status.type == .regular else { throw Errno.invalidArgument }
      var bytes: [UInt8] = []
      var isAtEnd = false
      while !isAtEnd, bytes.count < limit {
        let capacity = min(limit - bytes.count, 1 << 16)
        bytes += try [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
          count = try handle.read(into: UnsafeMutableRawBufferPointer(buffer))
          isAtEnd = count == 0
        }
      }
      return WholeFile(bytes: bytes, status: status)
    }
  }
}
