internal import CatalogStore
internal import FileSystem
internal import StandardDirectories
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The files of a lake in a directory, which may be that of another machine.
struct DirectoryStore: LakeStore {
  let path: FilePath

  private func callAsFunction(_ place: FilePath) -> FilePath { path.pushing(place) }

  func requireThere() throws(FleetError) {
    guard path.isThere else {
      throw FleetError(.cannotRead, path, "\(Errno.noSuchFileOrDirectory)")
    }
  }

  func files(in directory: FilePath, levels: Int) throws(FleetError) -> [FilePath] {
    var files: [FilePath] = []
    for name in try names(in: directory) {
      let place = directory.appending(name)
      if levels == 1 {
        files.append(place)
      } else {
        files += try self.files(in: place, levels: levels - 1)
      }
    }
    return files
  }

  /// In the order of their bytes; none where there is no directory.
  private func names(in place: FilePath) throws(FleetError) -> [FilePath.Component] {
    do throws(Errno) {
      return try LocalFiles().names(in: self(place)).sorted { $0.string < $1.string }
    } catch {
      if [.noSuchFileOrDirectory, .notDirectory].contains(error) { return [] }
      throw FleetError(.cannotRead, self(place), "\(error)")
    }
  }

  func beginnings(
    of files: [FilePath], atMost limit: Int
  ) -> [Result<[UInt8], FleetError>] {
    files.map { place in
      Result { () throws(Errno) in
        try LocalFiles().contents(of: self(place), atMost: limit)
      }.mapError { FleetError(.cannotRead, self(place), "\($0)") }
    }
  }

  func contents(of files: [FilePath]) -> [Result<FileContent?, FleetError>] {
    files.map { place in
      do {
        let opened = try Self.open(self(place))
        return .success(try opened.closeAfter { try FileContent(of: opened) })
      } catch Errno.noSuchFileOrDirectory {
        return .success(nil)
      } catch {
        return .failure(FleetError(.cannotRead, self(place), "\(error)"))
      }
    }
  }

  func open(_ file: FilePath) throws(FleetError) -> FileDescriptor {
    do {
      return try Self.open(self(file))
    } catch {
      throw FleetError(.cannotRead, self(file), "\(error)")
    }
  }

  private static func open(_ file: FilePath) throws -> FileDescriptor {
    try FileDescriptor.open(file, .readOnly, options: [.noFollow, .nonBlocking, .closeOnExec])
  }

  func status(of files: [FilePath]) throws(FleetError) -> [StoredFile?] {
    files.map { place in
      (try? FileStatus(ofPath: self(place)))
        .map { StoredFile(size: $0.size, modified: $0.modified / 1_000_000_000) }
    }
  }

  func remove(_ files: [FilePath]) throws(FleetError) {
    for file in files.map({ self($0) }) {
      guard file.withPlatformString({ unlink($0) }) == 0 || errno == ENOENT else {
        throw FleetError(.cannotWrite, file, "\(Errno(rawValue: errno))")
      }
      // Where it was the last one; others stay.
      file.removingLastComponent().withPlatformString { _ = rmdir($0) }
    }
  }

  func makeDirectory(_ directory: FilePath) throws(FleetError) {
    do {
      let mode = CInterop.Mode(try FileStatus(ofPath: path.absolute).mode & 0o777)
      try self(directory).absolute.makeDirectories(mode: mode)
    } catch {
      throw FleetError(.cannotWrite, self(directory), "\(error)")
    }
  }

  func beginPublishing(_ records: FilePath) throws(FleetError) -> any LakePublishing {
    try DirectoryPublishing(path, self(records))
  }
}

/// Puts files into a directory. There is one publisher of a catalog at a time.
///
/// A file gets its name when it is complete and on the disk.
private final class DirectoryPublishing: LakePublishing {
  private let path: FilePath
  private let lock: FileDescriptor
  /// Who may do what with directories and files that are made: what may be done with the lake.
  private let mode: CInterop.Mode

  init(_ path: FilePath, _ directory: FilePath) throws(FleetError) {
    self.path = path
    (lock, mode) = try Self.open(path, directory)
  }

  private static func open(
    _ path: FilePath, _ directory: FilePath
  ) throws(FleetError) -> (lock: FileDescriptor, mode: CInterop.Mode) {
    let lock: FileDescriptor
    let mode: CInterop.Mode
    do {
      try path.absolute.makeDirectories(mode: 0o777)
      mode = CInterop.Mode(try FileStatus(ofPath: path.absolute).mode & 0o777)
      try directory.absolute.makeDirectories(mode: mode)
      lock = try FileDescriptor.open(
        directory.appending(".lock"), .readWrite, options: [.create, .closeOnExec, .noFollow],
        permissions: FilePermissions(rawValue: mode & 0o666))
    } catch {
      throw FleetError(.cannotWrite, directory, "\(error)")
    }
    // The kernel lets go of it when the process ends.
    guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 else {
      try? lock.close()
      throw FleetError(.busy, directory, "another process is publishing the catalog")
    }
    return (lock, mode)
  }

  deinit {
    // A process that was just started may have it as well, until it becomes another program.
    flock(lock.rawValue, LOCK_UN)
    try? lock.close()
  }

  func put(
    _ file: FilePath, _ conflict: FileConflict, _ body: (FileDescriptor) throws -> Void
  ) throws -> FileContent? {
    let place = path.pushing(file)
    func wrapping<Value: ~Copyable>(
      _ body: () throws -> Value
    ) throws(FleetError) -> Value {
      do {
        return try body()
      } catch {
        throw FleetError(.cannotWrite, place, "\(error)")
      }
    }
    let unfinished = try wrapping {
      try place.absolute.removingLastComponent().makeDirectories(mode: mode)
      let file = try UnfinishedFile(for: place)
      _ = try Errno.retrying { fchmod(file.descriptor.rawValue, mode & 0o666) }
      return file
    }
    try body(unfinished.descriptor)
    let content = try wrapping { try FileContent(of: unfinished.descriptor) }
    do {
      return try unfinished.publish(conflict == .kept ? .kept : .replaced) ? content : nil
    } catch {
      throw FleetError(.cannotWrite, place, "\(error)")
    }
  }

  func clockSkew(now: Int64) -> Int64 {
    // Whoever has the file dates it.
    guard futimens(lock.rawValue, nil) == 0, let status = try? FileStatus(of: lock) else {
      return 0
    }
    return (now - status.modified) / 1_000_000_000
  }
}

extension FileContent {
  /// Reads a file from its beginning to its end.
  ///
  /// - Parameter body: called with what is read, one part after the other.
  init(
    of file: FileDescriptor, _ body: (UnsafeRawBufferPointer) -> Void = { _ in }
  ) throws {
    var sum = ContentSum()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { memory.deallocate() }
    while case let count = try file.read(fromAbsoluteOffset: sum.size, into: memory), count > 0 {
      let bytes = UnsafeRawBufferPointer(rebasing: memory[..<count])
      sum.update(bytes)
      body(bytes)
    }
    self = sum.finish()
  }
}

/// Adds up what a file holds, one part after the other.
struct ContentSum {
  private var hash = BLAKE2b()
  private(set) var size: Int64 = 0

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    hash.update(bytes)
    size += Int64(bytes.count)
  }

  consuming func finish() -> FileContent {
    FileContent(size: size, hash: hash.finish().hexadecimal)
  }
}
