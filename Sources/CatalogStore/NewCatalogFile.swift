internal import Migrations
package import SQLite
package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A catalog in the making: a private file beside the place where it will stand.
///
/// It becomes the catalog in one step, when it is complete and on the disk. Until then the catalog
/// does not exist, whatever happens; an unfinished file left by a process that was killed is removed
/// by the next one that makes a catalog there.
package struct NewCatalogFile: ~Copyable {
  /// Where the catalog will stand.
  package let destination: FilePath
  /// Where it is made.
  package let path: FilePath
  private let lock: FileDescriptor

  /// How the names of such files begin.
  package static func prefix(for destination: FilePath) -> String {
    ".\(destination.lastComponent?.string ?? "catalog").new-"
  }

  package init(for destination: FilePath) throws {
    let directory = destination.absolute.removingLastComponent()
    let prefix = Self.prefix(for: destination)
    Self.removeAbandoned(in: directory, named: prefix)
    var made = [CChar](directory.appending(prefix + "XXXXXX").string.utf8CString)
    let descriptor = mkstemp(&made)
    guard descriptor >= 0 else {
      throw CatalogError(creating: destination, Errno(rawValue: errno))
    }
    // Held as long as the file is being made: the kernel lets go of it when the process ends.
    flock(descriptor, LOCK_EX | LOCK_NB)
    lock = FileDescriptor(rawValue: descriptor)
    path = made.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { FilePath(platformString: $0) } ?? directory
    }
    self.destination = destination
  }

  deinit {
    unlink(path.string)
    unlink(path.string + "-journal")
    try? lock.close()
  }

  /// Opens the file for SQL while `body` runs. Nobody else knows it and it is synchronised once at
  /// the end, so there is no journal and no waiting for the disk.
  package func with<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let db = try Connection(path: path.string, .readWrite)
    try CatalogStore.prepareOwn(db)
    try db.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    let result = try body(db)
    try db.close()
    return result
  }

  /// Puts the finished file into its place.
  ///
  /// - Returns: `false` when another catalog has come there meanwhile.
  package consuming func publish() throws -> Bool {
    let descriptor = try FileDescriptor.open(path, .readWrite)
    defer { try? descriptor.close() }
    guard fsync(descriptor.rawValue) == 0 else {
      throw CatalogError(creating: destination, Errno(rawValue: errno))
    }
    // A link, unlike a renaming, never replaces what is there.
    guard link(path.string, destination.string) == 0 else {
      if errno == EEXIST { return false }
      throw CatalogError(creating: destination, Errno(rawValue: errno))
    }
    if let directory = try? FileDescriptor.open(
      destination.absolute.removingLastComponent(), .readOnly)
    {
      fsync(directory.rawValue)
      try? directory.close()
    }
    return true
  }

  private static func removeAbandoned(in directory: FilePath, named prefix: String) {
    guard let stream = opendir(directory.string) else { return }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasPrefix(prefix) else { continue }
      let path = directory.appending(name)
      guard let file = try? FileDescriptor.open(path, .readOnly) else { continue }
      if flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 { unlink(path.string) }
      try? file.close()
    }
  }
}

extension CatalogError {
  package init(creating path: FilePath, _ error: Errno) {
    self.init(
      error == .noSpace || error == .diskQuotaExceeded ? .diskFull : .cannotCreate, path: path,
      "\(path.string) cannot be created: \(error)")
  }
}
