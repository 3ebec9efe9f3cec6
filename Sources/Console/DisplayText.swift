/// Text that a terminal can show as it is: valid UTF-8 without control characters, with its width.
package struct DisplayText: Sendable, Equatable {
  /// The text in UTF-8.
  package private(set) var bytes: [UInt8]

  /// The columns that it takes.
  package private(set) var width: Int

  /// What bytes that are not UTF-8 become.
  package enum FaultyBytes: Sendable {
    /// U+FFFD.
    case replaced
    /// Their numbers: `\xff`.
    case escaped
  }

  /// The text of bytes that may be anything.
  ///
  /// Control characters become escapes such as `\n` and `\u{1b}`.
  package init(escaping raw: UnsafeRawBufferPointer, faultyBytes: FaultyBytes = .replaced) {
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
        switch faultyBytes {
        case .replaced: bytes.append(contentsOf: UTF8Step.replacement)
        case .escaped:
          for byte in raw[index..<index + step.length] {
            bytes.append(contentsOf: "\\x\(String(byte, radix: 16))".utf8)
          }
        }
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
  package init(escaping bytes: [UInt8], faultyBytes: FaultyBytes = .replaced) {
    self = bytes.withUnsafeBytes { DisplayText(escaping: $0, faultyBytes: faultyBytes) }
  }

  /// The text of a string, with its control characters escaped.
  package init(_ string: String) {
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
  package var string: String { String(decoding: bytes, as: UTF8.self) }

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

extension DisplayText: CustomStringConvertible {
  /// The text as a string.
  package var description: String { string }
}

extension DisplayText: ExpressibleByStringInterpolation {
  /// The text of a string, with its control characters escaped; also those of what is put into it.
  package init(stringLiteral value: String) {
    self.init(value)
  }
}

extension DisplayText {
  /// The text cut down to a number of columns, with `…` in place of what is left out.
  ///
  /// The result is never wider than `limit`, but may be narrower by one column where a wide
  /// character did not fit. Characters are kept or left out as a whole.
  ///
  /// - Complexity: O(n) in the length of the text.
  package func shortened(to limit: Int, _ shortening: Column.Shortening) -> DisplayText {
    guard width > limit else { return self }
    guard limit > 0 else { return DisplayText(ascii: []) }
    let pieces = Pieces(self)
    let room = limit - 1
    let tailRoom: Int
    switch shortening {
    case .never, .atEnd, .wrapped: tailRoom = 0
    case .inMiddle: tailRoom = Self.tailRoom(of: pieces, in: room)
    }
    let tail = pieces.suffix(tailRoom)
    let head = pieces.prefix(room - tail.width)
    return DisplayText(
      verified: Array(bytes[..<head.end]) + Self.ellipsis + bytes[tail.start...],
      width: head.width + 1 + tail.width)
  }

  /// The text in lines of so many columns, broken at spaces. A word that is longer has a line of its
  /// own, in full.
  func wrapped(to limit: Int) -> [DisplayText] {
    guard width > limit else { return [self] }
    var lines: [DisplayText] = []
    for word in bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
      let word = DisplayText(escaping: Array(word))
      if let last = lines.last, last.width + 1 + word.width <= limit {
        lines[lines.count - 1].append(" ")
        lines[lines.count - 1].append(word)
      } else {
        lines.append(word)
      }
    }
    return lines
  }

  /// `…`, which takes one column.
  private static let ellipsis = Array("…".utf8)

  /// How much of the room the end of the text gets when the middle is left out.
  ///
  /// Half of it; but the last component of a path says most, so it stays whole if it fits.
  private static func tailRoom(of pieces: Pieces, in room: Int) -> Int {
    let half = room / 2
    guard let component = pieces.widthOfLastComponent, component <= room else { return half }
    return max(half, component)
  }
}

/// The characters of a text: where each begins, and how wide it is.
private struct Pieces {
  private var starts: [Int] = []
  private var widths: [Int] = []
  private let text: DisplayText

  init(_ text: DisplayText) {
    self.text = text
    starts.reserveCapacity(text.bytes.count)
    widths.reserveCapacity(text.bytes.count)
    var offset = 0
    for character in text.string {
      starts.append(offset)
      widths.append(DisplayWidth.of(character))
      offset += character.utf8.count
    }
  }

  /// The longest beginning that fits: the byte after it, and its width.
  func prefix(_ room: Int) -> (end: Int, width: Int) {
    var width = 0
    for index in widths.indices {
      guard width + widths[index] <= room else { return (starts[index], width) }
      width += widths[index]
    }
    return (text.bytes.count, width)
  }

  /// The longest end that fits: its first byte, and its width.
  func suffix(_ room: Int) -> (start: Int, width: Int) {
    var width = 0
    var start = text.bytes.count
    for index in widths.indices.reversed() {
      guard width + widths[index] <= room else { break }
      // A mark of no width would join the ellipsis; it only comes along with its base.
      width += widths[index]
      if widths[index] > 0 { start = starts[index] }
    }
    return (start, width)
  }

  /// The columns from the last slash on, or `nil` when there is none or nothing follows it.
  var widthOfLastComponent: Int? {
    var width = 0
    for index in widths.indices.reversed() {
      width += widths[index]
      if text.bytes[starts[index]] == UInt8(ascii: "/") { return width > 1 ? width : nil }
    }
    return nil
  }
}

/// The characters that a terminal may obey rather than show.
enum ControlCharacters {
  /// Whether a scalar moves the cursor, breaks the line or reorders the text around it.
  ///
  /// These are the C0 and C1 controls, the line and paragraph separators, and the controls of
  /// the bidirectional algorithm, with which `gpj.exe` can be made to read `exe.jpg`.
  static func contains(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x00...0x1F, 0x7F...0x9F: true
    case 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Appends the scalar as people know it from source code: `\n`, `\u{1b}`.
  ///
  /// Backslashes that were in the text are left alone: this is for reading, not for parsing.
  static func appendEscape(_ scalar: UInt32, to bytes: inout [UInt8]) {
    switch scalar {
    case 0x09: bytes.append(contentsOf: "\\t".utf8)
    case 0x0A: bytes.append(contentsOf: "\\n".utf8)
    case 0x0D: bytes.append(contentsOf: "\\r".utf8)
    default:
      bytes.append(contentsOf: "\\u{".utf8)
      bytes.append(contentsOf: String(scalar, radix: 16).utf8)
      bytes.append(UInt8(ascii: "}"))
    }
  }
}

/// One step through bytes that should be UTF-8: a scalar, or a run that cannot be one.
///
/// A faulty run is a "maximal subpart" as the Unicode Standard (section 3.9) recommends, so that
/// each run becomes one U+FFFD, exactly as in `String(decoding:as:)`. Unlike a string, a step
/// needs no memory and can tell a faulty run from a U+FFFD that was in the text.
struct UTF8Step {
  /// The scalar, or U+FFFD for a faulty run.
  var scalar: UInt32
  /// How many bytes the step covers; at least one.
  var length: Int
  /// Whether the bytes are the scalar's.
  var isValid: Bool

  /// The step that begins at an index of `bytes`.
  init(_ bytes: UnsafeRawBufferPointer, at index: Int) {
    let lead = bytes[index]
    // The first continuation byte has a narrower range after some lead bytes: it keeps out
    // overlong forms, surrogates and what lies above U+10FFFF.
    let continuation: (count: Int, first: ClosedRange<UInt8>)
    switch lead {
    case 0x00...0x7F:
      self.init(scalar: UInt32(lead), length: 1, isValid: true)
      return
    case 0xC2...0xDF: continuation = (1, 0x80...0xBF)
    case 0xE0: continuation = (2, 0xA0...0xBF)
    case 0xED: continuation = (2, 0x80...0x9F)
    case 0xE1...0xEF: continuation = (2, 0x80...0xBF)
    case 0xF0: continuation = (3, 0x90...0xBF)
    case 0xF1...0xF3: continuation = (3, 0x80...0xBF)
    case 0xF4: continuation = (3, 0x80...0x8F)
    default:
      self.init(scalar: 0xFFFD, length: 1, isValid: false)
      return
    }
    var value = UInt32(lead) & (0x3F >> UInt32(continuation.count))
    for offset in 1...continuation.count {
      let range = offset == 1 ? continuation.first : 0x80...0xBF
      guard index + offset < bytes.count, range.contains(bytes[index + offset]) else {
        self.init(scalar: 0xFFFD, length: offset, isValid: false)
        return
      }
      value = value << 6 | UInt32(bytes[index + offset] & 0x3F)
    }
    self.init(scalar: value, length: continuation.count + 1, isValid: true)
  }

  private init(scalar: UInt32, length: Int, isValid: Bool) {
    self.scalar = scalar
    self.length = length
    self.isValid = isValid
  }

  /// U+FFFD in UTF-8.
  static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
}
