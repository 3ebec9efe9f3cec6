import TestSupport

@testable import Parquet

/// A table of random values with what is hard about them: extremes, runs at the borders of groups, texts
/// of all kinds, columns without any value.
struct RandomTable {
  private enum Value: Equatable {
    case none
    case word(Int64)
    case text([UInt8])
  }

  private var random: SeededRandom
  let columns: [ParquetColumn]
  private let rows: [[Value]]
  private let options: ParquetWriter.Options

  private static let types: [ParquetColumn.ValueType] = [
    .boolean, .int32, .int64, .double, .string, .binary,
  ]

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    var options = ParquetWriter.Options()
    options.creator = "filecat version 0.0.0"
    options.metadata = [("seed", "\(seed)")]
    let count: Int
    switch seed {
    case 0: count = 0
    case 1: count = 1
    case 2: count = 131_072 + 1
    default:
      // Borders of pages and row groups that come soon.
      options.pageRows = [7, 8, 100, 1000].randomElement(using: &random) ?? 8
      options.rowGroupRows = options.pageRows * (1 + random.below(4)) + random.below(3)
      count = options.rowGroupRows * random.below(3) + random.below(options.pageRows) + 1
    }
    self.options = options
    // Many rows have few columns.
    columns =
      count > 100_000
      ? [ParquetColumn("int64_o", .int64), ParquetColumn("string_r", .string, .required)]
      : Self.types.flatMap { type in
        [ParquetColumn("\(type)_r", type, .required), ParquetColumn("\(type)_o", type)]
      }
    var rows: [[Value]] = []
    for column in columns { rows.append(Self.values(of: column, count, &random)) }
    self.rows = rows
  }

  private static func values(
    of column: ParquetColumn, _ count: Int, _ random: inout SeededRandom
  ) -> [Value] {
    let nullPercent = [0, 5, 50, 100].randomElement(using: &random) ?? 0
    let poolCount = [1, 2, 3, 300].randomElement(using: &random) ?? 1
    let pool = (0..<poolCount).map { _ in value(of: column.type, &random) }
    let style = random.below(4)
    var last = Int64.random(in: -1000...1000, using: &random)
    var values: [Value] = []
    while values.count < count {
      if column.presence == .optional, random.below(100) < nullPercent {
        values += Array(repeating: Value.none, count: 1 + random.below(3))
        continue
      }
      switch (style, column.type) {
      case (0, _):
        // Runs around the length of a group.
        let length = [7, 8, 9].randomElement(using: &random) ?? 8
        values += Array(repeating: pool.randomElement(using: &random) ?? .none, count: length)
      case (1, .int32), (1, .int64):
        last += Int64(random.below(100))
        values.append(.word(last))
      case (2, _): values.append(pool.randomElement(using: &random) ?? .none)
      default: values.append(value(of: column.type, &random))
      }
    }
    return Array(values.prefix(count))
  }

  private static func value(
    of type: ParquetColumn.ValueType, _ random: inout SeededRandom
  ) -> Value {
    switch type {
    case .boolean: return .word(Int64(random.below(2)))
    case .int32:
      let any = Int32(truncatingIfNeeded: random.next())
      return .word(Int64([.min, .max, 0, -1, any, any].randomElement(using: &random) ?? 0))
    case .int64:
      let any = Int64(bitPattern: random.next())
      return .word([.min, .max, 0, -1, any, any].randomElement(using: &random) ?? 0)
    case .double:
      let any = Double(Int64(bitPattern: random.next())) / 1000
      let doubles = [
        0, -0.0, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, any, any, any, any,
      ]
      let value = doubles.randomElement(using: &random) ?? 0
      return .word(Int64(bitPattern: value.bitPattern))
    case .string:
      let pieces = ["", "a", "ä", "e\u{301}", "🙂", "\u{FFFD}", "\n", "/usr/share/", "\u{10FFFF}"]
      let count = [0, 1, 3, 3, 40].randomElement(using: &random) ?? 1
      let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      return .text(Array(text.utf8))
    case .binary:
      let count = [0, 1, 4, 4, 100].randomElement(using: &random) ?? 1
      return .text(
        (0..<count).map { _ in
          [0, 0xFF, UInt8(random.below(256))].randomElement(using: &random) ?? 0
        })
    }
  }

  /// The bytes of the file.
  mutating func file() throws -> [UInt8] {
    var bytes: [UInt8] = []
    var writer = try ParquetWriter(columns, options: options) { bytes += $0 }
    var batch = RowBatch(columns)
    var start = 0
    let count = rows[0].count
    repeat {
      let end = min(count, start + 1 + random.below(3000))
      batch.removeAll()
      for (index, values) in rows.enumerated() {
        for value in values[start..<end] {
          switch value {
          case .none: batch.columns[index].appendNull()
          case .word(let word): batch.columns[index].append(word)
          case .text(let text): text.withUnsafeBytes { batch.columns[index].append($0) }
          }
        }
      }
      try writer.write(batch)
      start = end
    } while start < count
    try writer.finish()
    return bytes
  }

  var count: Int { rows[0].count }

  /// The first difference between the rows and those that are read from a file; `nil` without one.
  func difference(from file: ParquetFile) throws -> String? {
    var reader = try ParquetReader(file, columns: Array(columns.indices))
    var first = 0
    while try reader.next() {
      for (index, values) in reader.rows.columns.enumerated() {
        for row in 0..<reader.rows.count
        where first + row >= count || Self.value(values, row) != rows[index][first + row] {
          return "row \(first + row) of \(columns[index].name)"
        }
      }
      first += reader.rows.count
    }
    return first == count ? nil : "\(first) rows"
  }

  private static func value(_ values: ParquetValues, _ row: Int) -> Value {
    guard values.hasValue(row) else { return .none }
    guard values.column.type.isText else { return values.integer(row).map { .word($0) } ?? .none }
    return values.text(row).map { .text(Array(values.bytes[$0])) } ?? .none
  }

  /// The same as JSON: for each column its values, numbers as such, doubles as their bits, texts in
  /// hexadecimal digits.
  var oracle: String {
    let columns = zip(columns, rows).map { column, values in
      let list = values.map { value in
        switch value {
        case .none: "null"
        case .word(let word): "\(word)"
        case .text(let text): "\"\(Self.hexadecimal(text))\""
        }
      }
      return "\"\(column.name)\":[\(list.joined(separator: ","))]"
    }
    return """
      {"row_group":\(options.rowGroupRows),"metadata":"\(options.metadata[0].value)",
      "columns":{\(columns.joined(separator: ",\n"))}}
      """
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
