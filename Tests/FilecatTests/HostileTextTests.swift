import Foundation
import SystemPackage
import TestSupport
import Testing

/// No text from outside reaches a person as anything but text.
@Suite("What people are shown")
struct HostileTextTests {
  /// Every sort of argument of every command, with the status that a hostile one has.
  static let arguments: [(template: [String], status: Int32)] = [
    (["HOSTILE"], 64), (["--HOSTILE"], 64), (["--catalog"], 64), (["help", "HOSTILE"], 64),
    (["--generate-completion-script", "HOSTILE"], 64),
    (["scan", "HOSTILE"], 4), (["scan", "--HOSTILE"], 64), (["scan", "-eHOSTILE[a", "tree"], 64),
    (["scan", "--jobs", "HOSTILE"], 64), (["scan", "--container", "HOSTILE", "tree"], 64),
    (["forget", "HOSTILE"], 1), (["roots", "HOSTILE"], 64),
    (["roots", "--catalog", "HOSTILE"], 4), (["roots", "--catalog", "tree/HOSTILE"], 4),
    (["scan", "--catalog", "/proc/HOSTILE/c", "tree"], 4),
    (["ls", "HOSTILE"], 1), (["ls", "--format", "HOSTILE"], 64), (["ls", "--sort", "HOSTILE"], 64),
    (["ls", "--columns", "HOSTILE"], 64), (["ls", "--after", "HOSTILE"], 64),
    (["ls", "--limit", "HOSTILE"], 64), (["ls", "tree", "HOSTILE"], 1),
    (["find", "--HOSTILE"], 64), (["find", "size:HOSTILE"], 64), (["find", "kind:HOSTILE"], 64),
    (["find", "modified:\"HOSTILE\""], 64), (["find", "mode:HOSTILE"], 64),
    (["find", "empty:\"HOSTILE\""], 64), (["find", "scale:HOSTILE"], 64),
    (["find", "role:\"HOSTILE\""], 64), (["find", "regex:\"(HOSTILE\""], 64),
    (["find", "name:\"HOSTILE[\""], 64), (["find", "\"HOSTILE"], 64), (["find", "HOSTILE ("], 64),
    (["find", "HOSTILE sise:1"], 64), (["find", "--in", "HOSTILE", "a"], 1),
    (["find", "@HOSTILE"], 64), (["find", "--unsave", "HOSTILE"], 64),
    (["find", "--save", "HOSTILE", "a"], 64), (["find", "--save", "a", "size:HOSTILE"], 64),
    (["show", "HOSTILE"], 1), (["du", "HOSTILE"], 1), (["du", "--sort", "HOSTILE"], 64),
    (["report", "HOSTILE"], 64), (["report", "usage_by_type", "--in", "HOSTILE"], 1),
    (["report", "growth_by_directory", "--since", "HOSTILE"], 64),
    (["report", "--html", "HOSTILE/none/page"], 4),
    (["duplicates", "--in", "HOSTILE"], 1), (["duplicates", "--min-size", "HOSTILE"], 64),
    (["changes", "--since", "HOSTILE"], 64), (["changes", "--until", "HOSTILE"], 64),
    (["changes", "--kind", "HOSTILE"], 64), (["watch", "--method", "HOSTILE"], 64),
    (["sql", "HOSTILE"], 64), (["sql", "SELECT 'HOSTILE"], 64),
    (["sql", "SELECT 1, [HOSTILE] FROM files"], 64), (["sql", "PRAGMA [HOSTILE]"], 64),
    (["sql", "SELECT 1", "--timeout", "HOSTILE"], 64),
    (["types", "show", "HOSTILE"], 1), (["types", "show", "dyn.HOSTILE"], 64),
    (["types", "of", "HOSTILE"], 1), (["types", "of", "tree/none/HOSTILE"], 1),
    (["types", "extension", ".HOSTILE"], 64), (["types", "mime", "HOSTILE"], 64),
    (["types", "conforms", "HOSTILE", "public.data"], 1), (["types", "tree", "HOSTILE"], 1),
    (["types", "list", "--conforming-to", "HOSTILE"], 1), (["types", "import", "HOSTILE"], 4),
    (["types", "import", "HOSTILE.plist"], 4), (["types", "HOSTILE"], 64),
    (["containers", "discover", "HOSTILE"], 4), (["containers", "show", "HOSTILE"], 1),
    (["containers", "forget", "HOSTILE"], 1), (["containers", "policy", "HOSTILE"], 1),
    (["containers", "add", "HOSTILE", "tree"], 64),
    (["containers", "add", "apple-home", "HOSTILE"], 4),
    (["containers", "add", "apple-home", "tree", "--directory", "HOSTILE=a"], 64),
    (["containers", "add", "apple-home", "tree", "--directory", "caches=../HOSTILE"], 64),
    (["containers", "resolve", "HOSTILE"], 64), (["containers", "resolve", "tmp", "/HOSTILE"], 64),
    (["containers", "resolve", "tmp", "--container", "HOSTILE"], 1),
    (["containers", "resolve", "tmp", "--app-group", "HOSTILE"], 1),
    (["containers", "resolve", "tmp", "--style", "HOSTILE", "--root", "/a"], 64),
    (["lookup", "a", "--idiom", "HOSTILE"], 64), (["lookup", "a", "--scale", "HOSTILE"], 64),
    (["lookup", "a", "--in", "HOSTILE"], 1), (["schema", "HOSTILE"], 64),
  ]

  @Test("a message has nothing in it that a terminal obeys", arguments: HostileText.allCases)
  func messages(_ text: HostileText) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    try sandbox.makeFile(bytes: text.bytes, "long enough to be told from the header of a catalog")
    #expect(try sandbox.run("scan", "tree").status == 0)
    for (template, status) in Self.arguments {
      let run = try sandbox.run(bytes: text.arguments(template))
      let note: Comment = "\(template): \(run.errors.debugDescription)"
      #expect(HostileText.harm(in: run.errorOutput) == [], note)
      #expect(run.status == status, note)
      #expect((run.status == 0) == run.errors.isEmpty, note)
      // What stands for a byte within the command is no character.
      let standIns: ClosedRange<UInt32> = 0x10_ff00...0x10_ffff
      #expect(!run.errors.unicodeScalars.contains { standIns.contains($0.value) }, note)
    }
  }

  /// What prints for people: tables and sentences.
  static let outputs: [[String]] = [
    ["ls", "tree", "--format", "table"], ["find", "--format", "table"],
    ["find", "--saved", "--format", "table"], ["show", "tree/HOSTILE", "--format", "table"],
    ["du", "tree", "--format", "table"], ["roots", "--format", "table"],
    ["changes", "--format", "table"], ["check", "--verify", "--format", "table"],
    ["report", "largest_files", "--format", "table"],
    ["report", "usage_by_directory", "--format", "table"],
    ["report", "usage_by_extension", "--format", "table"],
    ["report", "hard_links", "--in", "tree/sub-HOSTILE", "--format", "table"],
    ["duplicates", "--format", "table"], ["check"], ["check", "--catalog", "HOSTILE.sqlite"],
    ["sql", "SELECT 'HOSTILE', name AS \"HOSTILE\" FROM files", "--format", "table"],
    ["types", "of", "tree/HOSTILE", "--format", "table"],
    ["types", "show", "org.example.hostile", "--format", "table"],
    ["types", "tree", "org.example.hostile", "--format", "table"],
    ["types", "list", "--format", "table"], ["types", "check", "--all", "--format", "table"],
    ["types", "import", "HOSTILE.json"],
    ["containers", "list", "--format", "table"], ["containers", "policy", "--format", "table"],
    ["containers", "policy", "--stale", "0", "--format", "table"],
    ["containers", "show", "tree/sub-HOSTILE", "--format", "table"],
    ["containers", "resolve", "caches", "HOSTILE", "--format", "table"],
    ["lookup", "picture-HOSTILE.png", "--format", "table"],
    ["scan", "--changes", "--format", "table"], ["scan", "tree/sub-HOSTILE"],
  ]

  /// A home in which everything that can have a name has a hostile one.
  private func hostileHome(_ text: HostileText) throws -> Sandbox {
    let sandbox = try Sandbox()
    let name = text.bytes
    let directory = Array("sub-".utf8) + name
    try sandbox.makeFile(bytes: name, "a")
    try sandbox.makeFile(bytes: Array("picture-".utf8) + name + Array(".png".utf8), "b")
    try sandbox.makeFile(bytes: Array("file.".utf8) + name, "c")
    try sandbox.makeFile(bytes: directory + Array("/Library/Caches/".utf8) + name, "a")
    try sandbox.makeFile(bytes: directory + Array("/tmp/x".utf8), "d")
    let described = String(decoding: name, as: UTF8.self)
    let declaration = try JSONSerialization.data(withJSONObject: [
      "UTExportedTypeDeclarations": [
        [
          "UTTypeIdentifier": "org.example.hostile", "UTTypeDescription": described,
          "UTTypeConformsTo": ["public.data"],
          "UTTypeTagSpecification": ["public.filename-extension": ["hostile", described]],
        ],
        ["UTTypeIdentifier": described],
      ]
    ])
    try sandbox.directory.write(declaration, to: "config/filecat/types.d/a.json")
    try sandbox.directory.write(
      declaration, to: sandbox.path(name + Array(".json".utf8)))
    let box = Array("tree/".utf8) + directory
    let scan = ["scan", "--container", "apple-sandbox"].map { Array($0.utf8) } + [box]
    #expect(try sandbox.run(bytes: scan).status == 0)
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(try sandbox.run("find", "--save", "a", "name:\"\(described)\"").status == 0)
    try sandbox.makeFile(bytes: Array("new ".utf8) + name, "e")
    #expect(try sandbox.run("scan", "tree").status == 0)
    try sandbox.makeFile(bytes: Array("newer ".utf8) + name, "e")
    try sandbox.directory.write(
      try sandbox.directory.bytes(of: "data/filecat/catalog.sqlite"),
      to: sandbox.path(name + Array(".sqlite".utf8)))
    return sandbox
  }

  @Test("tables and sentences hold text and nothing else", arguments: HostileText.allCases)
  func output(_ text: HostileText) throws {
    let sandbox = try hostileHome(text)
    defer { sandbox.remove() }
    for template in Self.outputs {
      let run = try sandbox.run(bytes: text.arguments(template))
      #expect(
        HostileText.harm(in: run.output) == [], "\(template): \(run.text.debugDescription)")
      #expect(HostileText.harm(in: run.errorOutput) == [], "\(template): \(run.errors)")
      // A few arguments are text, in which a byte that is not UTF-8 names nothing.
      #expect(!run.output.isEmpty || text == .bytes, "\(template): \(run.errors)")
    }
  }
}
