internal import CZstd
internal import FileSystem
package import SystemPackage
internal import TextMatching

/// The names of all entries whose ids are the same but for the last ten bits: one after the other in the
/// order of ids, each ended by a zero byte, and nothing before it where there is no entry.
///
/// It is stored in four parts, each compressed by itself, behind the trigrams of each: a search that has to
/// look into a block reads a part of it.
enum NameBlock {
  private static let idBits: Int64 = 10

  /// The most entries that a block can have.
  static let size = 1 << idBits

  /// The most entries that a part of it can have.
  static let partSize = size / 4

  /// The trigrams of the parts stand before their names.
  static let headSize = size / partSize * TrigramSet.coarseByteCount

  /// The bytes that the names of a block may take. Those of real entries take a quarter of it at most.
  static let capacity = 1 << 20

  /// The number of the block of an entry, beginning at 1 for the lowest ids.
  static func number(of id: Int64) -> Int64 { id >> idBits + 1 }

  /// The same as SQL.
  static func number(of id: String) -> String { "((\(id) >> \(idBits)) + 1)" }

  /// The ids that the entries of a block can have.
  static func ids(of number: Int64) -> ClosedRange<Int64> {
    let first = (number - 1) << idBits
    return first...first + Int64(size) - 1
  }
}

/// A row of the table `_name_blocks`: the trigrams of the parts of a block, and their names, compressed.
package struct NameBlockRow: TableRow {
  package let id: Int64
  package let names: UnsafeBufferPointer<UInt8>

  package static let table = Table("_name_blocks", ["id", "names"])

  package func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.blob(names)
  }
}

/// A row of the table `_name_trigrams`: which trigrams the names of a block hold.
package struct NameTrigramsRow: TableRow {
  package let id: Int64
  package let trigrams: UnsafeBufferPointer<UInt8>

  package static let table = Table("_name_trigrams", ["id", "trigrams"])

  package func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.blob(trigrams)
  }
}

/// Collects the names of entries into blocks.
package final class NameBlockBuilder {
  /// Collected so far: of which block, and what.
  private(set) var number: Int64 = 0
  private(set) var list: [UInt8] = []
  private var nextID: Int64 = 0
  /// Where in the list those parts end that are full.
  private var ends: [Int] = []

  private let context: OpaquePointer
  private var compressed: [UInt8] = []

  package init() throws(Errno) {
    guard let context = ZSTD_createCCtx() else { throw .noMemory }
    self.context = context
    // Higher levels take twice the time for a twentieth less.
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 3)
  }

  deinit {
    ZSTD_freeCCtx(context)
  }

  /// Whether an entry is of the block that is being collected.
  @inline(__always)
  package func isWithin(_ id: Int64) -> Bool { NameBlock.number(of: id) == number }

  /// Begins a block with the one of an entry.
  package func begin(with id: Int64) {
    number = NameBlock.number(of: id)
    nextID = NameBlock.ids(of: number).lowerBound
    list.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  /// Adds the name of an entry of the block; ids ascend.
  package func add(_ name: UnsafeBufferPointer<UInt8>, of id: Int64) {
    while nextID < id { endName() }
    list += name
    endName()
  }

  @inline(__always)
  private func endName() {
    list.append(0)
    nextID += 1
    if nextID % Int64(NameBlock.partSize) == 0 { ends.append(list.count) }
  }

  /// The trigrams of the names, and of each part; `nil` where there is no block of them.
  ///
  /// No file has a name that holds a zero byte or takes more than a few hundred. Where a row has one
  /// nevertheless, its block is not written, and whoever searches reads the rows.
  var trigrams: (all: TrigramSet, head: [UInt8])? {
    guard !list.isEmpty, list.count <= NameBlock.capacity else { return nil }
    return list.withUnsafeBytes { list -> (all: TrigramSet, head: [UInt8])? in
      guard TextList(list).count == Int(nextID - NameBlock.ids(of: number).lowerBound) else {
        return nil
      }
      var all = TrigramSet()
      var head: [UInt8] = []
      head.reserveCapacity(NameBlock.headSize)
      for part in parts {
        let trigrams = TrigramSet(of: UnsafeRawBufferPointer(rebasing: list[part]))
        all.formUnion(trigrams)
        head += trigrams.coarse
      }
      head += repeatElement(0, count: NameBlock.headSize - head.count)
      return (all, head)
    }
  }

  /// Where the parts that have names are in the list.
  private var parts: [Range<Int>] {
    let ends = ends.last == list.count ? ends : ends + [list.count]
    return zip([0] + ends, ends).map { $0..<$1 }
  }

  /// Ends the block and hands it over.
  package func end(_ write: (NameBlockRow, NameTrigramsRow) throws -> Void) throws {
    guard let trigrams else { return }
    compressed = trigrams.head
    try list.withUnsafeBytes { list in
      for part in parts { try compress(UnsafeRawBufferPointer(rebasing: list[part])) }
    }
    try compressed.withUnsafeBufferPointer { compressed in
      try trigrams.all.bytes.withUnsafeBufferPointer { trigrams in
        try write(
          NameBlockRow(id: number, names: compressed),
          NameTrigramsRow(id: number, trigrams: trigrams))
      }
    }
  }

  /// Adds a part to what is compressed.
  private func compress(_ names: UnsafeRawBufferPointer) throws(Errno) {
    let start = compressed.count
    let bound = ZSTD_compressBound(names.count)
    compressed += repeatElement(0, count: bound)
    let count = compressed.withUnsafeMutableBytes { compressed in
      ZSTD_compress2(
        context, compressed.baseAddress.map { $0 + start }, bound, names.baseAddress, names.count)
    }
    guard ZSTD_isError(count) == 0 else { throw .noMemory }
    compressed.removeSubrange((start + count)...)
  }
}

/// Reads the names of blocks, in memory that is used again.
final class NameBlockReader {
  private let context: OpaquePointer
  private let memory: UnsafeMutableRawBufferPointer

  init() throws(Errno) {
    guard let context = ZSTD_createDCtx() else { throw .noMemory }
    self.context = context
    memory = .allocate(byteCount: NameBlock.capacity, alignment: 16)
  }

  deinit {
    ZSTD_freeDCtx(context)
    memory.deallocate()
  }

  /// The names of a block, which are lent until the next; `nil` where there are none of a block.
  func names(_ block: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard block.count > NameBlock.headSize else { return nil }
    return decompressed(UnsafeRawBufferPointer(rebasing: block[NameBlock.headSize...]))
  }

  /// Calls `body` with the names of each part of a block that may hold a match, which are lent until it ends,
  /// and the place of the first of them in the block.
  ///
  /// - Returns: `false` where it is none of a block.
  func forEachPart(
    of block: UnsafeRawBufferPointer, for search: TextListSearch,
    _ body: (_ first: Int, _ names: UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    var place = NameBlock.headSize
    guard block.count > place else { return false }
    var part = 0
    while place < block.count, part * NameBlock.partSize < NameBlock.size {
      let rest = UnsafeRawBufferPointer(rebasing: block[place...])
      let count = ZSTD_findFrameCompressedSize(rest.baseAddress, rest.count)
      guard ZSTD_isError(count) == 0, count > 0 else { return false }
      let trigrams = block[
        part * TrigramSet.coarseByteCount..<(part + 1) * TrigramSet.coarseByteCount]
      if search.mayMatch(UnsafeRawBufferPointer(rebasing: trigrams)) {
        guard let names = decompressed(UnsafeRawBufferPointer(rebasing: rest[..<count])) else {
          return false
        }
        body(part * NameBlock.partSize, names)
      }
      place += count
      part += 1
    }
    return place == block.count
  }

  private func decompressed(_ compressed: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let count = ZSTD_decompressDCtx(
      context, memory.baseAddress, memory.count, compressed.baseAddress, compressed.count)
    guard ZSTD_isError(count) == 0, count > 0 else { return nil }
    return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[..<count])
  }
}
