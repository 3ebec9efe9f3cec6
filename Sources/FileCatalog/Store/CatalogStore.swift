internal import FileSystem
internal import GRDB
internal import GRDBSQLite
internal import Migrations
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The catalog's file: opening, creating and migrating it, and access to its connections.
final class CatalogStore: Sendable {
  let path: FilePath
  private let opened: Monitor<Connections>

  private struct Connections {
    var pool: DatabasePool?
    var queue: DatabaseQueue?
  }

  /// What opening may do.
  enum Access: Sendable {
    /// The file is created when it is missing and something is to be written or read.
    case create
    /// The file must exist.
    case existing
  }

  /// Opens the file. One that is missing is created with its first use, so that a first scan may
  /// make it in a better way (``NewCatalogFile``).
  init(path: FilePath, access: Access) throws(CatalogError) {
    self.path = path
    do {
      let exists = try Self.inspectFile(at: path, access: access)
      if !exists { try Self.prepareFolder(of: path) }
      // Whoever may make the file most likely writes, which takes other connections.
      opened = Monitor(Connections(queue: access == .existing ? try Self.openQueue(at: path) : nil))
    } catch {
      throw CatalogError(error, path: path)
    }
  }

  /// The connections for writing. The file is created if it is missing, and migrated if it is of an
  /// older version.
  var pool: DatabasePool {
    get throws {
      try opened.withLock { connections in
        if let pool = connections.pool { return pool }
        if try !Self.inspectFile(at: path, access: .create) { try Self.createFile(at: path) }
        let pool = try Self.openPool(at: path)
        connections = Connections(pool: pool)
        return pool
      }
    }
  }

  /// Makes sure that there is a file of this version to be read.
  func prepareForReading() throws {
    _ = try reader
  }

  /// A connection that reads, without a change to the file: the pool, once there is one, else a
  /// single connection. A file that is missing or of an older version is made up for first.
  private var reader: any DatabaseReader {
    get throws {
      let known = try opened.withLock { connections -> (any DatabaseReader)? in
        if let pool = connections.pool { return pool }
        if connections.queue == nil, try Self.inspectFile(at: path, access: .create) {
          connections.queue = try Self.openQueue(at: path)
        }
        return connections.queue
      }
      if let known { return known }
      return try pool
    }
  }

  /// Calls `body` in a transaction that reads. Blocks the calling thread.
  func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let reader = try reader
    guard let queue = reader as? DatabaseQueue else { return try reader.read(body) }
    return try queue.unsafeRead { try Self.inTransaction($0, body) }
  }

  /// Calls `body` in a transaction that reads, off the caller's thread.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    let reader = try reader
    guard let queue = reader as? DatabaseQueue else { return try await reader.read(body) }
    return try await queue.unsafeRead { try Self.inTransaction($0, body) }
  }

  /// What GRDB's `read` does, but for a pragma before and one after it: they make SQLite prepare all
  /// statements anew that were kept.
  private static func inTransaction<Result>(
    _ db: Database, _ body: (Database) throws -> Result
  ) throws -> Result {
    var result: Result?
    try db.inTransaction(.deferred) {
      result = try body(db)
      return .commit
    }
    guard let result else { throw CancellationError() }
    return result
  }

  /// Whether there is no file so far.
  var isMissing: Bool {
    opened.withLock { $0.pool == nil && $0.queue == nil }
      && faccessat(AT_FDCWD, path.string, F_OK, 0) != 0
  }

  /// Closes the connections, if there are any.
  ///
  /// The one that writes goes last: SQLite merges the write-ahead log into the file and removes it
  /// when the last connection closes, and those that only read may not.
  func close() throws {
    try opened.withLock { connections in
      try connections.queue?.close()
      connections.pool?.invalidateReadOnlyConnections()
      try connections.pool?.close()
    }
  }

  /// Opens a single connection; `nil` when the file has to be migrated first. Making a pool would
  /// write to the file, to have a write-ahead log at hand.
  private static func openQueue(at path: FilePath) throws -> DatabaseQueue? {
    var configuration = configuration
    let name = name(forReading: path)
    configuration.readonly = name != path.string
    let queue = try DatabaseQueue(path: name, configuration: configuration)
    let version = try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    guard version == Migrations.currentVersion else {
      try queue.close()
      return nil
    }
    try queue.unsafeRead { try $0.execute(sql: "PRAGMA query_only = 1") }
    return queue
  }

  /// What SQLite is to open for reading: the file, or where its folder may not be written to and no
  /// log lies beside it, a URI that says so (sqlite.org/uri.html). SQLite could not make a log there.
  static func name(forReading path: FilePath) -> String {
    let folder = path.absolute.removingLastComponent().string
    let isFixed =
      faccessat(AT_FDCWD, folder, W_OK, 0) != 0
      && faccessat(AT_FDCWD, path.string + "-wal", F_OK, 0) != 0
    return isFixed ? immutableURI(of: path) : path.string
  }

  private static func immutableURI(of path: FilePath) -> String {
    let unreserved = Set("/-._~".utf8)
    let encoded = path.absolute.bytes.map { byte in
      let isPlain =
        unreserved.contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xdf)
      let hexadecimal = String(byte, radix: 16, uppercase: true)
      return isPlain
        ? String(UnicodeScalar(byte)) : (byte < 16 ? "%0" : "%") + hexadecimal
    }
    return "file://\(encoded.joined())?immutable=1"
  }

  private static func openPool(at path: FilePath) throws -> DatabasePool {
    let pool = try DatabasePool(path: path.string, configuration: configuration)
    let version = try pool.writeWithoutTransaction {
      try Int.fetchOne($0, sql: "PRAGMA user_version")
    }
    if version != Migrations.currentVersion { try migrator.migrate(pool) }
    return pool
  }

  static var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "FileCatalog"
    configuration.busyMode = .timeout(10)
    configuration.maximumReaderCount = 4
    configuration.prepareDatabase { db in
      // Some distributions build SQLite so that deleted content is overwritten: metadata that
      // anybody with access to the disk can read needs no such care, and it doubles the writing.
      try db.execute(sql: "PRAGMA secure_delete = OFF; PRAGMA cache_size = -32768")
      try SQLFunctions.register(on: db)
    }
    return configuration
  }

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for migration in Migrations.all {
      migrator.registerMigration(migration.name) { db in
        try db.execute(sql: migration.sql)
        // What names say cannot be told in SQL.
        if migration.version == 5 { try AssetRows.addAll(in: db) }
        try db.execute(
          sql: """
            PRAGMA application_id = \(Migrations.applicationID);
            PRAGMA user_version = \(migration.version);
            """)
      }
    }
    return migrator
  }

  // MARK: - Looking before opening

  /// Refuses what is no catalog without touching it: opening it as one would already change it.
  ///
  /// - Returns: whether the file exists.
  private static func inspectFile(at path: FilePath, access: Access) throws -> Bool {
    switch try FileHeader(reading: path) {
    case .missing:
      guard access == .create else {
        throw CatalogError(
          .catalogNotFound, path: path, "there is no catalog at \(path.string)")
      }
      return false
    case .empty:
      return true
    case .foreign:
      throw CatalogError(sqliteCode: SQLITE_NOTADB, message: "", path: path)
    case .truncated:
      throw CatalogError(
        .corrupt, path: path,
        "\(path.string) is shorter than it says; delete it and scan again, or restore a copy")
    case .database(let applicationID, let version, let pages):
      let known = applicationID == Migrations.applicationID
      // An unmarked file may be a catalog whose creation is still in its write-ahead log. Without a
      // log the header tells, and the file need not be opened.
      let hasLog = faccessat(AT_FDCWD, path.string + "-wal", F_OK, 0) == 0
      guard try known || (hasLog ? isUnused(path) : applicationID == 0 && pages <= 1) else {
        throw CatalogError(sqliteCode: SQLITE_NOTADB, message: "", path: path)
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
    let descriptor = open(path.string, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CatalogError(creating: path, Errno(rawValue: errno)) }
    try? FileDescriptor(rawValue: descriptor).close()
  }

  /// Makes the folder of a new catalog and finds out early whether it can be written to.
  private static func prepareFolder(of path: FilePath) throws(CatalogError) {
    let folder = path.absolute.removingLastComponent()
    do throws(Errno) {
      try createFolder(folder)
      guard faccessat(AT_FDCWD, folder.string, W_OK | X_OK, 0) == 0 else {
        throw Errno(rawValue: errno)
      }
    } catch {
      throw CatalogError(creating: path, error)
    }
  }

  /// Makes a folder with all that are missing above it.
  private static func createFolder(_ folder: FilePath) throws(Errno) {
    guard mkdir(folder.string, 0o700) != 0 else { return }
    switch Errno(rawValue: errno) {
    case .fileExists: return
    case .noSuchFileOrDirectory where folder.removingLastComponent() != folder:
      try createFolder(folder.removingLastComponent())
      if mkdir(folder.string, 0o700) != 0 { throw Errno(rawValue: errno) }
    case let error: throw error
    }
  }

  /// Whether an SQLite file holds nothing yet, or only a catalog that is being made.
  private static func isUnused(_ path: FilePath) throws -> Bool {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(10)
    let queue = try DatabaseQueue(path: path.string, configuration: configuration)
    defer { try? queue.close() }
    return try queue.read { db in
      let applicationID = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
      let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
      return applicationID == Migrations.applicationID || (applicationID == 0 && tables == 0)
    }
  }
}
