/// Which byte of a number comes first.
enum ByteOrder: Sendable {
  case lowestFirst
  case highestFirst
}

/// Bytes that are read from front to back.
struct ByteCursor {
  let order: ByteOrder
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>, _ order: ByteOrder) {
    rest = bytes
    self.order = order
  }

  /// The number in the next bytes, eight at most; nought in none.
  mutating func number(_ width: Int) throws(FormatError) -> Int {
    let bytes = try take(width)
    let number =
      order == .highestFirst
      ? bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      : bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    // No length and no place in a file is that large.
    guard let number = Int(exactly: number) else { throw .endsEarly }
    return number
  }

  mutating func take(_ count: Int) throws(FormatError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= rest.count else { throw .endsEarly }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func skip(_ count: Int) throws(FormatError) {
    _ = try take(count)
  }

  /// The next four bytes, as a text such as formats give their parts for names.
  mutating func name() throws(FormatError) -> String {
    String(decoding: try take(4), as: UTF8.self)
  }
}

extension Collection<UInt8> {
  /// Whether it begins with a text in ASCII.
  func begins(with text: StaticString) -> Bool {
    text.withUTF8Buffer { starts(with: $0) }
  }

  /// A text up to the first NUL, without white space around it; `nil` if that leaves nothing.
  var trimmedText: String? {
    let bytes = prefix { $0 != 0 }
    return String(decoding: bytes, as: UTF8.self).trimmed
  }
}

extension String {
  /// Without white space around it, its lines joined, at most some hundred characters; `nil` if that leaves
  /// nothing.
  var trimmed: String? {
    let longest = 1000
    let words = split(maxSplits: longest, omittingEmptySubsequences: true) {
      $0.isWhitespace || $0.isNewline || $0.unicodeScalars.first?.value == 0
    }
    let text = words.joined(separator: " ").prefix(longest)
    return text.isEmpty ? nil : String(text)
  }
}
