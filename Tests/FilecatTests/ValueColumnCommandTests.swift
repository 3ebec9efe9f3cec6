import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Further values in tables of the command", .feature("P-49"))
struct ValueColumnCommandTests {
  private func withTree(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt", "abc")
    try sandbox.makeFile("b.txt", "x")
    try sandbox.makeFile("sub/c.txt", "")
    // Values of all kinds, as providers of other programs store them.
    #expect(try sandbox.run("scan", "tree", "--values", "hash").status == 0)
    let statements = """
      INSERT INTO _entry_values (entry_id, key, value)
        SELECT id, 'width', CASE name WHEN 'a.txt' THEN 4000 WHEN 'b.txt' THEN 2.5 END FROM files
        WHERE name IN ('a.txt', 'b.txt');
      INSERT INTO _entry_values (entry_id, key, value)
        SELECT id, 'xattr:user.project', CASE name WHEN 'a.txt' THEN 'alpha' ELSE x'ff00' END
        FROM files WHERE name IN ('a.txt', 'c.txt');
      """
    #expect(try sandbox.run(program: "sqlite3", [sandbox.catalog, statements]).status == 0)
    try body(sandbox)
  }

  private static let hasSQLite = CommandRunner.exists("sqlite3")

  @Test("ls and find print them in the columns that are asked for", .enabled(if: hasSQLite))
  func columns() throws {
    try withTree { sandbox in
      let ls = try sandbox.run(
        "ls", "tree", "--columns", "name,value:width,size,xattr:user.project")
      #expect(ls.status == 0 && ls.errors.isEmpty)
      #expect(
        Rows.lines(ls) == [
          "name\tvalue:width\tsize\txattr:user.project", "a.txt\t4000\t3\talpha", "b.txt\t2.5\t1\t",
          "sub\t\t\(try Rows.lines(sandbox.run("ls", "tree", "--columns", "size")).last ?? "")\t",
        ])
      let csv = try sandbox.run(
        "find", "ext:txt", "--columns", "value:width,name", "--sort", "name", "--format", "csv")
      #expect(
        csv.text.replacing("\r\n", with: "\n")
          == "value:width,name\n4000,a.txt\n2.5,b.txt\n,c.txt\n")
      let table = try sandbox.run(
        "ls", "tree", "--columns", "name,value:sha256", "--format", "table")
      #expect(table.text.contains("VALUE:SHA256") && table.text.contains("ba7816bf"))
    }
  }

  @Test(
    "JSON has numbers, texts and nothing by the names that were asked for, and bytes in Base64",
    .enabled(if: hasSQLite), arguments: ["json", "ndjson"])
  func json(_ format: String) throws {
    try withTree { sandbox in
      let run = try sandbox.run(
        "find", "ext:txt", "--columns", "name,value:width,xattr:user.project", "--format", format)
      let rows = try Rows.objects(run, format)
      #expect(rows.map { $0["value:width"] } == [.integer(4000), .real(2.5), .null])
      #expect(rows[0]["xattr:user.project"] == .string("alpha"))
      #expect(rows[1]["xattr:user.project"] == .null)
      #expect(rows[2]["xattr:user.project_base64"] == .string("/wA="))
      #expect(rows[0]["xattr:user.project_base64"] == nil)
    }
  }

  @Test(
    "--sort goes by them in both directions, and what has none comes last, page by page",
    .enabled(if: hasSQLite))
  func sort() throws {
    try withTree { sandbox in
      func names(_ sort: String, _ more: String...) throws -> [String] {
        let run = try sandbox.run(
          ["find", "ext:txt", "--sort", sort, "--columns", "name"] + more)
        return Rows.lines(run).dropFirst().map { String($0) }
      }
      #expect(try names("value:width") == ["b.txt", "a.txt", "c.txt"])
      #expect(try names("-value:width") == ["a.txt", "b.txt", "c.txt"])
      #expect(try names("xattr:user.project,-name") == ["a.txt", "c.txt", "b.txt"])
      #expect(try names("value:width", "--offset", "1", "--limit", "1") == ["a.txt"])
      let page = try sandbox.run(
        "find", "ext:txt", "--sort", "-value:width", "--columns", "name", "--limit", "2",
        "--after", "start")
      let cursor = page.errors.split(separator: " ").last.map {
        $0.trimmingPrefix("\n").filter { $0 != "\n" }
      }
      #expect(try names("-value:width", "--limit", "2", "--after", cursor ?? "") == ["c.txt"])
      // A search keeps its order.
      #expect(
        try sandbox.run("find", "ext:txt", "--save", "wide", "--sort", "-value:width").status == 0)
      let saved = try sandbox.run("find", "@wide", "--columns", "name")
      #expect(Rows.lines(saved) == ["name", "a.txt", "b.txt", "c.txt"])
    }
  }

  @Test(
    "a key that no entry has is told with the nearest one, and one that is none is refused",
    .enabled(if: hasSQLite))
  func unknown() throws {
    try withTree { sandbox in
      let ls = try sandbox.run("ls", "tree", "--columns", "name,value:widht")
      #expect(ls.status == 0 && ls.errorLines.count == 1)
      #expect(ls.errors.contains("“widht”") && ls.errors.contains("“width”"))
      let sort = try sandbox.run("find", "--sort", "xattr:user.projekt")
      #expect(sort.status == 0 && sort.errors.contains("user.project”"))
      let query = try sandbox.run("find", "value:widht>=3")
      #expect(query.status == 1 && query.errors.contains("“width”"))
      for words in [
        ["--columns", "values:width"], ["--columns", "value:"], ["--sort", "xattr:"],
      ] {
        let run = try sandbox.run(["ls", "tree"] + words)
        #expect(run.status == 64 && run.output.isEmpty && run.errorLines.count == 1, "\(words)")
      }
    }
  }

  @Test("settings take them for tables", .enabled(if: hasSQLite))
  func settings() throws {
    try withTree { sandbox in
      try sandbox.directory.write(
        "columns.ls = name,value:width\n", to: "config/filecat/config")
      let run = try sandbox.run("ls", "tree", "--format", "table")
      #expect(run.status == 0 && run.text.contains("VALUE:WIDTH") && run.text.contains("4000"))
      let shown = try sandbox.run("config")
      #expect(shown.text.contains("name,value:width"))
    }
  }

  @Test("show lists all values, and who has read them in the file", .enabled(if: hasSQLite))
  func show() throws {
    try withTree { sandbox in
      let table = try sandbox.run("show", "tree/a.txt", "--format", "table")
      let lines = Rows.lines(table)
      #expect(lines.contains { $0.hasPrefix("sha256 ") && $0.hasSuffix(" hash") })
      #expect(lines.contains { $0.hasPrefix("width ") && $0.hasSuffix("4000") })
      #expect(lines.contains { $0.hasPrefix("xattr:user.project ") && $0.hasSuffix("alpha") })
      let row = try #require(
        try Rows.objects(sandbox.run("show", "tree/a.txt", "--format", "ndjson"), "ndjson").first)
      #expect(row["width"] == .integer(4000) && row["sha256_provider"] == .string("hash"))
      #expect(row["width_provider"] == nil && row["xattr:user.project"] == .string("alpha"))
    }
  }

  @Test("a view of one's own makes columns of them", .feature("FS-33"), .enabled(if: hasSQLite))
  func pivot() throws {
    try withTree { sandbox in
      let statement = """
        SELECT path, max(CASE key WHEN 'width' THEN value END) AS width,
          max(CASE key WHEN 'xattr:user.project' THEN value END) AS project
        FROM resource_values WHERE key IN ('width', 'xattr:user.project') GROUP BY entry_id, path
        """
      #expect(try sandbox.run("view", "add", "projects", statement).status == 0)
      let rows = try Rows.lines(
        sandbox.run("sql", "SELECT width, project FROM projects WHERE path LIKE '%/a.txt'"))
      #expect(rows == ["width\tproject", "4000\talpha"])
      #expect(try sandbox.run("scan").status == 0)
      #expect(try sandbox.run("report", "projects").status == 0)
    }
  }
}
