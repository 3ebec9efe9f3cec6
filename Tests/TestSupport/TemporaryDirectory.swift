package import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A directory of a test's own, with whatever is to be in it.
///
/// Paths are bytes: a name need not be UTF-8.
package struct TemporaryDirectory: Sendable {
  /// Without symbolic links.
  package let path: FilePath

  /// Where temporary files belong.
  package static let parent: String = {
    let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    return named.isEmpty ? "/tmp" : named
  }()

  /// Makes an empty directory, by default among the temporary files.
  package init(in parent: String = Self.parent) throws {
    var template = Array("\(parent)/filecat-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil, let resolved = realpath(template, nil) else {
      throw Errno(rawValue: errno)
    }
    defer { free(resolved) }
    path = FilePath(platformString: resolved)
  }

  /// A directory that is there already.
  package init(at path: FilePath) { self.path = path }

  /// Removes it with everything below it.
  package func remove() { try? Self.remove(path) }

  /// The path of something in it.
  package func callAsFunction(_ name: FilePath) -> FilePath { path.pushing(name) }

  // MARK: - What is in it

  /// Writes a file, with all directories that it needs. What was in it is gone.
  package func write(
    _ bytes: some Sequence<UInt8>, to name: FilePath, mode: CInterop.Mode = 0o644
  ) throws {
    let descriptor = try FileDescriptor.open(
      try prepare(name), .writeOnly, options: [.create, .truncate],
      permissions: FilePermissions(rawValue: mode))
    try descriptor.closeAfter { _ = try descriptor.writeAll(bytes) }
  }

  package func write(_ text: String, to name: FilePath, mode: CInterop.Mode = 0o644) throws {
    try write(text.utf8, to: name, mode: mode)
  }

  /// The content of a file.
  package func bytes(of name: FilePath) throws -> [UInt8] {
    let descriptor = try FileDescriptor.open(self(name), .readOnly)
    return try descriptor.closeAfter {
      var content: [UInt8] = []
      var part = [UInt8](repeating: 0, count: 65_536)
      while case let count = try part.withUnsafeMutableBytes({ try descriptor.read(into: $0) }),
        count > 0
      {
        content += part[..<count]
      }
      return content
    }
  }

  /// The content of a file as text, with U+FFFD for what is not UTF-8.
  package func text(of name: FilePath) throws -> String {
    String(decoding: try bytes(of: name), as: UTF8.self)
  }

  /// Makes a directory, with all above it that are missing.
  package func makeDirectory(_ name: FilePath) throws { try Self.makeDirectories(to: self(name)) }

  package func makeLink(_ name: FilePath, to target: FilePath) throws {
    let link = try prepare(name)
    try Self.check(
      target.withPlatformString { target in link.withPlatformString { symlink(target, $0) } })
  }

  package func rename(_ name: FilePath, to other: FilePath) throws {
    let target = try prepare(other)
    try Self.check(
      self(name).withPlatformString { from in
        target.withPlatformString { renameat(AT_FDCWD, from, AT_FDCWD, $0) }
      })
  }

  /// Removes an entry with everything below it.
  package func remove(_ name: FilePath) throws { try Self.remove(self(name)) }

  /// Whether there is something by this name; a link counts as itself.
  package func holds(_ name: FilePath) -> Bool {
    var status = stat()
    return self(name).withPlatformString { lstat($0, &status) } == 0
  }

  /// The names in it or in a directory below, hidden ones too.
  package func names(in name: FilePath = "") throws -> Set<String> {
    guard let stream = self(name).withPlatformString({ opendir($0) }) else {
      throw Errno(rawValue: errno)
    }
    defer { closedir(stream) }
    var names: Set<String> = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.insert(name) }
    }
    return names
  }

  // MARK: - Steps

  /// The path of something whose directory exists then.
  package func prepare(_ name: FilePath) throws -> FilePath {
    let place = self(name)
    // Asked first because taking paths apart is slow without optimization.
    let above = place.withPlatformString { text in
      var bytes = Array(UnsafeBufferPointer(start: text, count: strlen(text)))
      bytes.removeSubrange((bytes.lastIndex(of: CChar(UInt8(ascii: "/"))) ?? 0)...)
      return bytes + [0]
    }
    if access(above, F_OK) != 0 { try Self.makeDirectories(to: place.removingLastComponent()) }
    return place
  }

  package static func makeDirectories(to place: FilePath) throws {
    guard place.withPlatformString({ mkdir($0, 0o755) }) != 0, errno != EEXIST else { return }
    guard errno == ENOENT else { throw Errno(rawValue: errno) }
    try makeDirectories(to: place.removingLastComponent())
    // Still impossible where a link without a target is in the way.
    guard place.withPlatformString({ mkdir($0, 0o755) }) == 0 || errno == EEXIST else {
      throw Errno(rawValue: errno)
    }
  }

  /// Removes a file or a tree, however deep it is.
  package static func remove(_ path: FilePath) throws {
    // Directories that may not be entered keep `rm` out, unless root runs it.
    if getuid() != 0 { try CommandRunner("chmod").run(["-R", "u+rwX", path.string]) }
    try CommandRunner("rm").run(["-rf", "--", path.string])
  }

  /// Turns the result of a system call into an error.
  @discardableResult
  package static func check(_ result: Int32) throws -> Int32 {
    if result < 0 { throw Errno(rawValue: errno) }
    return result
  }
}

// MARK: - For the length of a test

/// Makes an empty directory, runs `body` with it and removes it.
package func withTemporaryDirectory<Result>(
  in parent: String = TemporaryDirectory.parent,
  _ body: (TemporaryDirectory) throws -> Result
) throws -> Result {
  let directory = try TemporaryDirectory(in: parent)
  defer { directory.remove() }
  return try body(directory)
}

/// Makes an empty directory, runs `body` with it and removes it.
package func withTemporaryDirectory<Result>(
  in parent: String = TemporaryDirectory.parent,
  _ body: (TemporaryDirectory) async throws -> Result
) async throws -> Result {
  let directory = try TemporaryDirectory(in: parent)
  defer { directory.remove() }
  return try await body(directory)
}

/// An empty file system of a test's own, with little space, over a directory.
package struct MountedFileSystem: Sendable {
  package let path: FilePath

  /// Whether this process may mount file systems.
  package static let isPermitted: Bool = {
    (try? withTemporaryDirectory { try MountedFileSystem(at: $0.path, kilobytes: 64).unmount() })
      != nil
  }()

  package init(at path: FilePath, kilobytes: Int) throws {
    self.path = path
    let options = "size=\(kilobytes)k,mode=755"
    let result = try CommandRunner("mount").run(["-t", "tmpfs", "-o", options, "none", path.string])
    guard result.status == 0 else { throw CommandError(description: result.errors) }
  }

  package func unmount() {
    _ = try? CommandRunner("umount").run(["-l", path.string])
  }
}

/// Runs `body` while an empty file system of this size lies over a directory.
package func withMountedFileSystem<Result>(
  at directory: FilePath, kilobytes: Int, _ body: () async throws -> Result
) async throws -> Result {
  let mounted = try MountedFileSystem(at: directory, kilobytes: kilobytes)
  defer { mounted.unmount() }
  return try await body()
}
