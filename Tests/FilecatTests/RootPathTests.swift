import Foundation
import SystemPackage
import TestSupport
import Testing

/// What a root is stored under decides what is scanned: whoever may write beside it must not choose
/// another directory in its place.
@Suite("The path of a root")
struct RootPathTests {
  /// Two roots, and a directory that is none.
  private func sandbox() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.makeFile("up/rr/known", "1")
    try sandbox.makeFile("other/known", "1")
    try sandbox.makeFile("secret/plans", "123")
    #expect(try sandbox.run("scan", "tree/up/rr", "tree/other").status == 0)
    return sandbox
  }

  /// Puts a link in the place of the root, or of the directory that it is in.
  enum Replacement: String, CaseIterable {
    case root, directoryAbove

    func make(in sandbox: Sandbox) throws {
      switch self {
      case .root:
        try sandbox.directory.rename("tree/up/rr", to: "tree/kept")
        try sandbox.directory.makeLink("tree/up/rr", to: "../secret")
      case .directoryAbove:
        try sandbox.makeFile("elsewhere/rr/plans", "123")
        try sandbox.directory.rename("tree/up", to: "tree/kept")
        try sandbox.directory.makeLink("tree/up", to: "elsewhere")
      }
    }

    func undo(in sandbox: Sandbox) throws {
      let place: FilePath = self == .root ? "tree/up/rr" : "tree/up"
      try sandbox.directory.remove(place)
      try sandbox.directory.rename("tree/kept", to: place)
    }
  }

  private func roots(in sandbox: Sandbox) throws -> [String] {
    Rows.lines(try sandbox.run("sql", "SELECT path || ' ' || state FROM _roots ORDER BY path"))
      .dropFirst().map { String($0.dropFirst(sandbox.tree.count + 1)) }
  }

  private func names(in sandbox: Sandbox) throws -> Set<String> {
    Set(
      Rows.lines(try sandbox.run("find", "kind:file")).map {
        String($0.split(separator: "/").last ?? "")
      })
  }

  @Test(
    "that leads elsewhere by a link is told and refused, and nothing is lost",
    arguments: Replacement.allCases)
  func replaced(_ replacement: Replacement) throws {
    let sandbox = try sandbox()
    defer { sandbox.remove() }
    try replacement.make(in: sandbox)
    try sandbox.makeFile("other/new", "2")
    for (arguments, status): ([String], Int32) in [
      ([], 3), (["tree/up/rr"], 4), ([sandbox.tree + "/up/rr/"], 4),
      (["tree/up/rr", "tree/other"], 3),
      (["tree/up/rr/plans"], 4), (["tree/up/rr/known"], 4),
    ] {
      let run = try sandbox.run(["scan"] + arguments)
      #expect(run.status == status, "\(arguments): \(run.errors)")
      #expect(run.errorLines.count == 1)
      #expect(run.errors.contains("\(sandbox.tree)/up/rr leads to "))
      #expect(run.errors.contains("filecat forget \(sandbox.tree)/up/rr"))
      #expect(try roots(in: sandbox) == ["other online", "up/rr offline"])
      #expect(try names(in: sandbox) == ["known", "new"])
    }
    let verified = try sandbox.run("check", "--verify")
    #expect(verified.status == 3 && verified.errors.contains("leads to"))
    try replacement.undo(in: sandbox)
    #expect(try sandbox.run("scan").status == 0)
    #expect(try roots(in: sandbox) == ["other online", "up/rr online"])
    #expect(try sandbox.run("check", "--verify").status == 0)
  }

  @Test("that leads elsewhere names the root to forget, not the one that it leads to")
  func forget() throws {
    let sandbox = try sandbox()
    defer { sandbox.remove() }
    try sandbox.directory.rename("tree/up/rr", to: "tree/kept")
    try sandbox.directory.makeLink("tree/up/rr", to: "../other")
    #expect(try sandbox.run("forget", "tree/up/rr").status == 0)
    #expect(try roots(in: sandbox) == ["other online"])
    // Nobody has this path any more: the link is what it leads to.
    let run = try sandbox.run("scan", "tree/up/rr")
    #expect(run.status == 0 && run.text.hasPrefix(sandbox.tree + "/other: "))
  }

  @Test("is what a link led to that was named; where the link leads later changes nothing")
  func named() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("one/a")
    try sandbox.makeFile("two/b")
    try sandbox.directory.makeLink("tree/link", to: "one")
    #expect(try sandbox.run("scan", "tree/link").status == 0)
    try sandbox.directory.remove("tree/link")
    #expect(try sandbox.run("scan").status == 0)
    #expect(try sandbox.run("scan", "tree/link").status == 0)
    #expect(try roots(in: sandbox) == ["one online"])
    try sandbox.directory.makeLink("tree/link", to: "two")
    #expect(try sandbox.run("scan").status == 0)
    #expect(try roots(in: sandbox) == ["one online"])
    // Whoever names it means what it leads to now.
    #expect(try sandbox.run("scan", "tree/link").status == 0)
    #expect(try roots(in: sandbox) == ["one online", "two online"])
  }

  @Test(
    "that leads elsewhere is offline for who watches, until it is back",
    arguments: Replacement.allCases, ["inotify", "polling"])
  func watched(_ replacement: Replacement, _ method: String) async throws {
    let sandbox = try sandbox()
    defer { sandbox.remove() }
    let watch = try sandbox.start(
      "watch", "tree/up/rr", "--method", method, "--interval", "0.2", "--format", "ndjson")
    func wait(until isDone: () throws -> Bool) async throws {
      while try watch.isRunning && !isDone() { try await Task.sleep(for: .milliseconds(50)) }
    }
    try sandbox.makeFile("up/rr/first")
    try await wait { watch.outputSoFar.contains("first") }
    try replacement.make(in: sandbox)
    if replacement == .directoryAbove, method == "inotify" {
      // No watched directory has changed so far.
      try sandbox.makeFile("kept/rr/meanwhile")
    }
    try await wait { try roots(in: sandbox) == ["other online", "up/rr offline"] }
    try replacement.undo(in: sandbox)
    try sandbox.makeFile("up/rr/last")
    try await wait { watch.outputSoFar.contains("last") }
    watch.send(SIGINT)
    let run = try watch.finish()
    #expect(run.status == 130, "\(run.errors)")
    // Between the two steps there is nothing at the path.
    #expect(run.errors.contains("offline"))
    #expect(!run.text.contains("plans"))
    #expect(try roots(in: sandbox) == ["other online", "up/rr online"])
  }

  @Test("that leads elsewhere is not watched")
  func notWatched() throws {
    let sandbox = try sandbox()
    defer { sandbox.remove() }
    try Replacement.root.make(in: sandbox)
    let run = try sandbox.run("watch", "tree/up/rr")
    #expect(run.status == 4 && run.errors.contains("leads to"))
  }

  @Test("may be the root directory of the system, and no path has two slashes then")
  func systemRoot() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let scan = try sandbox.run("scan", "/", "--shallow")
    #expect(scan.text.hasPrefix("/: "), "\(scan.errors)")
    let listed = Rows.lines(try sandbox.run("ls", "/"))
    #expect(listed.contains("/usr") && !listed.contains("/"))
    let found = Rows.lines(try sandbox.run("find"))
    #expect(Set(found) == Set(listed).union(["/"]))
    for arguments in [
      ["ls", "/", "--format", "json"], ["find", "--in", "/"], ["find", "path:/usr"],
      ["show", "/usr", "--format", "json"], ["du", "/", "-d", "1"], ["roots"],
      ["sql", "SELECT path, directory, root FROM files"], ["sql", "SELECT path FROM directories"],
      ["report", "usage_by_directory"],
    ] {
      let run = try sandbox.run(arguments)
      #expect(run.status == 0 && run.text.contains("/"), "\(arguments)")
      #expect(!run.text.contains("//"), "\(arguments)")
    }
    #expect(try sandbox.run("check").status == 0)
  }

  @Test(
    "is what its own row is called; check finds one that was edited",
    .enabled(if: StockSQLite.isAvailable),
    arguments: [
      "UPDATE _entries SET name = 'odd' WHERE parent_id IS NULL",
      """
      UPDATE _roots SET path = '/'; UPDATE _directory_paths SET path = '/' WHERE depth = 0;
      UPDATE _directory_paths SET path = '/sub' WHERE depth = 1
      """, "UPDATE _entries SET name = '/tree' WHERE parent_id IS NULL",
    ])
  func editedRoot(_ edit: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("sub/a")
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(try sandbox.run("check").status == 0)
    try sandbox.sqlite(sandbox.catalog, edit)
    let run = try sandbox.run("check", "--format", "ndjson")
    #expect(run.status == 4 && run.text.contains("its own name"), "\(run.text)")
    #expect(try sandbox.run("check", "--repair").status == 0)
    #expect(try sandbox.run("check").status == 0)
  }
}
