import FileCatalog
import FileSystem
import Foundation
import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("What roles mean for backups and for a full disk")
struct PolicyTests {
  /// One file a role, of a size that tells it in every sum.
  private static let sizes: [(path: FilePath, role: Role, bytes: Int)] = [
    ("Documents/a", .documents, 10), ("Library/Preferences/b", .preferences, 100),
    ("Library/Application Support/c", .applicationSupport, 1000),
    ("Library/Application Support/Offline Data/d", .offlineData, 10_000),
    ("Library/Caches/e", .caches, 100_000), ("tmp/f", .temporary, 1_000_000),
  ]
  private static let pieces = sizes.map { Piece.file($0.path, bytes: $0.bytes) }

  @Test(
    "reclaimable is what may be purged, a backup holds what is included, and all adds up",
    .feature("SP-01", "SB-02", "X-02"))
  func matrix() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan([Container(.appleSandbox, root: lab.tree.path)])
      let usage = try await lab.catalog.usageByRole()
      for (_, role, bytes) in Self.sizes {
        #expect(usage.first { $0.role == role }?.size == Int64(bytes), "\(role)")
      }
      #expect(usage.reduce(0) { $0 + $1.reclaimable } == 1_100_000)
      #expect(usage.reduce(0) { $0 + $1.backedUp } == 1110)
      #expect(usage.reduce(0) { $0 + $1.size } == 1_111_110)
      let total = try await lab.catalog.totals(of: lab.tree.path)
      #expect(usage.reduce(0) { $0 + $1.allocated } == total.totalAllocated)
      #expect(try await lab.catalog.backupContradictions().isEmpty)
    }
  }

  @Test(
    "reclaimable is what deleting frees: no holes, and no files with names elsewhere",
    .feature("X-02", "P-09"))
  func reclaimable() async throws {
    let pieces: [Piece] = [
      .sparse("Library/Caches/holes", length: 1 << 30), .file("Library/Caches/one", bytes: 1),
      .file("Library/Caches/dir/plain", bytes: 10_000),
      .file("Library/Caches/kept", bytes: 100_000),
      .hardLink("Documents/kept", to: "Library/Caches/kept"),
      .file("Library/Caches/twice", bytes: 200_000),
      .hardLink("tmp/twice", to: "Library/Caches/twice"),
      .file("Library/Caches/Pack.rtfd/TXT.rtf", bytes: 20_000),
      .file("Library/Caches/Pack.rtfd/linked", bytes: 300_000),
      .hardLink("Documents/linked", to: "Library/Caches/Pack.rtfd/linked"),
    ]
    try await withLaboratory(pieces) { lab in
      try await lab.scan([Container(.appleSandbox, root: lab.tree.path)])
      var freed: Int64 = 1 + 10_000 + 200_000
      for path in ["holes", "Pack.rtfd", "Pack.rtfd/TXT.rtf"] as [FilePath] {
        freed += try allocated(lab.tree.path.pushing("Library/Caches").pushing(path))
      }
      let usage = try await lab.catalog.usageByRole()
      #expect(usage.first { $0.role == .caches }?.reclaimable == freed)
      #expect(usage.reduce(0) { $0 + $1.reclaimable } == freed)
    }
  }

  /// What the file system says that a path takes.
  private func allocated(_ path: FilePath) throws -> Int64 {
    var status = stat()
    #expect(path.withPlatformString { lstat($0, &status) } == 0, "\(path)")
    return Int64(status.st_blocks) * 512
  }

  @Test("the reports of roles add up to all that there is, whole and narrowed", .feature("X-01"))
  func reportsAddUp() async throws {
    try await withLaboratory(Self.pieces + [.hardLink("Documents/again", to: "tmp/f")]) { lab in
      try await lab.scan([Container(.appleSandbox, root: lab.tree.path)])
      for directory in ["", "Library"] as [FilePath] {
        let place = lab.tree.path.pushing(directory)
        let request = ReportRequest(try Report(named: "usage_by_role"), in: place)
        var allocated: Int64 = 0
        let column = try #require(
          request.report.columns.firstIndex { $0.name == "allocated" })
        try lab.catalog.forEachRow(of: request) { allocated += $0[column].integer ?? 0 }
        #expect(allocated == (try await lab.catalog.totals(of: place)).totalAllocated)
      }
    }
  }

  @Test("a mark on disk keeps what is inside out of backups and contradicts what the role says")
  func marks() async throws {
    let marks: [Piece] = [
      .file("Documents/big/x", bytes: 500), .file("Documents/big/deeper/y", bytes: 50),
      .attribute(
        "Documents/big", name: "user.com.apple.metadata:com_apple_backup_excludeItem", value: "b"),
      .attribute("Documents/big/deeper", name: "user.xdg.robots.backup", value: "false"),
      .attribute("Documents/a", name: "user.xdg.robots.backup", value: "true"),
      .attribute("Library/Caches/e", name: "user.com.apple.MobileBackup", value: "\u{1}"),
    ]
    try await withLaboratory(Self.pieces + marks) { lab in
      var request = ScanRequest()
      request.containers = [Container(.appleSandbox, root: lab.tree.path)]
      request.resourceValues = [ExtendedAttributeValues().key]
      _ = try await lab.catalog.scan([lab.tree.path], request: request)
      let usage = try await lab.catalog.usageByRole()
      let documents = try #require(usage.first { $0.role == .documents })
      #expect(documents.size == 560)
      #expect(documents.backedUp == 10)
      #expect(documents.contradicting == 550)
      #expect(usage.first { $0.role == .caches }?.contradicting == 0)
      // Known not to be marked, offline data would be backed up.
      #expect(usage.first { $0.role == .offlineData }?.contradicting == 10_000)
      let found = try await lab.catalog.backupContradictions()
      #expect(
        found.map { lab.relative($0.path.bytes) }
          == ["Documents/big", "Library/Application Support/Offline Data"])
      #expect(found.map(\.observed) == [.excluded, .unmarked])

      try lab.tree.make(
        .attribute(
          "Library/Application Support/Offline Data", name: "user.xdg.robots.backup", value: "no"))
      try lab.tree.rename("Documents/big", to: "tmp/big")
      try await lab.scan()
      #expect(try await lab.catalog.backupContradictions().isEmpty)
    }
  }

  @Test("a mark on the scanned root counts, however it came there")
  func markedRoot() async throws {
    let mark = Piece.attribute(
      "box", name: "user.com.apple.metadata:com_apple_backup_excludeItem", value: "b")
    try await withLaboratory([.file("box/Documents/a", bytes: 10), mark]) { lab in
      let box = lab.tree.path.appending("box")
      var request = ScanRequest()
      request.containers = [Container(.appleSandbox, root: box)]
      request.resourceValues = [ExtendedAttributeValues().key]
      for _ in 0..<2 {
        _ = try await lab.catalog.scan([box], request: request)
        #expect(try lab.catalog.texts("SELECT path FROM backup_marks") == [box.string])
        #expect(try await lab.catalog.details(of: box).backupMark == .excluded)
        #expect(try await lab.catalog.usageByRole().map(\.contradicting).reduce(0, +) == 10)
      }
      try lab.tree.make(.attribute("box", name: "user.xdg.robots.backup", value: "no"))
      _ = try await lab.catalog.scan([box])
      #expect(try lab.catalog.texts("SELECT path FROM backup_marks") == [box.string, box.string])
    }
  }

  @Test("a mark around directories with roles contradicts what they promise")
  func marksAroundRoles() async throws {
    let exclude = "user.com.apple.metadata:com_apple_backup_excludeItem"
    let pieces: [Piece] = [
      .file("home/.local/share/a", bytes: 100), .file("home/.local/share/app/b", bytes: 20),
      .file("home/.local/state/c", bytes: 3), .file("home/.cache/box/Documents/d", bytes: 4),
      .file("home/.local/share.d/e"), .file("home/.config/f", bytes: 5000),
      .file("box/Documents/g", bytes: 10), .file("box/Library/Application Support/h", bytes: 7),
      .file("box/Library/Caches/i", bytes: 60_000), .file("box/other"),
      .attribute("home/.local", name: exclude, value: "b"),
      .attribute("home/.local/share/a", name: exclude, value: "b"),
      .attribute("home/.cache", name: exclude, value: "b"),
      .attribute("box", name: exclude, value: "b"),
    ]
    try await withLaboratory(pieces) { lab in
      let box = Container(.appleSandbox, root: lab.tree.path.pushing("box"))
      var request = ScanRequest()
      request.containers = [
        Container(.xdg, root: lab.tree.path.pushing("home")),
        Container(.appleSandbox, root: lab.tree.path.pushing("home/.cache/box")), box,
      ]
      request.resourceValues = [ExtendedAttributeValues().key]
      _ = try await lab.catalog.scan([lab.tree.path], request: request)
      let found = try await lab.catalog.backupContradictions()
      #expect(
        found.map { lab.relative($0.path.bytes) } == [
          "box/Documents", "box/Library", "home/.cache/box/Documents", "home/.local/share",
          "home/.local/state",
        ])
      #expect(found.allSatisfy { $0.observed == .excluded && $0.mark == exclude })
      let usage = try await lab.catalog.usageByRole()
      #expect(usage.reduce(0) { $0 + $1.contradicting } == 144)
      let id = try await lab.catalog.container(named: box.root).id
      #expect(
        try await lab.catalog.backupContradictions(in: id).map { lab.relative($0.path.bytes) }
          == ["box/Documents", "box/Library"])
    }
  }

  @Test("offline data contradicts as long as anything in it is not marked", .feature("SP-04"))
  func markedOfflineData() async throws {
    let exclude = "user.com.apple.metadata:com_apple_backup_excludeItem"
    let offline: FilePath = "Library/Application Support/Offline Data"
    func mark(_ path: FilePath) -> Piece {
      .attribute(offline.pushing(path), name: exclude, value: "b")
    }
    let pieces: [Piece] = [
      .file(offline.pushing("a"), bytes: 10), .file(offline.pushing("b"), bytes: 20),
      .file(offline.pushing("in/c"), bytes: 30), .file(offline.pushing("in/deep/d"), bytes: 40),
      .directory(offline.pushing("empty")), mark("a"), mark("in/deep"), mark("in/c"),
    ]
    try await withLaboratory(pieces) { lab in
      var request = ScanRequest()
      request.containers = [Container(.appleSandbox, root: lab.tree.path)]
      request.resourceValues = [ExtendedAttributeValues().key]
      _ = try await lab.catalog.scan([lab.tree.path], request: request)
      func contradicting() async throws -> Int64 {
        try await lab.catalog.usageByRole().reduce(0) { $0 + $1.contradicting }
      }
      #expect(
        try await lab.catalog.backupContradictions().map { lab.relative($0.path.bytes) }
          == [offline.string])
      #expect(try await contradicting() == 20)
      try lab.tree.make(mark("b"))
      try await lab.scan()
      #expect(try await lab.catalog.backupContradictions().isEmpty)
      #expect(try await contradicting() == 0)
    }
  }

  @Test("a tag makes a directory a cache by its first bytes, not by its name")
  func cacheTags() async throws {
    let signature = Array("Signature: 8a477f597d28d172789f06886806bc55\n".utf8)
    try await withLaboratory(Self.pieces + [.file("Documents/build/x", bytes: 7)]) { lab in
      try lab.tree.write(Array("Signature: none".utf8), to: "Documents/build/CACHEDIR.TAG")
      try await lab.scan([Container(.appleSandbox, root: lab.tree.path)])
      #expect(try lab.catalog.texts("SELECT path FROM backup_marks").isEmpty)
      try lab.tree.write(signature, to: "Documents/build/CACHEDIR.TAG")
      try await lab.scan()
      let build = lab.tree.path.pushing("Documents/build").string
      #expect(try lab.catalog.texts("SELECT path FROM backup_marks") == [build])
      let found = try await lab.catalog.backupContradictions()
      #expect(found.map(\.mark) == ["CACHEDIR.TAG"])
      try lab.tree.remove("Documents/build/CACHEDIR.TAG")
      try await lab.scan()
      #expect(try lab.catalog.texts("SELECT path FROM backup_marks").isEmpty)
    }
  }

  @Test("temporary files are stale by the time of their last change", .feature("SB-05"))
  func staleFiles() async throws {
    let day: Int64 = 86_400_000_000_000
    let now = Int64(Date().timeIntervalSince1970) * 1_000_000_000
    let pieces: [Piece] = [
      .file("tmp/old", bytes: 3), .file("tmp/new", bytes: 4), .file("Documents/old"),
      .times("tmp/old", accessed: Int(now), modified: Int(now - 40 * day)),
      .times("Documents/old", accessed: Int(now), modified: Int(now - 40 * day)),
    ]
    try await withLaboratory(pieces) { lab in
      try await lab.scan([Container(.appleSandbox, root: lab.tree.path)])
      let stale = try await lab.catalog.staleFiles(before: now - 30 * day)
      #expect(stale.map { lab.relative($0.path.bytes) } == ["tmp/old"])
      #expect(stale.first?.size == 3)
      #expect(try await lab.catalog.staleFiles(before: now - 50 * day).isEmpty)
    }
  }
}
