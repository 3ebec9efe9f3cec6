#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The keys that an index has in the file, which new ones go between.
///
/// A leaf stays as it is where no new key belongs on it. One that gets some is written anew with them.
struct OldKeys: ~Copyable {
  private let slot: IndexSlot
  private var leaves: TreeLeaves
  private var leaf: TreeLeaves.Leaf?
  /// The present leaf, where it is written anew.
  private let page: UnsafeMutableRawBufferPointer
  private var isOpen = false
  private var cellCount = 0
  /// The first of its keys that has not been passed.
  private var position = 0
  /// The leaves that were written anew.
  private var replaced: [UInt32] = []

  /// A key that is looked for a place for.
  struct NewKey {
    let integer: Int64?
    /// `nil` in an index on one integer.
    let key: StoredKey?
    let rowid: Int64
  }

  init(_ slot: IndexSlot) throws(PageLoaderError) {
    // All at once: what cannot be copied is either there or not.
    var leaves = try TreeLeaves(root: slot.root, .leafIndex, of: slot.writer)
    let leaf = try leaves.next()
    self.slot = slot
    self.leaves = leaves
    self.leaf = leaf
    page = .allocate(byteCount: slot.writer.format.pageSize, alignment: 16)
  }

  deinit {
    page.deallocate()
  }

  /// The pages that belong to the tree no more.
  var released: [UInt32] { replaced + leaves.interiorPages }

  // MARK: - Passing

  /// Appends all keys that come before a new one.
  @inline(__always)
  mutating func pass(
    below new: borrowing NewKey, to tree: inout TreeBuilder
  ) throws(PageLoaderError) {
    while let leaf {
      if isOpen {
        while position < cellCount {
          let cell = try cell(position)
          guard try comes(cell, before: new) else { return }
          try append(cell, to: &tree)
          position += 1
        }
        guard let divider = leaf.divider, try comes(divider, before: new) else { return }
        try end(leaf, to: &tree)
      } else if let divider = leaf.divider, try comes(divider, before: new) {
        try adopt(leaf, to: &tree)
      } else {
        try open(leaf)
      }
    }
  }

  /// Appends the keys that are left.
  mutating func passRest(to tree: inout TreeBuilder) throws(PageLoaderError) {
    if isOpen, let leaf {
      while position < cellCount {
        try append(try cell(position), to: &tree)
        position += 1
      }
      try end(leaf, to: &tree)
    }
    while let leaf { try adopt(leaf, to: &tree) }
  }

  private mutating func open(_ leaf: TreeLeaves.Leaf) throws(PageLoaderError) {
    try slot.writer.read(leaf.page, into: page)
    let start = UnsafeRawPointer(page.baseAddress!)
    cellCount = Int(start.loadBigEndian(at: 3, as: UInt16.self))
    guard page[0] == PageKind.leafIndex.rawValue,
      PageKind.leafIndex.headerSize + 2 * cellCount <= page.count
    else { throw malformed(leaf.page) }
    position = 0
    isOpen = true
    replaced.append(leaf.page)
  }

  /// Ends the present leaf, which is written anew.
  private mutating func end(
    _ leaf: TreeLeaves.Leaf, to tree: inout TreeBuilder
  ) throws(PageLoaderError) {
    if let divider = leaf.divider { divider.withUnsafeBytes { tree.endLeaf(divider: $0) } }
    isOpen = false
    self.leaf = try leaves.next()
  }

  private mutating func adopt(
    _ leaf: TreeLeaves.Leaf, to tree: inout TreeBuilder
  ) throws(PageLoaderError) {
    try tree.adopt(leaf.page)
    if let divider = leaf.divider { divider.withUnsafeBytes { tree.endLeaf(divider: $0) } }
    self.leaf = try leaves.next()
  }

  @inline(__always)
  private func append(
    _ cell: UnsafeRawBufferPointer, to tree: inout TreeBuilder
  ) throws(PageLoaderError) {
    try tree.place(key: cell.count).copyMemory(from: cell.baseAddress!, byteCount: cell.count)
  }

  // MARK: - Cells

  /// The bytes of a key on the present leaf.
  @inline(__always)
  private func cell(_ index: Int) throws(PageLoaderError) -> UnsafeRawBufferPointer {
    let pointer = PageKind.leafIndex.headerSize + 2 * index
    let place = Int(UnsafeRawPointer(page.baseAddress!).loadBigEndian(at: pointer, as: UInt16.self))
    guard place >= PageKind.leafIndex.headerSize, place < page.count,
      let number = Varint.read(UnsafeRawBufferPointer(page), at: place),
      let payload = slot.writer.format.localIndexSize(ofPayload: number.value),
      place + number.size + payload <= page.count
    else { throw malformed }
    return UnsafeRawBufferPointer(rebasing: page[place..<place + number.size + payload])
  }

  private func comes(
    _ cell: ArraySlice<UInt8>, before new: borrowing NewKey
  ) throws(PageLoaderError) -> Bool {
    // A closure of `withUnsafeBytes` with a typed error could not take what is borrowed.
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: cell.count, alignment: 16)
    defer { copy.deallocate() }
    copy.copyBytes(from: cell)
    return try comes(UnsafeRawBufferPointer(copy), before: new)
  }

  /// Whether a key of the file comes before a new one.
  @inline(__always)
  private func comes(
    _ cell: UnsafeRawBufferPointer, before new: borrowing NewKey
  ) throws(PageLoaderError) -> Bool {
    guard let size = Varint.read(cell, at: 0) else { throw malformed }
    if Int(size.value) + size.size == cell.count {
      let record = UnsafeRawBufferPointer(rebasing: cell[size.size...])
      return try comes(record: record, before: new)
    }
    let whole = try record(of: cell, size: Int(size.value), from: size.size)
    defer { whole.deallocate() }
    return try comes(record: UnsafeRawBufferPointer(whole), before: new)
  }

  /// A record that goes on behind its cell, in memory that the caller frees.
  private func record(
    of cell: UnsafeRawBufferPointer, size: Int, from start: Int
  ) throws(PageLoaderError) -> UnsafeMutableRawBufferPointer {
    guard size <= Int(slot.writer.oldPageCount) * page.count, cell.count - 4 >= start else {
      throw malformed
    }
    let local = UnsafeRawBufferPointer(rebasing: cell[start..<cell.count - 4])
    guard local.count <= size else { throw malformed }
    let record = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    record.copyMemory(from: local)
    var filled = local.count
    var next = UnsafeRawPointer(cell.baseAddress!).loadBigEndian(
      at: cell.count - 4, as: UInt32.self)
    while filled < size {
      guard (2...slot.writer.oldPageCount).contains(next),
        let overflow = try? slot.writer.read(next)
      else {
        record.deallocate()
        throw malformed
      }
      let count = min(size - filled, overflow.count - 4)
      UnsafeMutableRawBufferPointer(rebasing: record[filled...]).copyBytes(
        from: overflow[4..<4 + count])
      filled += count
      next = UInt32(overflow.number(at: 0, size: 4) ?? 0)
    }
    return record
  }

  // MARK: - The order of keys

  @inline(__always)
  private func comes(
    record: UnsafeRawBufferPointer, before new: borrowing NewKey
  ) throws(PageLoaderError) -> Bool {
    guard var values = RecordValues(record) else { throw malformed }
    if slot.columns.contains(.integer) {
      let old = try integer(of: &values)
      if old != new.integer {
        guard let old else { return true }
        guard let integer = new.integer else { return false }
        return old < integer
      }
    }
    if slot.columns.contains(.bytes) || slot.columns.contains(.integers) {
      guard let key = new.key else { throw malformed }
      let order =
        try slot.columns.contains(.bytes)
        ? compare(&values, key) : compareIntegers(&values, key)
      if order != 0 { return order < 0 }
    }
    guard let rowid = try integer(of: &values) else { throw malformed }
    return rowid < new.rowid
  }

  /// The next value; `nil` for NULL. What is no integer no index has that is loaded so.
  @inline(__always)
  private func integer(of values: inout RecordValues) throws(PageLoaderError) -> Int64? {
    switch values.next() {
    case .null: return nil
    case .integer(let value): return value
    default: throw malformed
    }
  }

  private func compare(
    _ values: inout RecordValues, _ key: StoredKey
  ) throws(PageLoaderError) -> Int {
    let old: (storage: KeyBytes.Storage, bytes: UnsafeRawBufferPointer)
    switch values.next() {
    case .null: old = (.null, UnsafeRawBufferPointer(start: nil, count: 0))
    case .text(let bytes): old = (.text, bytes)
    case .blob(let bytes): old = (.blob, bytes)
    default: throw malformed
    }
    let new = key.value
    if old.storage != new.storage { return old.storage.rawValue < new.storage.rawValue ? -1 : 1 }
    if let a = old.bytes.baseAddress, let b = new.bytes.baseAddress {
      let order = memcmp(a, b, min(old.bytes.count, new.bytes.count))
      if order != 0 { return Int(order) }
    }
    return old.bytes.count - new.bytes.count
  }

  /// Compares a key of several integers.
  private func compareIntegers(
    _ values: inout RecordValues, _ key: StoredKey
  ) throws(PageLoaderError) -> Int {
    let new = key.value.bytes
    for place in stride(from: 0, to: new.count, by: KeyBytes.integerSize) {
      guard let old = try integer(of: &values) else { return -1 }
      let value = KeyBytes.integer(of: new, at: place)
      if old != value { return old < value ? -1 : 1 }
    }
    return 0
  }

  private func malformed(_ page: UInt32) -> PageLoaderError {
    slot.writer.error(.malformedTree(page: page))
  }

  private var malformed: PageLoaderError { malformed(leaf?.page ?? slot.root) }
}
