/// The extension of a name, found by reading the name once from its end.
///
/// While reading, the folded bytes are packed into a key, so that an extension of up to seven bytes
/// (nearly all are) needs no second look: the key is the extension.
struct NameExtension {
  /// Index of the first byte after the dot; meaningful if `exists`.
  let start: Int
  /// Length in bytes; zero when there is no extension.
  let count: Int
  /// The folded bytes, the first in the lowest byte, below a leading 1. Exact for `count` up to 7.
  let key: UInt64

  var exists: Bool { count > 0 }
  var isShort: Bool { count <= 7 }

  @inline(__always)
  init(_ name: UnsafeBufferPointer<UInt8>) {
    var key: UInt64 = 1
    var index = name.count
    // Stops above index 0: a dot there hides a file, it does not begin an extension.
    while index > 1 {
      let byte = name[index - 1]
      if byte == UInt8(ascii: ".") {
        start = index
        count = name.count - index
        self.key = key
        return
      }
      if byte == UInt8(ascii: " ") { break }
      key = key << 8 | UInt64(foldASCII(byte))
      index -= 1
    }
    start = name.count
    count = 0
    self.key = 1
  }

  private init(start: Int, count: Int, key: UInt64) {
    self.start = start
    self.count = count
    self.key = key
  }

  /// The extension with one more component (`gz` becomes `tar.gz`), or `nil` when the name has no
  /// further dot that could begin one.
  func extended(in name: UnsafeBufferPointer<UInt8>) -> NameExtension? {
    var key = key << 8 | UInt64(UInt8(ascii: "."))
    var index = start - 1
    while index > 1 {
      let byte = name[index - 1]
      if byte == UInt8(ascii: ".") {
        guard index < start - 1 else { return nil }
        return NameExtension(start: index, count: name.count - index, key: key)
      }
      if byte == UInt8(ascii: " ") { return nil }
      key = key << 8 | UInt64(foldASCII(byte))
      index -= 1
    }
    return nil
  }
}
