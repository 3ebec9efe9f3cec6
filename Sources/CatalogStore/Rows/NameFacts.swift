internal import FileSystem
package import SQLite
package import StandardDirectories
internal import TextMatching

/// What a catalog keeps of a name beside its bytes, so that no reader has to take names apart: the
/// columns of `_entries` that depend on nothing but the name.
@usableFromInline
package struct NameFacts {
  /// The name itself; must live as long as these facts.
  @usableFromInline package let bytes: UnsafeBufferPointer<UInt8>
  /// Whether the bytes are UTF-8.
  @usableFromInline package let isText: Bool
  /// The number of the extension; `nil` where there is none.
  @usableFromInline package let extensionID: Int64?
  /// Where the parts of the name are, seen as that of an asset.
  package let layout: AssetName.Layout
  /// Twice how much of the name is behind the stem, in characters of TEXT or in bytes of a BLOB, and
  /// one more for a hidden name: together they take the byte that the first takes alone.
  @usableFromInline package let shape: Int64
  /// The same for all variants of an asset and for its name without marks: what a lookup finds them
  /// by, in one index that takes a few bytes an entry.
  @usableFromInline package let assetKey: Int64

  package static let columns = ["name", "extension_id", "name_shape", "asset_key"]

  /// Costs no allocation, but for extensions that are met for the first time: it is asked for every
  /// entry of a scan.
  @inline(__always)
  package init(_ bytes: UnsafeBufferPointer<UInt8>, _ extensions: inout ExtensionNumbers) {
    self.bytes = bytes
    isText = UTF8Validity.isValid(bytes)
    extensionID = extensions.number(ofExtensionOf: bytes)
    layout = AssetName.Layout(bytes)
    var hash = FNV1a()
    hash.add(bytes, layout.stem)
    if let ending = layout.extension {
      hash.add(UInt8(ascii: "."))
      hash.add(bytes, ending)
    }
    assetKey = hash.value
    shape =
      Self.count(bytes, layout.stem.upperBound..<bytes.count, isText) << 1
      | (bytes.first == UInt8(ascii: ".") ? 1 : 0)
  }

  @inlinable @inline(__always)
  package func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.name(bytes, isText: isText)
    encoder.integer(extensionID)
    encoder.integer(shape)
    encoder.integer(assetKey)
  }

  /// The marks of the name, if it has any.
  package func marks(of id: Int64) -> AssetRow? {
    guard layout.variant != .plain else { return nil }
    let ending = layout.extension.map { Self.count(bytes, $0, isText) } ?? 0
    return AssetRow(id: id, extensionLength: ending, variant: layout.variant)
  }

  /// How the name is shown, if it is not UTF-8.
  package func oddName(of id: Int64) -> OddNameRow? {
    guard !isText else { return nil }
    return OddNameRow(
      id: id, bytes: bytes, tail: Self.shownCount(bytes[layout.stem.upperBound...]),
      ending: layout.extension.map { Self.shownCount(bytes[$0]) } ?? 0)
  }

  /// The length of a part of a name as it is shown. Parts begin with ASCII, so each is shown by itself
  /// as it is in the whole.
  private static func shownCount(_ part: Slice<UnsafeBufferPointer<UInt8>>) -> Int64 {
    Int64(String(decoding: part, as: UTF8.self).unicodeScalars.count)
  }

  /// The length of a part of a name as SQL counts it: what begins a character of UTF-8, or all bytes.
  @inline(__always)
  private static func count(
    _ name: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ isText: Bool
  ) -> Int64 {
    guard isText else { return Int64(range.count) }
    var count: Int64 = 0
    for index in range where name[index] & 0xc0 != 0x80 { count += 1 }
    return count
  }

  /// The key of an asset by the parts of its name.
  package static func assetKey(stem: [UInt8], extension ending: [UInt8]) -> Int64 {
    var hash = FNV1a()
    for byte in stem { hash.add(byte) }
    if !ending.isEmpty {
      hash.add(UInt8(ascii: "."))
      for byte in ending { hash.add(byte) }
    }
    return hash.value
  }

  /// The key of the asset that a whole name stands for.
  package static func assetKey(of name: [UInt8]) -> Int64 {
    let layout = AssetName.Layout(name)
    return assetKey(
      stem: Array(name[layout.stem]), extension: layout.extension.map { Array(name[$0]) } ?? [])
  }
}

/// The hash of Fowler, Noll and Vo in 32 bits, folded to 24 as they advise
/// (isthe.com/chongo/tech/comp/fnv): names are short, and whoever finds an entry by it looks at the
/// name as well. Among a million names one in seventeen shares its hash with another.
private struct FNV1a {
  private var hash: UInt32 = 0x811C_9DC5

  /// As an integer that SQLite stores in three bytes.
  var value: Int64 { Int64(Int32(bitPattern: (hash ^ hash >> 24) << 8) >> 8) }

  @inline(__always)
  mutating func add(_ byte: UInt8) {
    hash = (hash ^ UInt32(byte)) &* 0x0100_0193
  }

  @inline(__always)
  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    for index in range { add(bytes[index]) }
  }
}

/// The catalog's numbers of extensions.
///
/// Extensions of up to eight bytes, nearly all, are looked up as one number.
package struct ExtensionNumbers {
  private var short: [UInt64: Int64] = [:]
  private var long: [[UInt8]: Int64] = [:]
  fileprivate var next: Int64 = 1
  /// What the catalog does not have yet.
  fileprivate var added: [[UInt8]] = []
  private var last: (word: UInt64, number: Int64) = (0, 0)

  /// No extensions: those of a new catalog.
  package init() {}

  /// - Parameter extension: the bytes after the last dot.
  package mutating func note(_ extension: UnsafeBufferPointer<UInt8>, number: Int64) {
    if let word = Self.word(`extension`) {
      short[word] = number
    } else {
      long[Array(`extension`)] = number
    }
    next = max(next, number + 1)
  }

  /// The number of the extension of a name; `nil` where it has none.
  @inline(__always)
  package mutating func number(ofExtensionOf name: UnsafeBufferPointer<UInt8>) -> Int64? {
    let range = FilenameExtension.range(in: UnsafeRawBufferPointer(name))
    guard !range.isEmpty else { return nil }
    let bytes = UnsafeBufferPointer(rebasing: name[range])
    guard let word = Self.word(bytes) else { return numberOfLong(bytes) }
    if word == last.word { return last.number }
    let number = short[word] ?? assign(bytes)
    last = (word, number)
    return number
  }

  /// Names hold no NUL, so what fills a word up cannot be meant.
  @inline(__always)
  private static func word(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64? {
    guard bytes.count <= 8 else { return nil }
    var word: UInt64 = 0
    for byte in bytes { word = word << 8 | UInt64(byte) }
    return word
  }

  @inline(never)
  private mutating func numberOfLong(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
    long[Array(bytes)] ?? assign(bytes)
  }

  @inline(never)
  private mutating func assign(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
    let number = next
    added.append(Array(bytes))
    note(bytes, number: number)
    return number
  }

}

extension ExtensionNumbers {
  /// The extensions that a catalog has.
  package init(in db: Connection) throws {
    self.init()
    try db.forEach("SELECT id, exact_name FROM _extensions") { row in
      note(row.bytes(1).assumingMemoryBound(to: UInt8.self), number: row.id(0))
    }
  }

  /// Writes those that were met for the first time.
  package mutating func writeAdded(to db: Connection) throws {
    guard !added.isEmpty else { return }
    let insert = try db.prepare("INSERT INTO _extensions (id, name, name_bytes) VALUES (?, ?, ?)")
    for (number, bytes) in zip((next - Int64(added.count))..., added) {
      insert.bind(number, at: 1)
      try bytes.withUnsafeBufferPointer { bytes in
        insert.bindShown(bytes, at: 2)
        try insert.run()
      }
    }
    added = []
  }
}
