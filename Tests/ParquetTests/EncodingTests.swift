import TestSupport
import Testing

@testable import Parquet

/// The bytes of `Encodings.md` and of the compact protocol, and what a reader makes of them.
@Suite("Encodings of Parquet")
struct EncodingTests {
  private func packed(_ values: [UInt64], width: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    BitPacking.append(values, width: width, to: &bytes)
    return bytes
  }

  private func runs(_ values: [UInt32], width: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    values.withUnsafeBufferPointer { HybridRuns.append($0, width: width, to: &bytes) }
    return bytes
  }

  private func deltas<Integer: FixedWidthInteger & SignedInteger>(
    _ values: [Integer]
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    values.map { Int64($0) }.withUnsafeBufferPointer {
      DeltaPacking.append($0, as: Integer.self, to: &bytes)
    }
    return bytes
  }

  @Test(
    "packs bits as the specification shows",
    arguments: [
      (Array(0...7), 3, [0x88, 0xC6, 0xFA]),
      ([1, 0, 1], 1, [0b101]),
      ([0xABC, 0xDEF], 12, [0xBC, 0xFA, 0xDE]),
      ([.max, 1], 64, Array(repeating: 0xFF, count: 8) + [1, 0, 0, 0, 0, 0, 0, 0]),
      ([1 << 62, 1], 63, [0, 0, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0]),
      ([5, 6], 0, []),
    ] as [([UInt64], Int, [UInt8])])
  func bitPacking(_ values: [UInt64], _ width: Int, _ expected: [UInt8]) {
    #expect(packed(values, width: width) == expected)
  }

  @Test(
    "tells runs apart from numbers that are packed",
    arguments: [
      (Array(0...7), 3, [0x03, 0x88, 0xC6, 0xFA]),
      (Array(repeating: 4, count: 100), 3, [0xC8, 0x01, 0x04]),
      (Array(repeating: 300, count: 8), 9, [0x10, 0x2C, 0x01]),
      // One less than a group is packed, and what is missing is 0.
      (Array(repeating: 1, count: 7), 1, [0x03, 0x7F]),
      // The run gives the group before it what that lacks.
      ([0] + Array(repeating: 1, count: 15), 1, [0x03, 0xFE, 0x10, 0x01]),
      ([], 1, []),
    ] as [([UInt32], Int, [UInt8])])
  func hybrid(_ values: [UInt32], _ width: Int, _ expected: [UInt8]) {
    #expect(runs(values, width: width) == expected)
  }

  @Test(
    "writes the differences of numbers",
    arguments: [
      ([1, 2, 3, 4, 5], [0x80, 0x01, 4, 5, 2, 2, 0, 0, 0, 0]),
      (
        [7, 5, 3, 1, 2, 3, 4, 5],
        [0x80, 0x01, 4, 8, 14, 3, 2, 0, 0, 0, 0xC0, 0x3F, 0, 0, 0, 0, 0, 0]
      ),
      ([], [0x80, 0x01, 4, 0, 0]), ([-1], [0x80, 0x01, 4, 1, 1]),
    ] as [([Int64], [UInt8])])
  func delta(_ values: [Int64], _ expected: [UInt8]) {
    #expect(deltas(values) == expected)
  }

  @Test(
    "writes structs in the compact protocol",
    arguments: [
      (1, 150, [0x15, 0xAC, 0x02, 0]), (15, -1, [0xF5, 0x01, 0]), (16, 1, [0x05, 0x20, 0x02, 0]),
    ] as [(Int16, Int32, [UInt8])])
  func thrift(_ field: Int16, _ value: Int32, _ expected: [UInt8]) {
    var thrift = ThriftWriter()
    thrift.structure { $0.field(field, value) }
    #expect(thrift.bytes == expected)
  }

  @Test("writes long lists, and structs in structs")
  func lists() {
    var thrift = ThriftWriter()
    thrift.structure { thrift in
      thrift.field(2, listOf: Array(repeating: 1 as Int32, count: 15))
      thrift.field(3) { $0.field(9, true) }
      thrift.field(4, "é".utf8)
    }
    #expect(
      thrift.bytes == [0x29, 0xF5, 15] + Array(repeating: 2, count: 15)
        + [0x1C, 0x91, 0, 0x18, 2, 0xC3, 0xA9, 0])
  }

  /// Numbers with runs of 7, 8 and 9, at the borders of groups and blocks.
  private func numbers(_ random: inout SeededRandom, below limit: UInt64) -> [UInt64] {
    var numbers: [UInt64] = []
    let count = [0, 1, 7, 8, 9, 31, 32, 33, 127, 128, 129, 130, 1000].randomElement(using: &random)
    while numbers.count < count ?? 0 {
      let value = UInt64.random(in: 0...limit, using: &random)
      let length = [1, 1, 2, 7, 8, 9, 40].randomElement(using: &random) ?? 1
      numbers += Array(repeating: value, count: length)
    }
    return Array(numbers.prefix(count ?? 0))
  }

  @Test("gives back any numbers", arguments: 0..<200 as Range<UInt64>)
  func roundTrips(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let width = random.below(32) + 1
    let indices = numbers(&random, below: UInt64.max >> UInt64(64 - width)).map { UInt32($0) }
    var reader = BitReader(runs(indices, width: width))
    #expect(reader.hybrid(count: indices.count, width: width) == indices, "seed \(seed)")
    #expect(reader.isAtEnd, "seed \(seed)")

    let greatest: UInt64 = [1, 1000, UInt64(UInt32.max), .max].randomElement(using: &random) ?? 1
    let wide = numbers(&random, below: greatest).map { Int64(bitPattern: $0) }
    reader = BitReader(deltas(wide))
    #expect(reader.deltas(as: Int64.self) == wide, "seed \(seed)")
    #expect(reader.isAtEnd, "seed \(seed)")

    let narrow = wide.map { Int32(truncatingIfNeeded: $0) }
    reader = BitReader(deltas(narrow))
    #expect(reader.deltas(as: Int32.self) == narrow, "seed \(seed)")
    #expect(reader.isAtEnd && reader.greatestWidth <= 32, "seed \(seed)")
  }

  @Test(
    "bounds long texts from below and above",
    arguments: [
      ("short", "short", "short"),
      (String(repeating: "x", count: 65), String(repeating: "x", count: 64), Self.x63 + "y"),
      // A character is never cut in two, and only a byte of ASCII is made greater.
      (Self.x63 + "éé", x63, String(repeating: "x", count: 62) + "y"),
      ("z" + String(repeating: "é", count: 40), "z" + String(repeating: "é", count: 31), "{"),
      (String(repeating: "🙂", count: 40), String(repeating: "🙂", count: 16), nil),
      ("\u{7F}" + String(repeating: "🙂", count: 40), nil, nil),
    ] as [(String, String?, String?)])
  func bounds(_ text: String, _ lower: String?, _ upper: String?) {
    let statistics = ColumnStatistics(.string)
    if let lower { #expect(statistics.lowerBound(of: Array(text.utf8)) == Array(lower.utf8)) }
    #expect(statistics.upperBound(of: Array(text.utf8)) == upper.map { Array($0.utf8) })
  }

  private static let x63 = String(repeating: "x", count: 63)

  @Test("bounds long bytes, whatever they are")
  func boundsOfBytes() {
    let statistics = ColumnStatistics(.binary)
    let text = [1, 0xFE] + Array(repeating: 0xFF as UInt8, count: 70)
    #expect(statistics.lowerBound(of: text) == Array(text.prefix(64)))
    #expect(statistics.upperBound(of: text) == [1, 0xFF])
    #expect(statistics.upperBound(of: Array(text.dropFirst(2))) == nil)
  }
}
