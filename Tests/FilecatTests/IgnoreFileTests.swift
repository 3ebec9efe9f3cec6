import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("What ignore files leave out")
struct IgnoreFileTests {
  private func paths(in sandbox: Sandbox) throws -> Set<String> {
    let run = try sandbox.run("find", "-0")
    let prefix = sandbox.tree + "/"
    return Set(
      run.text.split(separator: "\0").filter { $0.hasPrefix(prefix) }
        .map { String($0.dropFirst(prefix.count)) })
  }

  private func git(_ sandbox: Sandbox) -> CommandRunner {
    sandbox.runner("git", ["GIT_CONFIG_NOSYSTEM": "1"])
  }

  private func initialize(_ directory: String, in sandbox: Sandbox) throws {
    #expect(try git(sandbox).run(["init", "-q", directory]).status == 0)
  }

  @Test(
    ".filecatignore goes wherever it stands, for all below, and comes back with !", .feature("P-57")
  )
  func ownFiles() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["a.log", "a.txt", "sub/b.log", "sub/keep.log", "sub/deep/c.log", "build/x"] {
      try sandbox.makeFile(name)
    }
    try sandbox.makeFile(".filecatignore", "*.log\n/build/\n")
    try sandbox.makeFile("sub/.filecatignore", "!keep.log\n")
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(
      try paths(in: sandbox) == [
        ".filecatignore", "a.txt", "sub", "sub/.filecatignore", "sub/keep.log", "sub/deep",
      ])
    #expect(try sandbox.run("check", "--verify").status == 0)
  }

  @Test("what a changed file leaves out is removed, and what it does not is added")
  func changed() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["a.log", "b.txt", "sub/c.log"] { try sandbox.makeFile(name) }
    try sandbox.run("scan", "tree")
    func changes() throws -> Set<String> {
      let run = try sandbox.run("scan", "tree", "--changes")
      #expect(run.status == 0, "\(run.errors)")
      #expect(try sandbox.run("check", "--verify").status == 0)
      return Set(Rows.lines(run).map { $0.replacing(sandbox.tree + "/", with: "") })
    }
    try sandbox.makeFile(".filecatignore", "*.log\n")
    #expect(try changes() == ["+ .filecatignore", "- a.log", "- sub/c.log"])
    try sandbox.makeFile(".filecatignore", "*.txt\n")
    #expect(
      try changes() == ["~ .filecatignore", "+ a.log", "+ sub/c.log", "- b.txt"])
    try sandbox.directory.remove("tree/.filecatignore")
    #expect(try changes() == ["- .filecatignore", "+ b.txt"])
  }

  @Test("most of a root may go because a file says so")
  func mostOfIt() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for number in 1...30 { try sandbox.makeFile("build/f\(number)") }
    try sandbox.makeFile("a")
    try sandbox.run("scan", "tree")
    try sandbox.makeFile(".filecatignore", "build\n")
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(try paths(in: sandbox) == ["a", ".filecatignore"])
  }

  @Test("files above a root go as well")
  func aboveTheRoot() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["a.log", "sub/b.log", "sub/c.txt"] { try sandbox.makeFile(name) }
    try sandbox.makeFile(".filecatignore", "*.log\n")
    #expect(try sandbox.run("scan", "tree/sub").status == 0)
    #expect(Rows.lines(try sandbox.run("find", "kind:file")) == [sandbox.tree + "/sub/c.txt"])
  }

  @Test("a part of a root is read by the files on the way to it")
  func part() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile(".filecatignore", "*.log\n/out/\n")
    try sandbox.makeFile("sub/deep/a.txt")
    try sandbox.makeFile("out/o.txt")
    try sandbox.run("scan", "tree")
    try sandbox.makeFile("sub/deep/b.log")
    try sandbox.makeFile("sub/deep/b.txt")
    #expect(try sandbox.run("scan", "tree/sub/deep").status == 0)
    #expect(try sandbox.run("scan", "tree/out").status == 0)
    #expect(
      try paths(in: sandbox)
        == [".filecatignore", "sub", "sub/deep", "sub/deep/a.txt", "sub/deep/b.txt"])
    #expect(try sandbox.run("check", "--verify").status == 0)
  }

  @Test("a .gitignore goes in a work tree, when asked for, until it is not any more")
  func gitignore() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["work/a.o", "work/a.c", "plain/b.o"] { try sandbox.makeFile(name) }
    for place in ["work", "plain"] { try sandbox.makeFile("\(place)/.gitignore", "*.o\n") }
    try sandbox.makeFile("work/.git/logs/x.o")
    let everything: Set = [
      "work", "work/a.o", "work/a.c", "work/.gitignore", "work/.git", "work/.git/logs",
      "work/.git/logs/x.o", "plain", "plain/b.o", "plain/.gitignore",
    ]
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(try paths(in: sandbox) == everything)
    let run = try sandbox.run("scan", "tree", "--gitignore")
    #expect(run.status == 0)
    #expect(run.errors.contains("what Git ignores"))
    // What Git keeps for itself stays.
    #expect(try paths(in: sandbox) == everything.subtracting(["work/a.o"]))
    try sandbox.makeFile("work/b.o")
    #expect(try sandbox.run("scan").status == 0)
    #expect(try paths(in: sandbox) == everything.subtracting(["work/a.o"]))
    #expect(try sandbox.run("check", "--verify").status == 0)
    #expect(try sandbox.run("scan", "tree", "--no-gitignore").status == 0)
    #expect(try paths(in: sandbox) == everything.union(["work/b.o"]))
  }

  @Test("of a work tree around the root, of its info and of the user, all files go")
  func otherFiles() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in [
      "sub/a.o", "sub/a.tmp", "sub/a.bak", "sub/a.c", "sub/inner/b.o", "sub/inner/b.tmp",
    ] {
      try sandbox.makeFile(name)
    }
    try sandbox.makeFile(".gitignore", "*.o\n")
    try sandbox.makeFile(".git/info/exclude", "*.tmp\n")
    // Another repository inside: what goes around it ends there.
    try sandbox.makeFile("sub/inner/.git/HEAD")
    try sandbox.makeFile("sub/inner/c.bak")
    try sandbox.directory.write("*.bak\n", to: "config/git/ignore")
    #expect(try sandbox.run("scan", "tree/sub", "--gitignore").status == 0)
    #expect(
      try paths(in: sandbox) == [
        "sub", "sub/a.c", "sub/inner", "sub/inner/b.o", "sub/inner/b.tmp", "sub/inner/.git",
        "sub/inner/.git/HEAD",
      ])
  }

  @Test("what a .filecatignore says comes before what Git's files say, and --exclude before both")
  func precedence() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["a.o", "b.o", "c.o", ".git/HEAD"] { try sandbox.makeFile(name) }
    try sandbox.makeFile("sub/.gitignore", "*.x\n")
    try sandbox.makeFile("sub/d.x")
    try sandbox.makeFile(".gitignore", "*.o\n")
    try sandbox.makeFile(".filecatignore", "!a.o\n!b.o\n!d.x\n")
    #expect(try sandbox.run("scan", "tree", "--gitignore", "-e", "b.o", "-e", ".git*").status == 0)
    #expect(try paths(in: sandbox) == [".filecatignore", "a.o", "sub", "sub/d.x"])
  }

  @Test("links, directories and pipes of their names are no ignore files")
  func otherKinds() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.log")
    try sandbox.directory.write("*.log\n", to: "elsewhere")
    try sandbox.directory.makeLink("tree/.filecatignore", to: "../elsewhere")
    try sandbox.makeDirectory("sub/.filecatignore")
    try sandbox.makeDirectory("pipe")
    mkfifo(sandbox.tree + "/pipe/.filecatignore", 0o644)
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(try paths(in: sandbox).contains("a.log"))
  }

  @Test("where one asks for too much, it is told, and what is known of its directory stays")
  func tooLarge() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["sub/a", "sub/deep/b", "other/c"] { try sandbox.makeFile(name) }
    try sandbox.run("scan", "tree")
    let before = try paths(in: sandbox)
    try sandbox.makeFile("sub/.filecatignore", String(repeating: "x\n", count: 5000))
    try sandbox.makeFile("sub/new")
    try sandbox.directory.remove("tree/sub/a")
    for _ in 0..<2 {
      let run = try sandbox.run("scan", "tree")
      #expect(run.status == 3)
      #expect(run.errorLines.count == 1)
      #expect(run.errors.contains("sub/.filecatignore"), "\(run.errors)")
      #expect(try paths(in: sandbox) == before)
    }
    #expect(try sandbox.run("check").status == 0)
    #expect(try sandbox.run("check", "--verify").status == 3)
    try sandbox.makeFile("sub/.filecatignore", "")
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(
      try paths(in: sandbox)
        == before.subtracting(["sub/a"]).union(["sub/.filecatignore", "sub/new"]))
  }

  @Test("where one may not be read, it is told", .enabled(if: Unprivileged.isAvailable))
  func unreadable() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("sub/a")
    try sandbox.makeFile("b")
    try sandbox.directory.write("a\n", to: "tree/sub/.filecatignore", mode: 0)
    let nobody = try Unprivileged(in: sandbox)
    let run = try nobody.run("scan", "tree")
    #expect(run.status == 3)
    #expect(run.errors.contains("sub/.filecatignore"), "\(run.errors)")
    #expect(try nobody.run("find", "-0").text.contains("tree/b\0"))
    #expect(try !nobody.run("find", "-0").text.contains("tree/sub/a\0"))
  }

  @Test(
    "a home that may not be entered is passed over, as Git does",
    .enabled(if: Unprivileged.isAvailable))
  func closedHome() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("work/.git/HEAD")
    try sandbox.makeFile("work/.gitignore", "*.o\n")
    try sandbox.makeFile("work/a.o")
    try sandbox.makeFile("work/b.c")
    try sandbox.directory.write("*.c\n", to: "closed/git/ignore")
    chmod(sandbox.home + "/closed", 0o700)
    let nobody = try Unprivileged(
      in: sandbox, environment: ["XDG_CONFIG_HOME": sandbox.home + "/closed"])
    let run = try nobody.run("scan", "tree", "--gitignore")
    #expect(run.status == 0, "\(run.errors)")
    let found = try nobody.run("find", "kind:file", "*.[oc]")
    #expect(Rows.lines(found) == [sandbox.tree + "/work/b.c"])
  }

  @Test("in a directory that does not fit into one reading they go as well")
  func largeDirectory() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let name = String(repeating: "n", count: 60)
    for number in 1...2500 {
      try sandbox.makeFile("\(name)\(number).\(number % 2 == 0 ? "a" : "b")")
    }
    try sandbox.makeFile(".filecatignore", "*.a\n")
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(try sandbox.run("find", "-c", "kind:file").text == "1251\n")
    #expect(try sandbox.run("check", "--verify").status == 0)
  }

  @Test("a package is summed up without what is left out around it")
  func package() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("Notes.rtfd/TXT.rtf", "1234567")
    try sandbox.makeFile("Notes.rtfd/x.log", "123")
    try sandbox.makeFile(".filecatignore", "*.log\n")
    try sandbox.run("scan", "tree")
    let run = try sandbox.run("sql", "SELECT size FROM files WHERE kind = 'package'")
    #expect(Rows.lines(run) == ["size", "7"])
    #expect(try sandbox.run("check", "--verify").status == 0)
  }

  // MARK: - Git's word

  private static let names = ["a", "b", "ab", "build", "a.o", "b.log", "x y", "#c"]
  private static let patterns = [
    "a", "b/", "/a", "*.o", "*.log", "!a.o", "!b.log", "build/", "!build/", "/build", "a/**",
    "**/b",
    "a/*", "!a/b", "x\\ y", "x y ", "\\#c", "a*", "[ab]", "!ab", "*", "!*/", "**/a/", "sub/a",
    "ab/a.o",
  ]

  @Test(
    "are what Git leaves out", .feature("P-57"), .enabled(if: CommandRunner.exists("git")),
    arguments: [1, 2, 3, 4, 5, 6, UInt64.random(in: .min ... .max)])
  func likeGit(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeDirectory("")
    try initialize(sandbox.tree, in: sandbox)
    func patterns() -> String {
      (0..<(1 + random.below(5))).map { _ in Self.patterns[random.below(Self.patterns.count)] }
        .joined(separator: "\n") + "\n"
    }
    func fill(_ directory: String, depth: Int) throws {
      if random.below(3) == 0 { try sandbox.makeFile(directory + ".gitignore", patterns()) }
      for name in Self.names where random.below(4) > 0 {
        if depth < 3, random.below(2) == 0 {
          try sandbox.makeDirectory(directory + name)
          try fill("\(directory)\(name)/", depth: depth + 1)
        } else {
          try sandbox.makeFile(directory + name)
        }
      }
    }
    try fill("", depth: 0)
    try sandbox.makeFile(".git/info/exclude", patterns())
    try sandbox.directory.write(patterns(), to: "config/git/ignore")
    let listed = try git(sandbox).run(
      ["-C", sandbox.tree, "ls-files", "--others", "--exclude-standard", "-z"])
    #expect(listed.status == 0)
    #expect(try sandbox.run("scan", "tree", "--gitignore").status == 0)
    let prefix = sandbox.tree + "/"
    let found = try sandbox.run("find", "-0", "kind:file").text.split(separator: "\0")
      .map { String($0.dropFirst(prefix.count)) }.filter { !$0.hasPrefix(".git/") }
    #expect(
      Set(found) == Set(listed.text.split(separator: "\0").map(String.init)), "seed \(seed)")
    #expect(try sandbox.run("check", "--verify").status == 0, "seed \(seed)")
  }
}
