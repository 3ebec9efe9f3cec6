internal import FileSystem
internal import SystemPackage

/// What a provider says of a file, as bytes from the process that it works in to the one that asks.
///
/// Numbers have their lowest byte first. The other process has read what anybody may have written: nothing
/// in its answer is taken for granted.
struct ContentAnswer {
  let outcome: Result<[String: ResourceValue], ContentFailure>

  private enum Kind: UInt8 {
    case values
    case unreadable
    case malformed
    case unavailable
    case unstorable
  }

  private enum Form: UInt8 {
    case integer
    case real
    case text
    case bytes
  }

  init(_ outcome: Result<[String: ResourceValue], ContentFailure>) {
    self.outcome = outcome
  }

  // MARK: - Writing

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    switch outcome {
    case .success(let values):
      bytes.append(Kind.values.rawValue)
      Self.append(UInt64(values.count), to: &bytes)
      for (key, value) in values {
        Self.append(Array(key.utf8), to: &bytes)
        Self.append(value, to: &bytes)
      }
    case .failure(.unreadable(let error)):
      bytes.append(Kind.unreadable.rawValue)
      Self.append(UInt64(bitPattern: Int64(error.rawValue)), to: &bytes)
    case .failure(.unavailable(let reason)):
      bytes.append(Kind.unavailable.rawValue)
      Self.append(Array(reason.utf8), to: &bytes)
    case .failure(.unstorable):
      bytes.append(Kind.unstorable.rawValue)
    case .failure(let failure):
      bytes.append(Kind.malformed.rawValue)
      Self.append(Array(failure.description.utf8), to: &bytes)
    }
    return bytes
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  private static func append(_ text: [UInt8], to bytes: inout [UInt8]) {
    append(UInt64(text.count), to: &bytes)
    bytes += text
  }

  private static func append(_ value: ResourceValue, to bytes: inout [UInt8]) {
    switch value {
    case .integer(let number):
      bytes.append(Form.integer.rawValue)
      append(UInt64(bitPattern: number), to: &bytes)
    case .real(let number):
      bytes.append(Form.real.rawValue)
      append(number.bitPattern, to: &bytes)
    case .text(let text):
      bytes.append(Form.text.rawValue)
      append(Array(text.utf8), to: &bytes)
    case .bytes(let content):
      bytes.append(Form.bytes.rawValue)
      append(content, to: &bytes)
    }
  }

  // MARK: - Reading

  /// - Returns: `nil` for bytes that are no answer.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    switch rest.popFirst().flatMap(Kind.init) {
    case .values:
      guard let count = Self.number(&rest) else { return nil }
      var values: [String: ResourceValue] = [:]
      // Each takes some bytes, so a number that is not true ends soon.
      for _ in 0..<count {
        guard let key = Self.text(&rest).flatMap({ String(validating: $0, as: UTF8.self) }),
          let value = Self.value(&rest)
        else { return nil }
        values[key] = value
      }
      outcome = .success(values)
    case .unreadable:
      guard let code = Self.number(&rest) else { return nil }
      outcome = .failure(.unreadable(Errno(rawValue: CInt(truncatingIfNeeded: code))))
    case .malformed:
      guard let reason = Self.reason(&rest) else { return nil }
      outcome = .failure(.malformed(reason))
    case .unavailable:
      guard let reason = Self.reason(&rest) else { return nil }
      outcome = .failure(.unavailable(reason))
    case .unstorable:
      outcome = .failure(.unstorable)
    case nil:
      return nil
    }
    guard rest.isEmpty else { return nil }
  }

  private static func number(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    guard bytes.count >= 8 else { return nil }
    defer { bytes = bytes.dropFirst(8) }
    return bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func text(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let count = number(&bytes), count <= UInt64(bytes.count) else { return nil }
    defer { bytes = bytes.dropFirst(Int(count)) }
    return bytes.prefix(Int(count))
  }

  private static func reason(_ bytes: inout ArraySlice<UInt8>) -> String? {
    text(&bytes).map { String(decoding: $0.prefix(1000), as: UTF8.self) }
  }

  private static func value(_ bytes: inout ArraySlice<UInt8>) -> ResourceValue? {
    switch bytes.popFirst().flatMap(Form.init) {
    case .integer: number(&bytes).map { .integer(Int64(bitPattern: $0)) }
    case .real: number(&bytes).map { .real(Double(bitPattern: $0)) }
    case .text: text(&bytes).map { .text(String(decoding: $0, as: UTF8.self)) }
    case .bytes: text(&bytes).map { .bytes(Array($0)) }
    case nil: nil
    }
  }
}
