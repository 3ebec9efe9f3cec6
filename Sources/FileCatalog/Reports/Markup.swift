internal import Console

/// Markup for a browser, in UTF-8.
///
/// What stands in a literal is markup. What is put into one is text, and nothing of it can be taken
/// for markup, between tags or in an attribute with quotation marks:
///
/// ```swift
/// page += "<td title=\"\(path)\">\(name)"
/// ```
struct Markup: Sendable {
  private(set) var bytes: [UInt8]

  /// Markup that is known to be some, such as the parts of the page that are compiled in.
  init(trusted bytes: [UInt8]) { self.bytes = bytes }

  static func += (left: inout Markup, right: Markup) { left.bytes += right.bytes }
}

extension Markup: ExpressibleByStringInterpolation {
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    init(literalCapacity: Int, interpolationCount: Int) {
      bytes.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    // Of type `StaticString`, so that no text of a catalog gets here.
    mutating func appendLiteral(_ literal: StaticString) {
      literal.withUTF8Buffer { bytes += $0 }
    }

    mutating func appendInterpolation(_ markup: Markup) { bytes += markup.bytes }

    mutating func appendInterpolation(_ text: String) { appendInterpolation(Array(text.utf8)) }

    mutating func appendInterpolation(_ number: some BinaryInteger) { bytes += "\(number)".utf8 }

    /// Puts in digits, units and dates, in which there is nothing to escape.
    mutating func appendInterpolation(_ text: some ByteText) { text.append(to: &bytes) }

    /// Puts in what may be any bytes: what would turn text over or break lines is shown as what it
    /// is, and what is not UTF-8 as U+FFFD.
    mutating func appendInterpolation(_ text: [UInt8]) {
      for byte in DisplayText(escaping: text).bytes {
        switch byte {
        case UInt8(ascii: "<"): bytes += "&lt;".utf8
        case UInt8(ascii: ">"): bytes += "&gt;".utf8
        case UInt8(ascii: "&"): bytes += "&amp;".utf8
        case UInt8(ascii: "\""): bytes += "&quot;".utf8
        case UInt8(ascii: "'"): bytes += "&#39;".utf8
        default: bytes.append(byte)
        }
      }
    }
  }

  init(stringLiteral value: StaticString) {
    bytes = value.withUTF8Buffer { Array($0) }
  }

  init(stringInterpolation: StringInterpolation) { bytes = stringInterpolation.bytes }
}

/// As much of a text as anybody reads, where there is more: names in a file may have any length, and
/// a page is made in memory.
struct ReadableText {
  private static let most = 4096
  let bytes: [UInt8]

  init(_ text: [UInt8]) {
    bytes = text.count > Self.most ? Array(text.prefix(Self.most)) + "…".utf8 : text
  }
}

extension Markup.StringInterpolation {
  mutating func appendInterpolation(_ text: ReadableText) { appendInterpolation(text.bytes) }
}
