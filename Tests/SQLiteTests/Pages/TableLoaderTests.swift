import SQLite
import SystemPackage
import TestSupport
import Testing

@Suite struct TableLoaderTests {
  @Test(
    "Random rows come back as they were written",
    arguments: [512, 4096, 16384, 65536], [0, 1, 7, 3000])
  func randomRows(pageSize: Int, count: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    var generator = SeededRandom(seed: seed)
    let database = try Database("CREATE TABLE t (a, b, c, d);", pageSize: pageSize)
    var expected: [String] = []
    var rowid: Int64 = count == 7 ? -3_000_000_000_000 : 0
    var file = try PageLoader(path: FilePath(database.path))
    var table = try file.table("t")
    for _ in 0..<count {
      rowid += Int64.random(in: 1...100, using: &generator)
      let values = (0..<4).map { _ in Value.random(using: &generator, longest: 6000) }
      try table.append(rowid, values)
      expected.append("\(rowid)|" + values.map(\.quoted).joined(separator: "|"))
    }
    #expect(table.count == count)
    try table.finish()
    try file.finish().synchronize()

    try database.expectSound()
    let columns = ["a", "b", "c", "d"].map {
      "CASE typeof(\($0)) WHEN 'real' THEN 'real ' || cast(\($0) * 3 AS INT) ELSE quote(\($0)) END"
    }
    let rows = try database.run("SELECT rowid, \(columns.joined(separator: ", ")) FROM t;")
      .split(separator: "\n").map { String($0) }
    #expect(rows.count == expected.count)
    for (row, line) in zip(rows, expected) where !line.contains("real") {
      #expect(row == line, "seed \(seed)")
      if row != line { break }
    }
    try database.expectSoundThroughChanges(of: "t")
  }

  @Test("Every width of integer, and the reals, are stored exactly", arguments: [512, 4096])
  func exactNumbers(pageSize: Int) throws {
    let database = try Database("CREATE TABLE t (a, b);", pageSize: pageSize)
    var integers: [Int64] = [0, 1, -1, 2, .min, .max]
    for bit in Int64(1)...62 {
      for value in [1 << bit, 1 << bit - 1, 1 << bit + 1] as [Int64] {
        integers += [value, -value]
      }
    }
    let reals = [0.1, -0.0, 1e300, -Double.leastNonzeroMagnitude, .infinity, .nan, 3]
    var file = try PageLoader(path: FilePath(database.path))
    var table = try file.table("T")
    for (index, integer) in integers.enumerated() {
      let real = reals[index % reals.count]
      try table.append(Int64(index + 1), [.integer(integer), .real(real)])
    }
    try table.finish()
    _ = try file.finish()

    try database.expectSound()
    let same = zip(1..., integers).map { index, integer in
      let real = reals[(index - 1) % reals.count]
      let literal = real.isNaN ? "NULL" : real.isInfinite ? "9e999" : "\(real)"
      // Not the literal of the least integer, which would be a real.
      let number = integer == .min ? "-9223372036854775807 - 1" : "\(integer)"
      return "(\(index), \(number), \(literal))"
    }
    let differing = try database.run(
      """
      WITH expected(id, a, b) AS (VALUES \(same.joined(separator: ", ")))
      SELECT count(*) FROM expected e JOIN t ON t.rowid = e.id
        WHERE t.a IS e.a AND typeof(t.a) = 'integer' AND t.b IS e.b;
      """)
    #expect(differing == "\(integers.count)")
  }

  @Test("A hundred thousand rows on small pages make a deep tree", arguments: [512, 4096])
  func deepTree(pageSize: Int) throws {
    let database = try Database(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b);", pageSize: pageSize)
    var file = try PageLoader(path: FilePath(database.path))
    var table = try file.table("t")
    let text = [UInt8](repeating: 120, count: 90)
    for id in Int64(1)...100_000 {
      try table.append(id * 1000, [.null, .integer(id), .text(Array(text.prefix(Int(id) % 90)))])
    }
    try table.finish()
    _ = try file.finish()
    try database.expectSound()
    let sums = try database.run(
      "SELECT count(*), sum(a), min(id), max(id), sum(length(b) = a % 90) FROM t;")
    #expect(sums == "100000|5000050000|1000|100000000|100000")
    #expect(try database.run("SELECT a FROM t WHERE id = 77777000;") == "77777")
    try database.expectSoundThroughChanges(of: "t")
  }

  @Test("Trees of every small size are sound, whatever cells their last pages have")
  func everySize() throws {
    // On pages of 512 bytes with 100-byte rows: 4 rows a leaf, levels end after about 170 rows.
    for count in Array(1...20) + Array(150...360) where count < 20 || count % 3 == 0 {
      let database = try Database("CREATE TABLE t (a);", pageSize: 512)
      var file = try PageLoader(path: FilePath(database.path))
      var table = try file.table("t")
      let text = [UInt8](repeating: 120, count: 100)
      for id in 1...count { try table.append(Int64(id) << 40, [.text(text)]) }
      try table.finish()
      _ = try file.finish()
      let verdict = try database.run("PRAGMA integrity_check; SELECT count(*) FROM t;")
      #expect(verdict == "ok\n\(count)", "\(count) rows")
    }
  }

  @Test("Payloads around the limits of a page get the right overflow chains")
  func overflowLimits() throws {
    for pageSize in [512, 1024, 65536] {
      let database = try Database("CREATE TABLE t (a);", pageSize: pageSize)
      var lengths: [Int] = []
      for center in [pageSize - 35, 2 * pageSize, 5 * pageSize] {
        lengths += (center - 60)...(center + 30)
      }
      var file = try PageLoader(path: FilePath(database.path))
      var table = try file.table("t")
      for (index, length) in lengths.enumerated() {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 % 251) }
        try table.append(Int64(index), [.blob(bytes)])
      }
      try table.append(1_000_000, [.blob([UInt8](repeating: 7, count: 3_000_000))])
      try table.finish()
      _ = try file.finish()
      try database.expectSound()
      let sizes = try database.run("SELECT length(a) FROM t WHERE rowid < 1000000;")
      #expect(sizes == lengths.map { "\($0)" }.joined(separator: "\n"))
      let last = lengths[lengths.count - 1]
      let tail = try database.run(
        "SELECT hex(substr(a, -2)) FROM t WHERE rowid = \(lengths.count - 1);")
      let expected = [(last - 2) % 251, (last - 1) % 251]
      #expect(tail == Value.blob(expected.map { UInt8($0) }).quoted.dropFirst(2).dropLast())
      try database.expectSoundThroughChanges(of: "t")
    }
  }

  @Test("Rows with very many columns have long headers")
  func manyColumns() throws {
    for count in [125, 126, 127, 128, 1000, 2000] {
      let columns = (0..<count).map { "c\($0)" }.joined(separator: ", ")
      let database = try Database("CREATE TABLE t (\(columns));")
      var file = try PageLoader(path: FilePath(database.path))
      var table = try file.table("t")
      for id in Int64(1)...5 {
        try table.append(id, (0..<count).map { .integer(Int64($0) * id * 1_000_000_007) })
      }
      try table.finish()
      _ = try file.finish()
      try database.expectSound()
      let last = try database.run("SELECT c0, c\(count - 1) FROM t WHERE rowid = 5;")
      #expect(last == "0|\((count - 1) * 5 * 1_000_000_007)")
    }
  }

  @Test("Several tables grow at once beside one that SQL filled")
  func severalTables() throws {
    let database = try Database(
      """
      CREATE TABLE a (x); CREATE TABLE b (x); CREATE TABLE c (x);
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO c SELECT hex(randomblob(50)) FROM n;
      """)
    var file = try PageLoader(path: FilePath(database.path))
    var first = try file.table("a")
    var second = try file.table("b")
    for id in Int64(1)...50_000 {
      try first.append(id, [.text(Array("first \(id)".utf8))])
      if id % 3 == 0 { try second.append(id, [.text(Array("second \(id)".utf8))]) }
    }
    try first.finish()
    try second.finish()
    _ = try file.finish()
    try database.expectSound()
    let counts = try database.run(
      """
      SELECT (SELECT count(*) FROM a WHERE x = 'first ' || rowid),
        (SELECT count(*) FROM b WHERE x = 'second ' || rowid), (SELECT count(*) FROM c);
      """)
    #expect(counts == "50000|16666|5000")
  }
}
