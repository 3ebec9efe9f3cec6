internal import Console
internal import FileSystem
internal import Fleet
internal import SQLite
internal import SystemPackage

/// Reads all of a catalog from a connection of its own, on a thread of its own, until it is done or
/// cancelled.
final class BulkReading: Sendable {
  /// The memory that SQLite gets for pages: most are read once.
  private static let cacheKilobytes = 2048
  /// After so many rows it is looked whether the work is to end.
  private static let step: Int64 = 1024

  private let path: FilePath
  private let state = Monitor<(isCancelled: Bool, interrupter: Interrupter?)>((false, nil))

  fileprivate init(_ path: FilePath) {
    self.path = path
  }

  fileprivate var isCancelled: Bool { state.withLock { $0.isCancelled } }

  fileprivate func cancel() {
    state.withLock { state in
      state.isCancelled = true
      state.interrupter?.interrupt()
    }
  }

  /// Calls `body` with a connection that sees one state throughout.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let db = try OpeningToRead(path).open(usually: .readOnly) { mode in
      let db = try Connection(path: path, mode)
      try CatalogStore.prepare(db)
      return db
    }
    state.withLock { $0.interrupter = db.interrupter }
    if isCancelled { throw CancellationError() }
    try db.execute("PRAGMA cache_size = -\(Self.cacheKilobytes)")
    let result = try db.transaction(.deferred) { try body(db) }
    try db.close()
    return result
  }

  /// Throws now and then when the work is to end.
  ///
  /// - Parameter count: how many rows were read.
  func requireGoingOn(after count: Int64) throws {
    if count % Self.step == 0, isCancelled { throw CancellationError() }
  }
}

extension Catalog {
  /// Calls `body` on a thread of its own with what reads the catalog.
  ///
  /// - Throws: ``/CatalogStore/CatalogError``; errors of what is written to, as they are.
  func readingInBulk<Result: Sendable>(
    named name: String, _ body: @escaping @Sendable (BulkReading) throws -> Result
  ) async throws -> Result {
    let reading = BulkReading(path)
    do {
      return try await withTaskCancellationHandler {
        try await WorkerThread.run(named: name) { [self] in
          try store.prepareForReading()
          return try body(reading)
        }
      } onCancel: {
        reading.cancel()
      }
    } catch let error where error is OutputError || error is FleetError {
      throw error
    } catch {
      throw CatalogError(reading.isCancelled ? CancellationError() : error, path: path)
    }
  }
}
