internal import CPlatform
package import FileSystem
package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// What can be done with the names in an open directory. Links are never followed.
extension OpenFile {
  /// The values of the entry with this name, `nil` if there is none.
  func status(of name: FilePath.Component) throws(Errno) -> FileStatus? {
    var code: Int32 = 0
    let status = name.withPlatformString { FileStatus(of: $0, in: descriptor, errno: &code) }
    if code == ENOENT { return nil }
    try Errno.check(code)
    return status
  }

  /// All names, in the order of the file system.
  func names() throws(Errno) -> [FilePath.Component] {
    var names: [FilePath.Component] = []
    try open(".", for: .listing).forEachEntry { name, _, _ in
      if let name = FilePath.Component(platformString: name) { names.append(name) }
    }
    return names
  }

  /// What a symbolic link says, `nil` if the entry is something else or missing.
  package func target(of name: FilePath.Component) throws(Errno) -> FilePath? {
    var failure: Errno?
    let capacity = 4096
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      buffer.withMemoryRebound(to: CChar.self) { buffer in
        guard let start = buffer.baseAddress else { return }
        let length = name.withPlatformString { readlinkat(descriptor, $0, start, capacity) }
        count = max(0, length)
        if length < 0 && errno != EINVAL && errno != ENOENT { failure = Errno(rawValue: errno) }
      }
    }
    if let failure { throw failure }
    return bytes.isEmpty ? nil : FilePath(bytes: bytes)
  }

  func makeDirectory(_ name: FilePath.Component, mode: mode_t = 0o777) throws(Errno) {
    try Errno.retrying { name.withPlatformString { mkdirat(descriptor, $0, mode) } }
  }

  func makeLink(_ name: FilePath.Component, to target: FilePath) throws(Errno) {
    try Errno.retrying {
      target.withPlatformString { target in
        name.withPlatformString { symlinkat(target, descriptor, $0) }
      }
    }
  }

  func makePipe(_ name: FilePath.Component, mode: mode_t) throws(Errno) {
    try Errno.retrying { name.withPlatformString { mkfifoat(descriptor, $0, mode) } }
  }

  /// Gives a file a further name in another directory.
  func link(
    _ path: FilePath, to name: FilePath.Component, in other: OpenFile
  ) throws(Errno) {
    try Errno.retrying {
      path.withPlatformString { path in
        name.withPlatformString { linkat(descriptor, path, other.descriptor, $0, 0) }
      }
    }
  }

  /// Gives a file without a name one in this directory; `EEXIST` if it is taken.
  func adopt(_ file: OpenFile, as name: FilePath.Component) throws(Errno) {
    try Errno.check(
      name.withPlatformString { cplatform_name_nameless(file.descriptor, descriptor, $0) })
  }

  /// Removes the name of anything but a directory.
  func remove(_ name: FilePath.Component) throws(Errno) {
    try Errno.retrying { name.withPlatformString { unlinkat(descriptor, $0, 0) } }
  }

  /// Removes an empty directory.
  func removeDirectory(_ name: FilePath.Component) throws(Errno) {
    try Errno.retrying { name.withPlatformString { unlinkat(descriptor, $0, AT_REMOVEDIR) } }
  }

  /// Renames, replacing what has the new name.
  func rename(
    _ name: FilePath.Component, to new: FilePath.Component, in other: OpenFile
  ) throws(Errno) {
    try Errno.retrying {
      name.withPlatformString { name in
        new.withPlatformString { renameat(descriptor, name, other.descriptor, $0) }
      }
    }
  }

  /// Renames to a name that is free; `EEXIST` if it is not.
  func rename(
    _ name: FilePath.Component, toFreeName new: FilePath.Component, in other: OpenFile
  ) throws(Errno) {
    let code = name.withPlatformString { name in
      new.withPlatformString {
        cplatform_rename_to_free_name(descriptor, name, other.descriptor, $0)
      }
    }
    guard Errno(rawValue: code).meansNotKnownHere else { return try Errno.check(code) }
    // Looking first is the best that is left on such a file system.
    if try other.status(of: new) != nil { throw .fileExists }
    try rename(name, to: new, in: other)
  }

  /// Swaps two names in one step. Returns whether the file system can do that.
  func exchange(
    _ name: FilePath.Component, with other: FilePath.Component, in directory: OpenFile
  ) throws(Errno) -> Bool {
    let code = name.withPlatformString { name in
      other.withPlatformString { cplatform_exchange(descriptor, name, directory.descriptor, $0) }
    }
    if Errno(rawValue: code).meansNotKnownHere { return false }
    try Errno.check(code)
    return true
  }
}

extension Errno {
  /// Whether a file system answers so to a way of renaming that it does not have.
  fileprivate var meansNotKnownHere: Bool {
    self == .invalidArgument || self == .noFunction || self == .notSupported
  }
}
