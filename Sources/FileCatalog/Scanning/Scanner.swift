internal import FileSystem
internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import SystemPackage

/// One scan of one root, from the walk to the commit.
///
/// Everything happens in one transaction: other readers see the root as it was until the scan is
/// complete, and a scan that fails, is stopped or is killed leaves no trace but its line in `scans`.
struct Scanner {
  let store: CatalogStore
  let root: RootLocation
  let options: ScanOptions
  let jobs: Int
  let control: ScanControl
  let progress: @Sendable (ScanProgress) -> Void

  /// Runs the scan on the calling thread, which it blocks.
  func run() throws -> ScanSummary {
    let started = Date.nowNanoseconds
    do {
      let walker = try makeWalker()
      return try store.pool.writeWithoutTransaction { db in
        var summary: ScanSummary?
        try db.inTransaction(.immediate) {
          summary = try scan(with: walker, started: started, in: db)
          return .commit
        }
        guard let summary else { throw CancellationError() }
        return summary
      }
    } catch {
      throw error
    }
  }

  private func makeWalker() throws -> TreeWalker {
    var walk = WalkOptions(jobs: jobs)
    walk.depth = options.depth == .deep ? .deep : .shallow
    walk.boundary = options.boundary == .crossDevices ? .crossDevices : .oneFileSystem
    do {
      return try TreeWalker(root: root.path, options: walk) {
        { _, _, _ in }
      }
    } catch {
      throw CatalogError(
        .unreadableRoot, path: root.path, "\(root.path.string) cannot be read: \(error.errno)")
    }
  }

  private func scan(with walker: TreeWalker, started: Int64, in db: Database) throws -> ScanSummary {
    guard let connection = db.sqliteConnection else { throw CancellationError() }
    let rootID: Int64 = 1
    let scanID: Int64 = 1
    let isFirst = try !(Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM entries)") ?? false)
    let indexes = isFirst ? try String.fetchAll(db, sql: "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name IN ('entries', 'folders') AND sql IS NOT NULL") : []
    if isFirst {
      for name in try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name IN ('entries','folders') AND sql IS NOT NULL") { try db.execute(sql: "DROP INDEX \(name)") }
    }
    var writer = try CatalogWriter(on: connection, scanID: scanID, rootID: rootID, rootPath: root.path)
    _ = try writer.writeRoot(walker.rootStatus, volume: walker.rootVolume, typeID: 1)
    walker.start()
    while let batch = walker.next() {
      try writer.write(batch)
      walker.recycle(batch)
    }
    let t1 = Date.nowNanoseconds
    try writer.finish()
    let t2 = Date.nowNanoseconds
    for sql in indexes { try db.execute(sql: sql) }
    let t3 = Date.nowNanoseconds
    print("walk", Double(t1-started)/1e9, "finish", Double(t2-t1)/1e9, "indexes", Double(t3-t2)/1e9)
    return ScanSummary(root: root.path, scanID: ScanID(rawValue: scanID), state: .complete, entries: writer.entryCount, added: 0, removed: 0, modified: 0, moved: 0, errors: 0, size: 0, allocated: 0, seconds: 0)
  }
}
final class ScanControl: Sendable {}
struct RootLocation { var path: FilePath; var given: FilePath }
extension Date { static var nowNanoseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1e9) } }
enum SQLFunctions { static func register(on db: Database) throws {} }
public func prototypeScan(_ path: String, into: String) throws {
  let s0 = Date.nowNanoseconds
  let store = try CatalogStore(path: FilePath(into), access: .create)
  let s1 = Date.nowNanoseconds
  let r = try Scanner(store: store, root: RootLocation(path: FilePath(path), given: FilePath(path)), options: ScanOptions(), jobs: 2, control: ScanControl(), progress: {_ in }).run()
  let s2 = Date.nowNanoseconds
  try store.pool.close()
  let s3 = Date.nowNanoseconds
  print(r.entries, "open", Double(s1-s0)/1e9, "scan", Double(s2-s1)/1e9, "close", Double(s3-s2)/1e9)
}
