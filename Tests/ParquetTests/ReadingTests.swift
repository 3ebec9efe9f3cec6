import TestSupport
import Testing

@testable import Parquet

/// What our own reader makes of files: of sound ones, and of those that anybody has made.
@Suite("Reading files of Parquet")
struct ReadingTests {
  private struct TooShort: Error {}

  private func file(_ bytes: [UInt8]) throws -> ParquetFile {
    try ParquetFile(size: Int64(bytes.count)) { offset, memory in
      guard offset >= 0, Int(offset) <= bytes.count - memory.count else { throw TooShort() }
      memory.copyBytes(from: bytes[Int(offset)..<Int(offset) + memory.count])
    }
  }

  @Test("gives back value by value what was written", arguments: 0..<64 as Range<UInt64>)
  func roundTrips(seed: UInt64) throws {
    var table = RandomTable(seed: seed)
    let read = try file(try table.file())
    #expect(try table.difference(from: read) == nil, "seed \(seed)")
    #expect(read.columns == table.columns && read.rowCount == Int64(table.count), "seed \(seed)")
    #expect(read.metadata.map(\.key) == ["seed"] && read.metadata.map(\.value) == ["\(seed)"])
  }

  @Test("reads the columns that are wanted, in the order in which they are")
  func selection() throws {
    let columns = [
      ParquetColumn("a", .int64), ParquetColumn("b", .string), ParquetColumn("c", .int64),
    ]
    var bytes: [UInt8] = []
    var writer = try ParquetWriter(columns) { bytes += $0 }
    var batch = RowBatch(columns)
    for number in 0..<5000 as Range<Int64> {
      batch.columns[0].append(number)
      batch.columns[1].appendNull()
      if number % 3 == 0 { batch.columns[2].appendNull() } else { batch.columns[2].append(-number) }
    }
    try writer.write(batch)
    try writer.finish()
    let read = try file(bytes)
    #expect(read.column("c") == 2 && read.column("d") == nil)
    var reader = try ParquetReader(read, columns: [2, 0])
    var next: Int64 = 0
    while try reader.next() {
      for row in 0..<reader.rows.count {
        #expect(reader.rows.columns[1].integer(row) == next)
        #expect(reader.rows.columns[0].integer(row) == (next % 3 == 0 ? nil : -next))
        next += 1
      }
    }
    #expect(next == 5000)
    #expect(try !reader.next())
  }

  /// What a damaged file is read as: an error, or the rows as they were.
  private func expectSound(
    _ bytes: [UInt8], _ table: RandomTable, _ place: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    do {
      let read = try file(bytes)
      let difference = try table.difference(from: read)
      #expect(difference == nil, "\(place)", sourceLocation: sourceLocation)
    } catch let error as ParquetError {
      #expect(!error.description.contains("\n"), sourceLocation: sourceLocation)
    } catch {
      Issue.record("\(place): \(error)", sourceLocation: sourceLocation)
    }
  }

  @Test(
    "refuses a file in which a bit has flipped, or reads what it was",
    arguments: 3..<27 as Range<UInt64>)
  func flips(seed: UInt64) throws {
    var table = RandomTable(seed: seed)
    let bytes = try table.file()
    var random = SeededRandom(seed: seed)
    for _ in 0..<300 {
      var damaged = bytes
      let count = [1, 1, 1, 2, 8][random.below(5)]
      var places: [String] = []
      for _ in 0..<count {
        // Most in the footer, which has no checksum.
        let place =
          random.below(3) == 0
          ? random.below(bytes.count) : bytes.count - 1 - random.below(min(bytes.count, 4000))
        let bit = random.below(8)
        damaged[place] ^= 1 << UInt8(bit)
        places.append("\(place).\(bit)")
      }
      expectSound(damaged, table, "seed \(seed), flipped \(places)")
    }
  }

  @Test(
    "refuses a file that ends too early, or has something behind it",
    arguments: 0..<8 as Range<UInt64>)
  func truncations(seed: UInt64) throws {
    var table = RandomTable(seed: seed == 2 ? 100 : seed)
    let bytes = try table.file()
    var random = SeededRandom(seed: seed)
    let lengths =
      Array(0...16) + (bytes.count - 16..<bytes.count)
      + (0..<100).map { _ in random.below(bytes.count) }
    for length in lengths {
      #expect(throws: ParquetError.self, "\(length)") { _ = try file(Array(bytes.prefix(length))) }
    }
    #expect(throws: ParquetError.self) { _ = try file(bytes + [0]) }
    #expect(throws: ParquetError.self) { _ = try file(bytes + bytes) }
    // The end of one file behind the beginning of another.
    let other = try table.file()
    #expect(throws: ParquetError.self) { _ = try file(Array(bytes.prefix(4)) + other.dropFirst(5)) }
  }

  @Test(
    "refuses bytes that are none of Parquet, whatever they are", arguments: 0..<200 as Range<UInt64>
  )
  func noise(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var bytes = (0..<random.below(400)).map { _ in
      [0, 0xFF, 0x15, 0x1C, 0x19, UInt8(random.below(256))][random.below(6)]
    }
    // Framed as such a file is, so that what is inside is read.
    let length = UInt32(bytes.count)
    bytes = Array("PAR1".utf8) + bytes
    for place in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: length >> UInt32(8 * place))) }
    bytes += "PAR1".utf8
    #expect(throws: ParquetError.self, "seed \(seed)") { _ = try file(bytes) }
  }

  @Test("takes numbers that would be lengths for what they are")
  func hostileLengths() throws {
    // Runs of 2^62 numbers, groups of 2^60, blocks without an end.
    for bytes in [
      [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1],
      [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1],
      [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], [], [0], [3],
    ] as [[UInt8]] {
      let padded = bytes + Array(repeating: 0, count: BitPacking.padding)
      try padded.withUnsafeBytes { padded in
        var numbers = Array(repeating: 0 as UInt32, count: 100)
        var runs = try RunReader(0..<bytes.count, width: 7)
        try numbers.withUnsafeMutableBufferPointer { numbers in
          let base = try #require(numbers.baseAddress)
          do {
            try runs.read(100, from: padded, into: base)
            // A run so long is one that there may be: rows end it.
            #expect(!runs.isAtEnd)
          } catch {
            #expect(error is PageFault)
          }
        }
      }
    }
    #expect(throws: PageFault.self) { _ = try RunReader(0..<4, width: 0) }
    #expect(throws: PageFault.self) { _ = try RunReader(0..<4, width: 33) }
  }
}
