internal import CPlatform
internal import FileSystem
package import SQLite
package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A catalog in the making, or another file that one is written into: private, beside the place where it
/// will stand.
///
/// It gets its name in one step, when it is complete and on the disk. Until then nothing has the name,
/// whatever happens; a file left by a process that was killed is removed by the next one that writes
/// there.
package struct UnfinishedFile: ~Copyable {
  /// Where it will stand.
  package let destination: FilePath
  /// Where it is made.
  package let path: FilePath
  /// The file itself, open for reading and writing.
  package let descriptor: FileDescriptor

  /// How the names of such files begin.
  package static func prefix(for destination: FilePath) -> String {
    ".\(destination.lastComponent?.string ?? "catalog").new-"
  }

  /// How they end, but for the letters that are chosen in place of these.
  fileprivate static let ending = "XXXXXX"

  package init(for destination: FilePath) throws {
    AbandonedFiles(of: destination).remove()
    let directory = destination.absolute.removingLastComponent()
    let template = directory.appending(Self.prefix(for: destination) + Self.ending)
    while true {
      var made = template.bytes.map { CChar(bitPattern: $0) } + [0]
      let number = mkstemp(&made)
      guard number >= 0 else {
        throw CatalogError(creating: destination, Errno(rawValue: errno))
      }
      let file = FileDescriptor(rawValue: number)
      // Held as long as the file is being made: the kernel lets go of it when the process ends.
      let isTaken = flock(number, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
      // Somebody may have taken it for abandoned before.
      guard !isTaken, (try? FileStatus(of: file).links) != 0 else {
        try? file.close()
        continue
      }
      descriptor = file
      path = made.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { FilePath(platformString: $0) } ?? directory
      }
      self.destination = destination
      return
    }
  }

  deinit {
    for ending in ["", "-journal"] {
      path.with(ending: ending).withPlatformString { _ = unlink($0) }
    }
    try? descriptor.close()
  }

  /// Opens the file for SQL while `body` runs. Nobody else knows it and it is synchronised once at
  /// the end, so there is no journal and no waiting for the disk.
  package func with<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let db = try Connection(path: path, .readWrite)
    try CatalogStore.prepareOwn(db)
    try db.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    let result = try body(db)
    try db.close()
    return result
  }

  /// What becomes of a file that has the name already.
  package enum Conflict {
    case kept
    case replaced
  }

  /// Whether the finished file has a write-ahead log beside it when it is used.
  package enum Log: UInt8 {
    case none = 1
    case writeAhead = 2
  }

  /// Says in the file itself which log it has, whatever SQLite was told while it was made: bytes 18 and
  /// 19 of the [header](https://www.sqlite.org/fileformat2.html#the_database_header).
  package func set(_ log: Log) throws(CatalogError) {
    do {
      try descriptor.writeAll(toAbsoluteOffset: 18, [log.rawValue, log.rawValue])
    } catch {
      throw CatalogError(creating: destination, error as? Errno ?? .ioError)
    }
  }

  /// Puts the finished file into its place.
  ///
  /// - Returns: `false` when there is another file, which is kept.
  package consuming func publish(_ conflict: Conflict = .kept) throws -> Bool {
    guard fsync(descriptor.rawValue) == 0 else {
      throw CatalogError(creating: destination, Errno(rawValue: errno))
    }
    do throws(Errno) {
      switch conflict {
      case .kept: try path.rename(toFreeName: destination)
      case .replaced:
        try Errno.retrying {
          path.withPlatformString { old in destination.withPlatformString { rename(old, $0) } }
        }
      }
    } catch {
      if error == .fileExists { return false }
      throw CatalogError(creating: destination, error)
    }
    if let directory = try? FileDescriptor.open(
      destination.absolute.removingLastComponent(), .readOnly)
    {
      fsync(directory.rawValue)
      try? directory.close()
    }
    return true
  }
}

extension FilePath {
  /// Gives a file another name, which is never that of another file.
  fileprivate func rename(toFreeName name: FilePath) throws(Errno) {
    let code = withPlatformString { old in
      name.withPlatformString { cplatform_rename_to_free_name(AT_FDCWD, old, AT_FDCWD, $0) }
    }
    guard [.invalidArgument, .noFunction, .notSupported].contains(Errno(rawValue: code)) else {
      return try Errno.check(code)
    }
    // A link, unlike a renaming, never replaces what is there. Whoever dies before the first name is
    // gone leaves it to the next one.
    try Errno.retrying {
      withPlatformString { old in name.withPlatformString { link(old, $0) } }
    }
    withPlatformString { _ = unlink($0) }
  }
}

/// What processes that were killed have left beside a catalog: files that were to become it, and further
/// names of it.
package struct AbandonedFiles {
  private let directory: FilePath
  private let prefix: String
  private let catalog: FilePath

  package init(of catalog: FilePath) {
    let place = catalog.absolute
    directory = place.removingLastComponent()
    prefix = UnfinishedFile.prefix(for: catalog)
    self.catalog = place
  }

  /// Removes them. What cannot be removed now is left to the next one.
  package func remove() {
    for name in names {
      let path = directory.appending(name)
      guard isAbandoned(path) else { continue }
      // With what SQLite made beside it.
      for ending in ["", "-wal", "-shm", "-journal"] {
        path.with(ending: ending).withPlatformString { _ = unlink($0) }
      }
    }
  }

  private var names: [String] {
    guard let stream = directory.withPlatformString({ opendir($0) }) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    let length = (prefix + UnfinishedFile.ending).utf8.count
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasPrefix(prefix), name.utf8.count == length { names.append(name) }
    }
    return names
  }

  /// Whether a file is nobody's any more. Nothing but a file is opened, nor waited for.
  private func isAbandoned(_ path: FilePath) -> Bool {
    guard let status = try? FileStatus(ofPath: path), EntryKind(mode: status.mode) == .file else {
      return false
    }
    // Opening and closing the catalog under another name would take its locks from this process.
    if let whole = try? FileStatus(ofPath: catalog), whole.inode == status.inode,
      whole.device == status.device
    {
      return true
    }
    guard let file = try? OpenFile(path, for: .reading) else { return false }
    return flock(file.descriptor, LOCK_EX | LOCK_NB) == 0
  }
}

extension CatalogError {
  package init(creating path: FilePath, _ error: Errno) {
    self.init(
      error == .noSpace || error == .diskQuotaExceeded ? .diskFull : .cannotCreate, path: path,
      "\(path.string) cannot be created: \(error)")
  }
}
