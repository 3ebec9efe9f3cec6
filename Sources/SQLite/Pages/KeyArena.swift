/// The keys of an index as they come: groups of byte strings, each group under an integer.
///
/// Memory holds, one behind the other, groups and their keys:
/// - a group: the number of its keys (4 bytes);
/// - a key, see ``StoredKey``.
struct KeyArena: ~Copyable {
  static let groupHeaderSize = 4

  private var memory = GrowingMemory()
  private let limit: Int
  /// The groups with an integer: key the integer, value the group's offset.
  var groups: [SortItem] = []
  /// The offsets of the groups under NULL.
  private(set) var nullGroups: [UInt64] = []
  private var lastInteger: Int64?
  private var group: Int?
  private(set) var count = 0
  /// The most keys in one group.
  private(set) var largestGroup = 0

  init(limit: Int) {
    self.limit = limit
  }

  /// Forgets all keys, and keeps the memory.
  mutating func removeAll() {
    memory.removeAll()
    groups.removeAll(keepingCapacity: true)
    nullGroups.removeAll(keepingCapacity: true)
    group = nil
    count = 0
    largestGroup = 0
  }

  /// What the keys take, and their sorting will: the larger groups are sorted with as much memory
  /// again, and groups of the same integer are sorted as one.
  var memoryNeeded: Int {
    memory.used + 2 * (groups.count + largestGroup) * MemoryLayout<SortItem>.stride
      + nullGroups.count * MemoryLayout<UInt64>.stride
  }

  /// Appends a key to the present group, or to a new one when the integer is another.
  ///
  /// - Returns: Whether there is room for it. A single key may take more than the limit.
  @inline(__always)
  mutating func append(integer: Int64?, _ key: KeyBytes, rowid: Int64) -> Bool {
    guard memoryNeeded <= limit || count == 0 else { return false }
    if group == nil || integer != lastInteger {
      guard beginGroup(integer) else { return false }
    }
    let length = key.bytes.count + 1
    guard
      let group, length <= UInt32.max,
      let place = memory.append(
        StoredKey.headerSize + length, limit: count == 0 ? .max : limit)
    else { return false }
    place.storeBytes(of: rowid, as: Int64.self)
    place.storeBytes(of: UInt32(length), toByteOffset: 8, as: UInt32.self)
    place.storeBytes(of: key.storage.rawValue, toByteOffset: 12, as: UInt8.self)
    if let bytes = key.bytes.baseAddress {
      (place + 13).copyMemory(from: bytes, byteCount: key.bytes.count)
    }
    let size = (memory.base + group).loadUnaligned(as: UInt32.self) + 1
    (memory.base + group).storeBytes(of: size, as: UInt32.self)
    largestGroup = max(largestGroup, Int(size))
    count += 1
    return true
  }

  private mutating func beginGroup(_ integer: Int64?) -> Bool {
    let offset = memory.used
    guard let place = memory.append(Self.groupHeaderSize, limit: count == 0 ? .max : limit)
    else { return false }
    place.storeBytes(of: 0, as: UInt32.self)
    if let integer {
      groups.append(SortItem(key: UInt64(ordering: integer), value: UInt64(offset)))
    } else {
      nullGroups.append(UInt64(offset))
    }
    group = offset
    lastInteger = integer
    return true
  }

  // MARK: - Reading

  /// Calls `body` with the offset of each key of the group at `offset`.
  @inline(__always)
  func forEachKey(inGroupAt offset: UInt64, _ body: (UInt64) -> Void) {
    var place = Int(offset)
    var rest = (memory.base + place).loadUnaligned(as: UInt32.self)
    place += Self.groupHeaderSize
    while rest > 0 {
      body(UInt64(place))
      place += StoredKey.headerSize + key(at: UInt64(place)).length
      rest -= 1
    }
  }

  /// Reads a byte of each of the first cache lines of a group, so that they are on their way into
  /// the cache when the group is read. Misses of several groups overlap, unlike those of one.
  ///
  /// - Returns: Something that depends on the bytes.
  @inline(__always)
  func touch(groupAt offset: UInt64) -> UInt8 {
    var sum: UInt8 = 0
    var place = Int(offset)
    let end = min(place + 6 * 64, memory.used)
    while place < end {
      sum &+= memory.base.load(fromByteOffset: place, as: UInt8.self)
      place += 64
    }
    return sum
  }

  /// The key at an offset; it is valid as long as the arena and until the next append.
  @inline(__always)
  func key(at offset: UInt64) -> StoredKey {
    StoredKey(start: UnsafeRawPointer(memory.base) + Int(offset))
  }
}
