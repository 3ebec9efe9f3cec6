public import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The disks of this machine. Its calls block.
public struct LocalFiles: ContainerFileReader {
  /// The disks of this machine.
  public init() {}

  /// The names in a directory.
  public func names(in directory: FilePath) throws(Errno) -> [FilePath.Component] {
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
  public func isDirectory(_ path: FilePath) -> Bool {
    (try? path.stat(followTargetSymlink: false).type) == .directory
  }

  /// The beginning of a regular file. Pipes and devices are refused without being opened.
  public func contents(of file: FilePath, atMost limit: Int) throws(Errno) -> [UInt8] {
    guard try file.stat(followTargetSymlink: false).type == .regular else {
      throw .invalidArgument
    }
    do {
      let handle = try FileDescriptor.open(
        file, .readOnly, options: [.noFollow, .nonBlocking, .closeOnExec])
      return try handle.closeAfter {
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < limit {
          let read = try bytes.withUnsafeMutableBytes {
            try handle.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
          }
          if read == 0 { break }
          count += read
        }
        return Array(bytes.prefix(count))
      }
    } catch let error as Errno {
      throw error
    } catch {
      throw .ioError
    }
  }
}
