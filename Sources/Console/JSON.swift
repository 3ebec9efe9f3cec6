/// Writes one JSON value piece by piece, with the commas where they belong.
///
/// ```swift
/// var json = JSONWriter()
/// json.object { json in
///   json.member("root", "/home")
///   json.key("tags")
///   json.array { $0.string("a") }
/// }
/// // {"root":"/home","tags":["a"]}
/// ```
package struct JSONWriter: Sendable {
  /// What has been written.
  package private(set) var bytes: [UInt8] = []

  /// Whether a value stands before this place in the same array or object.
  private var followsValue = false

  /// A writer that has written nothing.
  package init() {}

  /// What has been written, as text.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Writes an object; the closure writes its members.
  package mutating func object<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
    try nest("{", "}", body)
  }

  /// Writes an array; the closure writes its elements.
  package mutating func array<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
    try nest("[", "]", body)
  }

  /// Writes the key of the member whose value is written next.
  package mutating func key(_ name: String) {
    separate()
    JSONText.appendString(Array(name.utf8), to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    followsValue = false
  }

  /// Writes a member of an object.
  package mutating func member(
    _ name: String, _ value: Cell, timeUnit: Column.TimeUnit = .seconds
  ) {
    key(name)
    cell(value, timeUnit: timeUnit)
  }

  /// Writes a string.
  package mutating func string(_ value: String) {
    string(bytes: Array(value.utf8))
  }

  /// Writes a string whose bytes need not be UTF-8; those that are not become U+FFFD.
  package mutating func string(bytes value: [UInt8]) {
    separate()
    JSONText.appendString(value, to: &bytes)
  }

  /// Writes a whole number.
  package mutating func integer(_ value: Int64) {
    separate()
    Digits.append(value, to: &bytes)
  }

  /// Writes a number, or null for infinity and what is not a number.
  package mutating func real(_ value: Double) {
    separate()
    JSONText.appendNumber(value, to: &bytes)
  }

  /// Writes true or false.
  package mutating func boolean(_ value: Bool) {
    separate()
    bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
  }

  /// Writes null.
  package mutating func null() {
    separate()
    bytes.append(contentsOf: "null".utf8)
  }

  /// Writes the value of a cell.
  package mutating func cell(_ value: Cell, timeUnit: Column.TimeUnit = .seconds) {
    separate()
    JSONRows.append(value, timeUnit: timeUnit, to: &bytes)
  }

  /// Writes a row of a table as an object.
  package mutating func row(_ cells: [Cell], of rows: JSONRows) {
    separate()
    rows.append(cells, to: &bytes)
  }

  private mutating func nest<E: Error>(
    _ open: Unicode.Scalar,
    _ close: Unicode.Scalar,
    _ body: (inout JSONWriter) throws(E) -> Void
  ) throws(E) {
    separate()
    bytes.append(UInt8(ascii: open))
    followsValue = false
    try body(&self)
    bytes.append(UInt8(ascii: close))
    followsValue = true
  }

  private mutating func separate() {
    if followsValue { bytes.append(UInt8(ascii: ",")) }
    followsValue = true
  }
}

/// Rows as JSON objects, one a line.
package struct JSONRows: Sendable {
  private struct Key {
    /// The name in quotes, with the colon.
    var name: [UInt8]
    /// The same for the raw bytes of text that is not UTF-8.
    var base64: [UInt8]?
    var timeUnit: Column.TimeUnit
  }

  private let keys: [Key]

  /// Rows with these columns.
  package init(columns: [Column]) {
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
  package func append(_ row: [Cell], to bytes: inout [UInt8]) {
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

/// The scalars of JSON (RFC 8259), appended to a buffer.
enum JSONText {
  /// Whether a string in JSON says all that its bytes said.
  enum Fidelity {
    /// The bytes were UTF-8.
    case exact
    /// Some were not, and were replaced.
    case repaired
  }

  /// Appends a string with its quotes. What is not UTF-8 becomes U+FFFD.
  ///
  /// Beyond what the format asks for, all control characters are escaped, so that the output can
  /// be looked at on a terminal.
  @discardableResult
  static func appendString(
    _ raw: UnsafeRawBufferPointer, to bytes: inout [UInt8]
  ) -> Fidelity {
    var fidelity = Fidelity.exact
    bytes.append(quote)
    var index = 0
    var copied = 0
    while index < raw.count {
      let byte = raw[index]
      if byte >= 0x20, byte < 0x7F, byte != quote, byte != backslash {
        index += 1
        continue
      }
      let step = UTF8Step(raw, at: index)
      if step.isValid, byte != quote, byte != backslash,
        !ControlCharacters.contains(step.scalar)
      {
        index += step.length
        continue
      }
      // Everything up to here stands as it is, and is copied in one piece.
      bytes.append(contentsOf: raw[copied..<index])
      if step.isValid {
        appendEscape(step.scalar, to: &bytes)
      } else {
        bytes.append(contentsOf: UTF8Step.replacement)
        fidelity = .repaired
      }
      index += step.length
      copied = index
    }
    bytes.append(contentsOf: raw[copied...])
    bytes.append(quote)
    return fidelity
  }

  /// Appends a string with its quotes.
  @discardableResult
  static func appendString(_ raw: [UInt8], to bytes: inout [UInt8]) -> Fidelity {
    raw.withUnsafeBytes { appendString($0, to: &bytes) }
  }

  /// Appends a number, or null for what JSON has no number for.
  static func appendNumber(_ value: Double, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: value.isFinite ? value.description.utf8 : "null".utf8)
  }

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")
  private static let hexadecimal = Array("0123456789abcdef".utf8)

  private static func appendEscape(_ scalar: UInt32, to bytes: inout [UInt8]) {
    bytes.append(backslash)
    switch scalar {
    case UInt32(quote): bytes.append(quote)
    case UInt32(backslash): bytes.append(backslash)
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    default:
      // All characters that are escaped lie in the basic plane: four digits are enough.
      bytes.append(UInt8(ascii: "u"))
      for shift in stride(from: UInt32(12), through: 0, by: -4) {
        bytes.append(hexadecimal[Int(scalar >> shift & 0xF)])
      }
    }
  }
}

/// Base64 as in RFC 4648, section 4: the usual alphabet, with padding.
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Appends the encoding of bytes.
  package static func append(_ raw: [UInt8], to bytes: inout [UInt8]) {
    for start in stride(from: 0, to: raw.count, by: 3) {
      let group = raw[start..<min(start + 3, raw.count)]
      var bits: UInt32 = 0
      for byte in group { bits = bits << 8 | UInt32(byte) }
      bits <<= 8 * UInt32(3 - group.count)
      for position in 0..<4 {
        let index = Int(bits >> UInt32(18 - 6 * position)) & 0x3F
        // Each byte of the group gives one character more than it has bytes.
        bytes.append(position <= group.count ? alphabet[index] : UInt8(ascii: "="))
      }
    }
  }

  /// The encoding of bytes without the padding, for what is typed and pasted.
  package static func encode(unpadded raw: some Sequence<UInt8>) -> String {
    var digits: [UInt8] = []
    append(Array(raw), to: &digits)
    return String(decoding: digits.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
  }

  /// The bytes of an encoding without padding; `nil` for anything else.
  package static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var pending: (bits: UInt32, count: Int) = (0, 0)
    for character in text.utf8 {
      guard let digit = alphabet.firstIndex(of: character) else { return nil }
      pending = (pending.bits << 6 | UInt32(digit), pending.count + 6)
      guard pending.count >= 8 else { continue }
      pending.count -= 8
      bytes.append(UInt8(truncatingIfNeeded: pending.bits >> UInt32(pending.count)))
    }
    return pending.count < 6 ? bytes : nil
  }
}
