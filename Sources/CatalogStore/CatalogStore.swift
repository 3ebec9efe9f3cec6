internal import FileSystem
internal import Migrations
package import SQLite
package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The catalog's file: opening, creating and migrating it, and access to its connections.
package final class CatalogStore: Sendable {
  package let path: FilePath
  private let access: Access
  private let opened: Monitor<Connections>

  private struct Connections {
    var pool: Pool?
    /// What only reads: one connection, or as many as were asked for.
    var single: Single?
  }

  private struct Single {
    let queue: ConnectionQueue
    let mode: Connection.Mode
  }

  /// What opening may do.
  package enum Access: Sendable {
    /// The file is created when it is missing and something is to be written or read.
    case create
    /// The file must exist.
    case existing
    /// The file must exist and be of this version, and nothing is ever written to it. So many
    /// connections may read at the same time.
    case reading(connections: Int)
  }

  /// Opens the file. One that is missing is created with its first use, so that a first scan may
  /// make it in a better way (``UnfinishedFile``).
  package init(path: FilePath, access: Access) throws(CatalogError) {
    self.path = path
    self.access = access
    do {
      let exists = try Self.inspectFile(at: path, access: access)
      if !exists { try Self.prepareDirectory(of: path) }
      // Whoever may make the file most likely writes, which takes other connections.
      opened = Monitor(
        Connections(single: access.mayMakeFile ? nil : try Self.openSingle(at: path, access)))
    } catch {
      throw CatalogError(error, path: path)
    }
  }

  /// The connections for writing. The file is created if it is missing, and migrated if it is of an
  /// older version.
  package var pool: Pool {
    get throws {
      try opened.withLock { connections in
        if let pool = connections.pool { return pool }
        if case .reading = access {
          throw CatalogError(.readOnly, path: path, "\(path.string) is open for reading alone")
        }
        AbandonedFiles(of: path).remove()
        if let single = connections.single, single.mode == .alone {
          try single.queue.close()
          connections.single = nil
        }
        if try !Self.inspectFile(at: path, access: .create) { try Self.createFile(at: path) }
        let pool = try Pool(path: path, prepare: Self.prepare)
        try pool.withWriter { db in
          if try Schema.state(of: db) == .outdated { try Schema.update(db) }
          try Self.followEntries(in: db)
        }
        // Who has begun to read with the single connection may go on: it is closed with the pool, before
        // the last connection takes the log away.
        connections.pool = pool
        return pool
      }
    }
  }

  /// Makes sure that there is a file of this version to be read.
  package func prepareForReading() throws {
    _ = try single
    // A connection that keeps others out must not stand in the way of those that are to read.
    try opened.withLock { connections in
      guard let single = connections.single, single.mode == .alone else { return }
      try single.queue.close()
      connections.single = nil
    }
  }

  /// A connection that reads, without a change to the file; `nil` once there is a pool. A file that is
  /// missing or of an older version is made up for first.
  private var single: ConnectionQueue? {
    get throws {
      let known = try opened.withLock { connections -> Connections in
        if connections.pool == nil, connections.single == nil,
          try Self.inspectFile(at: path, access: .create)
        {
          connections.single = try Self.openSingle(at: path, access)
        }
        return connections
      }
      if known.pool == nil, known.single == nil { _ = try pool }
      return known.pool == nil ? known.single?.queue : nil
    }
  }

  /// Calls `body` in a transaction that reads. Blocks the calling thread.
  package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard let single = try single else { return try pool.read(body) }
    return try single.use { db in try db.transaction(.deferred) { try body(db) } }
  }

  /// Calls `body` in a transaction that reads, off the caller's thread.
  package func read<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    guard let single = try single else { return try await pool.read(body) }
    return try await single.use { db in try db.transaction(.deferred) { try body(db) } }
  }

  /// Whether further connections may read.
  var isShared: Bool {
    opened.withLock { $0.pool != nil || $0.single?.mode == .readWrite }
  }

  /// Whether there is no file so far.
  package var isMissing: Bool {
    opened.withLock { $0.pool == nil && $0.single == nil }
      && !path.isThere
  }

  /// Closes the connections, if there are any.
  package func close() throws {
    try opened.withLock { connections in
      try connections.single?.queue.close()
      try connections.pool?.close()
    }
  }

  /// Opens a single connection; `nil` when the file has to be migrated first. A pool would write to the
  /// file, to have a write-ahead log at hand.
  private static func openSingle(at path: FilePath, _ access: Access) throws -> Single? {
    var limit = 1
    // One that may write makes up for a crash, and merges the log when it closes.
    var usual = Connection.Mode.readWrite
    if case .reading(let connections) = access { (limit, usual) = (connections, .readOnly) }
    return try OpeningToRead(path).open(usually: usual) { mode in
      let queue = ConnectionQueue(limit: mode == .alone ? 1 : limit) {
        let db = try Connection(path: path, mode)
        try prepare(db)
        try db.execute("PRAGMA query_only = ON")
        return db
      }
      guard try queue.use({ try Schema.state(of: $0) }) == .current else {
        try queue.close()
        return nil
      }
      return Single(queue: queue, mode: mode)
    }
  }

  /// What every connection of the catalog's own needs. The file may come from anybody: one whose schema
  /// is not that of a catalog is refused before anything else is read.
  @Sendable
  package static func prepare(_ db: Connection) throws {
    try db.distrustFile()
    try Schema.requireTables(in: db)
    try prepareOwn(db)
  }

  /// The same for a file that only this process has.
  package static func prepareOwn(_ db: Connection) throws {
    // Some distributions build SQLite so that deleted content is overwritten: metadata that
    // anybody with access to the disk can read needs no such care, and it doubles the writing.
    try db.execute(
      "PRAGMA foreign_keys = ON; PRAGMA secure_delete = OFF; PRAGMA cache_size = -32768")
    try SQLFunctions.register(on: db)
  }

  /// Makes a connection that writes follow what it does to rows of entries, wherever something is kept
  /// that follows from them.
  package static func followEntries(in db: Connection) throws {
    try UsageSums.follow(in: db)
    try NameIndex.follow(in: db)
  }

  // MARK: - Looking before opening

  /// Refuses what is no catalog without touching it: opening it as one would already change it.
  ///
  /// - Returns: whether the file exists.
  private static func inspectFile(at path: FilePath, access: Access) throws -> Bool {
    switch try FileHeader(reading: path) {
    case .missing:
      guard access.mayMakeFile else {
        throw CatalogError(
          .catalogNotFound, path: path, "there is no catalog at \(path.string)")
      }
      return false
    case .empty:
      // Whoever reads would make an empty catalog of it, and find nothing there.
      guard access.mayMakeFile || path.with(ending: "-wal").isThere else {
        throw CatalogError(
          .catalogNotFound, path: path, "there is no catalog at \(path.string): the file is empty")
      }
      return true
    case .foreign:
      throw CatalogError(notACatalog: path)
    case .truncated:
      throw CatalogError(
        .corrupt, path: path,
        "\(path.string) is damaged: it is shorter than it says")
    case .database(let applicationID, let version, let pages):
      let known = applicationID == Migrations.applicationID
      // An unmarked file may be a catalog whose creation is still in its write-ahead log. Without a
      // log the header tells, and the file need not be opened.
      let hasLog = path.with(ending: "-wal").isThere
      guard try known || (hasLog ? isUnused(path) : applicationID == 0 && pages <= 1) else {
        throw CatalogError(notACatalog: path)
      }
      guard version == 0 || version > Migrations.unreleasedVersions else {
        throw CatalogError(
          .olderSchema, path: path,
          "\(path.string) was made by an older version (schema \(version)), which is not read any "
            + "more")
      }
      guard version <= Migrations.currentVersion else {
        throw CatalogError(
          .newerSchema, path: path,
          "\(path.string) was made by a newer version (schema \(version), this one knows "
            + "\(Migrations.currentVersion))")
      }
      return true
    }
  }

  /// Makes an empty file. What files exist where is private: only the owner reads it.
  private static func createFile(at path: FilePath) throws(CatalogError) {
    let descriptor = path.withPlatformString { open($0, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
    guard descriptor >= 0 else { throw CatalogError(creating: path, Errno(rawValue: errno)) }
    try? FileDescriptor(rawValue: descriptor).close()
  }

  /// Makes the directory of a new catalog and finds out early whether it can be written to.
  private static func prepareDirectory(of path: FilePath) throws(CatalogError) {
    let directory = path.absolute.removingLastComponent()
    do throws(Errno) {
      try directory.makeDirectories(mode: 0o700)
      guard directory.allows(W_OK | X_OK) else {
        throw Errno(rawValue: errno)
      }
    } catch {
      throw CatalogError(creating: path, error)
    }
  }

  /// Whether an SQLite file holds nothing yet, or only a catalog that is being made.
  private static func isUnused(_ path: FilePath) throws -> Bool {
    let db = try Connection(path: path, .readOnly)
    let applicationID = try db.integer("PRAGMA application_id") ?? 0
    let tables = try db.integer("SELECT count(*) FROM sqlite_master") ?? 0
    return applicationID == Migrations.applicationID || (applicationID == 0 && tables == 0)
  }
}

extension CatalogStore.Access {
  fileprivate var mayMakeFile: Bool { if case .create = self { true } else { false } }
}
