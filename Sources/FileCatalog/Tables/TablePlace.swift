internal import CatalogStore
internal import Console
internal import SQLite

/// Where a row stands in an order: the values that it is compared by, which outlast the row.
struct TablePlace: Sendable, Hashable {
  /// A value as SQLite has it.
  enum Value: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    /// The bytes of a TEXT, which need not be UTF-8.
    case text([UInt8])
    case blob([UInt8])
  }

  let values: [Value]

  /// The condition that a row of `_entry_rows` stands behind it.
  ///
  /// - Returns: `nil` where it is no place in the order.
  func isBehind(in order: SortOrder) -> SQL? {
    let comparisons = order.comparisons()
    guard comparisons.count == values.count else { return nil }
    var equal: [SQL] = []
    var behind: [SQL] = []
    for (comparison, value) in zip(comparisons, values) {
      behind.append(.joined((equal + [comparison.isBehind(value)])[...], by: "AND"))
      equal.append(comparison.isEqual(to: value))
    }
    return .joined(behind[...], by: "OR")
  }
}

extension SortOrder.Comparison {
  /// The value for an operator: some are made by operators themselves.
  private var operand: String { "(\(value))" }

  /// The condition that a row stands behind one that has another value. NULL is the smallest, or the last.
  fileprivate func isBehind(_ other: TablePlace.Value) -> SQL {
    let isNullLast = direction == .descending || missing == .last
    if other == .null { return isNullLast ? SQL("0") : SQL("\(operand) IS NOT NULL") }
    let isBehind = SQL("\(operand) \(direction == .ascending ? ">" : "<") ") + other.sql
    return isNullLast ? SQL("(") + isBehind + SQL(" OR \(operand) IS NULL)") : isBehind
  }

  fileprivate func isEqual(to other: TablePlace.Value) -> SQL { SQL("\(operand) IS ") + other.sql }
}

extension TablePlace.Value {
  /// The value as it stands in a condition. It has no affinity, so no value of a row is taken for a text that
  /// is none (sqlite.org/datatype3.html, 4.2).
  var sql: SQL {
    switch self {
    case .null: SQL("NULL")
    case .integer(let value): SQL("?", [.integer(value)])
    case .real(let value): SQL("?", [.real(value)])
    case .text(let bytes): SQL("+CAST(? AS TEXT)", [.blob(bytes)])
    case .blob(let bytes): SQL("?", [.blob(bytes)])
    }
  }

  init(_ row: Row, _ column: Int32) {
    self =
      switch row.storageClass(column) {
      case .null: .null
      case .integer: .integer(row.integer(column))
      case .real: .real(row.real(column))
      case .text: .text(Array(row.bytes(column)))
      case .blob: .blob(Array(row.bytes(column)))
      }
  }
}

// MARK: - Text

extension TablePlace: CustomStringConvertible {
  /// The values behind each other, each with a letter for its class; bytes are Base64.
  var description: String { values.map(\.description).joined(separator: ",") }

  /// `nil` for anything else.
  init?(parsing text: some StringProtocol) {
    var values: [Value] = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let value = Value(parsing: item) else { return nil }
      values.append(value)
    }
    self.values = values
  }
}

extension TablePlace.Value: CustomStringConvertible {
  var description: String {
    switch self {
    case .null: "n"
    case .integer(let value): "i\(value)"
    case .real(let value): "r\(value.bitPattern)"
    case .text(let bytes): "t" + Base64.encode(unpadded: bytes)
    case .blob(let bytes): "b" + Base64.encode(unpadded: bytes)
    }
  }

  fileprivate init?(parsing text: some StringProtocol) {
    let rest = String(text.dropFirst())
    let value: Self? =
      switch text.first {
      case "n" where rest.isEmpty: .null
      case "i": Int64(rest).map { .integer($0) }
      case "r": UInt64(rest).map { .real(Double(bitPattern: $0)) }
      case "t": Base64.decode(rest).map { .text($0) }
      case "b": Base64.decode(rest).map { .blob($0) }
      default: nil
      }
    guard let value else { return nil }
    self = value
  }
}
