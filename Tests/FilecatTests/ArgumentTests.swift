import Foundation
import TestSupport
import Testing

@Suite("Arguments")
struct ArgumentTests {
  private func withTree(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeAwkwardTree()
    #expect(try sandbox.run("scan", "tree").status == 0)
    try body(sandbox)
  }

  @Test(
    "a term with a dash before it is negated, whatever letters it has",
    arguments: [
      "-kind:archive", "-depth:0", "-role:caches", "-path:sub/**",
      "-(ext:txt OR ext:png)", "-type:public.png", "-size:0", "-mode:/022", "-ext:csv",
      "-owner:root",
    ])
  func negated(_ term: String) throws {
    try withTree { sandbox in
      let run = try sandbox.run("find", "-c", term)
      #expect(run.errors.isEmpty)
      let meant = try sandbox.run("find", "-c", "NOT " + term.dropFirst())
      #expect(run.output == meant.output && run.status == meant.status)
      // The same after the place of the catalog, and beside options.
      let other = try sandbox.run(
        "--catalog", sandbox.catalog, "find", "--sort", "-size", term, "-c")
      #expect(other.output == meant.output)
    }
  }

  @Test("short options of find go together, and those of others are not terms")
  func clusters() throws {
    try withTree { sandbox throws in
      #expect(try sandbox.run("find", "-c0", "*.png").text == "1\n")
      #expect(try sandbox.run("find", "-h").text.contains("USAGE"))
      #expect(try sandbox.run("ls", "-find", "tree").status == 64)
    }
  }

  @Test("paths are bytes, as the output has them", arguments: ["show", "scan", "ls", "du"])
  func bytes(_ command: String) throws {
    try withTree { sandbox in
      let name = "tree/\"$(printf 'raw\\376\\377')\""
      let made = try sandbox.run(program: "/bin/sh", ["-c", "mkdir \(name) && touch \(name)/x"])
      #expect(made.status == 0)
      #expect(try sandbox.run("scan", "tree").status == 0)
      let run = try sandbox.run(
        program: "/bin/sh", ["-c", "'\(Sandbox.executable)' \(command) \(name)"])
      #expect(run.status == 0, "\(run.errors)")
      #expect(!run.output.isEmpty && run.errors.isEmpty)
    }
  }

  @Test("characters of the range that stands for bytes are themselves")
  func privateCharacters() throws {
    try withTree { sandbox in
      try sandbox.makeFile("\u{10fff0}", "1")
      #expect(try sandbox.run("scan", "tree").status == 0)
      #expect(try sandbox.run("show", "tree/\u{10fff0}").status == 0)
    }
  }

  @Test(
    "an empty path names nothing",
    arguments: [["scan", ""], ["ls", ""], ["changes", "--in", ""], ["changes", "--kind", ""]])
  func empty(_ arguments: [String]) throws {
    try withTree { sandbox in
      let run = try sandbox.run(arguments)
      #expect(run.status == 64 && run.errorLines.count == 1)
    }
  }

  @Test("the history may be kept as long as a number can say", arguments: ["106752", "\(Int.max)"])
  func longHistory(_ days: String) throws {
    try withTree { sandbox throws in
      #expect(try sandbox.run("history", "--keep-days", days).status == 0)
      try sandbox.makeFile("another")
      #expect(try sandbox.run("scan", "--changes").text.contains("+ "))
    }
  }

  @Test("what a scan found is told, however little history is kept")
  func shortHistory() throws {
    try withTree { sandbox throws in
      #expect(try sandbox.run("history", "--keep-changes", "1").status == 0)
      for number in 1...5 { try sandbox.makeFile("another \(number)") }
      let run = try sandbox.run("scan", "--changes")
      #expect(run.status == 0)
      #expect(run.text.split(separator: "\n").count == 5)
    }
  }

  @Test(
    "a part of a root may be gone, in whatever way and by whatever path it is named",
    arguments: [("sub/deep", "sub/deep"), ("sub", "sub/deep")], ["tree", "link"])
  func gonePart(_ gone: (removed: String, named: String), _ root: String) throws {
    try withTree { sandbox in
      try FileManager.default.createSymbolicLink(
        atPath: sandbox.home + "/link", withDestinationPath: "tree")
      try FileManager.default.removeItem(atPath: sandbox.tree + "/" + gone.removed)
      let run = try sandbox.run("scan", "--changes", root + "/" + gone.named)
      #expect(run.status == 0)
      #expect(Rows.lines(run).contains("- \(sandbox.tree)/sub/deep/x"))
      // A file in the place of a directory on the way.
      try sandbox.makeFile("Notes.rtfd/x")
      try FileManager.default.removeItem(atPath: sandbox.tree + "/Notes.rtfd")
      try sandbox.makeFile("Notes.rtfd")
      #expect(try sandbox.run("scan", root + "/Notes.rtfd/inner").status == 0)
    }
  }

  @Test(
    "an expression that would take long for every name is no query",
    arguments: ["a(a|b){600}$", "((a|b|c|d|e|f|g|h){9}){100}0", "(([a-m].{90}x)|([c-z].{90}y)){4}"])
  func wideExpression(_ pattern: String) throws {
    try withTree { sandbox throws in
      #expect(try sandbox.run("scan", "tree").status == 0)
      let run = try sandbox.run("find", "regex:\"\(pattern)\"")
      #expect(run.status == 64)
      #expect(run.output.isEmpty)
      #expect(run.errors.contains("too large"), "\(run.errors)")
    }
  }

  @Test("a directory of a shallow root is scanned no deeper than the root")
  func shallowPart() throws {
    try withTree { sandbox throws in
      #expect(try sandbox.run("scan", "--shallow", "tree").status == 0)
      let before = try sandbox.run("find", "-c").text
      for part in ["tree/sub", "tree/sub/deep"] {
        #expect(try sandbox.run("scan", "--changes", part).output.isEmpty)
      }
      #expect(try sandbox.run("find", "-c").text == before)
    }
  }
}
