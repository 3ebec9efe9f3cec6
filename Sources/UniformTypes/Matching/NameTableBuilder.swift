/// Makes the scan-time tables from the tags of a registry.
struct NameTableBuilder {
  private let tables: TypeTables
  private let seed = UInt64.random(in: .min ... .max)
  private var short: [ShortSlot]
  private var long: [LongSlot]
  private var literals: [LongSlot]
  private var keyBytes: [UInt8] = []
  private var literalLengths = [UInt64](repeating: 0, count: 512)
  private var patterns: [(tag: TagRecord, bytes: [UInt8])] = []
  private var compoundEnds: [ArraySlice<UInt8>] = []

  static func content(
    of tables: TypeTables, fallbacks: [TypeIndex]
  ) -> NameTableContent {
    var builder = NameTableBuilder(tables)
    for (position, tag) in tables.tags.enumerated() where tag.isFirst {
      builder.add(tag, at: position)
    }
    for end in builder.compoundEnds { builder.markCompoundEnd(end) }
    let patterns = builder.patternSlots()
    let filters = PatternFilters(builder.patterns.map(\.bytes))
    return NameTableContent(
      seed: builder.seed, short: builder.short, long: builder.long, literals: builder.literals,
      patterns: patterns,
      patternFilters: filters.ends, dottedPatterns: filters.dotted, keyBytes: builder.keyBytes,
      literalLengths: builder.literalLengths, fallbacks: fallbacks.map(\.rawValue))
  }

  private init(_ tables: TypeTables) {
    self.tables = tables
    var counts = (short: 0, long: 0, literal: 0)
    for tag in tables.tags {
      switch tag.tagClass {
      case .filenameExtension:
        // One with dots adds its ends, each of which may be a new key.
        let keys = 1 + tables.pool.slice(tag.text).count { $0 == UInt8(ascii: ".") }
        counts.short += keys
        if tag.text.count > 7 { counts.long += keys }
      case .name: counts.literal += 1
      case .mimeType, .pattern, .osType: break
      }
    }
    let empty = LongSlot(hash: 0, offset: 0, count: 0, answer: ExtensionAnswer())
    short = Array(
      repeating: ShortSlot(key: 0, answer: ExtensionAnswer()),
      count: Self.tableSize(for: counts.short))
    long = Array(repeating: empty, count: Self.tableSize(for: counts.long))
    literals = Array(repeating: empty, count: Self.tableSize(for: counts.literal))
  }

  /// A power of two that leaves the table at most half full.
  private static func tableSize(for count: Int) -> Int {
    var size = 16
    while size < count * 2 { size *= 2 }
    return size
  }

  // MARK: - Tags

  private mutating func add(_ tag: TagRecord, at position: Int) {
    switch tag.tagClass {
    case .filenameExtension:
      let key = tables.pool.slice(tag.text)
      updateExtension(key, with: answer(forChainFrom: position))
      noteCompound(key)
    case .name:
      let key = tables.pool.slice(tag.text)
      guard let first = key.first, let last = key.last else { return }
      let length = UInt64(1) << UInt64(min(key.count, 63))
      literalLengths[Int(foldASCII(first))] |= length
      literalLengths[256 + Int(foldASCII(last))] |= length
      let slot = Self.slot(for: key, in: &literals, &keyBytes, seed)
      literals[slot].answer = answer(forChainFrom: position)
    case .pattern:
      addPattern(at: position)
    case .mimeType, .osType:
      break
    }
  }

  /// The first file type and the first directory type of a chain of equal tags.
  private func answer(forChainFrom position: Int) -> ExtensionAnswer {
    var answer = ExtensionAnswer()
    var next = position
    while next >= 0 {
      let tag = tables.tags[next]
      let record = tables.types[tag.type.position]
      if record.traits.contains(.file) {
        if answer.file == ExtensionAnswer.noType {
          answer.file = tag.type.rawValue
        } else {
          answer.flags.insert(.isShared)
        }
      }
      if record.traits.contains(.directory), answer.directory == ExtensionAnswer.noType {
        answer.directory = tag.type.rawValue
        if record.traits.contains(.package) { answer.flags.insert(.isPackage) }
        if !record.evidence.isEmpty { answer.flags.insert(.needsEvidence) }
      }
      next = Int(tag.next)
    }
    return answer
  }

  // MARK: - Extensions

  /// Remembers the ends of an extension with dots: they lead on to the component before them.
  private mutating func noteCompound(_ key: ArraySlice<UInt8>) {
    var rest = key
    while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
      rest = rest[(dot + 1)...]
      if !rest.isEmpty { compoundEnds.append(rest) }
    }
  }

  private mutating func markCompoundEnd(_ key: ArraySlice<UInt8>) {
    updateExtension(key, with: nil)
  }

  /// Sets the answer of an extension, or, for `nil`, marks it as the end of longer ones, in which
  /// case it may be no extension itself.
  private mutating func updateExtension(
    _ key: ArraySlice<UInt8>, with answer: ExtensionAnswer?
  ) {
    if key.count <= 7 {
      let slot = shortSlot(for: key)
      if let answer {
        short[slot].answer = answer
      } else {
        short[slot].answer.flags.insert(.endsCompound)
      }
    } else {
      let slot = Self.slot(for: key, in: &long, &keyBytes, seed)
      if let answer {
        long[slot].answer = answer
      } else {
        long[slot].answer.flags.insert(.endsCompound)
      }
    }
  }

  private mutating func shortSlot(for bytes: ArraySlice<UInt8>) -> Int {
    var key: UInt64 = 1
    for byte in bytes.reversed() { key = key << 8 | UInt64(foldASCII(byte)) }
    let shift = UInt64(64 - short.count.trailingZeroBitCount)
    var position = Int(NameTable.hash(short: key, seed: seed) >> shift)
    while short[position].key != 0, short[position].key != key {
      position = (position + 1) & (short.count - 1)
    }
    short[position].key = key
    return position
  }

  /// The slot of a key in a table of long keys; a new key's bytes are kept, folded.
  private static func slot(
    for key: ArraySlice<UInt8>, in slots: inout [LongSlot], _ keyBytes: inout [UInt8],
    _ seed: UInt64
  ) -> Int {
    let hash = key.withUnsafeBufferPointer { foldedHash($0, seed: seed) }
    let mask = slots.count - 1
    var position = Int(truncatingIfNeeded: hash >> 20) & mask
    while slots[position].hash != 0 {
      let other = slots[position]
      let bytes = keyBytes[Int(other.offset)..<Int(other.offset + other.count)]
      if other.hash == hash, bytes.elementsEqual(key.lazy.map(foldASCII)) { return position }
      position = (position + 1) & mask
    }
    slots[position].hash = hash
    slots[position].offset = UInt32(keyBytes.count)
    slots[position].count = UInt32(key.count)
    keyBytes.append(contentsOf: key.lazy.map(foldASCII))
    return position
  }

  // MARK: - Patterns

  private mutating func addPattern(at position: Int) {
    var next = position
    while next >= 0 {
      let tag = tables.tags[next]
      if tables.types[tag.type.position].traits.contains(.file) {
        patterns.append((tag, tables.pool.slice(tag.text).map(foldASCII)))
        return
      }
      next = Int(tag.next)
    }
  }

  /// The stronger layer first, then the pattern that says more: the one with more literal bytes.
  private mutating func patternSlots() -> [PatternSlot] {
    patterns.sort { left, right in
      let leftCount = Self.literalCount(left.bytes)
      let rightCount = Self.literalCount(right.bytes)
      if left.tag.source != right.tag.source { return left.tag.source < right.tag.source }
      if leftCount != rightCount { return leftCount > rightCount }
      if left.tag.rank != right.tag.rank { return left.tag.rank < right.tag.rank }
      return left.bytes.lexicographicallyPrecedes(right.bytes)
    }
    return patterns.map { tag, bytes in
      defer { keyBytes.append(contentsOf: bytes) }
      return PatternSlot(
        offset: UInt32(keyBytes.count), count: UInt16(clamping: bytes.count),
        type: tag.type.rawValue,
        suitsExecutables: tables.types[tag.type.position].traits.contains(.executable))
    }
  }

  /// Bytes that stand for themselves.
  private static func literalCount(_ pattern: [UInt8]) -> Int {
    var count = 0
    var isInBrackets = false
    for byte in pattern {
      switch byte {
      case UInt8(ascii: "["): isInBrackets = true
      case UInt8(ascii: "]"): isInBrackets = false
      case UInt8(ascii: "*"), UInt8(ascii: "?"): break
      default: count += isInBrackets ? 0 : 1
      }
    }
    return count
  }
}
