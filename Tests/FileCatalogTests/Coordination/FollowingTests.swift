import FileCatalog
import FileCoordination
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("A catalog that follows a coordinator")
struct FollowingTests {
  @Test("knows of a write when the write returns", .feature("X-07"))
  func writing() async throws {
    try await withLaboratory([.file("notes/a", bytes: 3)]) { lab in
      let first = try await lab.scan()
      let coordinator = lab.catalog.coordinator(writeConcern: .fast)
      let id = try await lab.entry("notes/a").id
      try await coordinator.write(Array("longer".utf8), to: lab.tree.path.appending("notes/a"))
      let entry = try await lab.entry("notes/a")
      #expect(entry.size == 6)
      #expect(entry.id == id)
      try await coordinator.write([1], to: lab.tree.path.appending("notes/b"))
      try await coordinator.move(
        lab.tree.path.appending("notes/b"), to: lab.tree.path.appending("c"))
      try await coordinator.delete(lab.tree.path.appending("notes/a"), .permanent)
      #expect(try lab.paths() == ["notes", "c"])
      let kinds = try await lab.catalog.changes(since: first.scanID).map(\.kind)
      #expect(kinds == [.modified, .added, .moved, .removed])
      try await expectSound(lab.catalog)
      #expect(try await lab.scan().modified == 0)
    }
  }

  @Test("has one change for a package", .feature("X-06"))
  func packages() async throws {
    try await withLaboratory([.file("readme")]) { lab in
      let first = try await lab.scan()
      let coordinator = lab.catalog.coordinator(writeConcern: .fast)
      let package = lab.tree.path.appending("Notes.rtfd")
      var content = DocumentPackage()
      content["TXT.rtf"] = .file(DocumentPackage.File(Array("text".utf8)))
      content["image.png"] = .file(DocumentPackage.File(Array(repeating: 7, count: 100)))
      try await coordinator.write(content, to: package)
      let changes = try await lab.catalog.changes(since: first.scanID)
      #expect(changes.map(\.path) == [package])
      #expect(changes.map(\.entryKind) == [.package])
      #expect(try await lab.entry("Notes.rtfd").size == 104)
      let second = try #require(try await lab.catalog.roots().first?.lastScan)
      try await coordinator.updatePackage(at: package) { content in
        content["TXT.rtf"] = .file(DocumentPackage.File(Array("more text".utf8)))
      }
      let updates = try await lab.catalog.changes(since: second)
      #expect(updates.map(\.kind) == [.modified])
      #expect(updates.map(\.size) == [109])
    }
  }

  @Test("has the totals and the history of a write when it returns")
  func totals() async throws {
    try await withLaboratory([.file("a/b/file", bytes: 10), .file("c", bytes: 1)]) { lab in
      let first = try await lab.scan()
      let coordinator = lab.catalog.coordinator()
      try await coordinator.write(
        [UInt8](repeating: 1, count: 500), to: lab.tree.path.appending("a/b/file"))
      try await coordinator.write([1, 2], to: lab.tree.path.appending("a/new"))
      for (directory, size, files) in [("a/b", 500, 1), ("a", 502, 2), ("", 503, 3)] {
        let totals = try await lab.catalog.totals(of: lab.tree.path.pushing(FilePath(directory)))
        #expect(totals.totalSize == Int64(size), "\(directory)")
        #expect(totals.totalFiles == Int64(files), "\(directory)")
      }
      let changes = try await lab.catalog.changes(since: first.scanID)
      #expect(changes.map(\.size) == [500, 2])
      #expect(changes.map(\.oldSize) == [10, nil])
    }
  }

  @Test("has an item where it lies in the trash, if that is in a root", .feature("JB-44"))
  func trash() async throws {
    try await withLaboratory([.file("a", bytes: 3), .file("b", bytes: 4)]) { lab in
      try await lab.scan()
      let coordinator = lab.catalog.coordinator(
        writeConcern: .fast, trash: Trash(home: lab.tree.path.appending("Trash")))
      try await coordinator.delete(lab.tree.path.appending("a"))
      let id = try await lab.entry("b").id
      let last = try #require(try await lab.catalog.roots().first?.lastScan)
      try await coordinator.delete(lab.tree.path.appending("b"))
      #expect(try await lab.entry("Trash/files/b").id == id)
      let changes = try await lab.catalog.changes(since: last)
      #expect(changes.map(\.kind) == [.moved, .added])
      #expect(changes.last?.path == lab.tree.path.appending("Trash/info/b.trashinfo"))
      try await expectSound(lab.catalog)
      let scan = try await lab.scan()
      #expect(scan.added + scan.removed + scan.modified + scan.moved == 0)
    }
  }

  @Test("does not hear its own echo")
  func echo() async throws {
    try await withLaboratory([.file("a"), .file("b")]) { lab in
      let first = try await lab.scan()
      let mine = ChangeOrigin.unique()
      let coordinator = lab.catalog.coordinator(origin: mine, writeConcern: .fast)
      try await coordinator.write([1, 2], to: lab.tree.path.appending("a"))
      try lab.tree.make(.file("b", bytes: 9))
      try await lab.scan()
      for try await set in lab.catalog.changeSets(since: first.scanID, leavingOut: mine) {
        #expect(set.changes.map(\.path) == [lab.tree.path.appending("b")])
        #expect(set.origin == nil)
        break
      }
      for try await set in lab.catalog.changeSets(since: first.scanID) {
        #expect(set.origin == mine)
        break
      }
    }
  }

  @Test("follows a package or a directory that is a root itself, or holds one")
  func rootsThemselves() async throws {
    try await withLaboratory([.file("Notes.rtfd/TXT.rtf", bytes: 3), .file("around/root/a")]) {
      lab in
      let package = lab.tree.path.appending("Notes.rtfd")
      let root = lab.tree.path.appending("around").appending("root")
      let summaries = try await lab.catalog.scan([package, root])
      let first = try #require(summaries.map(\.scanID).max())
      let mine = ChangeOrigin.unique()
      let coordinator = lab.catalog.coordinator(origin: mine, writeConcern: .fast)
      try await coordinator.updatePackage(at: package) { content in
        content["TXT.rtf"] = .file(DocumentPackage.File(Array("longer".utf8)))
        for name in ["b", "c"] { content[FilePath(name)] = .file(DocumentPackage.File([1])) }
      }
      #expect(try await lab.entry("Notes.rtfd/TXT.rtf").size == 6)
      #expect(try await lab.entry("Notes.rtfd/b").size == 1)
      // Most of it goes away, as the writer wants it.
      try await coordinator.write(DocumentPackage(["b": .file([1, 2])]), to: package)
      #expect(try await lab.entry("Notes.rtfd/b").size == 2)
      #expect(try await lab.catalog.entry(at: package.appending("c")) == nil)
      try await expectSound(lab.catalog)
      for try await set in lab.catalog.changeSets(since: first) {
        #expect(set.origin == mine)
        break
      }

      let around = root.removingLastComponent()
      try await coordinator.move(around, to: lab.tree.path.appending("elsewhere"))
      var states = try await lab.catalog.roots().filter { $0.path == root }.map(\.state)
      #expect(states == [.offline])
      try await coordinator.move(lab.tree.path.appending("elsewhere"), to: around)
      states = try await lab.catalog.roots().filter { $0.path == root }.map(\.state)
      #expect(states == [.online])
      try await coordinator.delete(package, .permanent)
      states = try await lab.catalog.roots().filter { $0.path == package }.map(\.state)
      #expect(states == [.offline])
      try await expectSound(lab.catalog)
    }
  }

  @Test("leaves files outside of its roots alone")
  func outside() async throws {
    try await withLaboratory([.file("a")]) { lab in
      try await lab.scan()
      try await withTemporaryDirectory { directory in
        let coordinator = lab.catalog.coordinator(writeConcern: .fast)
        try await coordinator.write([1], to: directory("elsewhere"))
        #expect(try await coordinator.read(directory("elsewhere")) == [1])
      }
      #expect(try lab.paths() == ["a"])
    }
  }
}
