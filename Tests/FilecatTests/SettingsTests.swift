import SystemPackage
import TestSupport
import Testing

@Suite("Settings")
struct SettingsTests {
  /// Runs `body` with a file of settings.
  private func withSettings(
    _ text: String, mode: CInterop.Mode = 0o644, _ body: (Sandbox) throws -> Void
  ) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.directory.write(text, to: "config/filecat/config", mode: mode)
    try body(sandbox)
  }

  /// What `filecat config` says of a key: its values, and where they come from.
  private func shown(
    _ key: String, _ sandbox: Sandbox, environment: [String: String?] = [:]
  ) throws -> [String] {
    let run = try sandbox.run(["config", "--format", "ndjson"], environment: environment)
    #expect(run.status == 0, "\(run.errors)")
    return try Rows.parse(run, "ndjson").filter { $0["key"] == key }.map {
      [$0["value"], $0["source"], $0["line"]].map { ($0 ?? nil) ?? "-" }.joined(separator: " ")
    }
  }

  @Test("without a file everything is as it always was")
  func none() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    #expect(try shown("catalog", sandbox) == ["\(sandbox.catalog) default -"])
    #expect(try shown("excludes", sandbox) == ["- default -"])
    #expect(try shown("columns.find", sandbox) == ["path,size,modified default -"])
    #expect(try shown("color", sandbox) == ["auto default -"])
    #expect(try shown("hyperlink", sandbox) == ["never default -"])
    let path = try sandbox.run("config", "--path")
    #expect(path.status == 0 && path.text == "\(sandbox.home)/config/filecat/config\n")
  }

  @Test("the catalog is the file's, the environment's before it, and the option's before both")
  func catalog() throws {
    try withSettings("# mine\n\n  catalog =  ~/other place/c.sqlite \r\n") { sandbox throws in
      try sandbox.makeFile("a")
      try sandbox.directory.makeDirectory("other place")
      let other = sandbox.home + "/other place/c.sqlite"
      #expect(try shown("catalog", sandbox) == ["\(other) file 3"])
      #expect(try sandbox.run("scan", "tree").status == 0)
      #expect(sandbox.directory.holds("other place/c.sqlite"))
      #expect(!sandbox.directory.holds("data/filecat/catalog.sqlite"))
      #expect(try sandbox.run("find", "a").text == "\(sandbox.tree)/a\n")
      #expect(try sandbox.run("containers", "list").status == 0)

      let named = ["FILECAT_CATALOG": sandbox.home + "/named.sqlite"]
      #expect(
        try shown("catalog", sandbox, environment: named)
          == ["\(sandbox.home)/named.sqlite environment -"])
      #expect(try sandbox.run(["scan", "tree"], environment: named).status == 0)
      #expect(sandbox.directory.holds("named.sqlite"))
      let optional = ["scan", "tree", "--catalog", "optional.sqlite"]
      #expect(try sandbox.run(optional, environment: named).status == 0)
      #expect(sandbox.directory.holds("optional.sqlite"))
    }
  }

  @Test("a new root leaves out what the file says, unless an option says what")
  func excludes() throws {
    try withSettings("excludes = *.tmp\nexcludes = [bc]\n") { sandbox throws in
      for name in ["a", "a.tmp", "b", "c"] { try sandbox.makeFile(name) }
      #expect(try shown("excludes", sandbox) == ["*.tmp file 1", "[bc] file 2"])
      func names() throws -> Set<String> {
        let run = try sandbox.run("find", "kind:file", "--format", "paths")
        return Set(Rows.lines(run).map { String($0.dropFirst(sandbox.tree.count + 1)) })
      }
      #expect(try sandbox.run("scan", "tree").status == 0)
      #expect(try names() == ["a"])
      // What a root leaves out is kept with it.
      #expect(try sandbox.run("scan", "tree", "--exclude", "").status == 0)
      #expect(try names() == ["a", "a.tmp", "b", "c"])
      #expect(try sandbox.run("scan").status == 0)
      #expect(try names() == ["a", "a.tmp", "b", "c"])
      #expect(try sandbox.run("forget", "tree").status == 0)
      #expect(try sandbox.run("scan", "tree", "--exclude", "a*").status == 0)
      #expect(try names() == ["b", "c"])
    }
  }

  @Test("tables for people have the columns of the file; what programs read stays as it is")
  func columns() throws {
    try withSettings("columns.ls = kind,name\ncolumns.find = size,path\n") { sandbox throws in
      try sandbox.makeFile("a", "12")
      #expect(try sandbox.run("scan", "tree").status == 0)
      func titles(_ arguments: String...) throws -> String {
        let line = Rows.lines(try sandbox.run(arguments)).first ?? ""
        return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: ",")
          .lowercased()
      }
      #expect(try titles("ls", "tree", "--format", "table") == "kind,name")
      #expect(try titles("find", "a", "--format", "table") == "size,path")
      #expect(try titles("ls", "tree", "--format", "table", "--columns", "id") == "id")
      #expect(try titles("ls", "tree", "--format", "tsv") == "name,size,modified,type")
      #expect(try titles("find", "a", "--format", "tsv") == "path,size,modified")
    }
  }

  @Test("the environment takes colour away, whatever the file says")
  func color() throws {
    try withSettings("color = always\nhyperlink=never\n") { sandbox throws in
      #expect(try shown("color", sandbox) == ["always file 1"])
      #expect(try shown("hyperlink", sandbox) == ["never file 2"])
      #expect(
        try shown("color", sandbox, environment: ["NO_COLOR": "1"]) == ["never environment -"])
    }
  }

  @Test(
    "a line that makes no sense is told with its number, and nothing is done",
    arguments: [
      ("colour = auto", "did you mean “color”"), ("columns.ls = nam", "did you mean “name”"),
      ("columns.ls = name,", "no column"), ("color = sometimes", "auto, always, never"),
      ("catalog = here.sqlite", "absolute"), ("catalog", "has no value"),
      ("catalog =", "has no value"), ("excludes = [a", "[a"), ("= 3", "there is no setting"),
      ("color = auto\ncolor = auto", "twice"), ("[columns]", "has no value"),
      ("color = al\u{1b}[31mways", "\\u{1b}"),
    ])
  func mistakes(_ text: String, _ expected: String) throws {
    try withSettings("# first\n" + text + "\n") { sandbox throws in
      try sandbox.makeFile("a")
      for arguments in [["scan", "tree"], ["config"], ["schema"]] {
        let run = try sandbox.run(arguments)
        #expect(run.status == 64 && run.output.isEmpty, "\(arguments)")
        #expect(run.errorLines.count == 1 && run.errors.contains(expected), "\(run.errors)")
        let line = text.contains("\n") ? 3 : 2
        #expect(run.errors.hasPrefix("filecat: \(sandbox.home)/config/filecat/config:\(line): "))
        #expect(!run.errors.contains("\u{1b}"))
      }
      #expect(!sandbox.directory.holds("data/filecat/catalog.sqlite"))
      // What needs no settings says so all the same.
      for arguments in [
        ["config", "--path"], ["--version"], ["help", "scan"], ["help", "query"],
      ] {
        #expect(try sandbox.run(arguments).status == 0)
      }
    }
  }

  @Test("bytes that are not UTF-8 may be in the path of the catalog, and nowhere else")
  func bytes() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    let path = Array("\(sandbox.home)/c".utf8) + [0xff]
    try sandbox.directory.write(
      Array("catalog = ".utf8) + path + [0x0a], to: "config/filecat/config")
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(try sandbox.run("find", "a").text == "\(sandbox.tree)/a\n")
    try sandbox.directory.write(Array("excludes = ".utf8) + [0xff], to: "config/filecat/config")
    #expect(try sandbox.run("scan", "tree").status == 64)
  }

  @Test("a file that others may write, or that cannot be read, is refused in one line")
  func untrusted() throws {
    try withSettings("color = auto\n") { sandbox throws in
      let file = sandbox.home + "/config/filecat/config"
      func refused(_ expected: String) throws {
        let run = try sandbox.run("roots")
        #expect(run.status == 4 && run.output.isEmpty && run.errorLines.count == 1)
        #expect(
          run.errors.hasPrefix("filecat: \(file): ") && run.errors.contains(expected),
          "\(run.errors)")
      }
      _ = try sandbox.run(program: "chmod", ["666", file])
      try refused("chmod o-w")
      _ = try sandbox.run(program: "chmod", ["644", file])
      if FailingSystem.isRoot {
        _ = try sandbox.run(program: "chown", ["1234", file])
        try refused("another user (1234)")
      }
      try sandbox.directory.remove("config/filecat/config")
      try sandbox.directory.makeDirectory("config/filecat/config")
      try refused("not a file")
      try sandbox.directory.remove("config/filecat/config")
      _ = try sandbox.run(program: "mkfifo", [file])
      try refused("not a file")
      try sandbox.directory.remove("config/filecat/config")
      try sandbox.directory.write(
        String(repeating: "# long\n", count: 20_000), to: "config/filecat/config")
      try refused("cannot be read")
    }
  }

  @Test("a link to a file of settings is as good as the file")
  func link() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.directory.write("color = never\n", to: "dotfiles/filecat")
    try sandbox.directory.makeLink("config/filecat/config", to: "../../dotfiles/filecat")
    #expect(try shown("color", sandbox) == ["never file 1"])
  }
}
