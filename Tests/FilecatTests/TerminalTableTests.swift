import Foundation
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tables as a person sees them, on terminals of a certain width.
@Suite("Tables on a terminal", .enabled(if: TerminalSession.isAvailable))
struct TerminalTableTests {
  private static let longName = String(repeating: "long-name-", count: 7) + "end.txt"

  private func withTree(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("big.zip", String(repeating: "x", count: 1_572_864))
    try sandbox.makeFile("sub/deep/picture.jpeg", String(repeating: "y", count: 700_000))
    try sandbox.makeFile("sub/small.txt", "abc")
    try sandbox.directory.makeLink("tree/link", to: "nowhere")
    #expect(try sandbox.run("scan", "tree", "-e", "*.o").status == 0)
    try body(sandbox)
  }

  /// Runs the command on a terminal of a width, and gives its lines.
  private func lines(
    _ arguments: String, width: Int = 80, environment: String = "NO_COLOR=1", in sandbox: Sandbox
  ) throws -> [String] {
    let run = try TerminalSession.run(
      "stty cols \(width); \(environment) '\(Sandbox.executable)' \(arguments)", in: sandbox)
    #expect(run.status == 0, "\(arguments): \(run.text)")
    return run.text.split(whereSeparator: \.isNewline).map(String.init)
  }

  private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

  @Test("fit into 80 columns: sizes are whole, names keep their ends, and types go first")
  func eightyColumns() throws {
    try withTree { sandbox in
      var table = try lines("ls tree", in: sandbox)
      #expect(words(table[0]) == ["NAME", "SIZE", "MODIFIED", "TYPE"])
      #expect(table.contains { $0.hasPrefix("big.zip") && $0.contains(" 1.5M ") })
      #expect(table.contains { $0.hasPrefix("big.zip") && $0.hasSuffix("  ZIP archive") })
      try sandbox.makeFile(Self.longName)
      #expect(try sandbox.run("scan", "tree").status == 0)
      table = try lines("ls tree", in: sandbox)
      #expect(words(table[0]) == ["NAME", "SIZE", "MODIFIED"])
      #expect(table.contains { $0.hasPrefix("long-name-") && $0.contains("…") })
      #expect(table.contains { $0.contains("end.txt ") })
      #expect(table.allSatisfy { $0.count <= 80 })
      // Nothing is left out where there is room.
      table = try lines("ls tree", width: 130, in: sandbox)
      #expect(words(table[0]) == ["NAME", "SIZE", "MODIFIED", "TYPE"])
      #expect(table.contains { $0.hasPrefix(Self.longName) })
    }
  }

  @Test(
    "of ls take the options that fingers add",
    arguments: [
      (
        "-la tree", ["MODE", "LINKS", "OWNER", "GROUP_NAME", "SIZE", "MODIFIED", "NAME"], "big.zip"
      ),
      ("-S tree", ["NAME", "SIZE", "MODIFIED", "TYPE"], "big.zip"),
      ("-Sr tree", ["NAME", "SIZE", "MODIFIED", "TYPE"], "link"),
      ("-lh -1 -A -t tree --columns name", ["NAME"], "link"),
      ("-ltr tree --columns name", ["NAME"], "big.zip"),
      ("-r tree/sub tree --limit 9 --columns path", ["PATH"], "small.txt"),
    ])
  func habitsOfLs(_ arguments: String, _ columns: [String], _ first: String) throws {
    try withTree { sandbox in
      var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec()]
      times[1] = times[0]
      utimensat(AT_FDCWD, sandbox.tree + "/big.zip", &times, 0)
      times[1].tv_sec = 2_000_000_000
      utimensat(AT_FDCWD, sandbox.tree + "/link", &times, AT_SYMLINK_NOFOLLOW)
      #expect(try sandbox.run("scan", "tree").status == 0)
      let table = try lines("ls \(arguments)", width: 120, in: sandbox)
      #expect(words(table[0]) == columns)
      #expect(table[1].contains(first), "\(table)")
    }
  }

  @Test("keep all columns that were asked for, however narrow", arguments: [20, 40, 80])
  func chosenColumns(_ width: Int) throws {
    try withTree { sandbox in
      let table = try lines(
        "ls tree --columns size,inode,name,modified,type --bytes", width: width, in: sandbox)
      #expect(words(table[0]) == ["SIZE", "INODE", "NAME", "MODIFIED", "TYPE"])
      #expect(table.contains { $0.hasPrefix("1,572,864  ") })
      #expect(table.dropFirst().allSatisfy { $0.contains(/20\d\d-\d\d-\d\d \d\d:\d\d/) })
    }
  }

  @Test("show what directories hold and what people call types")
  func totals() throws {
    try withTree { sandbox in
      let table = try lines("ls tree --columns name,size,type", in: sandbox)
      #expect(table.contains { words($0) == ["sub", "684K", "folder"] })
      #expect(table.contains { words($0) == ["big.zip", "1.5M", "ZIP", "archive"] })
      #expect(try lines("find sub", in: sandbox).contains { words($0).contains("684K") })
      let show = try lines("show tree/big.zip", in: sandbox)
      #expect(show.contains { words($0) == ["type", "ZIP", "archive", "(public.zip-archive)"] })
      let report = try lines("report largest_files", width: 140, in: sandbox)
      #expect(report.contains { $0.contains("ZIP archive") && $0.hasSuffix("big.zip") })
      // Programs get the values themselves.
      let rows = try Rows.parse(try sandbox.run("ls", "tree", "--format", "json"), "json")
      let sub = try #require(rows.first { $0["name"] == "sub" })
      #expect(sub["type"] == "public.folder" && sub["type_description"] == "folder")
      #expect(sub["size"] != "700003" && sub["total_size"] == "700003")
    }
  }

  @Test("du is a tree with bars")
  func tree() throws {
    try withTree { sandbox in
      let tree = try lines("du tree -d 2 -h", width: 120, in: sandbox)
      #expect(words(tree[0]) == ["ON", "DISK", "%", "SIZE", "FILES", "PATH"])
      #expect(tree.count == 4)
      #expect(tree[1].contains("████████████  100") && tree[1].hasSuffix("  \(sandbox.tree)"))
      #expect(tree[2].hasSuffix("  └── sub") && tree[3].hasSuffix("      └── deep"))
      #expect(words(tree[2]).contains("684K"))
      let files = try lines("du -a --max-depth=2 tree --sort path", in: sandbox)
      #expect(
        files.dropFirst().compactMap { words($0).last } == [
          sandbox.tree, "big.zip", "link", "sub", "deep", "small.txt",
        ])
      #expect(files.contains { $0.hasSuffix("  ├── big.zip") })
      #expect(try lines("du -s tree", in: sandbox).count == 2)
      #expect(try lines("du -s tree -b", in: sandbox)[1].contains(/\d,\d\d\d,\d\d\d/))
      let limited = try lines("du -a -d9 tree --limit 3", in: sandbox)
      #expect(limited.count == 4 && limited.contains { $0.hasSuffix("big.zip") })
    }
  }

  @Test("roots tells state, last scan, entries, size and what is left out", arguments: [80, 120])
  func roots(_ width: Int) throws {
    try withTree { sandbox in
      let table = try lines("roots", width: width, in: sandbox)
      #expect(table[0].contains("STATE") && table[0].contains("LAST SCAN"))
      #expect(table[0].contains("ENTRIES") && table[0].contains("SIZE"))
      #expect(table[1].contains("online") && table[1].contains(/20\d\d-\d\d-\d\d \d\d:\d\d/))
      #expect(words(table[1]).contains("7") && words(table[1]).contains("2.2M"))
      #expect(table[0].contains("EXCLUDES") && table[1].contains("*.o"))
    }
  }

  @Test("sentences are read to their ends")
  func prose() throws {
    try withTree { sandbox in
      for command in ["report", "schema", "schema files"] {
        let table = try lines(command, in: sandbox)
        #expect(table.allSatisfy { $0.count <= 80 } && !table.contains { $0.contains("…") })
        #expect(table.contains { $0.hasPrefix("          ") }, "\(command)")
      }
    }
  }

  @Test("names have the colours of LS_COLORS, on a terminal unless told otherwise")
  func colors() throws {
    try withTree { sandbox in
      let variable = "LS_COLORS='di=38;5;33:*.zip=31:or=4'"
      let table = try lines("ls tree", environment: variable, in: sandbox)
      for (name, code) in [("sub", "38;5;33"), ("big.zip", "31"), ("link", "4")] {
        #expect(table.contains { $0.hasPrefix("\u{1B}[\(code)m\(name)\u{1B}[0m") }, "\(name)")
      }
      #expect(
        try lines("find --format paths zip", environment: variable, in: sandbox)
          == ["\u{1B}[31mtree/big.zip\u{1B}[0m"])
      let plain = try lines("ls tree --color never", environment: variable, in: sandbox)
      #expect(!plain.joined().contains("\u{1B}"))
      let standard = try lines("ls tree", environment: "LS_COLORS=", in: sandbox)
      #expect(standard.contains { $0.hasPrefix("\u{1B}[01;34msub\u{1B}[0m") })
      // Not in a pipe, unless forced; never for programs.
      for (arguments, variables, isColored) in [
        (["ls", "tree"], [:], false), (["ls", "tree", "--color", "always"], [:], true),
        (["ls", "tree"], ["CLICOLOR_FORCE": "1"], true),
        (["ls", "tree"], ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false),
        (["ls", "tree", "--color", "always", "--format", "csv"], [:], false),
        (["ls", "tree", "--color", "always", "--format", "json"], [:], false),
        (["ls", "tree", "--color", "always", "-0"], [:], false),
        (["ls", "tree", "--color", "always", "--format", "table"], [:], true),
      ] as [([String], [String: String], Bool)] {
        let run = try sandbox.run(arguments, environment: variables)
        #expect(run.status == 0 && run.output.contains(0x1B) == isColored, "\(arguments)")
      }
    }
  }

  @Test("paths are links where that is wanted")
  func hyperlinks() throws {
    try withTree { sandbox in
      try sandbox.makeFile("a b%")
      #expect(try sandbox.run("scan", "tree").status == 0)
      let link = /\x1B\]8;;file:\/\/[^\/]*(\/[^\x1B]*)\x1B\\/
      for command in ["ls --hyperlink tree", "find --hyperlink=auto 'a b'", "ls tree --hyperlink"] {
        let table = try lines(command, in: sandbox)
        let targets = table.compactMap { try? link.firstMatch(in: $0)?.output.1 }.map(String.init)
        #expect(targets.contains("\(sandbox.tree)/a%20b%25"), "\(command): \(table)")
      }
      #expect(!(try lines("ls tree", in: sandbox).joined().contains("\u{1B}]8")))
      #expect(try !sandbox.run("ls", "tree", "--hyperlink").output.contains(0x1B))
      #expect(try sandbox.run("ls", "tree", "--hyperlink=always").output.contains(0x1B))
      #expect(try sandbox.run("ls", "tree", "--hyperlink=sometimes").status == 64)
    }
  }
}

@Suite("Columns, orders and limits")
struct ListingTests {
  private func withTree(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("one/a", String(repeating: "x", count: 30_000))
    try sandbox.makeFile("two/b", "b")
    try sandbox.makeFile("two/c", "c")
    try sandbox.makeFile("Notes.rtfd/TXT.rtf", "{\\rtf1}")
    #expect(try sandbox.run("scan", "tree").status == 0)
    try body(sandbox)
  }

  @Test("columns that were asked for are printed in a pipe, too", arguments: ["ls", "find"])
  func columnsInPipes(_ command: String) throws {
    try withTree { sandbox in
      let scope = command == "ls" ? ["tree/two"] : ["--in", "tree/two", "kind:file"]
      let run = try sandbox.run([command] + scope + ["--columns", "name,size"])
      #expect(run.status == 0 && Rows.lines(run) == ["name\tsize", "b\t1", "c\t1"])
      let paths = try sandbox.run([command] + scope + ["--columns", "name,size", "-0"])
      #expect(paths.text == ["b", "c"].map { "\(sandbox.tree)/two/\($0)\0" }.joined())
    }
  }

  @Test("totals are columns and sort keys of ls and find")
  func totals() throws {
    try withTree { sandbox in
      for command in [["ls", "tree"], ["find", "depth:1"]] {
        let columns = ["--columns", "name,total_size,total_allocated,total_files", "--sort"]
        var rows = try Rows.parse(
          try sandbox.run(command + columns + ["-total_size", "--format", "csv"]), "csv")
        #expect(rows.map { $0["name"] } == ["one", "Notes.rtfd", "two"])
        #expect(rows.map { $0["total_size"] } == ["30000", "7", "2"])
        #expect(rows.map { $0["total_files"] } == ["1", "1", "2"])
        rows = try Rows.parse(
          try sandbox.run(command + columns + ["total_files,-name", "--format", "csv"]), "csv")
        #expect(rows.map { $0["name"] } == ["one", "Notes.rtfd", "two"])
        let du = try Rows.parse(try sandbox.run("du", "tree", "--format", "csv"), "csv")
        for row in rows where row["name"] != "Notes.rtfd" {
          let name = row["name"].flatMap { $0 } ?? ""
          let total = du.first { $0["path"]?.flatMap { $0 }?.hasSuffix("/\(name)") ?? false }
          #expect(total?["total_allocated"] == row["total_allocated"])
        }
      }
      let files = try sandbox.run("ls", "tree/two", "--columns", "total_size,total_files")
      #expect(Rows.lines(files) == ["total_size\ttotal_files", "\t", "\t"])
    }
  }

  @Test("ls lists several directories, and what is no directory as itself")
  func severalPaths() throws {
    try withTree { sandbox in
      let run = try sandbox.run("ls", "tree/two", "tree/one/a", "tree/Notes.rtfd")
      #expect(run.status == 0)
      #expect(
        Rows.lines(run)
          == ["two/b", "two/c", "one/a", "Notes.rtfd"].map { "\(sandbox.tree)/\($0)" })
      let limited = try sandbox.run("ls", "tree/two", "tree/one/a", "--limit", "1")
      #expect(Rows.lines(limited) == ["\(sandbox.tree)/two/b"])
      let missing = try sandbox.run("ls", "tree/none", "tree/one/a")
      #expect(missing.status == 1 && missing.errors.contains("tree/none"))
      #expect(Rows.lines(missing) == ["\(sandbox.tree)/one/a"])
      #expect(try sandbox.run("ls", "tree/one", "tree/two", "--after", "start").status == 64)
    }
  }

  @Test("du takes several paths, files among them, and the options of du")
  func diskUsage() throws {
    try withTree { sandbox in
      func paths(_ arguments: String...) throws -> [String?] {
        try Rows.parse(try sandbox.run(["du"] + arguments), "tsv").map {
          $0["path"].flatMap { $0 }.map { String($0.dropFirst(sandbox.tree.count)) }
        }
      }
      #expect(try paths("-s", "tree/one", "tree/two") == ["/one", "/two"])
      #expect(try paths("tree/one/a") == ["/one/a"])
      #expect(try paths("-h", "-d0", "tree") == [""])
      #expect(try paths("tree", "--max-depth", "1", "--sort", "path") == ["", "/one", "/two"])
      #expect(
        try paths("-a", "-d", "2", "tree", "--sort", "path")
          == ["", "/Notes.rtfd", "/one", "/one/a", "/two", "/two/b", "/two/c"])
      #expect(
        try paths("-a", "-d1", "tree", "--sort", "-total_size,path")
          == ["", "/one", "/Notes.rtfd", "/two"])
      #expect(
        try paths("-a", "tree", "--sort", "path")
          == ["", "/Notes.rtfd", "/one", "/one/a", "/two", "/two/b", "/two/c"])
      #expect(try paths("tree", "--limit", "1") == [""])
      #expect(try sandbox.run("du", "tree", "--sort", "colour").status == 64)
      let both = try sandbox.run("du", "tree/none", "tree/one")
      #expect(both.status == 1 && both.text.contains("/one") && both.errors.contains("tree/none"))
    }
  }

  @Test("lists are put in order by their columns, and cut")
  func lists() throws {
    try withTree { sandbox in
      try sandbox.directory.write("x", to: "other/x")
      #expect(try sandbox.run("scan", "other").status == 0)
      func column(_ name: String, _ arguments: String...) throws -> [String?] {
        try Rows.parse(try sandbox.run(arguments), "tsv").map { $0[name].flatMap { $0 } }
      }
      #expect(
        try column("path", "roots", "--sort", "-path") == [sandbox.tree, sandbox.home + "/other"])
      #expect(
        try column("path", "roots", "--sort", "entries", "--limit", "1") == [
          sandbox.home + "/other"
        ])
      #expect(
        try column("identifier", "types", "list", "--sort", "-identifier", "--limit", "2").count
          == 2)
      #expect(
        try column("kind", "report", "usage_by_kind", "--sort", "kind")
          == ["directory", "file", "package"])
      #expect(
        try column("kind", "report", "usage_by_kind", "--sort", "-kind", "--limit", "1")
          == ["package"])
      for arguments in [
        ["roots", "--sort", "pat"], ["report", "usage_by_kind", "--sort", "knd"],
        ["types", "list", "--sort", "colour"], ["changes", "--sort", "knd"],
        ["containers", "list", "--sort", "x"], ["roots", "--limit", "-1"],
      ] {
        let run = try sandbox.run(arguments)
        #expect(run.status == 64 && run.errorLines.count == 1, "\(arguments): \(run.errors)")
      }
      #expect(try sandbox.run("report", "usage_by_kind", "--sort", "knd").errors.contains("“kind”"))
      try sandbox.makeFile("one/copy", "b")
      try sandbox.makeFile("two/copy", "b")
      #expect(try sandbox.run("scan").status == 0)
      #expect(
        try column("path", "duplicates", "--sort", "-path", "--limit", "1")
          == [sandbox.tree + "/two/copy"])
    }
  }
}
