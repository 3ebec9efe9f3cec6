import Foundation
import SQLite
import SystemPackage
import TestSupport
import Testing

@Suite struct IndexLoaderTests {
  @Test(
    "Indexes over random rows hold them in SQLite's order",
    arguments: [(512, 1 << 30), (4096, 1 << 30), (4096, 2000), (4096, 40_000), (65536, 40_000)],
    [0, 1, 30, 5000])
  func randomKeys(_ sizes: (page: Int, memory: Int), count: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    var generator = SeededRandom(seed: seed)
    let database = try Database(
      """
      CREATE TABLE t (parent INTEGER, name, size INTEGER);
      CREATE INDEX by_parent ON t(parent, name);
      CREATE INDEX by_name ON t(name);
      CREATE INDEX by_size ON t(size);
      """, pageSize: sizes.page)
    var file = try PageLoader(path: FilePath(database.path))
    var table = try file.table("t")
    // With little memory the keys are sorted in parts, down to a few at a time.
    var byParent = try file.integerTextIndex("by_parent", memoryLimit: sizes.memory)
    var byName = try file.textIndex("by_name", memoryLimit: sizes.memory)
    var bySize = try file.integerIndex("by_size", memoryLimit: sizes.memory)
    var parent: Int64? = 0
    for row in 0..<count {
      if Int.random(in: 0..<10, using: &generator) == 0 {
        parent = Bool.random(using: &generator) ? Int64(row % 50 - 25) : generator.integer()
        if Int.random(in: 0..<6, using: &generator) == 0 { parent = nil }
      }
      let size = Int.random(in: 0..<9, using: &generator) == 0 ? nil : generator.integer()
      let name = Self.name(using: &generator)
      let rowid = Int64(row + 1)
      try table.append(
        rowid,
        [parent.map { .integer($0) } ?? .null, name, size.map { .integer($0) } ?? .null])
      try byParent.append(parent, name, rowid: rowid)
      try byName.append(name, rowid: rowid)
      try bySize.append(size, rowid: rowid)
    }
    try table.finish()
    #expect(try byParent.finish() == [])
    #expect(try byName.finish() == [])
    #expect(try bySize.finish() == [])
    _ = try file.finish()

    try database.expectSound()
    for (index, columns) in [
      ("by_parent", "parent, name"), ("by_name", "name"), ("by_size", "size"),
    ] {
      // In the order of the index, and in that of a sort by SQLite: integrity_check looks for
      // the entry of each row, this for the order.
      let viaIndex = try database.run(
        "SELECT group_concat(rowid) FROM (SELECT rowid FROM t INDEXED BY \(index)"
          + " ORDER BY \(columns), rowid);")
      let sorted = try database.run(
        "SELECT group_concat(rowid) FROM (SELECT rowid FROM t NOT INDEXED"
          + " ORDER BY \(columns), rowid);")
      #expect(viaIndex == sorted, "seed \(seed)")
    }
    try database.expectSoundThroughChanges(of: "t")
  }

  /// Names that share prefixes, some with zero bytes at their ends, some long.
  private static func name(using generator: inout SeededRandom) -> Value {
    let prefix = ["", "a", "IMG_", "a common prefix of more than one window "].randomElement(
      using: &generator)!
    var bytes = Array(prefix.utf8)
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: return .null
    case 1: bytes += [UInt8](repeating: 0, count: Int.random(in: 0...9, using: &generator))
    case 2:
      bytes += [UInt8](repeating: 120, count: Int.random(in: 0...6000, using: &generator))
      bytes += Array("\(generator.next() % 10)".utf8)
    default: bytes += Array(String(generator.next() % 500).utf8)
    }
    return Int.random(in: 0..<8, using: &generator) == 0 ? .blob(bytes) : .text(bytes)
  }

  @Test("Queries use the index and find the rows")
  func lookups() throws {
    let database = try Database(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, parent INTEGER, name TEXT NOT NULL);
      CREATE UNIQUE INDEX by_parent ON t(parent, name);
      """, pageSize: 512)
    var file = try PageLoader(path: FilePath(database.path))
    var table = try file.table("t")
    var index = try file.integerTextIndex("by_parent", memoryLimit: 1 << 30)
    for id in Int64(1)...100_000 {
      let parent = (id / 10 * 7919) % 10_007
      let name = Value.text(Array("name of \(id)".utf8))
      try table.append(id, [.null, .integer(parent), name])
      try index.append(parent, name, rowid: id)
    }
    try table.finish()
    #expect(try index.finish() == [])
    _ = try file.finish()
    try database.expectSound()
    let query = "SELECT id FROM t WHERE parent = \(7777 * 7919 % 10_007) AND name = 'name of 77777'"
    #expect(try database.run("EXPLAIN QUERY PLAN \(query);").contains("INDEX by_parent"))
    #expect(try database.run("\(query);") == "77777")
    let found = try database.run(
      "SELECT count(*) FROM t a JOIN t b ON b.parent = a.parent AND b.name = a.name;")
    #expect(found == "100000")
    #expect(
      try database.run("INSERT INTO t VALUES (NULL, \(7919 % 10_007), 'name of 10');")
        .contains("UNIQUE constraint failed"))
    try database.expectSoundThroughChanges(of: "t")
  }

  @Test("Trees of every small size are sound, whatever cells their last pages have")
  func everySize() throws {
    // On pages of 512 bytes with keys of about 90 bytes: 5 keys a leaf, a level ends after 30.
    for count in Array(1...80) + Array(190...230) {
      let database = try Database(
        "CREATE TABLE t (name TEXT UNIQUE);", pageSize: 512)
      var file = try PageLoader(path: FilePath(database.path))
      var table = try file.table("t")
      var index = try file.textIndex("sqlite_autoindex_t_1", memoryLimit: 1 << 20)
      for id in Int64(1)...Int64(count) {
        let number = Array("\(1_000_000 + id * 7919 % 6121)".utf8)
        let text = [UInt8](repeating: 120, count: 84) + number
        try table.append(id, [.text(text)])
        try index.append(Value.text(text), rowid: id)
      }
      try table.finish()
      _ = try index.finish()
      _ = try file.finish()
      let verdict = try database.run(
        "PRAGMA integrity_check; SELECT count(*) FROM (SELECT name FROM t ORDER BY name);")
      #expect(verdict == "ok\n\(count)", "\(count) rows")
    }
  }

  @Test(
    "Equal keys of a unique index are named, and deleting one of each pair makes it sound",
    arguments: [1 << 20, 60])
  func duplicates(memory: Int) throws {
    let database = try Database(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, parent INTEGER, name, size INTEGER UNIQUE);
      CREATE UNIQUE INDEX by_parent ON t(parent, name);
      """)
    var file = try PageLoader(path: FilePath(database.path))
    var table = try file.table("t")
    var byParent = try file.integerTextIndex("by_parent", memoryLimit: memory)
    var bySize = try file.integerIndex("sqlite_autoindex_t_1", memoryLimit: memory)
    let a = Value.text(Array("a".utf8))
    let rows: [(Int64?, Value, Int64?)] = [
      (1, a, 5), (1, .blob(Array("a".utf8)), 6), (2, a, nil), (1, a, nil), (nil, a, 7), (nil, a, 8),
      (1, .null, 9), (1, .null, 10), (1, a, 5),
    ]
    for (index, row) in rows.enumerated() {
      let id = Int64(index + 1)
      let parent = row.0.map { Value.integer($0) } ?? .null
      let size = row.2.map { Value.integer($0) } ?? .null
      try table.append(id, [.null, parent, row.1, size])
      try byParent.append(row.0, row.1, rowid: id)
      try bySize.append(row.2, rowid: id)
    }
    try table.finish()
    #expect(
      try byParent.finish() == [
        .init(rowid: 4, earlierRowid: 1), .init(rowid: 9, earlierRowid: 4),
      ])
    #expect(try bySize.finish() == [.init(rowid: 9, earlierRowid: 1)])
    _ = try file.finish()
    #expect(try database.run("PRAGMA integrity_check;").contains("non-unique"))
    try database.run("DELETE FROM t WHERE id IN (4, 9);")
    try database.expectSound()
  }

  @Test("An index of more keys than memory takes is sorted on the disk and leaves nothing there")
  func memoryLimit() throws {
    let database = try Database(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, parent INTEGER, name TEXT);
      CREATE UNIQUE INDEX by_parent ON t(parent, name);
      CREATE INDEX by_number ON t(parent);
      """)
    let directory = URL(filePath: database.path).deletingLastPathComponent()
    let before = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    var file = try PageLoader(path: FilePath(database.path))
    var table = try file.table("t")
    var byParent = try file.integerTextIndex("by_parent", memoryLimit: 50_000)
    var byNumber = try file.integerIndex("by_number", memoryLimit: 50_000)
    // Directories that are found again and again, so that every part has some of each; and one name
    // that is longer than all memory.
    for id in Int64(1)...20_000 {
      let length = id == 777 ? 100_000 : 0
      let name = Value.text(Array("name of \(id)".utf8) + [UInt8](repeating: 120, count: length))
      try table.append(id, [.null, .integer(id % 1000), name])
      try byParent.append(id % 1000, name, rowid: id)
      try byNumber.append(id % 1000, rowid: id)
    }
    try table.finish()
    #expect(try byParent.finish() == [])
    #expect(try byNumber.finish() == [])
    _ = try file.finish()
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == before)
    try database.expectSound()
    let query = "SELECT id FROM t WHERE parent = 234 AND name = 'name of 1234';"
    #expect(try database.run(query) == "1234")
    #expect(try database.run("SELECT count(*) FROM t WHERE parent = 234;") == "20")
    try database.expectSoundThroughChanges(of: "t")
  }
}
