import SQLite
import SystemPackage
import TestSupport
import Testing

/// A database file in a directory of its own, and the stock `sqlite3` program to judge it.
final class Database {
  private let directory: TemporaryDirectory
  var path: String { directory("catalog.sqlite").string }

  init(_ sql: String, pageSize: Int = 4096, vacuum: Bool = true) throws {
    directory = try TemporaryDirectory()
    // VACUUM makes an empty file of that page size.
    try run("PRAGMA page_size = \(pageSize); \(vacuum ? "VACUUM;" : "") \(sql)")
  }

  deinit { directory.remove() }

  /// Runs SQL and returns what is printed, errors too, without the last line end.
  @discardableResult
  func run(_ sql: String, pendingByte: Int? = nil) throws -> String {
    let control = pendingByte.map { ".testctrl pending_byte \($0)\n.open '\(path)'\n" } ?? ""
    let result = try CommandRunner("sqlite3", ["-batch", "-init", "/dev/null"]).run(
      pendingByte == nil ? [path] : [], input: control + sql + "\n")
    let text = result.text + result.errors
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }

  func expectSound(
    pendingByte: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let verdict = try run("PRAGMA integrity_check;", pendingByte: pendingByte)
    let last = verdict.split(separator: "\n").last.map { String($0) }
    #expect(last == "ok", "\(verdict)", sourceLocation: sourceLocation)
  }

  /// Changes that touch every page and shape of tree.
  func expectSoundThroughChanges(
    of table: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let output = try run(
      """
      CREATE TEMP TABLE removed AS SELECT * FROM \(table) WHERE rowid % 3 = 0;
      DELETE FROM \(table) WHERE rowid % 3 = 0;
      UPDATE \(table) SET rowid = rowid + (1 << 50) WHERE rowid % 3 = 1;
      INSERT INTO \(table) SELECT * FROM removed WHERE abs(random()) % 2 = 0;
      """)
    #expect(output.isEmpty, sourceLocation: sourceLocation)
    try expectSound(sourceLocation: sourceLocation)
    try run("VACUUM;")
    try expectSound(sourceLocation: sourceLocation)
  }
}

extension SeededRandom {
  /// An integer of any width and sign.
  mutating func integer() -> Int64 {
    let width = Int64.random(in: 0..<64, using: &self)
    let value = Int64(bitPattern: next()) >> width
    return [value, value, value, 0, 1, -1, .min, .max].randomElement(using: &self) ?? value
  }
}
