internal import CPlatform
public import SystemPackage

#if os(Linux)
  internal import Glibc
#endif

/// Reads and writes the extended attributes of entries, of the entry itself and never of what it links to.
public enum ExtendedAttributes {
  /// The longest value that is read. Linux has none beyond 64 KiB; on macOS the resource forks of
  /// old files are attributes and may have any length.
  private static let longest = 1 << 20
  /// What the system says of an attribute that is not there any more, is for others, or is too long.
  private static let unreadable: Set<Errno> = [
    .noAttribute, .permissionDenied, .notPermitted, .notSupported, .fileTooLarge, .outOfRange,
  ]
  /// How often an attribute may have grown between asking for its size and reading it.
  private static let attempts = 10

  /// All attributes of an entry that may be read, by name. Those of more than a mebibyte are left
  /// out.
  ///
  /// - Throws: ``FileError`` when the names cannot be listed, or an attribute that may be read cannot be.
  ///   A file system without extended attributes has none, which is no error.
  public static func all(of path: FilePath) throws(FileError) -> [String: [UInt8]] {
    do throws(Errno) {
      return try withShortPath(path, attributes)
    } catch {
      if error == .notSupported { return [:] }
      throw FileError(.attributes, path, error)
    }
  }

  /// An attribute of an entry, or `nil` if it has none of that name.
  ///
  /// - Throws: ``FileError`` when it cannot be read, also on a file system without extended attributes.
  public static func value(_ name: String, of path: FilePath) throws(FileError) -> [UInt8]? {
    do throws(Errno) {
      return try withShortPath(path) { path throws(Errno) in
        try read { buffer, capacity in
          path.withPlatformString { cplatform_attribute_value($0, name, buffer, capacity) }
        }
      }
    } catch {
      if error == .noAttribute { return nil }
      throw FileError(.attributes, path, error)
    }
  }

  /// An attribute of an open file or directory, or `nil` if it has none of that name.
  ///
  /// - Throws: ``FileError`` without a path, also on a file system without extended attributes.
  package static func value(
    _ name: String, ofOpen descriptor: FileDescriptor
  ) throws(FileError) -> [UInt8]? {
    do throws(Errno) {
      return try read { cplatform_attribute_of_open(descriptor.rawValue, name, $0, $1) }
    } catch {
      if error == .noAttribute { return nil }
      throw FileError(.attributes, "", error)
    }
  }

  /// Gives an entry an attribute, in place of the one of that name; `nil` takes it away.
  ///
  /// - Throws: ``FileError``. A symbolic link has no attributes that begin with `user.` on Linux
  ///   (`EPERM`).
  public static func set(
    _ value: [UInt8]?, _ name: String, of path: FilePath
  ) throws(FileError) {
    do throws(Errno) {
      try withShortPath(path) { path throws(Errno) in
        try Errno.check(
          path.withPlatformString { path in
            guard let value else { return cplatform_remove_attribute(path, name) }
            return cplatform_set_attribute(path, name, value, value.count)
          })
      }
    } catch {
      if value == nil, error == .noAttribute { return }
      throw FileError(.writeAttributes, path, error)
    }
  }

  private static func attributes(of path: FilePath) throws(Errno) -> [String: [UInt8]] {
    let names = try read { buffer, capacity in
      path.withPlatformString {
        cplatform_attribute_names($0, buffer?.assumingMemoryBound(to: CChar.self), capacity)
      }
    }
    var attributes: [String: [UInt8]] = [:]
    for bytes in names.split(separator: 0) {
      let name = String(decoding: bytes, as: UTF8.self)
      do throws(Errno) {
        attributes[name] = try read { buffer, capacity in
          path.withPlatformString { cplatform_attribute_value($0, name, buffer, capacity) }
        }
      } catch {
        // One that vanished or may not be read does not keep the others from being kept.
        if !unreadable.contains(error) { throw error }
      }
    }
    return attributes
  }

  /// Calls `body` with a path that leads to the same entry and is not longer than the system takes.
  private static func withShortPath<Result>(
    _ path: FilePath, _ body: (FilePath) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    #if os(Linux)
      guard path.length >= Int(PATH_MAX), let name = path.lastComponent else {
        return try body(path)
      }
      let source = DirectoryReader()
      let start = try source.open(path: path.isAbsolute ? "/" : ".")
      defer { source.close(start) }
      var directory = path.removingLastComponent()
      directory.root = nil
      let parent = try source.open(below: start, path: directory.bytes)
      defer { source.close(parent) }
      // There are calls for attributes by path and for those of open files, but none by name in an open
      // directory, before Linux 6.13.
      return try body(FilePath("/proc/self/fd/\(parent.rawValue)").appending(name))
    #else
      return try body(path)
    #endif
  }

  /// Calls `body` with room for what it reports, again when that grew meanwhile.
  private static func read(
    _ body: (UnsafeMutableRawPointer?, Int) -> Int
  ) throws(Errno) -> [UInt8] {
    for _ in 0..<attempts {
      let size = body(nil, 0)
      if size < 0 { throw Errno(rawValue: CInt(-size)) }
      if size == 0 { return [] }
      guard size <= longest else { throw .fileTooLarge }
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, used in
        count = body(buffer.baseAddress, size)
        used = max(0, count)
      }
      if count >= 0 { return bytes }
      if CInt(-count) != Errno.outOfRange.rawValue { throw Errno(rawValue: CInt(-count)) }
    }
    throw .outOfRange
  }
}
