import FileCatalog
import FileCoordination
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("A directory as a table")
struct DirectoryTableTests {
  private func expectError(
    _ code: DirectoryTable.Failure.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) {
    let error = #expect(throws: DirectoryTable.Failure.self, sourceLocation: sourceLocation) {
      try body()
    }
    #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
  }

  private func numbered(_ count: Int) -> [Piece] {
    (0..<count).map { .file(FilePath(String(format: "%02d.testfile", $0))) }
  }

  // MARK: Opening

  @Test("a directory that is there is opened, whether or not it may be made", .feature("JB-01"))
  func existing() async throws {
    try withTemporaryDirectory { directory in
      let table = try DirectoryTable(at: directory.path)
      #expect(try table.count() == 0)
      let made = try DirectoryTable(at: directory.path, ifMissing: .create)
      #expect(try made.count() == 0)
    }
  }

  @Test("one that is missing is refused, or made with those on the way", .feature("JB-01", "JB-49"))
  func missing() async throws {
    try withTemporaryDirectory { directory in
      let place = directory("a/b/c")
      expectError(.notFound) { _ = try DirectoryTable(at: place) }
      let url = URL(fileURLWithPath: place.string)
      expectError(.notFound) {
        _ = try DirectoryTable(url: url.absoluteString, createIfNeeded: false)
      }
      let made = try DirectoryTable(url: url.absoluteString, createIfNeeded: true)
      #expect(try made.count() == 0)
      let again = try DirectoryTable(at: place, ifMissing: .create)
      #expect(try again.count() == 0)
    }
  }

  @Test(
    "something else in the way is an error, whether or not a directory may be made",
    .feature("JB-01", "JB-49"),
    arguments: [DirectoryTable.Missing.refuse, .create])
  func inTheWay(_ missing: DirectoryTable.Missing) async throws {
    try await withTree([.file("file"), .symlink("link", to: "nowhere"), .directory("d")]) { tree in
      for name: FilePath in ["file", "link", "file/below"] {
        expectError(.notADirectory) {
          _ = try DirectoryTable(at: tree.path.pushing(name), ifMissing: missing)
        }
      }
    }
  }

  @Test("what the system says is passed on")
  func passedOn() throws {
    let name = String(repeating: "n", count: 300)
    expectError(.system) {
      _ = try DirectoryTable(at: FilePath("/tmp/\(name)"), ifMissing: .create)
    }
    for url in ["https://example.org/a", "file://other/a", "file:a", "file:///a%0", "file:///a%00"]
    {
      expectError(.system) { _ = try DirectoryTable(url: url, createIfNeeded: true) }
    }
  }

  @Test("a directory that is removed later is gone, not empty", .feature("JB-09"))
  func gone() async throws {
    try await withTree([.file("d/a")]) { tree in
      let table = try DirectoryTable(at: tree.path.appending("d"))
      try tree.remove("d")
      expectError(.gone) { _ = try table.count() }
      expectError(.gone) { _ = try table.item(at: 5) }
      expectError(.gone) { _ = try table.index(of: tree.path.appending("d/a")) }
      let error = await #expect(throws: DirectoryTable.Failure.self) {
        _ = try await table.deleteContents(.permanent)
      }
      #expect(error?.code == .gone)
    }
  }

  // MARK: Rows

  @Test("rows have indexes and indexes have rows", .feature("JB-04", "JB-05", "JB-06", "JB-49"))
  func rows() async throws {
    try await withTree(numbered(20)) { tree in
      let table = try DirectoryTable(at: tree.path)
      #expect(try table.count() == 20)
      #expect(try table.item(at: 0).name == "00.testfile")
      #expect(try table.item(at: 19).name == "19.testfile")
      #expect(try table.index(of: tree.path.appending("10.testfile")) == 10)
      #expect(try table.items(in: 18..<30).map(\.name) == ["18.testfile", "19.testfile"])
      #expect(try table.items(in: 20..<21).isEmpty)
      for index in [-1, 20, Int.max, Int.min] {
        expectError(.outOfRange) { _ = try table.item(at: index) }
      }
      expectError(.itemNotFound) { _ = try table.index(of: "/elsewhere/10.testfile") }
    }
  }

  @Test(
    "hidden items are left out unless asked for, and directories are items like files",
    .feature("JB-10", "JB-16"))
  func hidden() async throws {
    let pieces: [Piece] = [
      .file(".hidden"), .file(".hiddendir/x"), .file("a"), .file("d/inside"), .file("P.app/x"),
      .symlink("link", to: "nowhere"),
    ]
    try await withTree(pieces) { tree in
      var table = try DirectoryTable(at: tree.path)
      let shown = try table.items()
      #expect(shown.map(\.name) == ["a", "d", "link", "P.app"])
      table.filters = [{ _ in true }]
      #expect(try table.items().map(\.path) == shown.map(\.path), "filters lead through no link")
      table.hiddenItems = .shown
      #expect(try table.count() == 6)
    }
  }

  @Test(
    "the six orders are six orders, with ties by name", .feature("JB-11", "JB-13"),
    arguments: DirectoryTable.Order.allCases)
  func orders(_ order: DirectoryTable.Order) async throws {
    try await withTree(numbered(20)) { tree in
      let second = 1_000_000_000
      for index in 0..<20 {
        let name = FilePath(String(format: "%02d.testfile", index))
        try tree.make(.times(name, accessed: 0, modified: 1000 * second))
      }
      try tree.make(.times("07.testfile", accessed: 0, modified: 1120 * second))
      let table = try DirectoryTable(at: tree.path, order: order)
      let names = try table.items().map(\.name)
      #expect(Set(names).count == 20)
      switch order {
      case .nameAFirst: #expect(names == names.sorted())
      case .nameZFirst: #expect(names == names.sorted().reversed())
      case .modificationNewestFirst:
        #expect(names.first == "07.testfile")
        #expect(names.dropFirst() == names.dropFirst().sorted()[...])
      case .modificationOldestFirst:
        #expect(names.last == "07.testfile")
        #expect(names.dropLast() == names.dropLast().sorted()[...])
      case .creationNewestFirst, .creationOldestFirst:
        let created = try table.items().map { $0.created ?? .max }
        let sorted = created.sorted()
        #expect(created == (order == .creationNewestFirst ? sorted.reversed() : sorted))
      }
    }
  }

  @Test(
    "filters are asked one after the other, and not after the first that says no",
    .feature("JB-03", "JB-04", "JB-15"))
  func filters() async throws {
    try await withTree(numbered(20)) { tree in
      let calls = Counter()
      let yes: DirectoryTable.ItemFilter = { _ in calls.add() }
      let no: DirectoryTable.ItemFilter = { _ in !calls.add() }
      var table = try DirectoryTable(at: tree.path, filters: [yes, yes, no])
      #expect(try table.count() == 0)
      #expect(calls.value == 60)
      table.filters = [no, yes, yes]
      #expect(try table.count() == 0)
      #expect(calls.value == 80)
      table.filters = [{ (Int($0.name.prefix(2)) ?? 1) % 2 == 0 }]
      #expect(try table.count() == 10)
      table.filters = []
      #expect(try table.count() == 20)
    }
  }

  // MARK: Deleting

  @Test("only what is shown is deleted, and a dry run deletes nothing", .feature("JB-07"))
  func deleting() async throws {
    try await withTree(numbered(20) + [.file("d/deep/er"), .symlink("l", to: "d"), .file(".h")]) {
      tree in
      var table = try DirectoryTable(at: tree.path, filters: [{ _ in false }])
      #expect(try await table.deleteContents(.permanent).isEmpty)
      table.filters = []
      #expect(try table.count() == 22)
      let dry = try await table.deleteContents(rehearsal: .dryRun)
      #expect(dry.count == 22 && dry.allSatisfy { $0.outcome == .wouldBeDeleted })
      #expect(try table.count() == 22)
      let deletions = try await table.deleteContents(.permanent)
      #expect(deletions.map(\.item.name) == dry.map(\.item.name))
      #expect(deletions.allSatisfy { $0.outcome == .tried(.deleted) })
      #expect(try table.count() == 0)
      table.hiddenItems = .shown
      #expect(try table.items().map(\.name) == [".h"])
    }
  }

  @Test("what a link leads to is not deleted with it")
  func links() async throws {
    try await withTree([.file("kept/a"), .symlink("t/l", to: "../kept"), .file("t/d/x")]) { tree in
      try tree.make(.symlink("t/d/up", to: "../../kept"))
      let table = try DirectoryTable(at: tree.path.appending("t"))
      #expect(try await table.deleteContents(.permanent).count == 2)
      #expect(try table.count() == 0)
      let kept = try DirectoryTable(at: tree.path.appending("kept"))
      #expect(try kept.count() == 1)
    }
  }

  @Test("items go to the trash unless they are to be gone for good", .feature("JB-07"))
  func trash() async throws {
    try await withTree([.file("t/a", bytes: 3), .file("t/d/x")]) { tree in
      let table = try DirectoryTable(at: tree.path.appending("t"))
      let trash = Trash(home: tree.path.appending("Trash"))
      let deletions = try await table.deleteContents(
        coordinator: FileCoordinator(trash: trash))
      #expect(try table.count() == 0)
      #expect(deletions.map(\.item.name) == ["a", "d"])
      for deletion in deletions {
        guard case .tried(.trashed(let item)) = deletion.outcome else {
          Issue.record("\(deletion.outcome)")
          continue
        }
        #expect(item.originalPath == deletion.item.path)
        #expect(item.path.starts(with: trash.home))
        #expect(try FileStatus(ofPath: item.path).inode == deletion.item.status.inode)
      }
    }
  }

  @Test("each item has its own result, and the first failure ends it unless it may go on")
  func failures() async throws {
    try await withTree([.file("t/a"), .file("t/b"), .file("t/c"), .file("file")]) { tree in
      let table = try DirectoryTable(at: tree.path.appending("t"))
      // A trash can be no part of a file.
      let coordinator = FileCoordinator(trash: Trash(home: tree.path.appending("file/Trash")))
      let first = try await table.deleteContents(coordinator: coordinator)
      #expect(first.map(\.item.name) == ["a", "b", "c"])
      #expect(first.dropFirst().map(\.outcome) == [.tried(.notTried), .tried(.notTried)])
      let second = try await table.deleteContents(onFailure: .goOn, coordinator: coordinator)
      for deletion in first.prefix(1) + second[...] {
        guard case .tried(.failed) = deletion.outcome else {
          Issue.record("\(deletion.outcome)")
          continue
        }
      }
      #expect(try table.count() == 3)
    }
  }

  @Test("a tree of any depth is removed")
  func deep() async throws {
    try await withTree([.directory("t")]) { tree in
      try tree.makeChain(in: "t", names: (0..<3000).map { "level\($0)" })
      let table = try DirectoryTable(at: tree.path.appending("t"))
      #expect(try await table.deleteContents(.permanent).map(\.outcome) == [.tried(.deleted)])
      #expect(try table.count() == 0)
    }
  }
}
