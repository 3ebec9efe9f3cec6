/// Text that a terminal can show as it is: valid UTF-8 without control characters, with its width.
public struct DisplayText: Sendable, Equatable {
  /// The text in UTF-8.
  public private(set) var bytes: [UInt8]

  /// The columns that it takes.
  public private(set) var width: Int

  /// The text of bytes that may be anything.
  ///
  /// Control characters become escapes such as `\n` and `\u{1b}`; what is not UTF-8 becomes
  /// U+FFFD.
  public init(escaping raw: UnsafeRawBufferPointer) {
    if raw.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
      self.init(verified: Array(raw), width: raw.count)
      return
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(raw.count + 16)
    var index = 0
    while index < raw.count {
      let step = UTF8Step(raw, at: index)
      if !step.isValid {
        bytes.append(contentsOf: UTF8Step.replacement)
      } else if ControlCharacters.contains(step.scalar) {
        ControlCharacters.appendEscape(step.scalar, to: &bytes)
      } else {
        bytes.append(contentsOf: raw[index..<index + step.length])
      }
      index += step.length
    }
    self.init(
      verified: bytes, width: DisplayWidth.of(String(decoding: bytes, as: UTF8.self)))
  }

  /// The text of bytes that may be anything.
  public init(escaping bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { DisplayText(escaping: $0) }
  }

  /// The text of a string, with its control characters escaped.
  public init(_ string: String) {
    self.init(escaping: Array(string.utf8))
  }

  /// Bytes that are known to be fit for a terminal, with their width.
  init(verified bytes: [UInt8], width: Int) {
    self.bytes = bytes
    self.width = width
  }

  /// Printable ASCII, where a byte is a column.
  init(ascii bytes: [UInt8]) {
    self.init(verified: bytes, width: bytes.count)
  }

  /// The text as a string.
  public var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Appends other text.
  mutating func append(_ other: DisplayText) {
    bytes.append(contentsOf: other.bytes)
    // Marks at the start of the other text may join the end of this one, so the sum could be
    // wrong for all but ASCII.
    width =
      other.bytes.first.map { $0 < 0x80 } ?? true
      ? width + other.width : DisplayWidth.of(string)
  }
}

extension DisplayText: ExpressibleByStringInterpolation {
  /// The text of a string, with its control characters escaped.
  public init(stringLiteral value: String) {
    self.init(value)
  }
}
