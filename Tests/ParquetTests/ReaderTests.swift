import SystemPackage
import TestSupport
import TestTraits
import Testing

@testable import Parquet

/// What programs of others make of files of all kinds, and what the files say of themselves.
@Suite("Files of Parquet")
struct ReaderTests {
  @Test(
    "are read back value by value by pyarrow, DuckDB and chdb", .feature("P-43"),
    .enabled(if: Clients.areInstalled, "Scripts/setup-tests has not installed the clients"))
  func readers() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    for seed in 0..<60 as Range<UInt64> {
      var table = RandomTable(seed: seed)
      let name = seed < 10 ? "0\(seed)" : "\(seed)"
      try directory.write(try table.file(), to: FilePath("\(name).parquet"))
      try directory.write(table.oracle, to: FilePath("\(name).json"))
    }
    let run = try CommandRunner(Clients.python).run([
      Clients.script("parquet.py"), directory.path.string,
    ])
    #expect(run.status == 0 && run.text == "60 files\n", "\(run.text)\(run.errors)")
  }

  @Test("are the same for the same rows", arguments: 0..<8 as Range<UInt64>)
  func repeatable(seed: UInt64) throws {
    var table = RandomTable(seed: seed)
    var again = RandomTable(seed: seed)
    #expect(try table.file() == again.file(), "seed \(seed)")
  }

  @Test("begin and end as the specification says, and tell how long the footer is")
  func frame() throws {
    var bytes: [UInt8] = []
    var options = ParquetWriter.Options()
    options.metadata = [("key", "a value")]
    let writer = try ParquetWriter([ParquetColumn("a", .int64)], options: options) { bytes += $0 }
    try writer.finish()
    #expect(bytes.starts(with: "PAR1".utf8) && bytes.suffix(4).elementsEqual("PAR1".utf8))
    let length = bytes.dropLast(4).suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    #expect(length == bytes.count - 12)
    #expect(bytes.indices.contains { bytes[$0...].starts(with: "a value".utf8) })
  }

  @Test(
    "are refused without columns, and with two of one name",
    arguments: [[], [ParquetColumn("a", .int64), ParquetColumn("a", .string)]])
  func schema(_ columns: [ParquetColumn]) {
    #expect(throws: ParquetError.invalidSchema) { _ = try ParquetWriter(columns) { _ in } }
  }

  @Test("are not made of rows in which a value is missing, or has another type")
  func values() throws {
    let columns = [ParquetColumn("a", .int32), ParquetColumn("b", .string, .required)]
    for fault in 0..<5 {
      var writer = try ParquetWriter(columns) { _ in }
      var batch = RowBatch(columns)
      batch.columns[0].append(fault == 0 ? Int64.max : 1)
      if fault == 1 {
        batch.columns[1].appendNull()
      } else if fault == 2 {
        batch.columns[1].append(true)
      } else if fault != 3 {
        batch.columns[1].append(UnsafeRawBufferPointer(start: nil, count: 0))
      }
      if fault == 4 {
        try writer.write(batch)
      } else {
        let name = fault == 0 ? "a" : "b"
        do {
          try writer.write(batch)
          Issue.record("\(fault)")
        } catch {
          #expect(error as? ParquetError == .unequalColumns(name: name))
        }
      }
    }
  }

  @Test("take no more memory than a row group, however long values are")
  func boundedRowGroups() throws {
    let columns = [ParquetColumn("a", .binary)]
    var random = SeededRandom(seed: 1)
    var count = 0
    var options = ParquetWriter.Options()
    options.rowGroupBytes = 1 << 20
    var longest = 0
    var writer = try ParquetWriter(columns, options: options) {
      count += $0.count
      longest = max(longest, $0.count)
    }
    var batch = RowBatch(columns)
    for _ in 0..<8 {
      batch.removeAll()
      for _ in 0..<16 {
        let text = (0..<4096).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
        text.withUnsafeBytes { batch.columns[0].append($0) }
      }
      try writer.write(batch)
    }
    try writer.finish()
    #expect(count > 4 << 20 && longest < 2 << 20)
  }
}
