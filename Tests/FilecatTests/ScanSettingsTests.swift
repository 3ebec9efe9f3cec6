import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("What a root leaves out by its settings")
struct ScanSettingsTests {
  private func changes(_ arguments: [String], in sandbox: Sandbox) throws -> Set<String> {
    let run = try sandbox.run(["scan", "tree", "--changes"] + arguments)
    #expect(run.status == 0, "\(run.errors)")
    return Set(Rows.lines(run).map { $0.replacing(sandbox.tree + "/", with: "") })
  }

  @Test("--exclude adds, --no-exclude takes away, and rows go and come with that")
  func excludes() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["a.log", "b.tmp", "c.txt", "sub/d.log"] { try sandbox.makeFile(name) }
    try sandbox.run("scan", "tree")
    #expect(try changes(["-e", "*.log"], in: sandbox) == ["- a.log", "- sub/d.log"])
    #expect(try changes(["-e", "*.tmp", "-e", "*.log"], in: sandbox) == ["- b.tmp"])
    #expect(try changes([], in: sandbox) == [])
    #expect(try changes(["--no-exclude", "*.log"], in: sandbox) == ["+ a.log", "+ sub/d.log"])
    #expect(try sandbox.run("check", "--verify").status == 0)
    #expect(try changes(["-e", ""], in: sandbox) == ["+ b.tmp"])
  }

  @Test("scan says what it goes by when something is said about that")
  func told() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt")
    #expect(try sandbox.run("scan", "tree").errors.isEmpty)
    let run = try sandbox.run("scan", "tree", "-e", "*.log", "-e", "build/")
    #expect(run.errorLines.count == 1)
    #expect(run.errors.contains("\(sandbox.tree) leaves out: *.log, build/, "), "\(run.errors)")
    #expect(try sandbox.run("scan", "tree").errors.isEmpty)
    let more = try sandbox.run("scan", "tree", "-e", "*.tmp", "--skip-fs", "none")
    #expect(more.errors.hasSuffix("leaves out: *.log, build/, *.tmp\n"), "\(more.errors)")
    let none = try sandbox.run("scan", "tree", "-e", "")
    #expect(none.errors.hasSuffix("leaves out: nothing\n"), "\(none.errors)")
  }

  @Test("the view roots and the command tell of ignore files and file systems")
  func shown() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt")
    func shown() throws -> [[String?]] {
      let view = try Rows.parse(
        sandbox.run("sql", "SELECT gitignore, skip_fs FROM roots", "--format", "csv"), "csv")
      let command = try Rows.parse(sandbox.run("roots", "--format", "csv"), "csv")
      return (view + command).map { [$0["gitignore"] ?? nil, $0["skip_fs"] ?? nil] }
    }
    try sandbox.run("scan", "tree")
    #expect(try shown() == [["0", "pseudo"], ["false", "pseudo"]])
    // What is in the globs says nothing about the rest.
    let misleading = #"x"gitIgnore":"disregarded","skippedFileSystems":"x"#
    #expect(
      try sandbox.run(
        "scan", "tree", "--gitignore", "--skip-fs", "nfs,fuse.sshfs", "-e", misleading
      ).status == 0)
    #expect(
      try shown() == [["1", "pseudo,fuse.sshfs,nfs"], ["true", "pseudo,fuse.sshfs,nfs"]])
    try sandbox.run("scan", "tree", "--no-gitignore", "--skip-fs", "none")
    #expect(try shown() == [["0", "none"], ["false", "none"]])
  }

  @Test("what is not left out cannot be taken away, and what there is, is told")
  func unknownExclude() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["a.log", "b.tmp"] { try sandbox.makeFile(name) }
    try sandbox.run("scan", "tree", "-e", "*.log", "-e", "*.tmp")
    let run = try sandbox.run("scan", "tree", "--no-exclude", "*.lo")
    #expect(run.status == 64)
    #expect(run.errorLines.count == 1)
    for word in ["*.lo”", "*.log", "*.tmp"] { #expect(run.errors.contains(word), "\(run.errors)") }
    #expect(try sandbox.run("find", "-c", "kind:file").status == 1)
    let other = try Sandbox()
    defer { other.remove() }
    try other.makeFile("a")
    let first = try other.run("scan", "tree", "--no-exclude", "x")
    #expect(first.status == 64 && first.errorLines.count == 1, "\(first.errors)")
  }

  @Test("more than half of a root may go because it is left out now, but not all of it")
  func mostOfIt() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for number in 1...30 { try sandbox.makeFile("build/f\(number)") }
    try sandbox.makeFile("a")
    try sandbox.run("scan", "tree")
    #expect(try sandbox.run("scan", "tree", "-e", "*").status == 4)
    #expect(try sandbox.run("scan", "tree", "-e", "build").status == 0)
    #expect(Rows.lines(try sandbox.run("find", "kind:file")) == [sandbox.tree + "/a"])
  }

  // MARK: - File systems

  private static let deviceTerminals: Bool = {
    let mounts = (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? ""
    return mounts.contains(" /dev/pts devpts ")
  }()

  @Test("what the system makes up is not entered below a root", .enabled(if: deviceTerminals))
  func pseudo() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    func entries() throws -> [String] {
      try Rows.lines(sandbox.run("sql", "SELECT path FROM files WHERE path LIKE '/dev/pts%'"))
        .dropFirst().map { $0 }
    }
    func state() throws -> String? {
      let run = try sandbox.run("sql", "SELECT state FROM directories WHERE path = '/dev/pts'")
      return Rows.lines(run).last
    }
    #expect(try sandbox.run("scan", "/dev").status == 0)
    #expect(try entries() == ["/dev/pts"])
    #expect(try state() == "unscanned")
    #expect(try [0, 1].contains(sandbox.run("check", "--verify").status))
    #expect(try sandbox.run("scan", "/dev", "--skip-fs", "none").status == 0)
    #expect(try entries().contains("/dev/pts/ptmx"))
    #expect(try state() == "complete")
    // It stays with the root.
    #expect(try sandbox.run("scan").status == 0)
    #expect(try entries().contains("/dev/pts/ptmx"))
    #expect(try sandbox.run("scan", "--skip-fs", "nfs").status == 0)
    #expect(try entries() == ["/dev/pts"])
    // A root is what was named.
    let named = try Sandbox()
    defer { named.remove() }
    #expect(try named.run("scan", "/dev/pts").status == 0)
    #expect(try named.run("find", "ptmx").status == 0)
  }

  @Test(
    "types that are named are not entered", .feature("P-14"),
    .enabled(if: MountedFileSystem.isPermitted))
  func named() async throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    try sandbox.makeDirectory("there")
    try sandbox.run("scan", "tree")
    try await withMountedFileSystem(at: FilePath(sandbox.tree + "/there"), kilobytes: 1024) {
      try sandbox.makeFile("there/b")
      #expect(try sandbox.run("scan", "tree").status == 0)
      #expect(try sandbox.run("find", "b").status == 0)
      #expect(try sandbox.run("scan", "tree", "--skip-fs", "nfs,tmpfs").status == 0)
      #expect(try sandbox.run("find", "b").status == 1)
      #expect(try sandbox.run("find", "there").status == 0)
      #expect(try sandbox.run("check", "--verify").status == 0)
      #expect(try sandbox.run("scan", "tree", "--skip-fs", "nfs").status == 0)
      #expect(try sandbox.run("find", "b").status == 0)
    }
  }

  @Test("nor are they in packages", .enabled(if: MountedFileSystem.isPermitted))
  func inPackages() async throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("Notes.rtfd/TXT.rtf", "0123456789")
    try sandbox.makeDirectory("Notes.rtfd/deep/inner")
    func package() throws -> [String?] {
      let rows = try Rows.parse(
        sandbox.run(
          "find", "kind:package", "--columns", "size,total_files", "--format", "csv"), "csv")
      return [rows.first?["size"] ?? nil, rows.first?["total_files"] ?? nil]
    }
    let place = "Notes.rtfd/deep/inner"
    try await withMountedFileSystem(at: FilePath(sandbox.tree + "/" + place), kilobytes: 1024) {
      try sandbox.makeFile(place + "/below/mounted", String(repeating: "x", count: 5000))
      #expect(try sandbox.run("scan", "tree").status == 0)
      #expect(try package() == ["5010", "2"])
      for options in [["--skip-fs", "tmpfs"], ["--skip-fs", "none", "-x"]] {
        #expect(try sandbox.run(["scan", "tree"] + options).status == 0)
        #expect(try package() == ["10", "1"], "\(options)")
        #expect(try sandbox.run("check", "--verify").status == 0)
        let all = ["scan", "tree", "--skip-fs", "none", "--no-one-file-system"]
        #expect(try sandbox.run(all).status == 0)
        #expect(try package() == ["5010", "2"], "\(options)")
      }
    }
  }

  @Test(
    "a type that there is not is told with the nearest",
    arguments: [
      ("prok", "proc"), ("nfs,tmpsf", "tmpfs"), ("non", "none"),
    ])
  func unknownType(_ given: String, _ meant: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    let run = try sandbox.run("scan", "tree", "--skip-fs", given)
    #expect(run.status == 64)
    #expect(run.errorLines.count == 1)
    #expect(run.errors.contains("“\(meant)”"), "\(run.errors)")
  }

  // MARK: - Several roots

  @Test("one root that is offline does not make a scan of all fail")
  func offline() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("one/a")
    try sandbox.makeFile("two/b")
    try sandbox.run("scan", "tree/one", "tree/two")
    try sandbox.directory.rename("tree/one", to: "away")
    for _ in 0..<2 {
      let run = try sandbox.run("scan")
      #expect(run.status == 3)
      #expect(Rows.lines(run).count == 1)
      #expect(run.errorLines.count == 1)
      #expect(run.errors.contains("tree/one"))
    }
    #expect(try sandbox.run("find", "a").status == 0)
    try sandbox.directory.rename("away", to: "tree/one")
    #expect(try sandbox.run("scan").status == 0)
  }

  // MARK: - No catalog

  @Test(
    "an empty file is no catalog to whoever reads, and stays empty",
    arguments: [
      ["roots"], ["find"], ["ls"], ["du"], ["changes"], ["history"], ["report", "usage_by_kind"],
      ["sql", "SELECT 1"], ["check"], ["forget", "tree"], ["show", "tree"],
    ])
  func emptyFile(_ arguments: [String]) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    try sandbox.directory.write("", to: "empty.db")
    let run = try sandbox.run(arguments + ["--catalog", "empty.db"])
    #expect(run.status == 4, "\(run.errors)")
    #expect(run.output.isEmpty)
    #expect(run.errorLines.count == 1)
    #expect(run.errors.contains("no catalog at") && run.errors.contains("filecat scan"))
    #expect(try sandbox.directory.bytes(of: "empty.db").isEmpty)
    #expect(try sandbox.run("scan", "tree", "--catalog", "empty.db").status == 0)
    #expect(try sandbox.run("find", "a", "--catalog", "empty.db").status == 0)
  }
}

extension ScanSettingsTests {
  @Test(
    "depth and hidden names are kept with the root, and refused where they are nothing",
    .feature("FS-19"))
  func extent() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a/b/c", "1")
    try sandbox.makeFile(".h", "1")
    #expect(try sandbox.run("scan", "tree", "--max-depth", "2", "--no-hidden").status == 0)
    #expect(try sandbox.run("scan").status == 0)
    let count = try sandbox.run("find", "-c")
    #expect(count.text == "3\n", "\(count.text)")
    let roots = try Rows.parse(try sandbox.run("roots", "--format", "ndjson"), "ndjson")
    #expect(roots.first?["max_depth"] == "2" && roots.first?["hidden"] == "false")
    #expect(try sandbox.run("scan", "tree", "--max-depth", "all", "--hidden").status == 0)
    #expect(try sandbox.run("find", "-c").text == "5\n")
    for depth in ["0", "-1", "deep", ""] {
      let run = try sandbox.run("scan", "tree", "--max-depth=\(depth)")
      #expect(run.status == 64 && run.errors.contains("--max-depth"), "\(run.errors)")
    }
  }
}
