/// The name of an asset, taken apart: `icon-hd-568h@2x~ipad.png`.
///
/// ```swift
/// var name = AssetName("icon~ipad.png")
/// name.stem             // "icon"
/// name.variant.idiom    // .pad
/// ```
///
/// Any name can be read, of any type of file; see ``AssetName/Layout`` for the grammar. Composing
/// puts the marks into their canonical order.
public struct AssetName: Hashable, Sendable {
  /// The bytes of the stem: the name without marks and extension.
  public let stemBytes: [UInt8]
  /// The bytes of the extension without its point; empty without one.
  public let extensionBytes: [UInt8]
  /// What the marks say.
  public let variant: AssetVariant

  /// Reads the last component of a path, or a mere name, byte for byte.
  public init(bytes: [UInt8]) {
    let layout = Layout(bytes)
    stemBytes = Array(bytes[layout.stem])
    extensionBytes = layout.extension.map { Array(bytes[$0]) } ?? []
    variant = layout.variant
  }

  /// Reads the last component of a path, or a mere name.
  public init(_ name: String) {
    self.init(bytes: Array(name.utf8))
  }

  /// Puts a name together.
  ///
  /// - Returns: `nil` when the name would be read as another one than was meant: a stem that ends
  ///   like a mark, an extension with a space, a negative height and the like.
  public init?(stem: String, variant: AssetVariant = .plain, extension: String = "") {
    self.init(
      stemBytes: Array(stem.utf8), variant: variant, extensionBytes: Array(`extension`.utf8))
  }

  /// Puts a name together, byte for byte.
  ///
  /// - Returns: `nil` when the name would be read as another one than was meant.
  public init?(stemBytes: [UInt8], variant: AssetVariant, extensionBytes: [UInt8] = []) {
    self.stemBytes = stemBytes
    self.variant = variant
    self.extensionBytes = extensionBytes
    guard !stemBytes.isEmpty, !stemBytes.contains(0), AssetName(bytes: bytes) == self else {
      return nil
    }
  }

  /// The stem as text; bytes that are not UTF-8 become U+FFFD.
  public var stem: String { String(decoding: stemBytes, as: UTF8.self) }

  /// The extension as text, without its point; empty without one.
  public var `extension`: String { String(decoding: extensionBytes, as: UTF8.self) }

  /// The name put together in canonical order.
  public var bytes: [UInt8] {
    stemBytes + Array(variant.suffix().utf8)
      + (extensionBytes.isEmpty ? [] : [NameByte.dot] + extensionBytes)
  }
}

extension AssetName: CustomStringConvertible {
  /// The name put together in canonical order; bytes that are not UTF-8 become U+FFFD.
  public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension AssetName {
  /// Where the parts of an asset's name stand among its bytes, and what its marks say.
  ///
  /// The grammar is `stem[-hd][-568h][@2x][~ipad][.extension]`; `-hd` may also follow the height.
  /// Marks are written in small letters, in this order, and only in front of the extension; anything
  /// else belongs to the stem. A name of nothing but a mark keeps the first of them as its stem.
  ///
  /// Reading costs no allocation, so that it can be done for every entry of a scan.
  /// - Complexity: One pass over the last component.
  public struct Layout: Hashable, Sendable {
    /// The bytes in front of all marks and of the extension.
    public private(set) var stem: Range<Int>
    /// The bytes after the point, without it; `nil` without an extension.
    public private(set) var `extension`: Range<Int>?
    /// What the marks say.
    public private(set) var variant: AssetVariant

    /// Reads the last component of a path, or a mere name.
    ///
    /// Slashes after the last component are passed over. Any bytes can be read; they need not be
    /// UTF-8.
    public init(_ bytes: UnsafeBufferPointer<UInt8>) {
      var end = bytes.count
      while end > 0, bytes[end - 1] == NameByte.slash { end -= 1 }
      let place = ExtensionPlace(bytes, at: end)
      let marks = Marks(bytes, from: place.start, at: place.dot ?? end)
      stem = place.start..<marks.start
      `extension` = place.dot.map { ($0 + 1)..<end }
      variant = marks.variant
    }

    /// Reads the last component of a path, or a mere name.
    public init(_ bytes: [UInt8]) {
      self = bytes.withUnsafeBufferPointer { Layout($0) }
    }

    /// The last component without the extension: the stem and its marks.
    public func base(in bytes: [UInt8]) -> Range<Int> {
      stem.lowerBound..<(`extension`.map { $0.lowerBound - 1 } ?? end(in: bytes))
    }

    /// Where the last component ends, before slashes that follow it.
    func end(in bytes: [UInt8]) -> Int {
      if let `extension` { return `extension`.upperBound }
      return (bytes.lastIndex { $0 != NameByte.slash } ?? -1) + 1
    }
  }
}

/// Where the last component of a path begins, and the point of its extension stands.
///
/// The extension is what follows the last point. A leading or trailing point makes none, nor does
/// text with a space or a mark of text direction. `gz` takes the extension before it along, so that
/// `foo.tar.gz` has `tar.gz`. The point of a fractional scale makes none either, else `foo@1.5x`
/// would lose its scale.
struct ExtensionPlace {
  /// Where the last component begins.
  let start: Int
  /// Where the extension's point stands.
  let dot: Int?

  /// Looks at the component that ends at a position.
  init(_ bytes: UnsafeBufferPointer<UInt8>, at end: Int) {
    var start = end
    var last: Int?
    while start > 0, bytes[start - 1] != NameByte.slash {
      start -= 1
      if last == nil, bytes[start] == NameByte.dot { last = start }
    }
    self.start = start
    guard let last, ExtensionPlace.makesExtension(last, in: bytes, from: start, to: end) else {
      dot = nil
      return
    }
    dot = ExtensionPlace.inFront(of: last, in: bytes, from: start, to: end) ?? last
  }

  /// The point of the extension that `gz` takes along.
  private static func inFront(
    of last: Int, in bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int
  ) -> Int? {
    guard end - last == 3, bytes[last + 1] == UInt8(ascii: "g"),
      bytes[last + 2] == UInt8(ascii: "z")
    else { return nil }
    var position = last - 1
    while position > start, bytes[position] != NameByte.dot { position -= 1 }
    return makesExtension(position, in: bytes, from: start, to: last) ? position : nil
  }

  private static func makesExtension(
    _ dot: Int, in bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int
  ) -> Bool {
    guard dot > start, dot + 1 < end else { return false }
    for position in (dot + 1)..<end {
      if bytes[position] == NameByte.space { return false }
      if bytes[position] == 0xE2, isDirectionMark(bytes, at: position, to: end) { return false }
    }
    guard NameByte.isDigit(bytes[dot - 1]), NameByte.isDigit(bytes[dot + 1]) else { return true }
    let marks = Marks(bytes, from: start, at: end)
    return !(marks.scale?.contains(dot) ?? false)
  }

  /// U+200E, U+200F, U+202A–U+202E and U+2066–U+2069 in UTF-8.
  private static func isDirectionMark(
    _ bytes: UnsafeBufferPointer<UInt8>, at position: Int, to end: Int
  ) -> Bool {
    guard position + 2 < end else { return false }
    switch (bytes[position + 1], bytes[position + 2]) {
    case (0x80, 0x8E...0x8F), (0x80, 0xAA...0xAE), (0x81, 0xA6...0xA9): return true
    default: return false
    }
  }
}

/// The marks that end a name, read backwards.
struct Marks {
  /// Where the first mark begins, which is where the stem ends.
  private(set) var start: Int
  private(set) var variant = AssetVariant.plain
  /// The bytes of the scale's mark.
  private(set) var scale: Range<Int>?

  init(_ bytes: UnsafeBufferPointer<UInt8>, from first: Int, at end: Int) {
    start = end
    // No mark takes the whole of a name, so the stem is never empty.
    let first = first + 1
    guard end > first, Marks.canEnd(with: bytes[end - 1]) else { return }
    if let found = Idiom.ending(bytes, from: first, at: start) {
      variant.idiom = found.idiom
      start = found.start
    }
    if let found = AssetScale.ending(bytes, from: first, at: start) {
      variant.scale = found.scale
      scale = found.start..<start
      start = found.start
    }
    while readHD(bytes, from: first) || readHeight(bytes, from: first) {}
  }

  /// Whether a mark can end with a byte. Most names are done with this question.
  private static func canEnd(with byte: UInt8) -> Bool {
    switch byte {
    case NameByte.x, NameByte.h, NameByte.d: true
    case UInt8(ascii: "e"), UInt8(ascii: "v"), UInt8(ascii: "r"), UInt8(ascii: "c"): true
    default: false
    }
  }

  private mutating func readHD(_ bytes: UnsafeBufferPointer<UInt8>, from first: Int) -> Bool {
    guard !variant.isHD, start - first >= 3, bytes[start - 1] == NameByte.d,
      bytes[start - 2] == NameByte.h, bytes[start - 3] == NameByte.dash
    else { return false }
    variant.isHD = true
    start -= 3
    return true
  }

  private mutating func readHeight(_ bytes: UnsafeBufferPointer<UInt8>, from first: Int) -> Bool {
    guard variant.height == nil, start - first >= 3, bytes[start - 1] == NameByte.h else {
      return false
    }
    let digits = DigitRun(bytes, from: first, at: start - 1, atMost: 9)
    guard digits.count > 0, digits.start > first, bytes[digits.start - 1] == NameByte.dash else {
      return false
    }
    variant.height = digits.value
    start = digits.start - 1
    return true
  }
}

/// The bytes that mean something in the names of assets and in paths.
enum NameByte {
  static let slash = UInt8(ascii: "/")
  static let dot = UInt8(ascii: ".")
  static let space = UInt8(ascii: " ")
  static let dash = UInt8(ascii: "-")
  static let at = UInt8(ascii: "@")
  static let tilde = UInt8(ascii: "~")
  static let x = UInt8(ascii: "x")
  static let h = UInt8(ascii: "h")
  static let d = UInt8(ascii: "d")

  static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }
}
