import Foundation
import TestSupport
import Testing

@Suite("Where the catalog is")
struct CatalogPlaceTests {
  private func exists(_ name: String, in sandbox: Sandbox) -> Bool {
    FileManager.default.fileExists(atPath: sandbox.home + "/" + name)
  }

  @Test("--catalog names it, before the subcommand or after it")
  func option() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    #expect(try sandbox.run("--catalog", "x.sqlite", "scan", "tree").status == 0)
    #expect(exists("x.sqlite", in: sandbox))
    #expect(!exists("data/filecat", in: sandbox))
    for arguments in [
      ["--catalog", "x.sqlite", "ls", "tree"], ["ls", "--catalog", "x.sqlite", "tree"],
      ["ls", "tree", "--catalog=x.sqlite"],
    ] {
      let run = try sandbox.run(arguments)
      #expect(run.status == 0)
      #expect(run.text == sandbox.tree + "/a\n")
    }
    #expect(try sandbox.run("ls", "tree").status == 4)
  }

  @Test("it may be named by bytes that are no text")
  func bytes() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let place = Array("tree/d".utf8) + [0xFF] + Array("/cat".utf8) + [0xFE] + Array(".sqlite".utf8)
    try sandbox.makeFile("a")
    try sandbox.makeFile(bytes: Array(place.dropFirst(5).prefix(3)) + Array("b".utf8))
    for arguments in [
      ["scan", "tree"], ["check"], ["find", "a"], ["check", "--verify"], ["scan"],
      ["check", "--repair"], ["sql", "SELECT 1"], ["report", "--html", "-"],
    ] {
      let words = (arguments + ["--catalog"]).map { Array($0.utf8) }
      let run = try sandbox.run(bytes: words + [place])
      #expect(run.status == 0, "\(arguments): \(run.errors)")
    }
    #expect(sandbox.directory.holds(sandbox.path(place)))
    let directory = sandbox.path(Array(place.prefix(7)))
    #expect(try sandbox.directory.names(in: directory).count == 2)
  }

  /// The variables that count, and the file that they lead to.
  static let environments: [(variables: [String: String?], file: String)] = [
    (["FILECAT_CATALOG": "by-name.sqlite"], "by-name.sqlite"),
    (["XDG_DATA_HOME": "HOME/xdg"], "xdg/filecat/catalog.sqlite"),
    (["XDG_DATA_HOME": nil], ".local/share/filecat/catalog.sqlite"),
    (["XDG_DATA_HOME": ""], ".local/share/filecat/catalog.sqlite"),
    // The specification of these directories says to ignore a relative one.
    (["XDG_DATA_HOME": "relative"], ".local/share/filecat/catalog.sqlite"),
    (["FILECAT_CATALOG": "", "XDG_DATA_HOME": "HOME/xdg"], "xdg/filecat/catalog.sqlite"),
  ]

  #if !os(macOS)
    @Test("the environment names it where nothing else does", arguments: environments)
    func environment(_ variables: [String: String?], _ file: String) throws {
      let sandbox = try Sandbox()
      defer { sandbox.remove() }
      try sandbox.makeFile("a")
      let variables = variables.mapValues {
        $0?.replacingOccurrences(of: "HOME", with: sandbox.home)
      }
      #expect(try sandbox.run("scan", "tree", environment: variables).status == 0)
      #expect(exists(file, in: sandbox))
      #expect(try sandbox.run("find", "a", environment: variables).status == 0)
      // What is named on the command line counts more.
      try sandbox.run("scan", "tree", "--catalog", "other.sqlite", environment: variables)
      #expect(exists("other.sqlite", in: sandbox))
    }
  #endif
}
