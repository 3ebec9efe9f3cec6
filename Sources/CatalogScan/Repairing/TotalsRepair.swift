internal import CatalogStore
internal import FileSystem
internal import SQLite

/// Adds the directories of a root up again, from rows that are right otherwise.
struct TotalsRepair {
  private let db: Connection

  init(in db: Connection) {
    self.db = db
  }

  func run(_ root: Int64) throws {
    var totals = TreeTotals(beside: db.path)
    let positions = try addDirectories(of: root, to: &totals)
    for position in totals.directories.indices {
      let id = totals.directories[position].id
      totals.recount(position, try DirectoryTally(rowsIn: id, of: db))
    }
    try LinkedFile.forEachStored(in: db) { file, directory in
      if let position = positions[directory] { totals.addLink(file, in: position) }
    }
    try totals.sumUp()
    let writer = try StatementRowWriter(on: db)
    for position in totals.directories.indices { try writer.write(try totals.row(at: position)) }
  }

  /// - Returns: their positions by their ids.
  private func addDirectories(
    of root: Int64, to totals: inout TreeTotals
  ) throws -> [Int64: Int32] {
    var positions: [Int64: Int32] = [:]
    let directories = SQL(
      """
      SELECT f.id, f.parent_id, f.depth, e.allocated, t.state, t.error, t.fingerprint_high,
        t.fingerprint_low
      FROM _directory_paths f JOIN _entries e ON e.id = f.id JOIN _directory_totals t ON t.id = f.id
      WHERE f.root_id = ? ORDER BY f.depth, f.id
      """, [.integer(root)])
    try db.forEach(directories) { row in
      let above = row.optionalInteger(1).flatMap { positions[$0] }
      var directory = TreeTotals.Directory(
        id: row.id(0), parent: above ?? -1, depth: Int32(row.integer(2, in: 0...Int64(Int32.max))),
        ownBlocks: row.count(3))
      directory.state = DirectoryState(rawValue: row.integer(4)) ?? .unscanned
      if let high = row.optionalInteger(6) {
        directory.fingerprint = DirectoryFingerprint(
          high: UInt64(bitPattern: high), low: UInt64(bitPattern: row.integer(7)))
      } else {
        directory.isVague = true
      }
      positions[row.id(0)] = Int32(totals.directories.count)
      totals.append(directory, error: row.optionalText(5))
    }
    return positions
  }
}
