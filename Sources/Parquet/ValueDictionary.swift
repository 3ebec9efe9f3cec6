/// The different values of a column, each with its number: what a dictionary page has.
///
/// An open table of numbers beside the values, in the order in which these were met.
struct ValueDictionary {
  /// The values of types that take eight bytes at most.
  private(set) var words: [Int64] = []
  /// All other values as `PLAIN` has them: a length of four bytes before each.
  private(set) var plain: [UInt8] = []
  /// Where each of those begins, its length left out; and how much there is.
  private var starts: [Int] = []

  /// For each place 0, or the number of a value and 1.
  private var slots: [UInt32]
  private var hashes: [UInt32] = []
  /// The value before: most often it comes again.
  private var last: UInt32 = 0

  init() { slots = Array(repeating: 0, count: 64) }

  var count: Int { hashes.count }

  /// How many bytes a page with the values has, about.
  var encodedCount: Int { 8 * words.count + plain.count }

  /// How many bytes the dictionary takes in memory.
  var byteCount: Int { 8 * words.count + plain.count + 12 * hashes.count + 4 * slots.count }

  /// The bytes of a value that is no word.
  func text(_ index: UInt32, in plain: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let start = starts[Int(index)]
    let end = Int(index) + 1 < starts.count ? starts[Int(index) + 1] - 4 : plain.count
    return UnsafeRawBufferPointer(rebasing: plain[start..<end])
  }

  /// The number of a value, which it gets if it has none.
  mutating func index(of word: Int64) -> UInt32 {
    if Int(last) < words.count, words[Int(last)] == word { return last }
    let product = UInt64(bitPattern: word) &* 0x9E37_79B9_7F4A_7C15
    let hash = UInt32(truncatingIfNeeded: product >> 32 ^ product >> 57)
    var place = Int(hash) & (slots.count - 1)
    while slots[place] != 0 {
      last = slots[place] - 1
      if words[Int(last)] == word { return last }
      place = (place + 1) & (slots.count - 1)
    }
    words.append(word)
    return add(hash, at: place)
  }

  /// The number of a value, which it gets if it has none.
  mutating func index(of text: UnsafeRawBufferPointer) -> UInt32 {
    if Int(last) < count, isEqual(last, text) { return last }
    let hash = Self.hash(text)
    var place = Int(hash) & (slots.count - 1)
    while slots[place] != 0 {
      last = slots[place] - 1
      if hashes[Int(last)] == hash, isEqual(last, text) { return last }
      place = (place + 1) & (slots.count - 1)
    }
    PlainEncoding.append(text, to: &plain)
    starts.append(plain.count - text.count)
    return add(hash, at: place)
  }

  private func isEqual(_ index: UInt32, _ text: UnsafeRawBufferPointer) -> Bool {
    plain.withUnsafeBytes { plain in
      let known = self.text(index, in: plain)
      return known.count == text.count && known.compare(with: text) == 0
    }
  }

  private mutating func add(_ hash: UInt32, at place: Int) -> UInt32 {
    last = UInt32(hashes.count)
    hashes.append(hash)
    slots[place] = last + 1
    if 2 * hashes.count > slots.count { grow() }
    return last
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: 2 * slots.count)
    for (index, hash) in hashes.enumerated() {
      var place = Int(hash) & (slots.count - 1)
      while slots[place] != 0 { place = (place + 1) & (slots.count - 1) }
      slots[place] = UInt32(index) + 1
    }
  }

  /// Eight bytes at a time: names and paths are long.
  private static func hash(_ text: UnsafeRawBufferPointer) -> UInt32 {
    var hash = UInt64(text.count) &* 0x9E37_79B9_7F4A_7C15
    var offset = 0
    while offset + 8 <= text.count {
      hash =
        (hash ^ text.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        &* 0xFF51_AFD7_ED55_8CCD
      hash ^= hash >> 32
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < text.count {
      rest = rest << 8 | UInt64(text[offset])
      offset += 1
    }
    hash = (hash ^ rest) &* 0xFF51_AFD7_ED55_8CCD
    return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
  }
}

/// Values one behind the other, as they are: `PLAIN` in `Encodings.md`.
enum PlainEncoding {
  /// Appends bytes with their number before them.
  static func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    append(UInt32(truncatingIfNeeded: text.count), to: &bytes)
    bytes.append(contentsOf: text)
  }

  static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends words as a type has them.
  static func append(
    _ words: UnsafeBufferPointer<Int64>, as type: ParquetColumn.ValueType, to bytes: inout [UInt8]
  ) {
    switch type {
    case .boolean:
      let end = bytes.count + (words.count + 7) / 8
      BitPacking.append(words.lazy.map { UInt64(bitPattern: $0) }, width: 1, to: &bytes)
      while bytes.count < end { bytes.append(0) }
    case .int32:
      for word in words { append(UInt32(truncatingIfNeeded: word), to: &bytes) }
    case .int64, .double, .string, .binary:
      for word in words { BitPacking.append(word: UInt64(bitPattern: word), to: &bytes) }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Compares bytes as unsigned numbers, the first that differ: below 0, 0 or above 0.
  func compare(with other: UnsafeRawBufferPointer) -> Int {
    let count = Swift.min(self.count, other.count)
    var offset = 0
    while offset + 8 <= count {
      let mine = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let others = other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if mine != others { return mine.bigEndian < others.bigEndian ? -1 : 1 }
      offset += 8
    }
    while offset < count {
      if self[offset] != other[offset] { return self[offset] < other[offset] ? -1 : 1 }
      offset += 1
    }
    return self.count - other.count
  }
}
