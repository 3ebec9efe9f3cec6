import FileCatalog
import FileSystem
import Foundation
import SQLite
import SystemPackage
import TestSupport
import TestTraits
import Testing

/// Whatever contradicts itself in a catalog is made up for, and the next scan brings back what was dropped.
///
/// `HOSTILE_CATALOGS` says how many attacks are drawn, or `all`, and `HOSTILE_SEED` draws others.
@Suite("Repairing", .timeLimit(.minutes(60)))
struct RepairTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let seed = environment["HOSTILE_SEED"].flatMap(UInt64.init) ?? 1

  private func attempt(
    _ attacks: (CatalogUnderAttack) throws -> [CatalogAttack]
  ) async throws {
    var random = SeededRandom(seed: Self.seed)
    try await withTemporaryDirectory { directory in
      let sound = try await CatalogUnderAttack(in: directory)
      let wanted = Self.environment["HOSTILE_CATALOGS"].map { Int($0) ?? .max } ?? 15
      let drawn = try attacks(sound).shuffled(using: &random)
      for attack in drawn.prefix(wanted) {
        guard let file = try sound.attacked(by: attack) else { continue }
        let fault = await fault(of: file, sound.trees)
        #expect(fault == nil, "\(attack), seed \(Self.seed)")
      }
    }
  }

  /// What is not as it must be after a repair.
  private func fault(of file: FilePath, _ trees: AttackedTrees) async -> String? {
    var step = "opening"
    do {
      let catalog = try Catalog(at: file, types: TypeSources())
      defer { try? catalog.close() }
      step = "repair"
      let before = try await catalog.check()
      let repairs = try await catalog.repair()
      let left = try await catalog.check()
      if !left.isEmpty { return "left: \(left.prefix(3)), done: \(repairs.prefix(3))" }
      if before.isEmpty != repairs.isEmpty { return "\(before.count) and \(repairs.count)" }
      if try await !catalog.repair().isEmpty { return "repaired again" }
      if before.isEmpty { return nil }
      step = "scan"
      var request = ScanRequest()
      request.loss = .accepted
      _ = try await catalog.scan([trees.home, trees.other], request: request)
      step = "check"
      let after = try await catalog.check()
      if !after.isEmpty { return "after a scan: \(after.prefix(3))" }
      let changes = Monitor(0)
      let failures = try await catalog.verify { _ in changes.withLock { $0 += 1 } }
      let count = changes.withLock { $0 }
      return failures.isEmpty && count == 0 ? nil : "\(count) differences from the disk"
    } catch let error as CatalogError
      where step == "opening"
      || [.corrupt, .wrongSchema].contains(error.code) && step == "repair"
    {
      // What cannot be read at all.
      return nil
    } catch {
      return "\(step): \(error)"
    }
  }

  @Test("makes up for impossible values", .feature("P-66"))
  func values() async throws {
    try await attempt { sound in CatalogAttack.values(in: try sound.columns()) }
  }

  @Test("makes up for rows that contradict each other")
  func structures() async throws {
    // A root at / is sound, and the next scan reads the whole system.
    try await attempt { _ in
      CatalogAttack.structures.filter {
        !["path = '/',", "path = x'2f'"].contains(where: $0.description.contains)
      }
    }
  }

  @Test("makes up for a root that stands twice, and keeps all that the outer one has")
  func nested() async throws {
    try await withLaboratory([.file("a", bytes: 1), .file("in/b", bytes: 2), .file("in/er/c")]) {
      lab in
      let inner = lab.tree("in")
      _ = try await lab.catalog.scan([inner])
      let name = "in"
      try lab.catalog.close()
      // As two scans at once have left it.
      let db = try Connection(path: lab.catalog.path, .readWrite)
      try db.execute("UPDATE _roots SET path = '/elsewhere' WHERE id = 1")
      try db.close()
      let catalog = try Catalog(at: lab.catalog.path)
      _ = try await catalog.scan([lab.tree.path])
      try catalog.close()
      let again = try Connection(path: lab.catalog.path, .readWrite)
      try again.execute("UPDATE _roots SET path = '\(inner.string)' WHERE id = 1")
      try again.close()
      let damaged = try Catalog(at: lab.catalog.path)
      let problems = try await damaged.check()
      #expect(problems.map(\.rule) == [.root], "\(name): \(problems)")
      let repairs = try await damaged.repair()
      #expect(repairs.map(\.problem) == problems)
      try await expectSound(damaged)
      #expect(try await damaged.roots().map(\.path) == [lab.tree.path])
      #expect(try FilesView(damaged).rows.count == 6)
      #expect(try await damaged.scan().map(\.added) == [0])
      try damaged.close()
    }
  }

  @Test("forgets what a root leaves out by no glob, which no scan goes by")
  func excludes() async throws {
    try await withLaboratory([.file("a.txt", bytes: 1)]) { lab in
      try await lab.scan()
      try lab.catalog.close()
      let db = try Connection(path: lab.catalog.path, .readWrite)
      try db.execute(
        "UPDATE _roots SET settings = json_set(settings, '$.excludes', json('[\"[a\"]'))")
      try db.close()
      let catalog = try Catalog(at: lab.catalog.path)
      await #expect { try await catalog.scan() } throws: {
        ($0 as? CatalogError)?.code == .corrupt
      }
      await #expect { try await catalog.verify { _ in } } throws: {
        ($0 as? CatalogError)?.code == .corrupt
      }
      let problems = try await catalog.check()
      #expect(problems.map(\.rule) == [.value], "\(problems)")
      #expect(try await catalog.repair().map(\.problem) == problems)
      try await expectSound(catalog)
      #expect(try await catalog.scan().map(\.added) == [0])
      try catalog.close()
    }
  }

  @Test("leaves a catalog that is sound as it is, byte for byte")
  func sound() async throws {
    try await withTemporaryDirectory { directory in
      let sound = try await CatalogUnderAttack(in: directory)
      let bytes = try directory.bytes(of: "sound.sqlite")
      let catalog = try Catalog(at: sound.path, types: TypeSources())
      #expect(try await catalog.repair().isEmpty)
      try catalog.close()
      #expect(try directory.bytes(of: "sound.sqlite") == bytes)
    }
  }

  @Test(
    "makes an index anew that does not match its table",
    arguments: ["entries_by_type", "entries_by_parent", "directories_by_path"])
  func index(_ index: String) async throws {
    try await withLaboratory([.file("a.txt", bytes: 1), .file("in/b", bytes: 2), .file("in/er/c")])
    {
      lab in
      try await lab.scan()
      try lab.catalog.close()
      let db = try Connection(path: lab.catalog.path, .readWrite)
      let sql = try #require(
        try db.first(SQL("SELECT sql FROM sqlite_schema WHERE name = '\(index)'")) { $0.text(0) })
      // An index that is said to hold nothing is not kept up.
      try db.execute(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = sql || ' WHERE 0' WHERE name = '\(index)';
        PRAGMA writable_schema = RESET;
        UPDATE _entries SET type_id = 1, name = name || 'x' WHERE name = 'a.txt';
        UPDATE _directory_paths SET path = path || 'x' WHERE path LIKE '%/er';
        UPDATE _entries SET name = 'erx' WHERE name = 'er';
        PRAGMA writable_schema = ON;
        """)
      try db.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", [sql, index])
      try db.close()
      let damaged = try Catalog(at: lab.catalog.path)
      #expect(try await damaged.check().contains { $0.rule == .file })
      let repairs = try await damaged.repair()
      #expect(repairs.contains { $0.action.contains(index) })
      try await expectSound(damaged)
      _ = try await damaged.scan()
      #expect(try FilesView(damaged).rows.count == 6)
      try await expectSound(damaged)
      try damaged.close()
    }
  }
}
