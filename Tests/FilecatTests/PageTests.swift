import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Order and pages")
struct PageTests {
  private func names(_ run: CommandResult) throws -> [String] {
    try Rows.parse(run, "ndjson").map { ($0["name"] ?? nil) ?? "" }
  }

  /// A sort order, and the files by it.
  static let orders: [(sort: String?, names: [String])] = [
    (nil, ["file2", "File10", "file11", "z"]), ("name", ["file2", "File10", "file11", "z"]),
    ("-name", ["z", "file11", "File10", "file2"]),
    ("size", ["z", "file2", "file11", "File10"]), ("-size", ["File10", "file2", "file11", "z"]),
    ("-modified", ["file11", "z", "file2", "File10"]),
    ("modified", ["File10", "file2", "z", "file11"]),
    ("-size,-name", ["File10", "file11", "file2", "z"]),
  ]

  @Test("rows come in the order asked for, ties by name", arguments: orders)
  func order(_ sort: String?, _ expected: [String]) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    // Sizes and ages, told apart by seconds.
    for (name, size, age) in [("file2", 5, 30), ("File10", 9, 40), ("file11", 5, 10), ("z", 0, 20)]
    {
      try sandbox.makeFile(name, String(repeating: "x", count: size))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000 - Double(age))],
        ofItemAtPath: sandbox.tree + "/" + name)
    }
    try sandbox.run("scan", "tree")
    // An option's value that begins with a dash is joined to it.
    let run = try sandbox.run(
      ["ls", "tree", "--format", "ndjson"] + (sort.map { ["--sort=\($0)"] } ?? []))
    #expect(run.status == 0)
    #expect(try names(run) == expected)
  }

  @Test(
    "tables for people are sorted by the sizes that they show, rows for programs by the own ones")
  func shownSizes() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("large/deep/a", String(repeating: "x", count: 900_000))
    try sandbox.makeFile("middle", String(repeating: "x", count: 500_000))
    try sandbox.makeFile("empty/b")
    try sandbox.makeFile("small", "x")
    try sandbox.run("scan", "tree")
    func shown(_ arguments: String...) throws -> [String] {
      let run = try sandbox.run(arguments + ["--format", "table", "--columns", "name,size"])
      #expect(run.status == 0, "\(run.errors)")
      return Rows.lines(run).dropFirst().map { String($0.prefix { $0 != " " }) }
    }
    for key in ["size", "allocated", "full_size"] {
      #expect(
        try shown("ls", "tree", "--sort", "-" + key).prefix(2) == ["large", "middle"], "\(key)")
      let found = try shown("find", "--in", "tree", "--sort", "-" + key, "--limit", "5")
      #expect(found.first == "tree" && found.last == "middle", "\(key)")
      #expect(Set(found) == ["tree", "large", "deep", "a", "middle"], "\(key)")
    }
    #expect(try shown("ls", "tree", "--sort", "size") == ["empty", "small", "middle", "large"])
    #expect(
      try shown("ls", "tree", "--sort", "size", "--limit", "1", "--offset", "3") == ["large"])
    try sandbox.run("find", "--save", "by-size", "depth:1", "--sort", "-size")
    #expect(try shown("find", "@by-size").prefix(2) == ["large", "middle"])
    for format in ["ndjson", "csv", "tsv"] {
      let run = try sandbox.run(
        "ls", "tree", "--sort", "-size", "--format", format, "--columns", "name")
      #expect(try Rows.parse(run, format).first?["name"] == "middle")
    }
    // Who asks for it gets it in a pipe, too.
    let run = try sandbox.run("ls", "tree", "--sort", "-full_size")
    #expect(Rows.lines(run).first?.hasSuffix("/large") == true)
  }

  @Test("a descending key may stand apart from --sort")
  func separateValue() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a", "1")
    try sandbox.makeFile("b", "22")
    try sandbox.run("scan", "tree")
    for arguments in [["ls", "tree"], ["find", "--in", "tree"]] {
      let run = try sandbox.run(arguments + ["--sort", "-size", "--format", "ndjson"])
      #expect(run.status == 0, "\(run.errors)")
      // The directory itself is among what `find` finds in it.
      #expect(try names(run).filter { $0 != "tree" } == ["b", "a"])
    }
  }

  @Test("--limit and --offset cut the list", arguments: ["ls", "find"])
  func cut(_ command: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for number in 1...12 { try sandbox.makeFile("f\(number)") }
    try sandbox.run("scan", "tree")
    let arguments =
      [command] + (command == "ls" ? ["tree"] : ["kind:file", "--in", "tree", "--sort", "name"])
    let all = try names(sandbox.run(arguments + ["--format", "ndjson"]))
    #expect(all == (1...12).map { "f\($0)" })
    for (limit, offset) in [(3, 0), (3, 4), (100, 10), (12, 12), (0, 0), (1, 1_000_000)] {
      let run = try sandbox.run(
        arguments + ["--limit", "\(limit)", "--offset", "\(offset)", "--format", "ndjson"])
      #expect(try names(run) == Array(all.dropFirst(offset).prefix(limit)))
    }
    #expect(
      try names(sandbox.run(arguments + ["--offset", "9", "--format", "ndjson"]))
        == ["f10", "f11", "f12"])
  }

  /// The cursor that a page tells, on standard error.
  private func next(_ run: CommandResult) -> String? {
    run.errors.split(separator: "--after ").dropFirst().first
      .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
  }

  @Test(
    "pages have neither gaps nor repeats", arguments: [1, 4, 5, 7, 100],
    [["find", "kind:file"], ["ls", "tree/d"]])
  func pages(_ limit: Int, _ command: [String]) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for number in 1...19 { try sandbox.makeFile("d/f\(number)", "same size") }
    try sandbox.run("scan", "tree")
    let arguments = command + ["--sort=-size", "--format", "ndjson"]
    let all = try names(sandbox.run(arguments))
    #expect(Set(all).count == 19)
    var found: [String] = []
    var cursor: String? = "start"
    while let after = cursor, found.count <= all.count {
      let run = try sandbox.run(arguments + ["--limit", "\(limit)", "--after", after])
      let page = try names(run)
      #expect(page.count <= limit)
      // An empty rest of a directory was listed all the same.
      #expect(run.status == (page.isEmpty && command[0] == "find" ? 1 : 0))
      found += page
      cursor = next(run)
    }
    #expect(found == all)
  }

  @Test("a cursor is refused where it means nothing")
  func wrongCursor() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for number in 1...5 { try sandbox.makeFile("f\(number)") }
    try sandbox.run("scan", "tree")
    let first = try sandbox.run("find", "f", "--limit", "2", "--after", "start")
    let cursor = try #require(next(first))
    for arguments in [
      ["find", "f", "--after", "nonsense"], ["find", "other", "--after", cursor],
      ["find", "f", "--sort", "size", "--after", cursor],
    ] {
      let run = try sandbox.run(arguments)
      #expect(run.status == 64)
      #expect(run.output.isEmpty)
      #expect(run.errorLines.count == 1)
      #expect(run.errors.hasPrefix("filecat: "))
    }
    #expect(try sandbox.run("find", "f", "--after", cursor).status == 0)
  }

  @Test("a cursor from before a scan leads on behind the last row", .feature("P-33"))
  func oldCursor() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for number in 1...5 { try sandbox.makeFile("f\(number)") }
    try sandbox.run("scan", "tree")
    let arguments = ["find", "f", "--format", "ndjson", "--columns", "name", "--limit", "2"]
    let first = try sandbox.run(arguments + ["--after", "start"])
    let cursor = try #require(next(first))
    // What has come before the place is behind it for whoever goes on from there.
    for name in ["f0", "f2a", "f6"] { try sandbox.makeFile(name) }
    try sandbox.directory.remove("tree/f2")
    try sandbox.run("scan", "tree")
    let second = try sandbox.run(arguments + ["--after", cursor])
    #expect(try names(second) == ["f2a", "f3"])
    let third = try sandbox.run(arguments + ["--after", try #require(next(second))])
    #expect(try names(third) == ["f4", "f5"])
  }
}
