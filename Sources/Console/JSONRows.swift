/// Rows as JSON objects, one a line.
struct JSONRows: Sendable {
  private struct Key {
    /// The name in quotes, with the colon.
    var name: [UInt8]
    /// The same for the raw bytes of text that is not UTF-8.
    var base64: [UInt8]?
    var timeUnit: Column.TimeUnit
  }

  private let keys: [Key]

  init(columns: [Column]) {
    var taken: Set<String> = []
    let names = columns.map { Self.claim($0.name, in: &taken) }
    keys = zip(columns, names).map { column, name in
      Key(
        name: Self.encoded(name),
        base64: column.base64Key.map { Self.encoded(Self.claim($0, in: &taken)) },
        timeUnit: column.timeUnit)
    }
  }

  /// Appends the object of a row.
  func append(_ row: [Cell], to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "{"))
    for (index, key) in keys.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: key.name)
      let cell = index < row.count ? row[index] : .null
      guard case .text(let raw) = cell else {
        Self.append(cell, timeUnit: key.timeUnit, to: &bytes)
        continue
      }
      let fidelity = JSONText.appendString(raw, to: &bytes)
      if fidelity == .repaired, let base64 = key.base64 {
        bytes.append(UInt8(ascii: ","))
        bytes.append(contentsOf: base64)
        bytes.append(UInt8(ascii: "\""))
        Base64.append(raw, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
      }
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// Appends the value of a cell.
  static func append(_ cell: Cell, timeUnit: Column.TimeUnit, to bytes: inout [UInt8]) {
    switch cell {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .text(let raw): JSONText.appendString(raw, to: &bytes)
    case .real(let value): JSONText.appendNumber(value, to: &bytes)
    case .list(let cells):
      bytes.append(UInt8(ascii: "["))
      for (index, cell) in cells.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        append(cell, timeUnit: timeUnit, to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .integer, .count, .boolean, .byteCount, .timestamp, .duration:
      MachineCells.append(cell, timeUnit: timeUnit, to: &bytes)
    }
  }

  /// The name, with a number behind it when a column before has it already.
  ///
  /// A query may name two columns alike, but readers of JSON lose one of two equal keys.
  private static func claim(_ name: String, in taken: inout Set<String>) -> String {
    var candidate = name
    var number = 2
    while !taken.insert(candidate).inserted {
      candidate = "\(name)_\(number)"
      number += 1
    }
    return candidate
  }

  private static func encoded(_ name: String) -> [UInt8] {
    var bytes: [UInt8] = []
    JSONText.appendString(Array(name.utf8), to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    return bytes
  }
}
