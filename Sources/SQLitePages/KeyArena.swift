/// The keys of an index as they come: groups of byte strings, each group under an integer.
///
/// Memory holds, one behind the other, groups and their keys:
/// - a group: the number of its keys (4 bytes);
/// - a key: rowid (8 bytes), length (4), then that many bytes, the first of which is the storage
///   class. So plain comparison of these bytes is SQLite's order of the values.
struct KeyArena: ~Copyable {
  static let groupHeaderSize = 4
  static let keyHeaderSize = 12

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

  /// What the keys take, and their sorting will: the larger groups are sorted with as much memory
  /// again, and groups of the same integer are sorted as one.
  var memoryNeeded: Int {
    memory.used + 2 * (groups.count + largestGroup) * MemoryLayout<SortItem>.stride
      + nullGroups.count * MemoryLayout<UInt64>.stride
  }

  /// Appends a key to the present group, or to a new one when the integer is another.
  ///
  /// - Returns: Whether the limit allows it.
  @inline(__always)
  mutating func append(integer: Int64?, _ key: KeyBytes, rowid: Int64) -> Bool {
    if group == nil || integer != lastInteger {
      guard beginGroup(integer) else { return false }
    }
    let length = key.bytes.count + 1
    guard
      let group, length <= UInt32.max,
      let place = memory.append(Self.keyHeaderSize + length, limit: limit)
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
    guard
      memoryNeeded <= limit, let place = memory.append(Self.groupHeaderSize, limit: limit)
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
      place += Self.keyHeaderSize + key(at: UInt64(place)).length
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

/// A key in a ``KeyArena``, which owns it.
struct StoredKey {
  fileprivate let start: UnsafeRawPointer

  var rowid: Int64 { start.loadUnaligned(as: Int64.self) }
  /// The number of bytes, with that of the storage class.
  var length: Int { Int(start.loadUnaligned(fromByteOffset: 8, as: UInt32.self)) }

  var value: KeyBytes {
    KeyBytes(
      bytes: UnsafeRawBufferPointer(start: start + 13, count: length - 1),
      storage: KeyBytes.Storage(rawValue: start.load(fromByteOffset: 12, as: UInt8.self)) ?? .blob)
  }

  /// How many bytes a window shows.
  static let windowSize = 7

  /// Seven bytes from `depth` on as a number with their order, whose lowest byte tells how many
  /// are left, up to eight: in strings with the same bytes the end comes first.
  @inline(__always)
  func window(at depth: Int) -> UInt64 {
    let rest = length - depth
    // Reading on is allowed by the slack behind the keys.
    let bytes = (start + (KeyArena.keyHeaderSize + depth)).loadBigEndian(as: UInt64.self)
    if rest >= Self.windowSize { return bytes & ~0xff | UInt64(min(rest, 8)) }
    return bytes & (~0 << UInt64(64 - 8 * rest)) | UInt64(rest)
  }

  /// Whether keys with this window in common are equal altogether.
  @inline(__always)
  static func isEnd(_ window: UInt64) -> Bool {
    window & 0xff <= UInt64(windowSize)
  }
}
