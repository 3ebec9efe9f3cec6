internal import FileSystem
internal import SQLite
public import SystemPackage

extension Catalog {
  /// What becomes of a file that is where one is to be written.
  public enum ExistingFile: Sendable {
    /// It stays, and is an error.
    case kept
    case replaced
  }

  /// Writes a copy of the catalog into one file, for handing on or keeping.
  ///
  /// The copy is of one moment, whoever writes to the catalog meanwhile. It has no write-ahead log, so
  /// that it can be read where nothing may be written; only its owner may read it. It gets its name when
  /// it is complete and on the disk.
  ///
  /// Cancelling the task leaves everything as it was.
  ///
  /// - Parameter destination: the file; never the catalog itself.
  /// - Throws: ``/CatalogStore/CatalogError`` with ``/CatalogStore/CatalogError/Code/alreadyExists``,
  ///   ``/CatalogStore/CatalogError/Code/cannotWrite``, ``/CatalogStore/CatalogError/Code/diskFull``,
  ///   ``/CatalogStore/CatalogError/Code/invalidArgument`` where the destination is the catalog, and
  ///   ``/CatalogStore/CatalogError/Code/interrupted``.
  /// - Complexity: Reads and writes the file once.
  public func backUp(to destination: FilePath, existing: ExistingFile = .kept) async throws {
    let isCancelled = Monitor(false)
    do {
      try await withTaskCancellationHandler {
        try await WorkerThread.run(named: "catalog backup") { [self] in
          try store.prepareForReading()
          try writing(destination) {
            try copy(to: destination, existing) { isCancelled.withLock { $0 } }
          }
        }
      } onCancel: {
        isCancelled.withLock { $0 = true }
      }
    } catch let error as CatalogError {
      throw error
    } catch let error as SQLiteError where error.code == .full {
      throw CatalogError(
        .diskFull, path: destination, "\(destination.string): no space is left on the disk")
    } catch {
      throw CatalogError(error, path: path)
    }
  }

  private func copy(
    to destination: FilePath, _ existing: ExistingFile, unless isCancelled: () -> Bool
  ) throws {
    try requireFree(destination, existing)
    // The log of another database would be taken for that of the copy.
    guard !(destination.isThere && destination.with(ending: "-wal").isThere) else {
      throw CatalogError(
        .busy, path: destination, "\(destination.string) is in use: there is a log beside it")
    }
    let file = try UnfinishedFile(for: destination)
    let unfinished = file.path
    try OpeningToRead(path).open(usually: .readOnly) { mode in
      let source = try Connection(path: path, mode)
      try CatalogStore.prepare(source)
      let copy = try Connection(path: unfinished, .readWrite)
      try copy.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      try source.copy(to: copy, unless: isCancelled)
      try copy.close()
      try source.close()
    }
    try file.set(.none)
    try publish(file, existing)
  }

  /// Refuses what must not be replaced, before anything is written.
  func requireFree(_ destination: FilePath, _ existing: ExistingFile) throws {
    guard let status = try? FileStatus(ofPath: destination) else { return }
    if let own = try? FileStatus(ofPath: path), own.inode == status.inode,
      own.device == status.device
    {
      throw CatalogError(
        .invalidArgument, path: destination, "\(destination.string) is the catalog itself")
    }
    guard existing == .replaced else { throw Self.alreadyThere(destination) }
    guard EntryKind(mode: status.mode) == .file else {
      throw CatalogError(
        .cannotWrite, path: destination, "\(destination.string) exists and is no file")
    }
  }

  /// Runs `body`, which writes a file that is no catalog to be opened: what cannot be created is that file.
  func writing(_ destination: FilePath, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as CatalogError where error.code == .cannotCreate {
      throw CatalogError(.cannotWrite, path: destination, error.description)
    }
  }

  /// Puts a finished file into its place.
  func publish(_ file: consuming UnfinishedFile, _ existing: ExistingFile) throws {
    let destination = file.destination
    guard try file.publish(existing == .replaced ? .replaced : .kept) else {
      throw Self.alreadyThere(destination)
    }
  }

  private static func alreadyThere(_ path: FilePath) -> CatalogError {
    CatalogError(.alreadyExists, path: path, "\(path.string) exists")
  }
}
