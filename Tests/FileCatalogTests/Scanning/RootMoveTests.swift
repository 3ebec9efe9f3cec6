import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

/// X-08, P-05: what is known of a tree outlasts the path that it had.
@Suite("A root that is at another path")
struct RootMoveTests {
  private static let pieces: [Piece] = [
    .file("root/Documents/a/icon@2x.png", bytes: 1), .file("root/Library/Caches/y", bytes: 3),
    .file("root/Other/Bag.rtfd/TXT.rtf", bytes: 6), .symlink("root/link", to: "Other"),
    .file(FilePath(bytes: Array("root/odd".utf8) + [0xff] + Array("/deep/x".utf8)), bytes: 2),
    .file("root/empty/.hidden"), .file("root/über/ä.txt", bytes: 9),
  ]

  /// Names that a root can have: plain, with letters of several bytes, and some that are not UTF-8.
  private static let names: [FilePath] = [
    "moved", "a/b/c/größer", FilePath(bytes: [0x72, 0xfe, 0x72]), "Album.app",
    FilePath(bytes: [0x62, 0xff] + Array("/ü".utf8)),
  ]

  /// All that `files` says but for the numbers that a catalog gives.
  private static let columns = EntryColumn.allCases.map(\.rawValue).filter {
    ![
      "id", "root_id", "parent_id", "first_seen_scan", "last_changed_scan", "accessed",
      "accessed_ns",
    ].contains($0)
  }

  private static func expectAsNew(_ lab: Laboratory, at root: FilePath) async throws {
    try await withTemporaryCatalog { fresh in
      var request = ScanRequest()
      request.containers = try await lab.catalog.containers().map(\.container)
      _ = try await fresh.scan([root], request: request)
      let rows = "SELECT \(columns.joined(separator: ", ")) FROM files ORDER BY path, path_bytes"
      #expect(try lab.catalog.rows(rows) == fresh.rows(rows))
    }
  }

  @Test(
    "is recognised by the next scan there, and nothing has changed", .feature("X-08", "P-05"),
    arguments: names.indices)
  func recognised(name: Int) async throws {
    try await withLaboratory(Self.pieces) { lab in
      let old = lab.tree("root")
      var request = ScanRequest()
      request.containers = [Container(.appleSandbox, root: old)]
      request.excludes = ["*.o"]
      _ = try await lab.catalog.scan([old], request: request)
      try lab.tree.make([.file("root/Documents/later.txt", bytes: 5)])
      _ = try await lab.catalog.scan([old])
      let ids = try lab.catalog.texts("SELECT id || ' ' || inode FROM files ORDER BY id")
      let name = Self.names[name]
      try lab.tree.rename("root", to: name)
      let new = lab.tree(name)

      let summary = try #require(try await lab.catalog.scan([new]).first)
      try await expectSound(lab.catalog)
      #expect(summary.movedFrom == old && summary.root == new && !summary.isFirst)
      #expect(summary.added == 0 && summary.removed == 0 && summary.moved == 0)
      #expect(try await lab.catalog.roots().map(\.path) == [new])
      #expect(try await lab.catalog.roots().map(\.options.excludes) == [["*.o"]])
      #expect(try await lab.catalog.containers().map(\.container.root) == [new])
      #expect(try lab.catalog.texts("SELECT id || ' ' || inode FROM files ORDER BY id") == ids)
      try await Self.expectAsNew(lab, at: new)
      let changes = try await lab.catalog.changes(since: ScanID(rawValue: 1))
      let change = changes.first { $0.kind == .added }
      #expect(change?.path == new.appending("Documents/later.txt"))
      #expect(try lab.catalog.number("SELECT count(DISTINCT root) FROM scans") == 1)
    }
  }

  @Test("is found again where it went and came back")
  func thereAndBack() async throws {
    try await withLaboratory(Self.pieces) { lab in
      let before = lab.tree("root")
      _ = try await lab.catalog.scan([before])
      let ids = try lab.catalog.texts("SELECT id FROM files ORDER BY path")
      for (from, to) in [("root", "a"), ("a", "b/c"), ("b/c", "root")] as [(FilePath, FilePath)] {
        try lab.tree.rename(from, to: to)
        let summary = try await lab.catalog.scan([lab.tree(to)]).first
        #expect(summary?.movedFrom == lab.tree(from))
        try await expectSound(lab.catalog)
      }
      #expect(try lab.catalog.texts("SELECT id FROM files ORDER BY path") == ids)
      try await Self.expectAsNew(lab, at: before)
    }
  }

  @Test("takes edits with it that were made meanwhile")
  func edited() async throws {
    try await withLaboratory(Self.pieces) { lab in
      _ = try await lab.catalog.scan([lab.tree("root")])
      try lab.tree.rename("root", to: "new")
      try lab.tree.rename("new/Other", to: "new/Else")
      try lab.tree.remove("new/empty/.hidden")
      try lab.tree.make([.file("new/more", bytes: 7)])
      let summary = try #require(try await lab.catalog.scan([lab.tree("new")]).first)
      #expect(summary.added == 1 && summary.removed == 1 && summary.moved == 1)
      try await expectSound(lab.catalog)
      try await Self.expectAsNew(lab, at: lab.tree("new"))
    }
  }

  @Test("is a new one where the old one is still there")
  func copied() async throws {
    try await withLaboratory(Self.pieces) { lab in
      _ = try await lab.catalog.scan([lab.tree("root")])
      try CommandRunner("cp").run(["-a", lab.tree("root").string, lab.tree("copy").string])
      let summary = try #require(try await lab.catalog.scan([lab.tree("copy")]).first)
      #expect(summary.movedFrom == nil && summary.isFirst)
      #expect(try await lab.catalog.roots().count == 2)
    }
  }

  @Test(
    "is recognised where its volume is mounted elsewhere", .feature("P-20"),
    .enabled(if: MountedFileSystem.isPermitted))
  func mountedElsewhere() async throws {
    try await withLaboratory([.directory("one"), .directory("two")]) { lab in
      let disk = try MountedFileSystem(at: lab.tree("one"), kilobytes: 256)
      defer { disk.unmount() }
      try lab.tree.make([.file("one/photos/a.jpg", bytes: 3), .file("one/photos/b/c.jpg")])
      _ = try await lab.catalog.scan([lab.tree("one/photos")])
      let ids = try lab.catalog.texts("SELECT id FROM files ORDER BY path")
      try CommandRunner("mount").run(["--bind", disk.path.string, lab.tree("two").string])
      defer { _ = try? CommandRunner("umount").run(["-l", lab.tree("two").string]) }
      #expect(try await lab.catalog.scan([lab.tree("two/photos")]).first?.isFirst == true)
      try await lab.catalog.forget(lab.tree("two/photos"))
      disk.unmount()
      let summary = try await lab.catalog.scan([lab.tree("two/photos")]).first
      #expect(summary?.movedFrom == lab.tree("one/photos"))
      #expect(try lab.catalog.texts("SELECT id FROM files ORDER BY path") == ids)
    }
  }

  @Test("is told where nothing gives it away, as of a copy")
  func told() async throws {
    try await withLaboratory(Self.pieces) { lab in
      _ = try await lab.catalog.scan([lab.tree("root")])
      try await lab.catalog.save(
        try SavedSearch(
          name: "s", query: Query(), directories: [lab.tree("root/Other"), lab.tree("rooted")]))
      let ids = try lab.catalog.texts("SELECT id FROM files ORDER BY path")
      try CommandRunner("cp").run(["-a", lab.tree("root").string, lab.tree("disk").string])
      try lab.tree.remove("root")
      try await lab.catalog.moveRoot(lab.tree("root"), to: lab.tree("disk"))
      try await expectSound(lab.catalog)
      #expect(
        try await lab.catalog.savedSearch(named: "s").directories == [
          lab.tree("disk/Other"), lab.tree("rooted"),
        ])
      #expect(try lab.catalog.texts("SELECT id FROM files ORDER BY path") == ids)
      let found = try await lab.catalog.entries(
        matching: Query(parsing: "name:icon*"), in: .subtree(of: lab.tree("disk/Documents")))
      #expect(found.map(\.path) == [lab.tree("disk/Documents/a/icon@2x.png")])
      _ = try await lab.catalog.scan([lab.tree("disk")])
      try await expectSound(lab.catalog)
      try await Self.expectAsNew(lab, at: lab.tree("disk"))
    }
  }

  @Test("is refused where another root is in the way, or nothing is there")
  func refused() async throws {
    try await withLaboratory(Self.pieces + [.directory("other/inner")]) { lab in
      _ = try await lab.catalog.scan([lab.tree("root"), lab.tree("other")])
      let before = try lab.catalog.rows("SELECT * FROM files ORDER BY id")
      for taken in ["other", "other/inner", ""] as [FilePath] {
        try await expectError(.rootInTheWay) {
          try await lab.catalog.moveRoot(lab.tree("root"), to: lab.tree(taken))
        }
      }
      try await expectError(.rootNotFound) {
        try await lab.catalog.moveRoot(lab.tree("root"), to: lab.tree("nowhere"))
      }
      try await expectError(.notARoot) {
        try await lab.catalog.moveRoot(lab.tree("root/Other"), to: lab.tree("root"))
      }
      #expect(try lab.catalog.rows("SELECT * FROM files ORDER BY id") == before)
    }
  }

  @Test("says offline in its rows while it is gone", .feature("P-19"))
  func offline() async throws {
    try await withLaboratory(Self.pieces + [.file("here/x")]) { lab in
      _ = try await lab.catalog.scan([lab.tree("root"), lab.tree("here")])
      let offline = try Query(parsing: "offline:yes")
      #expect(try await lab.catalog.count(of: offline) == 0)
      try lab.tree.rename("root", to: "away")
      try await expectError(.rootNotFound) { _ = try await lab.catalog.scan([lab.tree("root")]) }
      let rows = try lab.catalog.rows("SELECT root, root_state FROM files")
      #expect(
        rows.allSatisfy {
          ($0["root_state"]?.string == "offline") == ($0["root"]?.string == lab.tree("root").string)
        })
      let count = try lab.catalog.number("SELECT count(*) FROM files WHERE root_state = 'offline'")
      #expect(try await lab.catalog.count(of: offline) == count.map { Int($0) })
      _ = try await lab.catalog.scan([lab.tree("away")])
      #expect(try await lab.catalog.count(of: offline) == 0)
    }
  }
}
