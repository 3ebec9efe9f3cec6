import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("filecat history")
struct HistoryCommandTests {
  /// A catalog with four scans and six changes.
  private func changed() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.makeFile("a")
    try sandbox.run("scan", "tree")
    for number in 1...3 {
      try sandbox.makeFile("new\(number)")
      try sandbox.makeFile("a", String(repeating: "x", count: number))
      #expect(try sandbox.run("scan", "tree").status == 0)
    }
    return sandbox
  }

  private func changes(in sandbox: Sandbox) throws -> Int {
    Rows.lines(try sandbox.run("changes")).count
  }

  @Test(
    "shows what is kept, since when, and the limits", arguments: ["json", "ndjson", "csv", "tsv"])
  func shown(_ format: String) throws {
    let sandbox = try changed()
    defer { sandbox.remove() }
    let run = try sandbox.run("history", "--format", format)
    #expect(run.status == 0)
    let row = try #require(try Rows.parse(run, format == "json" ? "ndjson" : format).first)
    #expect(row["scans"] == "4")
    // The directory, of which only the content changed, is a change as well.
    #expect(Int((row["changes"] ?? nil) ?? "") ?? 0 >= 6)
    #expect(row["keep_days"] == "400")
    #expect(row["keep_changes"] == "5000000")
    #expect((row["since"] ?? nil)?.isEmpty == false)
  }

  @Test("that begins after the last scan is damage, which a repair makes up for")
  func impossibleBeginning() throws {
    let sandbox = try changed()
    defer { sandbox.remove() }
    try sandbox.sqlite(
      sandbox.catalog,
      "INSERT OR REPLACE INTO _catalog_settings VALUES ('history_horizon', 9223372036854775807)")
    let run = try sandbox.run("changes")
    #expect(run.status == 4)
    #expect(run.errorLines.count == 1 && run.errors.contains("is damaged"), "\(run.errors)")
    #expect(try sandbox.run("check").status == 4)
    #expect(try sandbox.run("check", "--repair").status == 0)
    #expect(try sandbox.run("changes").status == 0)
  }

  @Test(
    "drops nothing without --yes, and says how much it would be",
    arguments: [
      ["--keep-changes", "0"], ["--keep-changes", "1"], ["--keep-days", "0"],
      ["--keep-days", "0", "--keep-changes", "3"],
    ])
  func refused(_ limits: [String]) throws {
    let sandbox = try changed()
    defer { sandbox.remove() }
    let before = try sandbox.run("history", "--format", "csv").text
    let run = try sandbox.run(["history"] + limits)
    #expect(run.status == 4)
    #expect(run.output.isEmpty)
    #expect(run.errorLines.count == 1)
    #expect(run.errors.contains("filecat history \(limits.joined(separator: " ")) --yes"))
    #expect(run.errors.contains { $0.isNumber && $0 != "0" })
    #expect(try sandbox.run("history", "--format", "csv").text == before)
    #expect(try changes(in: sandbox) == 6)
    // Nor does the next scan drop anything.
    try sandbox.makeFile("another")
    #expect(try sandbox.run("scan").status == 0)
    #expect(try changes(in: sandbox) == 7)

    let done = try sandbox.run(["history"] + limits + ["--yes", "--format", "csv"])
    #expect(done.status == 0)
    #expect(done.errors.isEmpty)
    #expect(try changes(in: sandbox) < 7)
    #expect(try sandbox.run("check").status == 0)
  }

  @Test("one is no plural")
  func numbers() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeDirectory("empty")
    #expect(try sandbox.run("scan", "tree/empty").text.contains("/empty: 1 entry, "))
    try sandbox.makeFile("empty/a")
    #expect(try sandbox.run("scan", "tree/empty").text.contains("/empty: 2 entries, "))
    let run = try sandbox.run("history", "--keep-changes", "1")
    #expect(run.errors.contains(" drop 1 change, 0 scans and "), "\(run.errors)")
    let cut = try sandbox.run("sql", "SELECT name FROM files", "--max-rows", "1")
    #expect(cut.errors.contains("after 1 row;"), "\(cut.errors)")
    try sandbox.run("report", "--html", "page.html")
    let page = try sandbox.run(program: "cat", ["page.html"]).text
    #expect(!page.contains(/\b1 (scans|errors|roots|rows|entries)\b/))
  }

  @Test("sets limits at once that drop nothing")
  func harmless() throws {
    let sandbox = try changed()
    defer { sandbox.remove() }
    let run = try sandbox.run(
      "history", "--keep-days", "30", "--keep-changes", "100", "--format", "csv")
    #expect(run.status == 0)
    let row = try #require(try Rows.parse(run, "csv").first)
    #expect(row["keep_days"] == "30" && row["keep_changes"] == "100")
    #expect(try changes(in: sandbox) == 6)
    #expect(try Rows.parse(sandbox.run("history", "--format", "csv"), "csv").first == row)
  }

  @Test(
    "takes numbers from 0 on",
    arguments: [
      ["--keep-days=-1"], ["--keep-changes=-5"], ["--keep-days", "x"], ["--yes"],
    ])
  func wrong(_ arguments: [String]) throws {
    let sandbox = try changed()
    defer { sandbox.remove() }
    let run = try sandbox.run(["history"] + arguments)
    #expect(run.status == 64)
    #expect(run.errorLines.count == 1)
    #expect(try changes(in: sandbox) == 6)
  }

  @Test(
    "is what “changes” names instead of its former options",
    arguments: [
      ["--keep-changes", "0"], ["--keep-days", "3"],
    ])
  func former(_ arguments: [String]) throws {
    let sandbox = try changed()
    defer { sandbox.remove() }
    let run = try sandbox.run(["changes"] + arguments)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("filecat history \(arguments.joined(separator: " "))"))
    #expect(try changes(in: sandbox) == 6)
  }

  @Test(
    "every change says which scan found it, and when", arguments: ["json", "ndjson", "csv", "tsv"])
  func scans(_ format: String) throws {
    let sandbox = try changed()
    defer { sandbox.remove() }
    let rows = try Rows.parse(sandbox.run("changes", "--format", format), format)
    #expect(rows.count == 6)
    let scans = try Rows.parse(
      sandbox.run("sql", "SELECT id, finished_at FROM scans", "--format", "json"), "json")
    let known = Dictionary(uniqueKeysWithValues: scans.map { ($0["id"], $0["finished_at"]) })
    for row in rows {
      let found = known[row["scan_id"]]
      #expect(found != nil)
      if format.hasSuffix("json") { #expect(found == row["at"]) }
    }
    try sandbox.makeFile("last")
    let run = try sandbox.run("scan", "--changes", "--format", "ndjson")
    let change = try #require(try Rows.objects(run, "ndjson").first)
    #expect(change["kind"] == .string("added"))
    let summary = try #require(
      try JSONSerialization.jsonObject(with: Data(run.errorOutput)) as? [String: Any])
    #expect(change["scan_id"]?.text == "\(summary["scan_id"] ?? "")")
    #expect(change["at"]?.text.flatMap { Int64($0) } ?? 0 > 1_700_000_000)
  }
}
