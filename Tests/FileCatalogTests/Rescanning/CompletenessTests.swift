import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("What a rescan cannot see")
struct CompletenessTests {
  static let pieces: [Piece] = [
    .file("open/f", bytes: 1), .file("closed/a", bytes: 10), .file("closed/in/b", bytes: 20),
    .file("closed/in/er/c", bytes: 30), .file("z", bytes: 4),
  ]

  private func states(_ lab: Laboratory) throws -> [String: String] {
    let rows = try lab.catalog.rows("SELECT path, state FROM directories")
    return Dictionary(
      rows.map { (lab.relative($0["path"]?.bytes ?? []) ?? "", $0["state"]?.string ?? "") },
      uniquingKeysWith: { first, _ in first })
  }

  @Test("keeps its rows, marked, and the sums count them", .feature("FS-04"), arguments: [1, 4])
  func unreadableDirectory(_ jobs: Int) async throws {
    try await withFaultyLaboratory(Self.pieces) { lab, plan in
      try await lab.scan()
      let before = try lab.ids()
      plan.close(["closed"])
      try lab.tree.make([.file("open/new", bytes: 5), .file("closed/new", bytes: 100)])
      let summary = try #require(
        try await lab.catalog.scan([lab.tree.path], request: ScanRequest(jobs: jobs)).first)
      try await expectSound(lab.catalog)
      #expect(summary.state == .partial)
      #expect(summary.errors == 1)
      let counts = [summary.added, summary.removed, summary.modified, summary.moved]
      #expect(counts == [1, 0, 0, 0])
      #expect(
        try states(lab) == [
          "": "complete", "open": "complete", "closed": "unreadable", "closed/in": "unscanned",
          "closed/in/er": "unscanned",
        ])
      let after = try lab.ids()
      #expect(before.allSatisfy { after[$0.key] == $0.value })
      #expect(try await lab.catalog.totals(of: lab.tree.path).totalSize == 70)
      let errors = try lab.catalog.rows(
        "SELECT path, operation, errno FROM scan_errors WHERE scan_id = \(summary.scanID.rawValue)")
      #expect(
        errors == [
          [
            "path": .text(lab.tree.path.appending("closed").bytes),
            "operation": .text(Array("open".utf8)),
            "errno": .integer(Int64(Errno.permissionDenied.rawValue)),
          ]
        ])
      #expect(
        try lab.catalog.texts("SELECT state FROM scans ORDER BY id") == ["complete", "partial"])
      // The same again: nothing new to write.
      let content = try lab.catalog.content()
      #expect(try await lab.difference() == [])
      #expect(try lab.catalog.content() == content)
      plan.heal()
      #expect(try await lab.difference() == ["+ closed/new"])
      #expect(Set(try states(lab).values) == ["complete"])
      #expect(try await lab.differencesFromDisk() == [])
    }
  }

  @Test("is told exactly when it can be seen again")
  func readableAgain() async throws {
    try await withFaultyLaboratory(Self.pieces) { lab, plan in
      try await lab.scan()
      plan.close(["closed"])
      #expect(try await lab.difference() == [])
      // What comes out of the dark is new where it is seen, and known no longer where it was.
      try lab.apply([.move("closed/in", "open/in"), .remove("closed/a")])
      #expect(
        try await lab.difference() == ["> closed/in -> open/in"])
      plan.heal()
      #expect(try await lab.difference() == ["- closed/a"])
      #expect(try await lab.differencesFromDisk() == [])
    }
  }

  @Test("a directory that was never readable is filled in later")
  func unreadableFromTheStart() async throws {
    try await withFaultyLaboratory(Self.pieces) { lab, plan in
      plan.close(["closed"])
      let summary = try await lab.scan()
      #expect(summary.state == .partial)
      #expect(try lab.paths() == ["open", "open/f", "closed", "z"])
      #expect(try await lab.difference() == [])
      plan.heal()
      #expect(
        try await lab.difference() == [
          "+ closed/a", "+ closed/in", "+ closed/in/b", "+ closed/in/er", "+ closed/in/er/c",
        ])
      #expect(try await lab.differencesFromDisk() == [])
    }
  }

  @Test("an unreadable directory that is moved takes what is known of it along")
  func movedWhileUnreadable() async throws {
    try await withFaultyLaboratory(Self.pieces) { lab, plan in
      try await lab.scan()
      plan.close(["closed", "moved"])
      try lab.apply([.move("closed", "open/moved")])
      #expect(try await lab.difference() == ["> closed -> open/moved"])
      #expect(try lab.paths().contains("open/moved/in/er/c"))
      plan.heal()
      #expect(try await lab.difference() == [])
      #expect(Set(try states(lab).values) == ["complete"])
      #expect(try await lab.differencesFromDisk() == [])
    }
  }

  @Test(
    "a directory that may really not be read, or of which only the names may",
    .enabled(if: CommandRunner.exists("setpriv")),
    arguments: [
      (0o700, ["closed": "unreadable", "closed/in": "unscanned"]),
      (0o744, ["closed/in": "unscanned"]),
    ])
  func closedDirectory(_ mode: Int, _ expected: [String: String]) async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      let before = try lab.ids()
      try lab.tree.make(.mode("closed", UInt32(mode)))
      if CommandRunner.filecat == nil { return }
      try await ScanAsNobody.scan(lab)
      let states = try states(lab)
      for (directory, state) in expected { #expect(states[directory] == state) }
      #expect(states["closed/in/er"] == "unscanned")
      #expect(try lab.ids() == before)
      try await expectSound(lab.catalog)
      try lab.tree.make(.mode("closed", 0o755))
      #expect(try await lab.difference() == ["~ closed"])
      #expect(Set(try self.states(lab).values) == ["complete"])
    }
  }

  // MARK: - Roots

  @Test("a root that is not there is offline, and all rows are kept", .feature("FS-02"))
  func absentRoot() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      let before = try CatalogState(lab.catalog).byID
      try lab.tree.rename("", to: "../elsewhere")
      try await expectError(.rootNotFound) { _ = try await lab.catalog.scan([lab.tree.path]) }
      #expect(try await lab.catalog.roots().map(\.state) == [.offline])
      #expect(try CatalogState(lab.catalog).byID == before)
      try lab.tree.rename("../elsewhere", to: "../tree")
      #expect(try await lab.difference(ScanRequest()) == [])
      #expect(try await lab.catalog.roots().map(\.state) == [.online])
    }
  }

  @Test("a root that lost more than half is refused until that is accepted")
  func emptiedRoot() async throws {
    let pieces = (0..<30).map { Piece.file(FilePath("d\($0 % 3)/f\($0)"), bytes: 1) }
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let before = try lab.catalog.content()
      for name in ["d0", "d1", "d2"] { try lab.tree.remove(FilePath(name)) }
      for _ in 0..<2 {
        try await expectError(.tooManyRemoved) { try await lab.scan() }
        #expect(try lab.catalog.content() == before)
        #expect(try await lab.catalog.roots().map(\.state) == [.offline])
      }
      var request = ScanRequest()
      request.loss = .accepted
      let lines = try await lab.difference(request)
      #expect(lines.count == 33 && lines.allSatisfy { $0.hasPrefix("- d") })
      #expect(try await lab.catalog.roots().map(\.state) == [.online])
    }
  }

  @Test("another file system over the root is refused", .enabled(if: MountedFileSystem.isPermitted))
  func coveredRoot() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      let before = try lab.catalog.content()
      try await withMountedFileSystem(at: lab.tree.path, kilobytes: 1000) {
        // As many entries as before: it is not the number that tells.
        try lab.tree.make(Self.pieces)
        try await expectError(.differentVolume) { try await lab.scan() }
        #expect(try lab.catalog.content() == before)
        #expect(try await lab.catalog.roots().map(\.state) == [.offline])
      }
      #expect(try await lab.difference(ScanRequest()) == [])
      #expect(try await lab.catalog.roots().map(\.state) == [.online])
    }
  }

  @Test(
    "what was on a file system that is not mounted is kept",
    .enabled(if: MountedFileSystem.isPermitted))
  func unmountedInside() async throws {
    try await withLaboratory(Self.pieces + [.directory("disk")]) { lab in
      let disk = lab.tree.path.appending("disk")
      try await withMountedFileSystem(at: disk, kilobytes: 1000) {
        try lab.tree.make([.file("disk/x", bytes: 5), .file("disk/in/y", bytes: 6)])
        try await lab.scan()
      }
      let before = try lab.ids()
      try lab.tree.make(.file("open/new"))
      let refusing = ScanRequest()
      #expect(try await lab.difference(refusing) == ["+ open/new"])
      let after = try lab.ids()
      #expect(before.allSatisfy { after[$0.key] == $0.value })
      #expect(try states(lab)["disk"] == "unreadable")
      #expect(try states(lab)["disk/in"] == "unscanned")
      #expect(
        try lab.catalog.texts("SELECT state FROM scans ORDER BY id") == ["complete", "partial"])
      #expect(try await lab.difference(refusing) == [])
      // Gone for good, by the user's word.
      #expect(try await lab.difference() == ["- disk/in", "- disk/in/y", "- disk/x", "~ disk"])
      #expect(Set(try states(lab).values) == ["complete"])
    }
  }

  @Test(
    "a scan below a mount point keeps what was mounted there, too, and the directories under it harm none",
    .enabled(if: MountedFileSystem.isPermitted))
  func partOfUnmounted() async throws {
    try await withLaboratory(Self.pieces + [.directory("disk/under")]) { lab in
      let disk = lab.tree.path.appending("disk")
      try await withMountedFileSystem(at: disk, kilobytes: 1000) {
        try lab.tree.make([.file("disk/x", bytes: 5), .file("disk/in/y", bytes: 6)])
        try await lab.scan()
      }
      let before = try lab.ids()
      try lab.tree.make(.directory("disk/in"))
      for place in ["disk/in", "disk/under", "disk", ""] {
        let part = place.isEmpty ? lab.tree.path : lab.tree.path.pushing(FilePath(place))
        let summary = try #require(try await lab.catalog.scan([part]).first)
        #expect(summary.state == .partial && summary.removed == 0, "\(place)")
        #expect(try lab.ids() == before)
      }
    }
  }

  @Test("a file system that is mounted inside is not entered by a scan of it where none is")
  func partBeyondBoundary() async throws {
    try await withLaboratory(Self.pieces + [.directory("disk")]) { lab in
      guard MountedFileSystem.isPermitted else { return }
      let disk = lab.tree.path.appending("disk")
      try await withMountedFileSystem(at: disk, kilobytes: 1000) {
        try lab.tree.make([.file("disk/in/y", bytes: 6)])
        var options = ScanOptions()
        options.boundary = .oneFileSystem
        try await lab.scan(options)
        let before = try lab.ids()
        for place in ["disk", "disk/in"] {
          _ = try await lab.catalog.scan([lab.tree.path.pushing(FilePath(place))])
          #expect(try lab.ids() == before)
        }
      }
    }
  }

  @Test(
    "a file system that is mounted inside is entered", .enabled(if: MountedFileSystem.isPermitted))
  func mountedInside() async throws {
    try await withLaboratory(Self.pieces + [.file("disk/below")]) { lab in
      try await lab.scan()
      let disk = lab.tree.path.appending("disk")
      try await withMountedFileSystem(at: disk, kilobytes: 1000) {
        try lab.tree.make(.file("disk/x", bytes: 5))
        #expect(try await lab.difference() == ["+ disk/x", "- disk/below", "~ disk"])
        #expect(try await lab.differencesFromDisk() == [])
      }
    }
  }
}
