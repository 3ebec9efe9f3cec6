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
public struct JSONWriter: Sendable {
  /// What has been written.
  public private(set) var bytes: [UInt8] = []

  /// Whether a value stands before this place in the same array or object.
  private var followsValue = false

  /// A writer that has written nothing.
  public init() {}

  /// What has been written, as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Writes an object; the closure writes its members.
  public mutating func object<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
    try nest("{", "}", body)
  }

  /// Writes an array; the closure writes its elements.
  public mutating func array<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
    try nest("[", "]", body)
  }

  /// Writes the key of the member whose value is written next.
  public mutating func key(_ name: String) {
    separate()
    JSONText.appendString(Array(name.utf8), to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    followsValue = false
  }

  /// Writes a member of an object.
  public mutating func member(
    _ name: String, _ value: Cell, timeUnit: Column.TimeUnit = .seconds
  ) {
    key(name)
    cell(value, timeUnit: timeUnit)
  }

  /// Writes a string.
  public mutating func string(_ value: String) {
    string(bytes: Array(value.utf8))
  }

  /// Writes a string whose bytes need not be UTF-8; those that are not become U+FFFD.
  public mutating func string(bytes value: [UInt8]) {
    separate()
    JSONText.appendString(value, to: &bytes)
  }

  /// Writes a whole number.
  public mutating func integer(_ value: Int64) {
    separate()
    Digits.append(value, to: &bytes)
  }

  /// Writes a number, or null for infinity and what is not a number.
  public mutating func real(_ value: Double) {
    separate()
    JSONText.appendNumber(value, to: &bytes)
  }

  /// Writes true or false.
  public mutating func boolean(_ value: Bool) {
    separate()
    bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
  }

  /// Writes null.
  public mutating func null() {
    separate()
    bytes.append(contentsOf: "null".utf8)
  }

  /// Writes the value of a cell.
  public mutating func cell(_ value: Cell, timeUnit: Column.TimeUnit = .seconds) {
    separate()
    JSONRows.append(value, timeUnit: timeUnit, to: &bytes)
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
