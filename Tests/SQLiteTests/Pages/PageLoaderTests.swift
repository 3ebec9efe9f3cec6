import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import SQLite

@Suite struct PageLoaderTests {
  private func reason(
    _ sql: String, vacuum: Bool = true, _ body: (inout PageLoader) throws -> Void = { _ in }
  ) throws -> PageLoaderError.Reason? {
    let database = try Database(sql, vacuum: vacuum)
    do {
      var file = try PageLoader(path: FilePath(database.path))
      try body(&file)
      return nil
    } catch let error as PageLoaderError {
      #expect(error.path == FilePath(database.path))
      #expect(error.description.hasPrefix(database.path + ": "))
      return error.reason
    }
  }

  @Test("Files that the loader cannot fill are refused")
  func unsupportedFiles() throws {
    #expect(
      try reason("PRAGMA journal_mode = WAL; CREATE TABLE t (a);")
        == .unsupportedFile(.writeAheadLog))
    #expect(
      try reason("PRAGMA auto_vacuum = FULL; VACUUM; CREATE TABLE t (a);")
        == .unsupportedFile(.autoVacuum))
    #expect(
      try reason("PRAGMA auto_vacuum = INCREMENTAL; VACUUM; CREATE TABLE t (a);")
        == .unsupportedFile(.autoVacuum))
    #expect(
      try reason("PRAGMA encoding = 'UTF-16'; CREATE TABLE t (a);", vacuum: false)
        == .unsupportedFile(.encoding))
    #expect(try reason("") == .unsupportedFile(.schemaFormat))
    #expect(throws: PageLoaderError(.system(.open, errno: ENOENT), path: "/nowhere")) {
      _ = try PageLoader(path: "/nowhere")
    }
    #expect(throws: PageLoaderError(.unsupportedFile(.notADatabase), path: "/etc/passwd")) {
      _ = try PageLoader(path: "/etc/passwd")
    }
    let database = try Database("CREATE TABLE t (a);")
    try Data([1]).write(to: URL(fileURLWithPath: database.path + "-journal"))
    #expect(
      throws: PageLoaderError(.unsupportedFile(.openTransaction), path: FilePath(database.path))
    ) {
      _ = try PageLoader(path: FilePath(database.path))
    }
  }

  @Test("Tables and indexes that the loader cannot fill are refused")
  func unsupportedTrees() throws {
    let sql = """
      CREATE TABLE t (a, b TEXT COLLATE NOCASE); CREATE INDEX i ON t(b);
      CREATE TABLE u (a); CREATE INDEX j ON u(a DESC); CREATE INDEX k ON u(a) WHERE a > 1;
      CREATE INDEX l ON u(a);
      CREATE TABLE w (a PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE f (a); INSERT INTO f VALUES (1);
      CREATE VIEW v AS SELECT 1;
      """
    #expect(try reason(sql) { _ = try $0.table("x") } == .noSuchTable("x"))
    #expect(try reason(sql) { _ = try $0.table("v") } == .noSuchTable("v"))
    #expect(try reason(sql) { _ = try $0.table("i") } == .noSuchTable("i"))
    #expect(try reason(sql) { _ = try $0.table("w") } == .withoutRowid("w"))
    #expect(try reason(sql) { _ = try $0.table("f") } == .notEmpty("f"))
    #expect(
      try reason(sql) { file in
        _ = try file.table("u")
        _ = try file.table("U")
      } == .notEmpty("u"))
    for name in ["i", "j", "k"] {
      #expect(
        try reason(sql) { _ = try $0.textIndex(name, memoryLimit: 1 << 20) }
          == .unsupportedIndex(name))
    }
    #expect(try reason(sql) { _ = try $0.textIndex("l", memoryLimit: 1 << 20) } == nil)
    #expect(
      try reason(sql) { _ = try $0.textIndex("u", memoryLimit: 1 << 20) } == .noSuchIndex("u"))
  }

  @Test("Rowids must ascend")
  func rowidOrder() throws {
    let result = try reason("CREATE TABLE t (a);") { file in
      var table = try file.table("t")
      try table.append(.min, [.null])
      try table.append(5, [.null])
      try table.append(5, [.null])
    }
    #expect(result == .rowidNotAscending(5, after: 5))
  }

  @Test("A file is not finished while a table is not, and is then what it was before")
  func unfinished() throws {
    let database = try Database("CREATE TABLE t (a); CREATE TABLE u (a); INSERT INTO u VALUES (1);")
    var file = try PageLoader(path: FilePath(database.path))
    var table = try file.table("t")
    for id in Int64(1)...100_000 { try table.append(id, [.integer(id)]) }
    do {
      _ = try file.finish()
      Issue.record("the file was finished")
    } catch {
      #expect(error.reason == .unfinishedTrees(1))
    }
    try database.expectSound()
    #expect(try database.run("SELECT count(*) FROM t; SELECT a FROM u;") == "0\n1")
  }

  @Test("A large schema is read, through interior pages and overflow chains")
  func largeSchema() throws {
    let columns = (0..<300).map { "column_number_\($0)" }.joined(separator: ", ")
    let sql = (0..<120).map { "CREATE TABLE t\($0) (\(columns));" }.joined(separator: "\n")
    let database = try Database(sql + "CREATE TABLE last (a);", pageSize: 512)
    var file = try PageLoader(path: FilePath(database.path))
    var first = try file.table("t0")
    var last = try file.table("last")
    try first.append(1, [.integer(1)])
    try last.append(1, [.integer(2)])
    try first.finish()
    try last.finish()
    _ = try file.finish()
    try database.expectSound()
    #expect(try database.run("SELECT column_number_0 FROM t0; SELECT a FROM last;") == "1\n2")
  }

  @Test("Damaged schemas are errors, not crashes")
  func damagedSchemas() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    var generator = SeededRandom(seed: seed)
    let sql = (0..<30).map { "CREATE TABLE t\($0) (a, b); CREATE INDEX i\($0) ON t\($0)(a);" }
    let database = try Database(sql.joined(), pageSize: 512)
    let url = URL(fileURLWithPath: database.path)
    let sound = try Data(contentsOf: url)
    for _ in 0..<3000 {
      var damaged = sound
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        let offset = Int.random(in: 100..<damaged.count, using: &generator)
        damaged[offset] = UInt8.random(in: 0...255, using: &generator)
      }
      try damaged.write(to: url)
      // Whether it works or not: it must come back.
      try? Self.fill(database.path)
    }
  }

  private static func fill(_ path: String) throws {
    var file = try PageLoader(path: FilePath(path))
    let table = try file.table("t7")
    try table.finish()
    let index = try file.textIndex("i3", memoryLimit: 1 << 20)
    _ = try index.finish()
  }

  @Test("A full disk is an error with its number")
  func fullDisk() throws {
    let writer = PageWriter(
      file: try DatabaseFile(path: "/dev/full"), isLive: false, format: PageFormat(pageSize: 4096),
      pageCount: 1)
    let page = [UInt8](repeating: 0, count: 4096)
    #expect(throws: PageLoaderError(.system(.write, errno: ENOSPC), path: "/dev/full")) {
      try page.withUnsafeBytes { _ = try writer.append($0) }
    }
  }

  @Test("The page with SQLite's locks holds nothing", arguments: [512, 4096])
  func lockPage(pageSize: Int) throws {
    let lockByte = 128 << 10
    let database = try Database("CREATE TABLE t (a);", pageSize: pageSize)
    var file = try PageLoader(path: FilePath(database.path), lockByte: lockByte)
    var table = try file.table("t")
    for id in Int64(1)...2_000 {
      let length = id % 50 == 0 ? 20_000 : 100
      try table.append(id, [.blob([UInt8](repeating: 1, count: length))])
    }
    try table.finish()
    _ = try file.finish()
    try database.expectSound(pendingByte: lockByte)
    // Without the moved locks a page remains that nothing uses: the one that was left out.
    let verdict = try database.run("PRAGMA integrity_check;")
    #expect(verdict.contains("Page \(lockByte / pageSize + 1) is never used"))
    let sums = try database.run("SELECT count(*), sum(length(a)) FROM t;", pendingByte: lockByte)
    #expect(sums.hasSuffix("2000|996000"))
  }
}
