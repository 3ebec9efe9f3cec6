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
