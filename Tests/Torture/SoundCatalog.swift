import SystemPackage
import TestSupport

/// A catalog in which every table has rows, of trees that have changed since, and copies of it that are
/// attacked.
struct SoundCatalog: Sendable {
  private let directory: TemporaryDirectory
  /// The file. Nothing of it is in a log.
  private let path: String
  private let content: [UInt8]

  init(in directory: TemporaryDirectory, program: String) throws {
    self.directory = directory
    path = directory("sound.sqlite").string
    let trees = try AttackedTrees(in: directory)
    let runner = CommandRunner(
      program, environment: Attempt.environment(home: directory.path.string),
      directory: directory.path.string)
    func run(_ arguments: String...) throws {
      let run = try runner.run(arguments + ["--catalog", "sound.sqlite"])
      guard run.status == 0 else {
        throw CommandError(description: "\(arguments): \(run.status) \(run.errors)")
      }
    }
    try run("scan", "--container", "apple-sandbox", "tree/home")
    try run("scan", "--sniff", "--xattrs", "tree/other")
    try trees.change()
    try run("scan")
    try run("duplicates", "--hash")
    try run("find", "--save", "texts", "ext:txt", "--sort=-size", "--in", "tree/home")
    _ = try Self.sqlite(path, AttackedTrees.furtherRows)
    try trees.changeAgain()
    content = try directory.bytes(of: "sound.sqlite")
  }

  @discardableResult
  private static func sqlite(_ path: String, _ statement: String) throws -> CommandResult {
    try CommandRunner("sqlite3", ["-batch", "-init", "/dev/null"]).run([path, statement])
  }

  /// What a statement finds, row by row and column by column.
  private func rows(_ statement: String) throws -> [[String]] {
    try Self.sqlite(path, statement).text.split(separator: "\n").map { line in
      line.split(separator: "|").map(String.init)
    }
  }

  /// All attacks there are, those of bytes anew with each seed.
  func attacks(_ random: inout SeededRandom) throws -> [[CatalogAttack]] {
    let columns = try rows(AttackedTrees.columns).map {
      CatalogAttack.Column($0[0], $0[1], isOfNumberedRows: $0[2] == "1")
    }
    let names = Dictionary(grouping: try rows(AttackedTrees.definitions)) { $0[0] }
      .mapValues { rows in rows.map { $0[1] } }
    return [
      CatalogAttack.values(in: columns), CatalogAttack.structures,
      CatalogAttack.schemas(
        tables: names["table"] ?? [], indexes: names["index"] ?? [], views: names["view"] ?? []),
      CatalogAttack.bytes(count: 400, &random),
    ]
  }

  /// Makes an attacked copy.
  ///
  /// - Returns: whether the attack changes anything.
  func attack(by attack: CatalogAttack, at copy: TemporaryDirectory, _ name: String) throws -> Bool
  {
    var bytes = content
    if case .bytes(let change) = attack.change { change(&bytes) }
    try copy.write(bytes, to: FilePath(name))
    guard case .sql(let sql) = attack.change else { return true }
    let run = try CommandRunner("sqlite3", ["-batch", "-cmd", ".dbconfig defensive off"])
      .run([copy(FilePath(name)).string, sql + "; SELECT total_changes()"])
    return attack.isOfSchema || run.text.split(separator: "\n").last.map { $0 != "0" } ?? false
  }
}
