import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Reports on the command line")
struct ReportCommandTests {
  private func withTree(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeAwkwardTree()
    try sandbox.makeFile("sub/copy", String(repeating: "x", count: 2000))
    #expect(try sandbox.run("scan", "tree").status == 0)
    try body(sandbox)
  }

  @Test("without a name there is a list, and every name in it is a report")
  func list() throws {
    try withTree { sandbox in
      let rows = try Rows.parse(try sandbox.run("report", "--format", "csv"), "csv")
      #expect(rows.count > 10)
      for row in rows {
        let name = try #require(row["name"].flatMap { $0 })
        let run = try sandbox.run("report", name, "--format", "ndjson")
        // One that is empty says why.
        #expect([0, 1].contains(run.status), "\(name): \(run.errors)")
        #expect(run.errorLines.count == (run.status == 0 ? 0 : 1), "\(name): \(run.errors)")
        #expect(run.output.isEmpty == (run.status == 1))
        // All are views, but the one that compares names as SQLite cannot.
        let counted = try sandbox.run("sql", "SELECT count(*) FROM \(name)")
        #expect(
          counted.status == (name == "name_collisions" ? 64 : 0), "\(name): \(counted.errors)")
        #expect(row["abstract"].flatMap { $0 }?.hasSuffix(".") == true)
      }
    }
  }

  @Test("all formats have the same rows", arguments: ["json", "ndjson", "csv", "tsv"])
  func formats(_ format: String) throws {
    try withTree { sandbox in
      let rows = try Rows.parse(
        try sandbox.run("report", "usage_by_kind", "--format", format), format)
      let disk = try Disk.walk(sandbox.tree)
      #expect(Set(rows.compactMap { $0["kind"].flatMap { $0 } }) == Set(disk.map(\.kind)))
      for row in rows {
        let entries = disk.filter { $0.kind == row["kind"].flatMap { $0 } }
        let isDirectory = row["kind"] == "directory"
        #expect(row["entries"] == "\(entries.count)")
        #expect(row["size"] == "\(isDirectory ? 0 : entries.map(\.size).sum)")
        #expect(row["allocated"] == "\(entries.map(\.allocated).sum)")
      }
    }
  }

  @Test("a report keeps to a directory, and to a number of rows")
  func narrowed() throws {
    try withTree { sandbox in
      let run = try sandbox.run(
        "report", "usage_by_directory", "--in", "tree/sub", "--format", "ndjson")
      let paths = try Rows.parse(run, "ndjson").compactMap { $0["path"].flatMap { $0 } }
      #expect(Set(paths) == [sandbox.tree + "/sub", sandbox.tree + "/sub/deep"])
      let limited = try sandbox.run("report", "largest_files", "--limit", "2", "--format", "tsv")
      #expect(Rows.lines(limited).count == 3)
      #expect(try sandbox.run("report", "largest_files", "--limit", "0").status == 1)
    }
  }

  @Test(
    "what makes no sense exits with 64 and one line",
    arguments: [
      (["report", "usage_by_tipe"], "usage_by_type"),
      (["report", "--in", "tree"], "name a report"),
      (["report", "usage_by_type", "--since", "1"], "growth_by_directory"),
      (["report", "growth_by_directory", "--since", "soon"], "soon"),
      (["report", "usage_by_type", "--html", "x"], "--html"),
      (["report", "usage_by_type", "--limit", "-1"], "--limit"),
      (["duplicates", "--min-size", "much"], "much"),
    ])
  func wrongUse(_ arguments: [String], _ word: String) throws {
    try withTree { sandbox in
      let run = try sandbox.run(arguments)
      #expect(run.status == 64)
      #expect(run.output.isEmpty)
      #expect(run.errorLines.count == 1 && run.errors.contains(word), "\(run.errors)")
    }
  }

  @Test(
    "what is empty says why on standard error, and exits with 1",
    arguments: [
      (["report", "hard_links"], "no file has several names"),
      (["report", "broken_links", "--in", "tree/sub"], "no symbolic link is broken in tree/sub"),
      (["report", "asset_gaps"], "no asset lacks a scale"),
      (
        ["report", "name_collisions"],
        "no two names in one directory differ in case or composition alone"
      ),
      (["report", "growth_by_directory", "--since", "0"], "no directory has grown or shrunk"),
      (["duplicates", "--min-size", "1G"], "no two files have the same name and size"),
      (["duplicates", "--hash", "--in", "tree/sub/deep"], "the same content in tree/sub/deep"),
      (["changes"], "nothing has changed"),
      (["changes", "--kind", "moved", "--since", "1"], "nothing was moved since 1"),
      (["changes", "--in", "tree/none"], "tree/none, which is not in the catalog"),
      (["changes", "--summary"], "nothing has changed"),
    ])
  func empty(_ arguments: [String], _ words: String) throws {
    try withTree { sandbox in
      for format in [["--format", "ndjson"], ["--format", "table"], ["--format", "csv"]] {
        let run = try sandbox.run(arguments + format)
        #expect(run.status == 1)
        #expect(run.errorLines.count == 1 && run.errors.contains(words), "\(run.errors)")
      }
    }
  }

  @Test(
    "a catalog without roots says so",
    arguments: [
      ["roots"], ["du"], ["report", "usage_by_directory"], ["changes"], ["duplicates"],
    ])
  func noRoots(_ arguments: [String]) throws {
    try withTree { sandbox in
      #expect(try sandbox.run("forget", "tree").status == 0)
      let run = try sandbox.run(arguments)
      #expect(run.status == 1 && run.errors.contains("filecat scan DIRECTORY"), "\(run.errors)")
    }
  }

  @Test(
    "a scan that there has not been is a mistake",
    arguments: [
      ["changes", "--since", "99"], ["changes", "--until", "99"],
      ["report", "growth_by_directory", "--since", "99"],
      ["report", "growth_by_directory", "--until", "99"],
      ["changes", "--summary", "--since", "99"],
    ])
  func unknownScan(_ arguments: [String]) throws {
    try withTree { sandbox in
      let run = try sandbox.run(arguments)
      #expect(run.status == 64 && run.output.isEmpty)
      #expect(run.errors.contains("no scan 99") && run.errors.contains("the last one is 1"))
    }
  }

  @Test("a directory that is not in the catalog exits with 1")
  func unknownDirectory() throws {
    try withTree { sandbox in
      let run = try sandbox.run("report", "usage_by_type", "--in", "/nowhere")
      #expect(run.status == 1 && run.errors.contains("/nowhere"))
    }
  }

  @Test("a terminal shows bars, a pipe does not", .enabled(if: TerminalSession.isAvailable))
  func bars() throws {
    try withTree { sandbox in
      let command = "'\(Sandbox.executable)' report usage_by_extension"
      let shown = try TerminalSession.run(command, in: sandbox)
      #expect(shown.text.contains("█"))
      let piped = try sandbox.run("report", "usage_by_extension", "--format", "table")
      #expect(!piped.text.contains("█") && piped.text.contains("ON DISK"))
    }
  }

  @Test("hard_links says what deleting a directory would free")
  func deletion() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("in/alone", String(repeating: "a", count: 10_000))
    try sandbox.makeFile("in/shared", String(repeating: "b", count: 20_000))
    try sandbox.makeDirectory("out")
    try FileManager.default.linkItem(
      atPath: sandbox.tree + "/in/shared", toPath: sandbox.tree + "/out/too")
    try sandbox.run("scan", "tree")
    let run = try sandbox.run(
      "report", "hard_links", "--in", "tree/in", "--format", "table", "--bytes")
    #expect(run.status == 0)
    let entries = try Disk.walk(sandbox.tree + "/in")
    let all = entries.map(\.allocated).sum
    let shared = try #require(entries.first { $0.shownName == "shared" }).allocated
    func grouped(_ number: Int64) -> String {
      String(
        String(number).reversed().enumerated().flatMap { index, digit in
          index > 0 && index % 3 == 0 ? [",", digit] : [digit]
        }.reversed())
    }
    let sentence = "deleting tree/in frees \(grouped(all - shared)) of \(grouped(all)); "
    #expect(Rows.lines(run).last?.hasPrefix(sentence + "\(grouped(shared)) stay") == true)
  }

  @Test("the page is written to a file or to standard output, or not at all")
  func page() throws {
    try withTree { sandbox in
      let file = sandbox.home + "/page.html"
      #expect(try sandbox.run("report", "--html", file).status == 0)
      let page = try String(contentsOfFile: file, encoding: .utf8)
      #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
      #expect(page.contains("usage_by_type") && page.contains("日本語"))
      let printed = try sandbox.run("report", "--html", "-", "--in", "tree/sub")
      #expect(printed.text.contains("/sub") && !printed.text.contains("日本語"))
      let failed = try sandbox.run("report", "--html", sandbox.home + "/none/page.html")
      #expect(failed.status == 4 && failed.errorLines.count == 1)
      #expect(failed.errors.contains("/none/page.html"))
    }
  }

  @Test("duplicates are printed one a row", arguments: ["json", "ndjson", "csv", "tsv"])
  func duplicates(_ format: String) throws {
    try withTree { sandbox in
      let names = try sandbox.run("duplicates", "--format", format)
      #expect(names.status == 1)
      let run = try sandbox.run("duplicates", "--hash", "--format", format)
      #expect(run.status == 0 && run.errors.isEmpty)
      let rows = try Rows.parse(run, format)
      #expect(
        rows.map { $0["path"].flatMap { $0 } }
          == ["file10", "sub/copy"].map { "\(sandbox.tree)/\($0)" })
      for row in rows {
        #expect(row["group"] == "1" && row["copies"] == "2" && row["size"] == "2000")
        #expect(row["hash"].flatMap { $0 }?.count == 64)
      }
      #expect(try sandbox.run("duplicates", "--hash", "--min-size", "2k").status == 1)
    }
  }

  @Test("duplicates that cannot be read are named, and the status says so")
  func unreadableDuplicates() throws {
    try withTree { sandbox in
      try FileManager.default.removeItem(atPath: sandbox.tree + "/sub/copy")
      let run = try sandbox.run("duplicates", "--hash", "--format", "paths")
      #expect(run.status == 3 && run.errors.contains("sub/copy"))
      #expect(run.output.isEmpty)
    }
  }

  @Test(
    "a page is written where it is asked for: through links, into pipes, with the mode of the file")
  func pagePlaces() throws {
    try withTree { sandbox in
      let home = sandbox.home
      try Data("old".utf8).write(to: URL(fileURLWithPath: home + "/private.html"))
      #expect(chmod(home + "/private.html", 0o600) == 0)
      try FileManager.default.createSymbolicLink(
        atPath: home + "/link.html", withDestinationPath: "private.html")
      #expect(try sandbox.run("report", "--html", "link.html").status == 0)
      var status = stat()
      #expect(stat(home + "/private.html", &status) == 0)
      #expect(status.st_mode & 0o7777 == 0o600 && status.st_size > 1000)
      #expect(lstat(home + "/link.html", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
      let piped = try sandbox.run(
        program: "/bin/sh",
        ["-c", "mkfifo pipe && (cat pipe & '\(Sandbox.executable)' report --html pipe; wait)"])
      #expect(piped.status == 0 && piped.text.contains("</html>"))
      #expect(lstat(home + "/pipe", &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
      let refused = try sandbox.run("report", "--html", "tree")
      #expect(refused.status == 4 && refused.errors.contains("tree cannot be written"))
    }
  }

  /// What three scans changed: scan 1 on the first day of 2026, and so on.
  private static let growth = """
    INSERT OR IGNORE INTO _scan_log (id, root_id, root, started, state)
      VALUES (1, 1, '/r', 0, 'failed'), (2, 1, '/r', 0, 'failed'), (3, 1, '/r', 0, 'failed');
    UPDATE _scan_log SET finished = (1767225600 + (id - 1) * 86400) * 1000000000;
    DELETE FROM _growth_log;
    INSERT INTO _growth_log (scan_id, root_id, directory_id, path, depth, files, directories, size,
      allocated, total_files, total_directories, total_size, total_allocated)
    VALUES
      (1, 1, 1, '/r', 0, 1, 1, 10, 4096, 3, 1, 30, 8192),
      (1, 1, 2, 'TREE/sub', 1, 2, 0, 20, 4096, 2, 0, 20, 4096),
      (2, 1, 2, 'TREE/sub', 1, 1, 0, 5, 4096, 1, 0, 5, 4096),
      (3, 1, 2, 'TREE/sub', 1, -3, 0, -25, -8192, -3, 0, -25, -8192),
      (3, 1, 1, '/r', 0, 0, 0, 0, 0, -3, 0, -25, -8192);
    """

  @Test(
    "growth is what the scans in question come to, most first", .feature("P-22"),
    .enabled(if: StockSQLite.isAvailable),
    arguments: [
      // What comes to nothing in every column is no growth.
      ([], ["/r 0"]), (["--since", "1"], ["/r -8192", "sub -4096"]),
      (["--since", "1", "--until", "2"], ["sub 4096"]),
      (["--since", "2026-01-02", "--until", "2026-01-02"], ["sub 4096"]),
      (["--until", "1"], ["/r 8192", "sub 4096"]),
      (["--in", "tree/sub", "--since", "2"], ["sub -8192"]),
      (["--since", "3"], []),
    ])
  func growth(_ options: [String], _ expected: [String]) throws {
    try withTree { sandbox in
      try sandbox.sqlite(
        sandbox.catalog, Self.growth.replacingOccurrences(of: "TREE", with: sandbox.tree))
      let run = try sandbox.run(
        ["report", "growth_by_directory", "--format", "ndjson"] + options,
        environment: ["TZ": "UTC"])
      #expect(run.status == (expected.isEmpty ? 1 : 0))
      let lines = try Rows.parse(run, "ndjson").map { row in
        let path = (row["path"].flatMap { $0 } ?? "").replacingOccurrences(
          of: sandbox.tree + "/", with: "")
        return "\(path) \(row["total_allocated"].flatMap { $0 } ?? "")"
      }
      #expect(lines == expected)
    }
  }

  @Test("growth is what rescans found")
  func realGrowth() throws {
    try withTree { sandbox in
      #expect(try sandbox.run("report", "growth_by_directory").status == 1)
      let before = try Disk.walk(sandbox.tree).map(\.allocated).sum
      try sandbox.makeFile("sub/deep/new", String(repeating: "y", count: 50_000))
      #expect(try sandbox.run("scan", "tree").status == 0)
      try FileManager.default.removeItem(atPath: sandbox.tree + "/file10")
      #expect(try sandbox.run("scan", "tree").status == 0)
      let run = try sandbox.run("report", "growth_by_directory", "--format", "json")
      let rows = try Rows.parse(run, "json")
      let root = rows.first { $0["path"] == sandbox.tree }
      let after = try Disk.walk(sandbox.tree).map(\.allocated).sum
      #expect(root?["total_allocated"] == "\(after - before)")
      let deep = rows.first { $0["path"] == sandbox.tree + "/sub/deep" }
      #expect(deep?["total_size"] == "50000" && deep?["files"] == "1")
      let last = try Rows.parse(
        try sandbox.run("report", "growth_by_directory", "--since", "2", "--format", "json"), "json"
      )
      #expect(last.map { $0["path"] } == [sandbox.tree])
      #expect(last.first?["total_size"] == "-2000")
    }
  }

  @Test("the page draws lines when there is a history", .enabled(if: StockSQLite.isAvailable))
  func history() throws {
    try withTree { sandbox in
      #expect(try sandbox.run("scan", "tree").status == 0)
      try sandbox.sqlite(
        sandbox.catalog, Self.growth.replacingOccurrences(of: "TREE", with: sandbox.tree))
      let page = try sandbox.run("report", "--html", "-", environment: ["TZ": "UTC"]).text
      let start = try #require(page.range(of: "<figure>")).upperBound
      let end = try #require(page.range(of: "</figure>", range: start..<page.endIndex)).lowerBound
      let chart = page[start..<end]
      #expect(chart.contains("<b>\(sandbox.tree)</b>") && chart.contains("2 scans"))
      // The second scan above took nothing from the root, the third 8192 bytes.
      let now = try Disk.walk(sandbox.tree).map(\.allocated).sum
      let titles = chart.components(separatedBy: "title=\"").dropFirst().map {
        String($0.prefix { $0 != "\"" })
      }
      #expect(titles.map { $0.prefix(10) } == ["2026-01-01", "2026-01-02"])
      for title in titles {
        let bytes = title.split(separator: "(").last?.filter(\.isNumber)
        #expect(bytes == "\(now + 8192)")
      }
      #expect(page.contains("growth_by_directory"))
    }
  }

  @Test("du -s shows the directory alone")
  func summary() throws {
    try withTree { sandbox in
      let run = try sandbox.run("du", "-s", "tree", "--format", "csv")
      let rows = try Rows.parse(run, "csv")
      #expect(rows.map { $0["path"] } == [sandbox.tree])
      #expect(
        rows.first?["total_allocated"] == "\(try Disk.walk(sandbox.tree).map(\.allocated).sum)")
      #expect(try sandbox.run("du", "-d", "1", "tree", "--format", "csv").status == 0)
    }
  }
}
