/// The value of one field of a row.
///
/// A cell says what a value is; the format decides how it looks. Tables show sizes and dates as
/// people read them, the formats for machines give the number.
public enum Cell: Sendable, Equatable {
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
  public static func text(_ text: String) -> Cell {
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
  public init(stringLiteral value: String) {
    self = .text(value)
  }

  /// A plain number.
  public init(integerLiteral value: Int64) {
    self = .integer(value)
  }
}
