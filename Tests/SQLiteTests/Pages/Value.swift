import SQLite
import TestSupport

/// A value as the tests make and expect it.
enum Value: Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])

  static func random(
    using generator: inout SeededRandom, longest: Int
  ) -> Value {
    func bytes(_ range: ClosedRange<UInt8>) -> [UInt8] {
      let limit = Int.random(in: 0..<20, using: &generator) == 0 ? longest : 40
      let count = Int.random(in: 0...min(limit, longest), using: &generator)
      return (0..<count).map { _ in UInt8.random(in: range, using: &generator) }
    }
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return .null
    case 1: return .real(Double(generator.integer()) / 3)
    case 2, 3: return .text(bytes(97...122))
    case 4: return .blob(bytes(0...255))
    default: return .integer(generator.integer())
    }
  }

  /// What SQL's `quote` gives.
  var quoted: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): "real \(String(value.bitPattern, radix: 16))"
    case .text(let bytes): "'\(String(decoding: bytes, as: UTF8.self))'"
    case .blob(let bytes): "X'\(bytes.map { Self.hex($0) }.joined())'"
    }
  }

  private static func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count == 1 ? "0" + digits : digits
  }
}

extension TableLoader {
  mutating func append(_ rowid: Int64, _ values: [Value]) throws {
    try begin(rowid)
    for value in values {
      switch value {
      case .null: null()
      case .integer(let value): integer(value)
      case .real(let value): real(value)
      case .text(let bytes): bytes.withUnsafeBufferPointer { text($0) }
      case .blob(let bytes): bytes.withUnsafeBufferPointer { blob($0) }
      }
    }
    try end()
  }
}

extension TextIndexLoader {
  mutating func append(_ value: Value, rowid: Int64) throws {
    try append(nil, value, rowid: rowid)
  }

  mutating func append(_ integer: Int64?, _ value: Value, rowid: Int64) throws {
    switch value {
    case .text(let bytes):
      try bytes.withUnsafeBufferPointer { try append(integer, .text($0), rowid: rowid) }
    case .blob(let bytes):
      try bytes.withUnsafeBufferPointer { try append(integer, .blob($0), rowid: rowid) }
    default:
      try append(integer, KeyBytes.null, rowid: rowid)
    }
  }
}
