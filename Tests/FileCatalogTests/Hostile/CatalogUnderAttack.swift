import FileCatalog
import FileSystem
import Foundation
import SQLite
import StandardDirectories
import SystemPackage
import TestSupport

/// A catalog in which every table has rows, of trees that have changed since, and copies of it that are
/// attacked.
struct CatalogUnderAttack {
  private let directory: TemporaryDirectory
  let trees: AttackedTrees
  var path: FilePath { directory("sound.sqlite") }

  init(in directory: TemporaryDirectory) async throws {
    self.directory = directory
    trees = try AttackedTrees(in: directory)
    let catalog = try Catalog(at: directory("sound.sqlite"), types: TypeSources())
    var request = ScanRequest()
    request.containers = [try Container(at: trees.home, style: .appleSandbox)]
    _ = try await catalog.scan([trees.home], request: request)
    request = ScanRequest()
    request.typing = .byContent
    request.resourceValues = [ExtendedAttributeValues().key]
    _ = try await catalog.scan([trees.other], request: request)
    try trees.change()
    _ = try await catalog.scan()
    _ = try await catalog.duplicates(DuplicateGroup.Request(.content))
    try await catalog.save(
      SavedSearch(name: "texts", query: Query(parsing: "ext:txt"), directories: [trees.home]))
    try catalog.close()
    let db = try Connection(path: path, .readWrite)
    try db.execute(AttackedTrees.furtherRows)
    try db.execute("PRAGMA journal_mode = DELETE")
    try db.close()
    try trees.changeAgain()
  }

  func columns() throws -> [CatalogAttack.Column] {
    let db = try Connection(path: path, .readOnly)
    var columns: [CatalogAttack.Column] = []
    try db.forEach(SQL(AttackedTrees.columns)) { row in
      columns.append(
        CatalogAttack.Column(row.text(0), row.text(1), isOfNumberedRows: row.integer(2) != 0))
    }
    return columns
  }

  func schemas() throws -> [CatalogAttack] {
    let db = try Connection(path: path, .readOnly)
    var names: [String: [String]] = [:]
    try db.forEach(SQL(AttackedTrees.definitions)) {
      names[$0.text(0), default: []].append($0.text(1))
    }
    return CatalogAttack.schemas(
      tables: names["table"] ?? [], indexes: names["index"] ?? [], views: names["view"] ?? [])
  }

  /// Makes an attacked copy; `nil` where the attack changes nothing.
  func attacked(by attack: CatalogAttack) throws -> FilePath? {
    let copy = directory("attacked.sqlite")
    for ending in ["", "-wal", "-shm", "-journal"] {
      try? FileManager.default.removeItem(atPath: copy.string + ending)
    }
    var bytes = try directory.bytes(of: "sound.sqlite")
    if case .bytes(let change) = attack.change { change(&bytes) }
    try directory.write(bytes, to: "attacked.sqlite")
    guard case .sql(let sql) = attack.change else { return copy }
    let db = try Connection(path: copy, .readWrite)
    defer { try? db.close() }
    // Some attacks have no effect on some tables, or none that SQLite allows.
    try? db.execute(sql)
    let changes = try? db.integer("SELECT total_changes()")
    return attack.isOfSchema || changes != 0 ? copy : nil
  }
}
