internal import StandardDirectories

/// What a catalog keeps of a name, seen as the name of an asset.
///
/// It depends on nothing but the name, so every name has it, whatever it names.
struct AssetFacts {
  /// The same for all variants of an asset and for its name without marks: what a lookup finds them
  /// by, in one index that takes a few bytes an entry.
  let key: Int64
  let layout: AssetName.Layout
  /// Whether SQL could not tell the stem from the name: it has marks, bytes that are not UTF-8, or
  /// marks of text direction behind the last point.
  let needsRow: Bool

  /// Costs no allocation: it is asked for every entry of a scan.
  @inline(__always)
  init(_ name: UnsafeBufferPointer<UInt8>, isText: Bool) {
    layout = AssetName.Layout(name)
    var hash = FNV1a()
    hash.add(name, layout.stem)
    if let ending = layout.extension {
      hash.add(UInt8(ascii: "."))
      hash.add(name, ending)
    }
    key = hash.value
    needsRow =
      layout.variant != .plain || !isText
      || (hash.union >= 0x80 && layout.stem.upperBound != PlainStem.end(of: name))
  }

  /// The key of an asset by the parts of its name.
  static func key(stem: [UInt8], extension ending: [UInt8]) -> Int64 {
    var hash = FNV1a()
    for byte in stem { hash.add(byte) }
    if !ending.isEmpty {
      hash.add(UInt8(ascii: "."))
      for byte in ending { hash.add(byte) }
    }
    return hash.value
  }
}

/// The hash of Fowler, Noll and Vo in 32 bits (isthe.com/chongo/tech/comp/fnv): names are short, and
/// whoever finds an entry by it looks at the name as well.
private struct FNV1a {
  private var hash: UInt32 = 0x811C_9DC5
  /// All bits that any byte has.
  private(set) var union: UInt8 = 0

  /// As an integer that SQLite stores in four bytes.
  var value: Int64 { Int64(Int32(bitPattern: hash)) }

  @inline(__always)
  mutating func add(_ byte: UInt8) {
    union |= byte
    hash = (hash ^ UInt32(byte)) &* 0x0100_0193
  }

  @inline(__always)
  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    for index in range { add(bytes[index]) }
  }
}

/// Where the stem of a name without marks ends, by the rule that the view `files` has in SQL.
enum PlainStem {
  static func end(of name: UnsafeBufferPointer<UInt8>) -> Int {
    guard let dot = lastDot(name, before: name.count) else { return name.count }
    let isGzip =
      name.count - dot == 3 && name[dot + 1] == UInt8(ascii: "g")
      && name[dot + 2] == UInt8(ascii: "z")
    return isGzip ? lastDot(name, before: dot) ?? dot : dot
  }

  /// The last point, unless it begins or ends the name or a space follows it.
  private static func lastDot(_ name: UnsafeBufferPointer<UInt8>, before end: Int) -> Int? {
    var position = end - 1
    while position > 0, name[position] != UInt8(ascii: ".") {
      if name[position] == UInt8(ascii: " ") { return nil }
      position -= 1
    }
    return position > 0 && position < end - 1 ? position : nil
  }
}
