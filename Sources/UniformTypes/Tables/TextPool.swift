/// A place in a `TextPool`: offset and length in bytes.
struct Text: Sendable {
  var offset: UInt32
  var count: UInt32

  static let empty = Text(offset: 0, count: 0)

  var isEmpty: Bool { count == 0 }
}

/// All strings of a registry in one array of bytes.
///
/// The built-in table becomes the start of the pool as it stands, so its thousands of cells are
/// never copied one by one; `String` values are made only when somebody asks for one.
struct TextPool: Sendable {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ buffer: UnsafeBufferPointer<UInt8>) -> Text {
    let text = Text(offset: UInt32(bytes.count), count: UInt32(buffer.count))
    bytes.append(contentsOf: buffer)
    return text
  }

  mutating func append(_ sequence: some Sequence<UInt8>) -> Text {
    let offset = bytes.count
    bytes.append(contentsOf: sequence)
    return Text(offset: UInt32(offset), count: UInt32(bytes.count - offset))
  }

  mutating func append(_ string: String) -> Text {
    let text = Text(offset: UInt32(bytes.count), count: UInt32(string.utf8.count))
    bytes.append(contentsOf: string.utf8)
    return text
  }

  func string(_ text: Text) -> String {
    String(decoding: slice(text), as: UTF8.self)
  }

  func slice(_ text: Text) -> ArraySlice<UInt8> {
    bytes[Int(text.offset)..<Int(text.offset + text.count)]
  }

  func withBytes<Result>(_ text: Text, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { buffer in
      body(
        UnsafeBufferPointer(
          rebasing: buffer[Int(text.offset)..<Int(text.offset + text.count)]))
    }
  }
}

/// A case-insensitive hash table from texts of a pool to numbers: open addressing, linear probing.
struct TextIndex: Sendable {
  private struct Slot {
    var hash: UInt64
    var text: Text
    var value: UInt32
  }

  private var slots: [Slot]
  private var count = 0
  private let seed = UInt64.random(in: .min ... .max)

  init(minimumCapacity: Int) {
    var size = 16
    while size * 3 < minimumCapacity * 4 + 4 { size *= 2 }
    slots = Array(repeating: Slot(hash: 0, text: .empty, value: 0), count: size)
  }

  func value(for key: UnsafeBufferPointer<UInt8>, in pool: TextPool) -> UInt32? {
    let hash = foldedHash(key, seed: seed)
    var position = Int(truncatingIfNeeded: hash >> 20) & (slots.count - 1)
    while slots[position].hash != 0 {
      let slot = slots[position]
      if slot.hash == hash, pool.withBytes(slot.text, { equalFolded($0, key) }) {
        return slot.value
      }
      position = (position + 1) & (slots.count - 1)
    }
    return nil
  }

  func value(for key: String, in pool: TextPool) -> UInt32? {
    var key = key
    return key.withUTF8 { value(for: $0, in: pool) }
  }

  func value(for key: Text, in pool: TextPool) -> UInt32? {
    pool.withBytes(key) { value(for: $0, in: pool) }
  }

  /// Adds a key, or replaces the value of one that is there.
  mutating func set(_ value: UInt32, for key: Text, in pool: TextPool) {
    let position = slot(for: key, in: pool)
    slots[position].value = value
  }

  /// Adds a key unless it is there, and returns the value it then had.
  mutating func insert(_ value: UInt32, for key: Text, in pool: TextPool) -> UInt32? {
    let before = count
    let position = slot(for: key, in: pool)
    if count == before { return slots[position].value }
    slots[position].value = value
    return nil
  }

  /// The slot of a key, which is taken if the key was not there.
  private mutating func slot(for key: Text, in pool: TextPool) -> Int {
    if (count + 1) * 4 > slots.count * 3 { grow() }
    let start = Int(key.offset)
    let end = start + Int(key.count)
    let mask = slots.count - 1
    return pool.bytes.withUnsafeBufferPointer { buffer in
      let bytes = UnsafeBufferPointer(rebasing: buffer[start..<end])
      let hash = foldedHash(bytes, seed: seed)
      var position = Int(truncatingIfNeeded: hash >> 20) & mask
      while slots[position].hash != 0 {
        if slots[position].hash == hash {
          let text = slots[position].text
          let other = buffer[Int(text.offset)..<Int(text.offset + text.count)]
          if equalFolded(UnsafeBufferPointer(rebasing: other), bytes) { return position }
        }
        position = (position + 1) & mask
      }
      slots[position] = Slot(hash: hash, text: key, value: 0)
      count += 1
      return position
    }
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(hash: 0, text: .empty, value: 0), count: old.count * 2)
    for slot in old where slot.hash != 0 {
      var position = Int(truncatingIfNeeded: slot.hash >> 20) & (slots.count - 1)
      while slots[position].hash != 0 { position = (position + 1) & (slots.count - 1) }
      slots[position] = slot
    }
  }
}

/// Lower-cases one ASCII letter and leaves every other byte alone.
///
/// Names are bytes, not text: bytes above 0x7F are compared as they are, which is what keeps the
/// scan free of Unicode tables. Extensions with such bytes take a slower path.
@inline(__always)
func foldASCII(_ byte: UInt8) -> UInt8 {
  byte &- 0x41 < 26 ? byte | 0x20 : byte
}

/// A 64-bit hash of ASCII-folded bytes: FNV-1a (Fowler, Noll, Vo) from a number that nobody knows, its
/// halves folded by a product. Never zero, because tables use zero for an empty slot.
///
/// - Parameter seed: drawn anew for each table, so that nobody can write declarations or names of files
///   that all come to the same slot.
@inline(__always)
func foldedHash(_ bytes: UnsafeBufferPointer<UInt8>, seed: UInt64) -> UInt64 {
  var hash = seed
  for byte in bytes {
    hash = (hash ^ UInt64(foldASCII(byte))) &* 0x0000_0100_0000_01b3
  }
  let product = (hash ^ seed).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
  return product.high ^ product.low | 1
}

/// Whether two byte strings are equal when ASCII letters are folded.
@inline(__always)
func equalFolded(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  for index in 0..<left.count where foldASCII(left[index]) != foldASCII(right[index]) {
    return false
  }
  return true
}
