import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("The history on the command line")
struct ChangesCommandTests {
  /// A catalog with a history: scan 2 has moved and grown files, scan 3 has removed one.
  private func withHistory(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["one/a", "one/deep/b", "two/c"] { try sandbox.makeFile(name, "12345") }
    #expect(try sandbox.run("scan", "tree").status == 0)
    try sandbox.makeFile("one/a", "1234567890")
    try sandbox.makeFile("one/deep/new", "123")
    try FileManager.default.moveItem(
      atPath: sandbox.tree + "/two/c", toPath: sandbox.tree + "/one/c")
    #expect(try sandbox.run("scan", "tree").status == 0)
    try FileManager.default.removeItem(atPath: sandbox.tree + "/one/deep/b")
    #expect(try sandbox.run("scan", "tree").status == 0)
    try body(sandbox)
  }

  private func lines(_ sandbox: Sandbox, _ arguments: String...) throws -> [String] {
    let run = try sandbox.run(["changes"] + arguments)
    #expect([0, 1].contains(run.status), "\(run.errors)")
    return Rows.lines(run).map { $0.replacingOccurrences(of: sandbox.tree + "/", with: "") }
  }

  private static let second = ["~ one/a", "> two/c -> one/c", "+ one/deep/new"]
  private static let third = ["- one/deep/b"]

  @Test("is a line a change, between any two scans or dates", .feature("P-04"))
  func span() throws {
    try withHistory { (sandbox) throws in
      let all = Self.second + Self.third
      #expect(try lines(sandbox) == all)
      #expect(try lines(sandbox, "--since", "1") == all)
      #expect(try lines(sandbox, "--since", "2") == Self.third)
      #expect(try lines(sandbox, "--until", "2") == Self.second)
      #expect(try lines(sandbox, "--since", "1", "--until", "2") == Self.second)
      #expect(try lines(sandbox, "--since", "2", "--until", "2").isEmpty)
      #expect(try lines(sandbox, "--since", "yesterday", "--until", "today") == all)
      #expect(try lines(sandbox, "--until", "yesterday").isEmpty)
      #expect(try lines(sandbox, "--limit", "2") == Array(all.prefix(2)))
      #expect(
        try lines(sandbox, "--sort", "-scan_id,path", "--limit", "2")
          == [Self.third[0], Self.second[0]])
      #expect(try lines(sandbox, "--kind", "moved,removed") == [all[1], all[3]])
      #expect(try lines(sandbox, "--in", "tree/two") == [all[1]])
    }
  }

  @Test(
    "knows its scans where SQLite has lost count of them", .enabled(if: StockSQLite.isAvailable))
  func lostCount() throws {
    try withHistory { (sandbox) throws in
      try sandbox.sqlite(sandbox.catalog, "DELETE FROM sqlite_sequence")
      #expect(try lines(sandbox, "--since", "1") == Self.second + Self.third)
      #expect(try lines(sandbox, "--since", "2") == Self.third)
    }
  }

  @Test("has the number and the time of the scan in every format", arguments: FormatTests.formats)
  func scans(_ format: String) throws {
    try withHistory { sandbox in
      let run = try sandbox.run("changes", "--format", format)
      let rows = try Rows.parse(run, format)
      #expect(rows.map { $0["scan_id"] } == ["2", "2", "2", "3"])
      let scans = try Rows.parse(
        try sandbox.run("sql", "SELECT id, finished_at FROM scans", "--format", "csv"), "csv")
      for row in rows {
        let scan = try #require(scans.first { $0["id"] == row["scan_id"] })
        #expect(row["at"] == scan["finished_at"])
      }
      let keys: Set = [
        "scan_id", "at", "kind", "path", "old_path", "entry_id", "entry_kind", "fields", "size",
        "old_size",
      ]
      #expect(rows.allSatisfy { Set($0.keys) == keys })
    }
  }

  @Test("has them as well where a scan prints its changes")
  func scanChanges() throws {
    try withHistory { sandbox in
      try sandbox.makeFile("two/late", "x")
      let run = try sandbox.run("scan", "tree", "--changes", "--format", "ndjson")
      let rows = try Rows.parse(run, "ndjson")
      #expect(rows.map { $0["scan_id"] } == ["4"])
      let at = try #require(rows.first?["at"].flatMap { $0 }.flatMap { Double($0) })
      #expect(abs(at - Date.now.timeIntervalSince1970) < 3600)
    }
  }

  @Test("is added up by directory, at the depth that was asked for", arguments: FormatTests.formats)
  func summary(_ format: String) throws {
    try withHistory { (sandbox) throws in
      func rows(_ arguments: String...) throws -> [[String?]] {
        let run = try sandbox.run(["changes"] + arguments + ["--format", format])
        #expect(run.status == 0, "\(run.errors)")
        return try Rows.parse(run, format).map { row in
          ["path", "added", "removed", "modified", "moved", "bytes"].map { key in
            let text = row[key].flatMap { $0 }
            return key == "path" ? text.map { String($0.dropFirst(sandbox.tree.count)) } : text
          }
        }
      }
      // A file that has moved was as large before.
      #expect(try rows("--summary=0") == [["", "1", "1", "1", "1", "3"]])
      #expect(try rows("--summary") == [["/one", "1", "1", "1", "1", "3"]])
      #expect(
        try rows("--summary=2")
          == [["/one", "0", "0", "1", "1", "5"], ["/one/deep", "1", "1", "0", "0", "-2"]])
      #expect(try rows("--summary", "2") == rows("--summary=2"))
      #expect(
        try rows("--summary", "--in", "tree/one", "--sort", "bytes", "--limit", "1")
          == [["/one/deep", "1", "1", "0", "0", "-2"]])
      #expect(try rows("--summary", "--since", "2") == [["/one", "0", "1", "0", "0", "-5"]])
      // Out of the directory that was asked for, to another one.
      #expect(
        try rows("--summary=0", "--in", "tree/two") == [["/two", "0", "0", "0", "1", "0"]])
    }
  }

  @Test(
    "refuses what it cannot mean",
    arguments: [
      ["--kind", "grown"], ["--since", "soon"], ["--until", "soon"], ["--summary=-1"],
      ["--summary=x"], ["--limit", "-1"], ["--sort", "colour"],
    ])
  func wrongUse(_ arguments: [String]) throws {
    try withHistory { sandbox in
      let run = try sandbox.run(["changes"] + arguments)
      #expect(run.status == 64 && run.output.isEmpty && run.errorLines.count == 1, "\(run.errors)")
    }
  }
}
