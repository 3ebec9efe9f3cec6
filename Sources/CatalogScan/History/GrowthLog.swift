internal import CatalogStore
internal import FileSystem
internal import SQLite

/// Writes by how much a rescan changes the sums of directories.
struct GrowthLog {
  private let insert: Statement
  private let insertRemoval: Statement

  private static let columns = """
    scan_id, directory_id, root_id, path, path_bytes, depth, files, directories, size, allocated, total_files,
    total_directories, total_size, total_allocated
    """

  init(on db: Connection, scanID: Int64) throws(SQLiteError) {
    insert = try db.prepare(
      """
      INSERT INTO _growth_log (\(Self.columns))
      SELECT ?2, f.id, f.root_id, f.path, f.path_bytes, f.depth, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
      FROM _directory_paths f WHERE f.id = ?1
      """)
    insert.bind(scanID, at: 2)
    insertRemoval = try db.prepare(
      """
      INSERT INTO _growth_log (\(Self.columns))
      SELECT ?2, f.id, f.root_id, f.path, f.path_bytes, f.depth, -t.files, -t.directories, -t.size,
        -t.allocated, -t.total_files, -t.total_directories, -t.total_size, -t.total_allocated
      FROM _directory_paths f JOIN _directory_totals t ON t.id = f.id WHERE f.id = ?1
      """)
    insertRemoval.bind(scanID, at: 2)
  }

  /// Writes by how much the sums over the children of a directory, and over everything below, differ
  /// from those before. Where they do not, there is nothing to write.
  func add(_ own: DirectoryTally, _ total: DirectoryTally, to id: Int64) throws {
    let sums = own.sums + total.sums
    guard sums.contains(where: { $0 != 0 }) else { return }
    insert.bind(id, at: 1)
    for (sum, index) in zip(sums, Int32(3)...) { insert.bind(sum, at: index) }
    try insert.run()
  }

  /// Everything that a directory held is gone with it.
  func addRemoval(of id: Int64) throws {
    insertRemoval.bind(id, at: 1)
    try insertRemoval.run()
  }
}

extension DirectoryTally {
  /// In the order of the columns.
  fileprivate var sums: [Int64] { [files, directories, size, allocated] }
}
