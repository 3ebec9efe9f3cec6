/// How cells look to programs, in CSV and TSV and as numbers in JSON.
enum MachineCells {
  /// Appends the value of a cell: numbers in full, text as raw bytes, nothing for null.
  static func append(_ cell: Cell, timeUnit: Column.TimeUnit, to bytes: inout [UInt8]) {
    switch cell {
    case .null: break
    case .integer(let value), .count(let value), .byteCount(let value):
      Digits.append(value, to: &bytes)
    case .real(let value): bytes.append(contentsOf: value.description.utf8)
    case .boolean(let value): bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
    case .text(let text): bytes.append(contentsOf: text)
    case .timestamp(let value): Digits.append(timestamp(value, in: timeUnit), to: &bytes)
    case .duration(let value): appendSeconds(nanoseconds: value, to: &bytes)
    case .list(let cells):
      for (index, cell) in cells.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        append(cell, timeUnit: timeUnit, to: &bytes)
      }
    }
  }

  /// A moment in the unit of its column.
  static func timestamp(_ nanoseconds: Int64, in unit: Column.TimeUnit) -> Int64 {
    switch unit {
    case .nanoseconds: nanoseconds
    case .seconds: nanoseconds.flooredQuotient(by: 1_000_000_000)
    }
  }

  /// Appends seconds with as many decimals as it takes to be exact: `1.25`.
  static func appendSeconds(nanoseconds: Int64, to bytes: inout [UInt8]) {
    if nanoseconds < 0 { bytes.append(UInt8(ascii: "-")) }
    let (seconds, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    Digits.append(seconds, to: &bytes)
    guard rest > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    Digits.append(rest, width: 9, to: &bytes)
    while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
  }
}
