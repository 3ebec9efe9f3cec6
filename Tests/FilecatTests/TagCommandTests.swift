import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("filecat tag")
struct TagCommandTests {
  /// Whether temporary files have extended attributes.
  static let supportsAttributes: Bool = {
    (try? withTemporaryDirectory { directory in
      try directory.make([.file("a"), .attribute("a", name: "user.test", value: "x")])
    }) != nil
  }()

  private func withTree(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    try sandbox.makeFile("b")
    try sandbox.makeFile("sub/c")
    try sandbox.directory.makeLink("tree/link", to: "a")
    #expect(try sandbox.run("scan", "tree").status == 0)
    try body(sandbox)
  }

  private func found(_ query: String, _ sandbox: Sandbox) throws -> [String] {
    let run = try sandbox.run("find", query, "--format", "paths")
    #expect(run.errors.isEmpty && run.status == (run.text.isEmpty ? 1 : 0))
    return Rows.lines(run).map { String($0.dropFirst(sandbox.tree.count + 1)) }
  }

  @Test(
    "tags are set, found, listed and taken off", .feature("P-49"), .enabled(if: supportsAttributes))
  func wholeLife() throws {
    try withTree { sandbox in
      let add = try sandbox.run("tag", "add", "draft", "tree/a", "tree/sub/c")
      #expect(add.status == 0 && add.output.isEmpty && add.errors.isEmpty)
      #expect(try sandbox.run("tag", "add", "two words", "tree/a").status == 0)
      #expect(try found("tag:draft", sandbox) == ["a", "sub/c"])
      #expect(try found("tag:\"two words\"", sandbox) == ["a"])

      let list = try sandbox.run("tag", "list")
      #expect(
        Rows.lines(list) == [
          "path\ttags", "\(sandbox.tree)/a\tdraft,two words", "\(sandbox.tree)/sub/c\tdraft",
        ])
      #expect(list.status == 0 && list.errors.isEmpty)
      let some = try sandbox.run("tag", "list", "tree/a", "tree/b", "--format", "ndjson")
      #expect(some.text == "{\"path\":\"tree/a\",\"tags\":[\"draft\",\"two words\"]}\n")

      #expect(try sandbox.run("tag", "remove", "draft", "tree/a", "tree/b").status == 0)
      #expect(try found("tag:draft", sandbox) == ["sub/c"])
      let again = try sandbox.run("tag", "remove", "draft", "tree/a")
      #expect(again.status == 1 && again.errors.isEmpty)
      #expect(try sandbox.run("tag", "list", "tree/b").status == 1)
      #expect(try sandbox.run("check").status == 0)
    }
  }

  @Test("a link is tagged in the catalog alone, which is told, and not what it leads to")
  func link() throws {
    try withTree { sandbox in
      let add = try sandbox.run("tag", "add", "x", "tree/link")
      #expect(add.status == 0 && add.output.isEmpty)
      #expect(add.errorLines.count == 1 && add.errors.contains("symbolic link"))
      #expect(add.errors.contains("tree/link"))
      #expect(try found("tag:x", sandbox) == ["link"])
      #expect(try sandbox.run("scan").status == 0)
      #expect(try found("tag:x", sandbox) == ["link"])
      let remove = try sandbox.run("tag", "remove", "x", "tree/link")
      #expect(remove.status == 0 && remove.errors.isEmpty)
      #expect(try found("tag:x", sandbox) == [])
    }
  }

  @Test(
    "where the file system refuses, the catalog alone has the tag, through rescans",
    .enabled(if: FailingSystem.canInject && supportsAttributes),
    arguments: ["EOPNOTSUPP", "EPERM", "EROFS"])
  func refused(_ error: String) throws {
    try withTree { sandbox in
      let add = try sandbox.run(
        failing: "lsetxattr:error=" + error, arguments: ["tag", "add", "x", "tree/a"])
      #expect(add.status == 0, "\(add.errors)")
      #expect(add.errorLines.count == 1 && add.errors.contains("the catalog alone has the tag"))
      #expect(try found("tag:x", sandbox) == ["a"])
      try sandbox.makeFile("a", "other content")
      #expect(try sandbox.run("scan", "tree").status == 0)
      #expect(try found("tag:x", sandbox) == ["a"])
      #expect(try sandbox.run("scan", "tree", "--xattrs").status == 0)
      #expect(try found("tag:x", sandbox) == ["a"])
      // The file takes it now, and keeps it itself.
      let again = try sandbox.run("tag", "add", "x", "tree/a")
      #expect(again.status == 0 && again.errors.isEmpty)
      let keys = try sandbox.run("sql", "SELECT key FROM resource_values")
      #expect(Rows.lines(keys) == ["key", "xattr:user.xdg.tags"])
    }
  }

  @Test("an error of the disk is no refusal", .enabled(if: FailingSystem.canInject))
  func failure() throws {
    try withTree { sandbox in
      let add = try sandbox.run(
        failing: "lsetxattr:error=ENOSPC", "lgetxattr:error=ENODATA",
        arguments: ["tag", "add", "x", "tree/a"])
      #expect(add.status == 4 && add.errorLines.count == 1)
      #expect(add.errors.contains("tree/a: cannot write its extended attributes"))
      #expect(try found("tag:x", sandbox) == [])
    }
  }

  @Test("paths that fail are told, and the others are done", .enabled(if: supportsAttributes))
  func incomplete() throws {
    try withTree { sandbox in
      let add = try sandbox.run("tag", "add", "x", "tree/missing", "tree/a")
      #expect(add.status == 3 && add.errorLines.count == 1)
      #expect(add.errors.contains("tree/missing"))
      #expect(try found("tag:x", sandbox) == ["a"])
      let remove = try sandbox.run("tag", "remove", "x", "tree/missing", "tree/a")
      #expect(remove.status == 3 && remove.errorLines.count == 1)
      #expect(try found("tag:x", sandbox) == [])
      let list = try sandbox.run("tag", "list", "tree/missing")
      #expect(list.status == 4 && list.errorLines.count == 1)
    }
  }

  @Test("what is no tag is wrong usage", arguments: ["", " ", "a,b"])
  func noTag(_ word: String) throws {
    try withTree { sandbox in
      for command in ["add", "remove"] {
        let run = try sandbox.run("tag", command, word, "tree/a")
        #expect(run.status == 64 && run.output.isEmpty && run.errorLines.count == 1)
      }
      #expect(try sandbox.run("tag", "add", "x").status == 64)
      #expect(try sandbox.run("tag", "list").status == 1)
    }
  }
}
