import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

/// What is not as it was scanned, or cannot be told, is refused and told, and nothing is removed.
@Suite("A purge that cannot be sure", .feature("SB-01", "SB-03"))
struct PurgeRefusalTests {
  private static let pieces: [Piece] = [
    .file("box/Library/Caches/a", bytes: 5000), .file("box/Library/Caches/d/b", bytes: 5000),
    .file("box/Documents/d", bytes: 10), .file("elsewhere/a", bytes: 5000),
    .file("elsewhere/d/b", bytes: 5000),
  ]

  private func withBox(_ body: (Laboratory) async throws -> Void) async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan([Container(.appleSandbox, root: lab.tree("box"))])
      try await body(lab)
    }
  }

  @Test("refuses a clock that is behind the newest scan")
  func clockBehindScans() async throws {
    try await withBox { lab in
      let scan = try #require(
        try lab.catalog.rows("SELECT max(finished_at) AS at FROM scans").first?["at"]?.integer)
      var request = PurgeRequest()
      for seconds in [100, 100_000_000] as [Int64] {
        request.now = (scan - seconds) * 1_000_000_000
        try await expectError(.clockBehind) { _ = try await lab.catalog.purge(request) }
        try await expectError(.clockBehind) {
          _ = try await lab.catalog.purge(request, rehearsal: .dryRun)
        }
      }
      #expect(lab.tree.holds("box/Library/Caches/a"))
      // Where clocks of two machines differ a little, nothing is wrong.
      request.now = (scan - 5) * 1_000_000_000
      #expect(try await lab.catalog.purge(request).results.count == 3)
    }
  }

  @Test("refuses a clock that is behind what the disk has noted")
  func clockBehindFiles() async throws {
    try await withBox { lab in
      try lab.setTimes(of: "_scan_log", "started = 1, finished = 2")
      var request = PurgeRequest()
      request.now = 1_577_836_800_000_000_000
      try await expectError(.clockBehind) { _ = try await lab.catalog.purge(request) }
      #expect(lab.tree.holds("box/Library/Caches/a"))
    }
  }

  @Test("leaves a file that says to be of the future")
  func future() async throws {
    try await withBox { lab in
      let time = 4_000_000_000_000_000_000
      try lab.tree.make(.times("box/Library/Caches/a", accessed: 1, modified: time))
      try await lab.scan()
      #expect(
        lab.told(try await lab.catalog.purge()) == [
          "removed box/Library/Caches/d/b", "datedInFuture box/Library/Caches/a",
          "removed box/Library/Caches/d",
        ])
    }
  }

  @Test("refuses a role's directory that became a link, or another one")
  func replaced() async throws {
    try await withBox { lab in
      let caches = lab.tree("box/Library/Caches")
      try lab.tree.rename("box/Library/Caches", to: "moved")
      let gone = try await lab.expectNothingRemoved()
      #expect(lab.refused(gone) == [caches: .replaced])
      for target in ["../../moved", "../../elsewhere", "../Documents"] as [FilePath] {
        try lab.tree.makeLink("box/Library/Caches", to: target)
        let report = try await lab.expectNothingRemoved()
        #expect(lab.refused(report) == [caches: .replaced], "\(target)")
        try lab.tree.remove("box/Library/Caches")
      }
      try lab.tree.make([
        .file("box/Library/Caches/a", bytes: 5000), .file("box/Library/Caches/d/b", bytes: 5000),
      ])
      #expect(lab.refused(try await lab.expectNothingRemoved()) == [caches: .replaced])
      // A link above it is one on the way.
      try lab.tree.rename("box/Library", to: "library")
      try lab.tree.makeLink("box/Library", to: "../library")
      #expect(lab.refused(try await lab.expectNothingRemoved()) == [caches: .replaced])
    }
  }

  @Test(
    "goes through no link that took the place of a directory, and takes nothing for another thing")
  func replacedBelow() async throws {
    try await withBox { lab in
      try lab.tree.rename("box/Library/Caches/d", to: "kept")
      try lab.tree.makeLink("box/Library/Caches/d", to: lab.tree("kept"))
      try lab.tree.make(.file("box/Library/Caches/new", bytes: 5000))
      try lab.tree.rename("box/Library/Caches/new", to: "box/Library/Caches/a")
      let report = try await lab.expectNothingRemoved()
      #expect(
        Set(lab.told(report)) == [
          "changed box/Library/Caches/a", "changed box/Library/Caches/d/b",
        ])
    }
  }

  enum Change: CaseIterable { case content, times, gone, kind, link }

  @Test("leaves what is not as the catalog has it", arguments: Change.allCases)
  func outdated(_ change: Change) async throws {
    try await withBox { lab in
      let file: FilePath = "box/Library/Caches/a"
      switch change {
      case .content: try lab.tree.write("other", to: file)
      case .times: try lab.tree.make(.times(file, accessed: 5, modified: 5))
      case .gone: try lab.tree.remove(file)
      case .kind:
        try lab.tree.remove(file)
        try lab.tree.make(.file(file.appending("x"), bytes: 1))
      case .link:
        try lab.tree.remove(file)
        try lab.tree.makeLink(file, to: "d/b")
      }
      let before = try lab.disk()[file.string]
      let told = lab.told(try await lab.catalog.purge())
      #expect(told.contains("changed \(file)") && told.contains("removed box/Library/Caches/d/b"))
      #expect(try lab.disk()[file.string] == before)
      #expect(lab.tree.holds("elsewhere/d/b"))
    }
  }

  @Test("leaves a package in which something has changed since it was looked at")
  func packages() async throws {
    let pieces: [Piece] = [
      .file("Library/Caches/P.rtfd/TXT.rtf", bytes: 10), .file("Library/Caches/other", bytes: 10),
    ]
    try await withLaboratory(pieces) { lab in
      try await lab.scanSandbox()
      try lab.tree.make(.file("Library/Caches/P.rtfd/new", bytes: 10))
      let told = lab.told(try await lab.catalog.purge())
      #expect(Set(told) == ["changed Library/Caches/P.rtfd", "removed Library/Caches/other"])
      #expect(lab.tree.holds("Library/Caches/P.rtfd/TXT.rtf"))
    }
  }

  @Test(
    "refuses a role's directory with another file system in it, scanned or not",
    .enabled(if: MountedFileSystem.isPermitted))
  func mounts() async throws {
    try await withBox { lab in
      let caches = lab.tree("box/Library/Caches")
      let place = lab.tree("box/Library/Caches/d")
      try await withMountedFileSystem(at: place, kilobytes: 64) {
        try lab.tree.make(.file("box/Library/Caches/d/on-it", bytes: 10))
        #expect(lab.refused(try await lab.expectNothingRemoved()) == [caches: .mount(place)])
        try await lab.scan()
        #expect(lab.refused(try await lab.expectNothingRemoved()) == [caches: .mount(place)])
      }
      try await lab.scan()
      // One that has the same device.
      let source = lab.tree("elsewhere").string
      let bound = try CommandRunner("mount").run(["--bind", source, place.string])
      try #require(bound.status == 0, "\(bound.errors)")
      defer { _ = try? CommandRunner("umount").run(["-l", place.string]) }
      #expect(lab.refused(try await lab.expectNothingRemoved()) == [caches: .mount(place)])
      try await lab.scan()
      #expect(lab.refused(try await lab.expectNothingRemoved()) == [caches: .mount(place)])
    }
  }

  @Test(
    "refuses a file system over a role's directory that was not there when it was scanned",
    .enabled(if: MountedFileSystem.isPermitted))
  func mountOverIt() async throws {
    try await withBox { lab in
      let caches = lab.tree("box/Library/Caches")
      try await withMountedFileSystem(at: caches, kilobytes: 64) {
        try lab.tree.make(.file("box/Library/Caches/a", bytes: 5000))
        #expect(lab.refused(try await lab.expectNothingRemoved()) == [caches: .replaced])
      }
      #expect(try await lab.catalog.purge().results.count == 3)
    }
  }

  @Test("refuses what is in a root that cannot be reached")
  func offline() async throws {
    try await withBox { lab in
      let caches = lab.tree("box/Library/Caches")
      let (root, away) = (lab.tree.path, lab.tree.path.with(ending: "-away"))
      let tree = TemporaryDirectory(at: root.removingLastComponent())
      let name = try #require(away.lastComponent?.string)
      try tree.rename(FilePath(root.lastComponent?.string ?? ""), to: FilePath(name))
      // Not known to be offline, then known.
      for _ in 1...2 {
        let report = try await lab.catalog.purge()
        #expect(lab.refused(report) == [caches: .offline] && report.results.isEmpty)
        _ = try? await lab.catalog.scan()
      }
      let other = TemporaryDirectory(at: away)
      #expect(other.holds("box/Library/Caches/a") && other.holds("box/Library/Caches/d/b"))
    }
  }

  @Test("never leaves the container, wherever its directories are said to be")
  func outside() async throws {
    try await withLaboratory(Self.pieces) { lab in
      let container = Container(.appleSandbox, root: lab.tree("box"))
        .setting(.caches, to: [lab.tree("elsewhere"), lab.tree("box/Library/Caches")])
      try await lab.scan([container])
      let report = try await lab.catalog.purge()
      #expect(lab.refused(report) == [lab.tree("elsewhere"): .outside])
      #expect(report.results.count == 3)
      #expect(lab.tree.holds("elsewhere/a") && lab.tree.holds("elsewhere/d/b"))
    }
  }
}

extension Laboratory {
  /// Writes to a table of the catalog by other means.
  fileprivate func setTimes(of table: String, _ assignments: String) throws {
    let result = try CommandRunner("sqlite3").run([
      catalog.path.string, "UPDATE \(table) SET \(assignments)",
    ])
    try #require(result.status == 0, "\(result.errors)")
  }
}
