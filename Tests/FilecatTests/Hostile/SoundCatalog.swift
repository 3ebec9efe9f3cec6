import Foundation
import TestSupport

/// A catalog in which every table has rows, of trees that have changed since.
struct SoundCatalog {
  let sandbox: Sandbox
  /// The file. Nothing of it is in a journal.
  var path: String { sandbox.catalog }

  init() throws {
    sandbox = try Sandbox()
    let trees = try AttackedTrees(in: sandbox.directory)
    try run("scan", "--container", "apple-sandbox", "tree/home")
    try run("scan", "--sniff", "--xattrs", "tree/other")
    try trees.change()
    try run("scan")
    try run("duplicates", "--hash")
    try run("find", "--save", "texts", "ext:txt", "--sort=-size", "--in", "tree/home")
    try sandbox.sqlite(path, AttackedTrees.furtherRows)
    try trees.changeAgain()
  }

  private func run(_ arguments: String...) throws {
    let run = try sandbox.run(arguments)
    guard run.status == 0 else {
      throw CommandError(description: "\(arguments): \(run.status) \(run.errors)")
    }
  }

  func remove() { sandbox.remove() }

  /// What a statement finds, row by row and column by column.
  private func rows(_ statement: String) throws -> [[String]] {
    try sandbox.sqlite(path, statement).split(separator: "\n").map { line in
      line.split(separator: "|").map(String.init)
    }
  }

  func columns() throws -> [CatalogAttack.Column] {
    try rows(AttackedTrees.columns).map {
      CatalogAttack.Column($0[0], $0[1], isOfNumberedRows: $0[2] == "1")
    }
  }

  func schemas() throws -> [CatalogAttack] {
    let names = Dictionary(grouping: try rows(AttackedTrees.definitions)) { $0[0] }
      .mapValues { rows in rows.map { $0[1] } }
    return CatalogAttack.schemas(
      tables: names["table"] ?? [], indexes: names["index"] ?? [], views: names["view"] ?? [])
  }

  /// Makes an attacked copy.
  ///
  /// - Returns: the path of the copy; `nil` where the attack changes nothing.
  func attacked(by attack: CatalogAttack) throws -> String? {
    let copy = sandbox.home + "/attacked.sqlite"
    try CommandRunner("cp").run([path, copy])
    switch attack.change {
    case .sql(let sql):
      let run = try sandbox.run(
        program: StockSQLite.program,
        ["-batch", "-cmd", ".dbconfig defensive off", copy, sql + "; SELECT total_changes()"])
      let isChanged = run.text.split(separator: "\n").last.map { $0 != "0" } ?? false
      guard isChanged || attack.isOfSchema else {
        discard(copy)
        return nil
      }
    case .bytes(let change):
      var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: copy)))
      change(&bytes)
      try Data(bytes).write(to: URL(fileURLWithPath: copy))
    }
    return copy
  }

  func discard(_ copy: String) {
    for ending in ["", "-wal", "-shm", "-journal"] {
      try? FileManager.default.removeItem(atPath: copy + ending)
    }
  }
}
