import Foundation
import SQLite
import SystemPackage
import TestSupport

/// A database with a write-ahead log, a table and indexes of all kinds that can be loaded.
final class LiveDatabase {
  private let directory: TemporaryDirectory
  let path: FilePath
  let db: Connection

  /// The file is not such that pages can be appended.
  struct NoPages: Error {}

  /// Where appending may fail.
  enum Place {
    case loading
    case completing
  }

  init(pageSize: Int) throws {
    directory = try TemporaryDirectory()
    path = directory("live.sqlite")
    db = try Connection(path: path, .create)
    try db.execute(
      """
      PRAGMA page_size = \(pageSize);
      PRAGMA journal_mode = WAL;
      PRAGMA secure_delete = OFF;
      CREATE TABLE t (
        id INTEGER PRIMARY KEY, parent INTEGER, name, size INTEGER, a INTEGER, b INTEGER);
      CREATE INDEX by_parent ON t(parent, name);
      CREATE INDEX by_name ON t(name);
      CREATE INDEX by_size ON t(size);
      CREATE INDEX by_four ON t(a, b, size, parent) WHERE a > 0;
      CREATE TABLE filler (content);
      CREATE TABLE log (round INTEGER);
      INSERT INTO log VALUES (-1);
      """)
  }

  deinit {
    try? db.close()
    directory.remove()
  }

  func insert(_ rows: [LiveRow]) throws {
    try db.transaction(.immediate) {
      let insert = try db.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)")
      for row in rows {
        insert.bind(row.id, at: 1)
        insert.bind(row.parent, at: 2)
        switch row.name {
        case .text(let bytes): insert.bind(String(decoding: bytes, as: UTF8.self), at: 3)
        case .blob(let bytes): insert.bindBlob(bytes, at: 3)
        default: insert.bindNull(at: 3)
        }
        insert.bind(row.size, at: 4)
        insert.bind(row.a, at: 5)
        insert.bind(row.b, at: 6)
        try insert.run()
      }
      try db.execute("INSERT INTO log SELECT max(round) + 1 FROM log")
    }
  }

  /// Appends rows as pages, with a row of another table in the same transaction.
  func append(
    _ rows: [LiveRow], memory: Int, at reached: (Place) throws -> Void = { _ in }
  ) throws {
    if rows.isEmpty { return try insert([]) }
    try db.transaction { file -> Loading<Int, Void> in
      guard let file else { throw NoPages() }
      // Is taken back, and has pages of its own until then.
      try db.execute("INSERT INTO log SELECT 1000 FROM t; DELETE FROM filler")
      var pages = try PageLoader(file)
      var table = try pages.table("t")
      var byParent = try pages.integerTextIndex("by_parent", memoryLimit: memory)
      var byName = try pages.textIndex("by_name", memoryLimit: memory)
      var bySize = try pages.integerIndex("by_size", memoryLimit: memory)
      var byFour = try pages.integersIndex("by_four", memoryLimit: memory)
      for row in rows {
        try table.append(
          row.id,
          [
            .null, row.parent.map { .integer($0) } ?? .null, row.name,
            row.size.map { .integer($0) } ?? .null, .integer(row.a), .integer(row.b),
          ])
        try byParent.append(row.parent, row.name, rowid: row.id)
        try byName.append(row.name, rowid: row.id)
        try bySize.append(row.size, rowid: row.id)
        if row.a > 0, let size = row.size, let parent = row.parent {
          try KeyBytes.withIntegers(row.a, row.b, size, parent) {
            try byFour.append($0, rowid: row.id)
          }
        }
      }
      try table.finish()
      _ = try byParent.finish()
      _ = try byName.finish()
      _ = try bySize.finish()
      _ = try byFour.finish()
      let graft = try pages.graft()
      try reached(.loading)
      return .appended(graft, rows.count)
    } completing: { (_: Int) in
      try db.execute("INSERT INTO log SELECT max(round) + 1 FROM log")
      try reached(.completing)
    }
  }

  /// Changes that fill and use the list of free pages.
  func change(_ round: Int) throws {
    try db.execute(
      """
      DELETE FROM t WHERE id % 7 = \(round % 7) AND id % 3 = 1;
      UPDATE t SET size = size / 2 WHERE id % 11 = \(round % 11);
      """)
    switch round % 4 {
    case 0: try db.execute("INSERT INTO filler VALUES (zeroblob(300000))")
    case 2: try db.execute("DELETE FROM filler")
    default: break
    }
  }

  func verdict() throws -> String {
    let other = try Connection(path: path, .readOnly)
    for db in [db, other] {
      let verdict = try db.first("PRAGMA integrity_check") { $0.text(0) } ?? "nothing"
      if verdict != "ok" { return verdict }
    }
    return "ok"
  }

  /// All rows, and the rows in the order of each index.
  func content() throws -> [String] {
    let other = try Connection(path: path, .readOnly)
    let orders = ["id", "parent, name, id", "name, id", "size, id"]
    var content = try orders.map { order in
      try other.first(
        SQL("SELECT group_concat(id) FROM (SELECT id FROM t ORDER BY \(order))")
      ) { $0.text(0) } ?? ""
    }
    content.append(
      try other.first(
        "SELECT group_concat(id) FROM (SELECT id FROM t WHERE a > 0 ORDER BY a, b, size, parent, id)"
      ) { $0.text(0) } ?? "")
    try other.forEach("SELECT id, parent, hex(name), typeof(name), size, a, b FROM t") { row in
      content.append((Int32(0)..<7).map { row.text($0) }.joined(separator: "|"))
    }
    return content
  }

  func fileSize() throws -> Int {
    try Int(FileManager.default.attributesOfItem(atPath: path.string)[.size] as? Int ?? 0)
  }
}

struct LiveRow {
  let id: Int64
  let parent: Int64?
  let name: Value
  let size: Int64?
  let a: Int64
  let b: Int64

  init(_ id: Int64, using generator: inout SeededRandom) {
    self.id = id
    let kind = Int.random(in: 0..<20, using: &generator)
    a = Int64.random(in: -2...3, using: &generator)
    b = generator.integer()
    // What an index of four integers holds has no NULL.
    parent = kind == 0 && a <= 0 ? nil : Int64.random(in: max(1, id - 40)...id, using: &generator)
    size =
      kind == 1 && a <= 0
      ? nil : kind < 10 ? Int64.random(in: -3...9, using: &generator) : generator.integer()
    var bytes = Array("name \(generator.next() % 5000)".utf8)
    if kind == 2 {
      bytes += [UInt8](repeating: 120, count: Int.random(in: 0...7000, using: &generator))
    }
    name = kind == 3 ? .null : kind == 4 ? .blob(bytes) : .text(bytes)
  }
}
