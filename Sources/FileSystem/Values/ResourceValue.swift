/// A further value of an entry, as it is stored and as SQL sees it.
///
/// Values of several kinds may be stored under one key. In order, numbers come first, by their size,
/// then texts and then bytes, both by their bytes.
public enum ResourceValue: Sendable, Hashable {
  /// A whole number.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// Text, in UTF-8 where it is stored.
  case text(String)
  /// Bytes without a meaning for SQL.
  case bytes([UInt8])
}

extension ResourceValue {
  /// The whole number; `nil` for anything else.
  public var integer: Int64? {
    guard case .integer(let value) = self else { return nil }
    return value
  }

  /// The number, of a whole one the nearest that there is; `nil` for anything else.
  public var real: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .text, .bytes: nil
    }
  }

  /// The text; `nil` for anything else.
  public var text: String? {
    guard case .text(let value) = self else { return nil }
    return value
  }

  /// The bytes; `nil` for anything else, text among it.
  public var bytes: [UInt8]? {
    guard case .bytes(let value) = self else { return nil }
    return value
  }
}
