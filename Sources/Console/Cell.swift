/// The value of one field of a row.
///
/// A cell says what a value is; the format decides how it looks. Tables show sizes and dates as
/// people read them, the formats for machines give the number.
package enum Cell: Sendable, Equatable {
  /// No value.
  case null
  /// A number that is not an amount, such as an identifier: never grouped.
  case integer(Int64)
  /// A number of things, with grouped digits in tables.
  case count(Int64)
  /// A floating-point number. What JSON cannot say (infinity, not a number) becomes null there.
  case real(Double)
  /// Yes or no.
  case boolean(Bool)
  /// Bytes that should be UTF-8 but, as in names of files, need not be.
  case text(bytes: [UInt8])
  /// A number of bytes.
  case byteCount(Int64)
  /// Nanoseconds since 1970-01-01 00:00 UTC. Machines get ``Column/timeUnit``.
  case timestamp(nanoseconds: Int64)
  /// A span of time in nanoseconds. Machines get seconds, with as many decimals as it takes.
  case duration(nanoseconds: Int64)
  /// Several values: an array in JSON, joined by commas elsewhere.
  case list([Cell])

  /// A cell of text.
  package static func text(_ text: String) -> Cell {
    .text(bytes: Array(text.utf8))
  }

  /// Whether the cell belongs to the right edge of its column.
  var isNumeric: Bool {
    switch self {
    case .integer, .count, .real, .byteCount, .duration: true
    case .null, .boolean, .text, .timestamp, .list: false
    }
  }
}

extension Cell: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// A cell of text.
  package init(stringLiteral value: String) {
    self = .text(value)
  }

  /// A plain number.
  package init(integerLiteral value: Int64) {
    self = .integer(value)
  }
}

extension Cell {
  /// The value as tables show it to people.
  package var shown: DisplayText { HumanCells(sizes: .human, timeZone: .local).text(self) }
}

/// How cells look to people, in tables.
struct HumanCells: Sendable {
  var sizes: SizeStyle
  var timeZone: DisplayTimeZone

  /// The text of a cell.
  func text(_ cell: Cell) -> DisplayText {
    switch cell {
    case .text(let bytes): return DisplayText(escaping: bytes)
    case .list(let cells): return joined(cells)
    default:
      var bytes: [UInt8] = []
      append(cell, to: &bytes)
      // The sign of a microsecond is the one character here beyond ASCII.
      return DisplayText(escaping: bytes)
    }
  }

  private func append(_ cell: Cell, to bytes: inout [UInt8]) {
    switch cell {
    case .null, .text, .list: break
    case .integer(let value): Digits.append(value, to: &bytes)
    case .count(let value): CountText(value).append(to: &bytes)
    case .real(let value): bytes.append(contentsOf: value.description.utf8)
    case .boolean(let value): bytes.append(contentsOf: value ? "yes".utf8 : "no".utf8)
    case .byteCount(let value): ByteCountText(value, style: sizes).append(to: &bytes)
    case .timestamp(let value):
      DateText(nanoseconds: value, timeZone: timeZone).append(to: &bytes)
    case .duration(let value): DurationText(nanoseconds: value).append(to: &bytes)
    }
  }

  private func joined(_ cells: [Cell]) -> DisplayText {
    var result = DisplayText(ascii: [])
    for (index, cell) in cells.enumerated() {
      if index > 0 { result.append(", ") }
      result.append(text(cell))
    }
    return result
  }
}

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
