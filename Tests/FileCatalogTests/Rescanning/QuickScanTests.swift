import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("A quick scan", .timeLimit(.minutes(20)))
struct QuickScanTests {
  private static var request: ScanRequest {
    var request = ScanRequest()
    request.thoroughness = .quick
    request.loss = .accepted
    return request
  }

  private static let pieces: [Piece] = [
    .file("a/one", bytes: 1), .file("a/in/two", bytes: 2), .file("b/three", bytes: 3),
    .file("b/deep/er/four", bytes: 4), .file("c/five", bytes: 5), .directory("empty"),
    .file("m.app/inside/six", bytes: 6), .symlink("c/link", to: "five"),
  ]

  /// A tree that was scanned long after it was made.
  private func withSettledTree(
    _ pieces: [Piece] = QuickScanTests.pieces, _ body: (Laboratory) async throws -> Void
  ) async throws {
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      try lab.settle()
      try await body(lab)
    }
  }

  // MARK: - What is found

  @Test(
    "finds what has come, gone or got another name",
    arguments: [
      ([.make(.file("b/new", bytes: 1))], ["+ b/new"]),
      ([.make(.file("n/e/w/file"))], ["+ n", "+ n/e", "+ n/e/w", "+ n/e/w/file"]),
      ([.remove("b/deep/er/four")], ["- b/deep/er/four"]),
      ([.remove("b/deep")], ["- b/deep", "- b/deep/er", "- b/deep/er/four"]),
      ([.move("a/one", "c/one")], ["> a/one -> c/one"]),
      ([.move("a/one", "a/1")], ["> a/one -> a/1"]),
      ([.move("b", "c/b")], ["> b -> c/b"]),
      ([.move("m.app", "empty/m.app")], ["> m.app -> empty/m.app"]),
      ([.move("a", "t"), .move("b", "a"), .move("t", "b")], ["> a -> b", "> b -> a"]),
      ([.make(.file("b/deep/er/x")), .move("b", "c/b")], ["+ c/b/deep/er/x", "> b -> c/b"]),
      ([.move("b", "c/b"), .remove("c/b/deep/er/four")], ["- b/deep/er/four", "> b -> c/b"]),
      (
        [.move("b/deep", "d"), .move("b", "d/er/b"), .make(.file("d/er/b/x"))],
        ["+ d/er/b/x", "> b -> d/er/b", "> b/deep -> d"]
      ),
      (
        [.remove("b/deep"), .make(.file("b/deep/er/five"))],
        ["+ b/deep/er/five", "- b/deep/er/four", "~ b/deep/er"]
      ),
      ([.make(.mode("b/deep/er", 0o700))], ["~ b/deep/er"]),
    ] as [([Edit], [String])])
  func findings(_ edits: [Edit], _ expected: [String]) async throws {
    try await withSettledTree { lab in
      try lab.apply(edits)
      let found = try await lab.difference(Self.request)
      // Of directories that are others now, more may be told.
      #expect(
        found.filter { !$0.hasPrefix("~") } == expected.filter { !$0.hasPrefix("~") }, "\(found)")
      #expect(
        Set(found).isSuperset(of: expected.filter { $0 == "~ b/deep/er" && edits.count == 1 }))
      #expect(try await lab.catalog.roots().map(\.lastScanState) == [.quick])
      try lab.settle()
      _ = try await lab.difference()
      #expect(try await lab.catalog.roots().map(\.lastScanState) == [.complete])
      try await lab.expectSameAsFresh("")
    }
  }

  @Test("leaves a file that was written in place to the next full scan")
  func writtenInPlace() async throws {
    try await withSettledTree(Self.pieces + [.file("a/P.app/inside/seven")]) { lab in
      try lab.tree.write("longer than before", to: "b/three")
      try lab.tree.write("inside a package", to: "a/P.app/inside/seven")
      try lab.tree.make(.file("c/new"))
      let quick = try await lab.difference(Self.request)
      #expect(quick == ["+ c/new"], "\(quick)")
      try lab.settle()
      #expect(try await lab.difference(Self.request) == [])
      let full = try await lab.difference()
      #expect(full == ["~ a/P.app", "~ b/three"], "\(full)")
    }
  }

  @Test("reads a directory again that was changed shortly before it was read")
  func racy() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      try lab.tree.write("longer than before", to: "b/three")
      #expect(try await lab.difference(Self.request) == ["~ b/three"])
    }
  }

  @Test("goes by ignore files as they are now")
  func ignoreFiles() async throws {
    let pieces: [Piece] = [.file("s/keep/x"), .file("s/leave/y"), .file("s/.filecatignore")]
    try await withSettledTree(pieces) { lab in
      try lab.tree.write("leave\n", to: "s/.filecatignore")
      let found = try await lab.difference(Self.request)
      #expect(Set(found).isSuperset(of: ["- s/leave", "- s/leave/y"]), "\(found)")
      try lab.settle()
      try lab.tree.write("", to: "s/.filecatignore")
      let back = try await lab.difference(Self.request)
      #expect(Set(back).isSuperset(of: ["+ s/leave", "+ s/leave/y"]), "\(back)")
    }
  }

  @Test("reads what could not be read the last time")
  func unreadable() async throws {
    try await withFaultyLaboratory(Self.pieces) { lab, plan in
      plan.close(["deep"])
      let first = try #require(try await lab.catalog.scan([lab.tree.path]).first)
      #expect(first.state == .partial)
      try lab.settle()
      let again = try #require(
        try await lab.catalog.scan([lab.tree.path], request: Self.request).first)
      #expect(again.state == .partial)
      plan.heal()
      try lab.settle()
      let found = try await lab.difference(Self.request)
      #expect(Set(found).isSuperset(of: ["+ b/deep/er", "+ b/deep/er/four"]), "\(found)")
      #expect(try await lab.catalog.roots().map(\.lastScanState) == [.quick])
    }
  }

  @Test(
    "looks into what is mounted inside, and notices what is mounted over it",
    .enabled(if: MountedFileSystem.isPermitted))
  func mounted() async throws {
    try await withLaboratory([.file("here/x"), .directory("place")]) { lab in
      try await withMountedFileSystem(at: lab.tree("place"), kilobytes: 512) {
        try lab.tree.make([.file("place/in/file"), .file("place/in/other/deep")])
        try await lab.scan()
        try lab.settle()
        try lab.tree.make(.file("place/in/other/new"))
        #expect(try await lab.difference(Self.request) == ["+ place/in/other/new"])
        try lab.settle()
        try await withMountedFileSystem(at: lab.tree("place"), kilobytes: 512) {
          try lab.tree.make(.file("place/elsewhere"))
          let found = try await lab.difference(Self.request)
          #expect(Set(found).isSuperset(of: ["+ place/elsewhere", "- place/in/file"]), "\(found)")
        }
      }
    }
  }

  @Test("finds everything where much has changed", arguments: [3, 400])
  func manyDirectories(_ changed: Int) async throws {
    let pieces = (0..<1000).map { Piece.file(FilePath("w\($0 % 7)/d\($0)/file")) }
    try await withSettledTree(pieces) { lab in
      let edits = (0..<changed).map { Piece.file(FilePath("w\($0 * 2 % 7)/d\($0 * 2)/new")) }
      try lab.tree.make(edits)
      let found = try await lab.difference(Self.request)
      #expect(found.count == changed && found.allSatisfy { $0.hasSuffix("/new") }, "\(found.count)")
      #expect(try await lab.catalog.roots().map(\.lastScanState) == [.quick])
    }
  }

  @Test("of a part finds what is in it, and leaves the rest")
  func part() async throws {
    try await withSettledTree { lab in
      try lab.tree.make([.file("b/deep/er/new"), .file("a/in/new")])
      #expect(try await lab.difference(Self.request, of: ["b"]) == ["+ b/deep/er/new"])
      #expect(try await lab.difference(Self.request) == ["+ a/in/new"])
    }
  }

  // MARK: - What is said of it

  @Test("the state stays quick until everything was read", .feature("P-17"))
  func state() async throws {
    try await withSettledTree { lab in
      func scan(_ request: ScanRequest, _ part: FilePath = "") async throws -> ScanState? {
        let path = part.isEmpty ? lab.tree.path : lab.tree(part)
        return try await lab.catalog.scan([path], request: request).first?.state
      }
      #expect(try await scan(ScanRequest(), "b") == .complete)
      #expect(try await scan(Self.request) == .quick)
      #expect(try await scan(Self.request) == .quick)
      #expect(try await scan(ScanRequest(), "b") == .quick)
      let states = try lab.catalog.texts("SELECT state FROM scans ORDER BY id")
      #expect(states == ["complete", "complete", "quick", "quick", "quick"])
      #expect(try lab.catalog.texts("SELECT last_scan_state FROM roots") == ["quick"])
      #expect(try await scan(ScanRequest()) == .complete)
      #expect(try await scan(ScanRequest(), "b") == .complete)
    }
  }

  @Test("a root that is new or gets other settings is read in full")
  func everything() async throws {
    try await withLaboratory(Self.pieces) { lab in
      let first = try #require(
        try await lab.catalog.scan([lab.tree.path], request: Self.request).first)
      #expect(first.isFirst && first.state == .complete)
      try lab.settle()
      try lab.tree.write("longer than before", to: "b/three")
      var request = Self.request
      request.addedExcludes = ["five"]
      #expect(try await lab.difference(request) == ["- c/five", "~ b/three"])
      #expect(try await lab.catalog.roots().map(\.lastScanState) == [.complete])
    }
  }

  @Test("a root that has lost more than half of its entries is refused")
  func loss() async throws {
    let pieces = (0..<30).map { Piece.file(FilePath("d\($0 % 3)/f\($0)")) }
    try await withSettledTree(pieces) { lab in
      try lab.tree.remove("d0")
      try lab.tree.remove("d1")
      var request = Self.request
      request.loss = .refused
      try await expectError(.tooManyRemoved) {
        _ = try await lab.catalog.scan([lab.tree.path], request: request)
      }
    }
  }

  // MARK: - Any edits

  @Test(
    "after any edits names are what is there, and a full scan finds exactly the rest",
    .feature("P-02"),
    arguments: [13, 102, .random(in: 0 ... .max)])
  func randomEdits(_ seed: UInt64) async throws {
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["FILECAT_MODEL_SEED"].flatMap { UInt64($0) } ?? seed
    let rounds = environment["FILECAT_MODEL_ROUNDS"].flatMap { Int($0) } ?? 12
    try await withLaboratory { lab in
      var random = SeededRandom(seed: seed)
      var editor = TreeEditor(
        lab.tree, random: SeededRandom(seed: random.next()), isWide: false)
      for _ in 0..<100 { editor.edit() }
      try await lab.scan()
      for round in 0..<rounds {
        let place = "round \(round) of seed \(seed)"
        for _ in 0..<(1 + random.below(2)) {
          try lab.settle()
          for _ in 0..<[1, 3, 10, 40][random.below(4)] { editor.edit() }
          _ = try await lab.difference(Self.request)
          try await lab.expectNamesOfDisk(place)
        }
        _ = try await lab.difference()
        try await lab.expectSameAsFresh(place)
      }
    }
  }
}

extension Laboratory {
  /// Makes the last scan one that took place long after everything had been made, as far as the catalog
  /// knows: times of changes cannot be set.
  fileprivate func settle() throws {
    let outcome = try CommandRunner("sqlite3").run([
      "-bail", "-cmd", ".timeout 900000", catalog.path.string,
      "UPDATE _roots SET listed_from = listed_from + 1000000000000",
    ])
    #expect(outcome.status == 0, "\(outcome.errors)")
    // The clock that file systems go by does not move all the time.
    usleep(20_000)
  }

  /// What a first scan would make of the tree now.
  private func fresh() async throws -> CatalogState {
    var state: CatalogState?
    try await withTemporaryCatalog { catalog in
      _ = try await catalog.scan([tree.path])
      state = try CatalogState(catalog)
    }
    return try #require(state)
  }

  /// The names, what they are, and which.
  fileprivate func expectNamesOfDisk(_ place: String) async throws {
    func names(_ state: CatalogState) -> Set<String> {
      Set(
        state.byPath.values.map { item in
          "\(String(decoding: item.path, as: UTF8.self)) \(item.kind) "
            + "\(item.values["inode"]?.integer ?? 0)"
        })
    }
    let differences = names(try CatalogState(catalog)).symmetricDifference(names(try await fresh()))
    #expect(differences.isEmpty, "\(differences.sorted().prefix(6)), \(place)")
  }

  /// Everything but ids and history.
  fileprivate func expectSameAsFresh(_ place: String) async throws {
    let (kept, fresh) = (try CatalogState(catalog), try await fresh())
    #expect(Set(kept.byPath.keys) == Set(fresh.byPath.keys), "\(place)")
    for (path, item) in fresh.byPath {
      guard let other = kept.byPath[path] else { continue }
      // Numbers of file systems are a catalog's own.
      let fields = item.values.keys.filter { $0 != "device" && item.values[$0] != other.values[$0] }
      #expect(fields.isEmpty, "\(fields) of \(String(decoding: path, as: UTF8.self)), \(place)")
      #expect(kept.sums[other.id] == fresh.sums[item.id], "\(place)")
    }
  }
}
