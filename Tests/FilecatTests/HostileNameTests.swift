import Foundation
import TestSupport
import Testing

/// What programs get of names is exact, and what a person copies from a message leads back to the file.
@Suite("Names that programs stumble over")
struct HostileNameTests {
  private func withNames(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in CrookedNames.all { try sandbox.makeFile(bytes: name, "x") }
    #expect(try sandbox.run("scan", "tree").status == 0)
    try body(sandbox)
  }

  @Test("find finds each by itself in quotes, typed as it is")
  func found() throws {
    try withNames { sandbox in
      let place = Array((sandbox.tree + "/").utf8)
      for name in CrookedNames.all {
        let quoted = name.flatMap { "\\\"".utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
        let query = Array("case:yes name:=\"".utf8) + quoted + Array("\"".utf8)
        let run = try sandbox.run(bytes: [Array("find".utf8), Array("-0".utf8), query])
        #expect(run.output == place + name + [0], "\(name): \(run.errors)")
      }
    }
  }

  @Test("no format for programs changes a name", arguments: FormatTests.formats)
  func exact(_ format: String) throws {
    try withNames { sandbox in
      let run = try sandbox.run("find", "kind:file", "--columns", "path,name", "--format", format)
      let rows = try Rows.parse(run, format)
      let shown = rows.map { Array(($0["name"].flatMap { $0 } ?? "").utf8) }
      let expected = CrookedNames.all.map { Array(String(decoding: $0, as: UTF8.self).utf8) }
      #expect(
        shown.sorted { $0.lexicographicallyPrecedes($1) }
          == expected.sorted { $0.lexicographicallyPrecedes($1) })
      guard format.hasSuffix("json") else { return }
      let place = Array((sandbox.tree + "/").utf8)
      let exact = rows.compactMap { row in
        row["path_base64"].flatMap { $0 }.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
      }
      let invalid = CrookedNames.all.filter { String(validating: $0, as: UTF8.self) == nil }
      #expect(Set(exact) == Set(invalid.map { place + $0 }))
      #expect(HostileText.harm(in: run.output).isEmpty)
    }
  }

  /// Commands that print rows, each with text in them that somebody else has chosen.
  static let commands: [[String]] = [
    ["find"], ["find", "--columns", "name,size"], ["ls", "tree"], ["show", "tree/=1+2"],
    ["show", "tree/\tx"], ["du", "tree"], ["roots"], ["changes"], ["check", "--verify"],
    ["report", "largest_files"], ["report", "usage_by_extension"], ["report"], ["duplicates"],
    ["sql", "SELECT name, name AS [=name], -size AS less, -1.5 FROM files"],
    ["types", "of", "tree/=1+2", "tree/+1"], ["types", "list"], ["types", "tree", "public.image"],
    ["types", "show", "public.png"], ["types", "check", "--all"], ["containers", "list"],
    ["containers", "show", "home"], ["containers", "resolve", "caches", "@x"],
    ["lookup", "=1+2"],
    ["schema"], ["schema", "files"], ["find", "--saved"],
  ]

  @Test("csv is exact, and with --spreadsheet no cell is a formula")
  func spreadsheet() throws {
    try withNames { sandbox in
      #expect(try sandbox.run("find", "--save", "a", "*").status == 0)
      try sandbox.makeFile("=new")
      for command in Self.commands {
        let plain = try sandbox.run(command + ["--format", "csv"])
        let run = try sandbox.run(command + ["--format", "csv", "--spreadsheet"])
        #expect([0, 1].contains(run.status), "\(command): \(run.errors)")
        try expect(try Rows.records(run), toGuard: try Rows.records(plain), "\(command)")
      }
    }
  }

  /// Expects that cells differ by the apostrophe alone, and that no text begins a formula.
  private func expect(
    _ guarded: [[String?]], toGuard exact: [[String?]], _ note: Comment
  ) throws {
    func beginsFormula(_ cell: String) -> Bool {
      cell.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } ?? false
    }
    #expect(!guarded.isEmpty && guarded.map(\.count) == exact.map(\.count), note)
    // When something was found is another second each time.
    let times = exact.first?.firstIndex(of: "at")
    let cells = zip(guarded, exact).flatMap { guarded, exact in
      zip(guarded, exact).enumerated().filter { $0.offset != times }.map(\.element)
    }
    for (cell, value) in cells {
      if cell != value {
        #expect(beginsFormula(value ?? "") && cell == "'" + (value ?? ""), note)
      } else if let cell, Double(cell) == nil {
        #expect(!beginsFormula(cell), note)
      }
    }
  }

  @Test("names that look like numbers are text, and numbers are not")
  func numbers() throws {
    try withNames { sandbox in
      let statement = "SELECT name, -size AS less FROM files WHERE name IN ('-1', '+1', '-0')"
      let run = try sandbox.run("sql", statement, "--format", "csv", "--spreadsheet")
      let cells = try Rows.records(run).dropFirst()
      #expect(Set(cells.map { $0[0] }) == ["'-1", "'+1", "'-0"])
      #expect(cells.allSatisfy { $0[1] == "-1" })
    }
  }

  @Test("scans take --spreadsheet as well", arguments: [["scan"], ["scan", "--changes"]])
  func scans(_ command: [String]) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("=x")
    let run = try sandbox.run(command + ["tree", "--format", "csv", "--spreadsheet"])
    #expect(run.status == 0 && run.text.contains(sandbox.tree))
  }

  @Test(
    "--spreadsheet is refused without csv",
    arguments: [
      ["find", "--spreadsheet"], ["ls", "--spreadsheet", "--format", "tsv"],
      ["du", "--spreadsheet", "--format", "json"], ["roots", "--spreadsheet", "-0"],
      ["types", "list", "--spreadsheet"], ["scan", "tree", "--spreadsheet"],
    ])
  func refused(_ arguments: [String]) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let run = try sandbox.run(arguments)
    #expect(run.status == 64 && run.output.isEmpty && run.errorLines.count == 1)
    #expect(run.errors.contains("--format csv"))
  }
}
