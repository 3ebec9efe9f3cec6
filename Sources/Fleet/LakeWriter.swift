internal import CatalogStore
internal import FileSystem
package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Puts the files of one catalog into a lake. There is one writer for a catalog at a time.
///
/// A file gets its name when it is complete and on the disk. Those of tables take the place of what a
/// publisher has left that was killed before it had put the record; a record never takes the place of
/// another one.
package struct LakeWriter: ~Copyable {
  private let lake: Lake
  private let lock: FileDescriptor
  /// Who may do what with directories and files that are made: what may be done with the lake.
  private let mode: CInterop.Mode

  /// Begins to write.
  ///
  /// - Throws: ``FleetError`` with ``FleetError/Code/busy`` while somebody else writes for the catalog.
  package init(_ lake: Lake, for catalog: CatalogUUID) throws(FleetError) {
    (lock, mode) = try Self.open(lake, lake(Lake.directory(ofCommits: catalog)))
    self.lake = lake
  }

  private static func open(
    _ lake: Lake, _ directory: FilePath
  ) throws(FleetError) -> (lock: FileDescriptor, mode: CInterop.Mode) {
    let lock: FileDescriptor
    let mode: CInterop.Mode
    do {
      try lake.path.absolute.makeDirectories(mode: 0o777)
      mode = CInterop.Mode(try FileStatus(ofPath: lake.path.absolute).mode & 0o777)
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
    try? lock.close()
  }

  /// Writes the file of a table.
  ///
  /// - Parameter body: writes the rows into a descriptor, and returns how many they are.
  /// - Returns: what the record says of the file.
  package func write(
    _ table: FleetTable, _ catalog: CatalogUUID, _ publication: Int64,
    _ body: (FileDescriptor) throws -> Int64
  ) throws -> CommitRecord.File {
    let place = lake(Lake.place(of: table, catalog, publication))
    let file = try begin(place)
    let rows = try body(file.descriptor)
    let content = try FileContent(of: file.descriptor, at: place)
    _ = try end(file, .replaced)
    return CommitRecord.File(table, rows: rows, size: content.size, hash: content.hash)
  }

  /// Puts the record of a publication, after which everybody sees it.
  ///
  /// - Returns: `false` where there is another record in its place.
  package func commit(_ record: CommitRecord) throws(FleetError) -> Bool {
    let place = lake(Lake.place(ofCommit: record.publication, record.catalog))
    let json = record.json
    guard json.count <= CommitRecord.largest else {
      throw FleetError(.invalidRecord, place, "the record is too large to be read again")
    }
    let file = try begin(place)
    do {
      try file.descriptor.writeAll(json)
    } catch {
      throw FleetError(.cannotWrite, place, "\(error)")
    }
    return try end(file, .kept)
  }

  private func begin(_ place: FilePath) throws(FleetError) -> UnfinishedFile {
    do {
      try place.absolute.removingLastComponent().makeDirectories(mode: mode)
      let file = try UnfinishedFile(for: place)
      _ = try Errno.retrying { fchmod(file.descriptor.rawValue, mode & 0o666) }
      return file
    } catch {
      throw FleetError(.cannotWrite, place, "\(error)")
    }
  }

  /// - Returns: `false` where there is another file, which is kept.
  private func end(
    _ file: consuming UnfinishedFile, _ conflict: UnfinishedFile.Conflict
  ) throws(FleetError) -> Bool {
    let place = file.destination
    do {
      return try file.publish(conflict)
    } catch {
      throw FleetError(.cannotWrite, place, "\(error)")
    }
  }

  /// By how many seconds this machine's clock is ahead of the one that dates the files of the lake.
  package func clockSkew(now: Int64) -> Int64 {
    // Whoever has the file dates it.
    guard futimens(lock.rawValue, nil) == 0, let status = try? FileStatus(of: lock) else {
      return 0
    }
    return (now - status.modified) / 1_000_000_000
  }
}

/// How long a file is, and the hash of its bytes.
package struct FileContent: Hashable {
  package let size: Int64
  /// BLAKE2b, 32 bytes in base 16.
  package let hash: String

  /// Reads a file from its beginning to its end.
  package init(of file: FileDescriptor, at place: FilePath) throws(FleetError) {
    var hash = BLAKE2b()
    var size: Int64 = 0
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { memory.deallocate() }
    do {
      while true {
        let count = try file.read(fromAbsoluteOffset: size, into: memory)
        if count == 0 { break }
        hash.update(UnsafeRawBufferPointer(rebasing: memory[..<count]))
        size += Int64(count)
      }
    } catch {
      throw FleetError(.cannotRead, place, "\(error)")
    }
    self.size = size
    self.hash = hash.finish().hexadecimal
  }
}
