import FileCatalog
import FileSystem
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import TestTraits
import Testing

/// Thousands of random edits of a real tree, and after each few of them a scan whose difference has
/// to lead from the old catalog to the new one and to the disk.
///
/// `FILECAT_MODEL_SEED` repeats a run, `FILECAT_MODEL_ROUNDS` and `FILECAT_MODEL_SEEDS` make it longer.
@Suite("A rescan and the difference that it reports")
struct ModelTests {
  enum Tree: String, CaseIterable, CustomTestStringConvertible {
    case small
    /// With directories of more entries than a batch of the walk holds.
    case wide
    var testDescription: String { rawValue }
  }

  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment["FILECAT_MODEL_" + name].flatMap { UInt64($0) }
  }

  static let seeds: [UInt64] =
    setting("SEED").map { [$0] }
    ?? (0..<(setting("SEEDS") ?? 1)).map { _ in UInt64.random(in: 0 ... .max) }

  @Test("are exact after any edits", .feature("X-10", "P-04"), arguments: Tree.allCases, seeds)
  func randomEdits(_ tree: Tree, seed: UInt64) async throws {
    let rounds = Self.setting("ROUNDS").map { Int($0) } ?? (tree == .small ? 10 : 2)
    try await withLaboratory { lab in
      var random = SeededRandom(seed: seed)
      var editor = TreeEditor(
        lab.tree, random: SeededRandom(seed: random.next()), isWide: tree == .wide)
      for _ in 0..<40 { editor.edit() }
      _ = try await lab.catalog.scan([lab.tree.path])
      for round in 0..<rounds {
        for _ in 0..<[1, 3, 10, 40, 120][random.below(5)] { editor.edit() }
        let place = "round \(round) of \(tree.rawValue) seed \(seed)"
        let parts = random.below(3) == 0 ? [editor.directory(), editor.directory()] : []
        for part in parts.prefix(1 + random.below(2)) {
          try await scan(lab, [FilePath(bytes: part)], &random, isWhole: false, place)
        }
        let walk = try walk(lab)
        try await scan(lab, [lab.tree.path], &random, isWhole: true, place)
        try await compare(lab, with: walk, place)
        try await expectNothing(lab, place)
      }
      try await expectSameAsFresh(lab, "seed \(seed)")
    }
  }

  @Test(
    "while the tree is edited is sound, and the next one is exact", .feature("P-16"),
    arguments: Tree.allCases)
  func editsMeanwhile(_ tree: Tree) async throws {
    let seed = Self.seeds[0]
    var random = SeededRandom(seed: seed)
    try await withLaboratory { lab in
      var editor = TreeEditor(
        lab.tree, random: SeededRandom(seed: random.next()), isWide: tree == .wide)
      for _ in 0..<200 { editor.edit() }
      _ = try await lab.catalog.scan([lab.tree.path])
      for round in 0..<(Self.setting("ROUNDS").map { Int($0) } ?? 2) {
        let place = "round \(round) of \(tree.rawValue) seed \(seed), edited meanwhile"
        let isDone = Mutex(false)
        let edits = editor
        async let edited = Task.detached {
          var editor = edits
          // Not without end, so that the tree stays of a size.
          for _ in 0..<150 where !isDone.withLock({ $0 }) { editor.edit() }
          return editor
        }.value
        let before = try CatalogState(lab.catalog)
        var request = ScanRequest(jobs: [1, 2, 4][random.below(3)])
        request.loss = .accepted
        do {
          let summary = try #require(
            try await lab.catalog.scan([lab.tree.path], request: request).first)
          let model = try DifferenceModel(
            from: before, to: try CatalogState(lab.catalog), by: summary.scanID, in: lab.catalog)
          expectNone(model.problems, place, model)
        } catch let error as CatalogError {
          #expect(error.code == .changedWhileRead, "\(error), \(place)")
          #expect(try CatalogState(lab.catalog).byID == before.byID, "\(place)")
        }
        isDone.withLock { $0 = true }
        editor = await edited
        expectNone(try await lab.catalog.check().map(\.description), "check, \(place)")
        let walk = try walk(lab)
        try await scan(lab, [lab.tree.path], &random, isWhole: true, place)
        try await compare(lab, with: walk, place)
      }
    }
  }

  // MARK: - Expectations

  /// Scans and compares the difference with the states before and after.
  private func scan(
    _ lab: Laboratory, _ paths: [FilePath], _ random: inout SeededRandom, isWhole: Bool,
    _ place: String
  ) async throws {
    let before = try CatalogState(lab.catalog)
    var request = ScanRequest(jobs: [1, 2, 4][random.below(3)])
    request.loss = .accepted
    let summary = try #require(try await lab.catalog.scan(paths, request: request).first)
    let after = try CatalogState(lab.catalog)
    let model = try DifferenceModel(
      from: before, to: after, by: summary.scanID, in: lab.catalog)
    expectNone(model.problems, "\(isWhole ? "scan" : "part \(paths[0])"), \(place)", model)
    if isWhole { expectNone(model.lostIdentities(), "ids, \(place)", model) }
    let logged = Dictionary(grouping: model.changes, by: \.kind).mapValues(\.count)
    let expected = ["added", "removed", "modified", "moved"].map { logged[$0] ?? 0 }
    let counts = [summary.added, summary.removed, summary.modified, summary.moved]
    #expect(counts == expected, "\(place)")
    #expect(summary.state == .complete && summary.entries == after.byID.count, "\(place)")
    expectNone(try growthProblems(lab, summary.scanID, before, after), "growth, \(place)", model)
    expectNone(
      try await lab.catalog.check().map(\.description), "check, \(place), part \(paths)", model)
  }

  private func expectNone(_ problems: [String], _ place: String, _ model: DifferenceModel? = nil) {
    guard !problems.isEmpty else { return }
    var text = "\(place):\n  " + problems.prefix(8).joined(separator: "\n  ")
    if let model {
      text += "\nthe difference:\n  "
      text += model.changes.prefix(60).map(\.description).joined(separator: "\n  ")
    }
    Issue.record("\(text)")
  }

  /// The rows of `growth_by_directory` are what the sums have grown by.
  private func growthProblems(
    _ lab: Laboratory, _ scan: ScanID, _ before: CatalogState, _ after: CatalogState
  ) throws -> [String] {
    var grown: [Int64: [Int64]] = [:]
    let columns = CatalogState.sumColumns.joined(separator: ", ")
    try lab.catalog.forEachRow(
      "SELECT directory_id, \(columns) FROM growth_by_directory WHERE scan_id = \(scan.rawValue)"
    ) { row in grown[row[0].integer ?? -1] = row[1...].map { $0.integer ?? -1 } }
    let zero = CatalogState.sumColumns.map { _ in Int64(0) }
    return Set(before.sums.keys).union(after.sums.keys).compactMap { id in
      let expected = zip(after.sums[id] ?? zero, before.sums[id] ?? zero).map { $0 - $1 }
      let logged = grown[id] ?? zero
      return logged == expected ? nil : "directory \(id) grew by \(expected), not \(logged)"
    }
  }

  private func isPackage(_ entry: WalkedEntry) -> Bool {
    entry.isDirectory && entry.depth > 0
      && [".rtfd", ".app"].contains { suffix in
        entry.name.count > suffix.utf8.count
          && entry.name.reversed().starts(with: suffix.utf8.reversed())
      }
  }

  private func walk(_ lab: Laboratory) throws -> [[UInt8]: WalkedEntry] {
    try IndependentWalk.entries(of: lab.tree.path) { !isPackage($0) }
  }

  /// The catalog is what the disk is.
  private func compare(
    _ lab: Laboratory, with walk: [[UInt8]: WalkedEntry], _ place: String
  ) async throws {
    var problems: [String] = []
    let state = try CatalogState(lab.catalog)
    for path in Set(walk.keys).symmetricDifference(state.byPath.keys) {
      problems.append("only in one: \(String(decoding: path, as: UTF8.self))")
    }
    for (path, entry) in walk {
      guard let item = state.byPath[path] else { continue }
      let status = entry.status
      var expected: [String: Int64] = [
        "modified": WalkedEntry.nanoseconds(status.st_mtim),
        "changed": WalkedEntry.nanoseconds(status.st_ctim), "mode": Int64(status.st_mode),
        "uid": Int64(status.st_uid), "gid": Int64(status.st_gid),
        "inode": Int64(bitPattern: UInt64(status.st_ino)), "links": Int64(status.st_nlink),
      ]
      if !isPackage(entry) {
        expected["size"] = Int64(status.st_size)
        expected["allocated"] = entry.allocated
      }
      for (field, value) in expected where item.values[field]?.integer != value {
        problems.append("\(field) of \(String(decoding: path, as: UTF8.self)) is not \(value)")
      }
      let target = entry.linkTarget.map { ColumnValue.shown($0) }
      if target != item.values["link_target"].flatMap({ $0 == .null ? nil : $0 }) {
        problems.append("target of \(String(decoding: path, as: UTF8.self))")
      }
    }
    expectNone(problems, "disk, \(place)")
    let differences = Mutex<[String]>([])
    let failures = try await lab.catalog.verify { change in
      differences.withLock { $0.append("\(change.kind) \(change.path) \(change.fields)") }
    }
    #expect(failures.isEmpty, "\(place)")
    expectNone(differences.withLock { $0 }, "verify, \(place)")
    let states = try lab.catalog.texts("SELECT DISTINCT state FROM directories")
    #expect(states == ["complete"], "\(place)")
  }

  /// A further scan finds nothing and writes nothing but that it took place.
  private func expectNothing(_ lab: Laboratory, _ place: String) async throws {
    let before = try lab.catalog.content()
    let summary = try #require(try await lab.catalog.scan([lab.tree.path]).first)
    let counts = [summary.added, summary.removed, summary.modified, summary.moved]
    #expect(counts == [0, 0, 0, 0], "again, \(place)")
    let after = try lab.catalog.content()
    for (table, rows) in after where rows != before[table] {
      Issue.record("an unchanged tree writes to \(table), \(place)")
    }
  }

  /// The catalog is what a first scan would make, but for ids and the history.
  private func expectSameAsFresh(_ lab: Laboratory, _ place: String) async throws {
    let queries = [
      """
      SELECT path, root, directory, name, kind, type, extension, size, allocated, created_ns,
        modified_ns, changed_ns, mode, uid, gid, owner, group_name, inode, device, links, flags,
        is_hidden, is_package, link_target, depth, name_bytes, path_bytes
      FROM files ORDER BY ifnull(path_bytes, CAST(path AS BLOB))
      """,
      """
      SELECT path, depth, files, directories, size, allocated, total_files, total_directories,
        total_size, total_allocated, newest_modified, state, error
      FROM directories ORDER BY ifnull(path_bytes, CAST(path AS BLOB))
      """,
    ]
    try await withTemporaryCatalog { fresh in
      _ = try await fresh.scan([lab.tree.path])
      for query in queries {
        var known: [[ColumnValue]] = []
        var expected: [[ColumnValue]] = []
        try lab.catalog.forEachRow(query) { known.append($0) }
        try fresh.forEachRow(query) { expected.append($0) }
        #expect(known.count == expected.count, "\(place)")
        for (a, b) in zip(known, expected) where a != b {
          Issue.record("\(place): \(a.map { $0.shown }) is \(b.map { $0.shown }) in a new catalog")
        }
      }
    }
  }
}

extension ColumnValue {
  fileprivate var shown: String { string ?? integer.map { String($0) } ?? "-" }
}
