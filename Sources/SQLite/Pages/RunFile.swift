internal import SystemPackage

/// Sorted runs of index keys that have no room in memory, in a file without a name beside the database:
/// a disk that has room for the index has room for them.
///
/// A run is one key behind the other, each with its integer: a byte that is 0 for NULL and 1 for a
/// number, the number in the form that has its order (8 bytes), and the ``StoredKey``.
final class RunFile {
  static let integerSize = 9
  /// Of all runs together; more would not be faster.
  private static let readAtOnce = 8 << 20

  private let file: DatabaseFile
  private(set) var runs: [Range<Int>] = []
  /// What belongs behind the bytes that were written.
  private var buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 256 << 10, alignment: 4096)
  private var used = 0
  private var written = 0

  /// - Parameter path: The database.
  init(beside path: FilePath) throws(PageLoaderError) {
    file = try DatabaseFile(unnamedBeside: path)
  }

  deinit {
    buffer.deallocate()
  }

  // MARK: - Writing

  /// Adds a key to the present run. It must not be lower than the one before it.
  @inline(__always)
  func append(_ integer: Int64?, _ key: StoredKey) throws(PageLoaderError) {
    let place = try reserve(Self.integerSize + key.size)
    write(integer, to: place)
    (place + Self.integerSize).copyMemory(from: key.start, byteCount: key.size)
  }

  /// Adds the key of an index on one integer.
  @inline(__always)
  func append(_ integer: Int64?, rowid: Int64) throws(PageLoaderError) {
    let place = try reserve(Self.integerSize + StoredKey.headerSize)
    write(integer, to: place)
    StoredKey.writeEmpty(rowid: rowid, to: place + Self.integerSize)
  }

  @inline(__always)
  private func write(_ integer: Int64?, to place: UnsafeMutableRawPointer) {
    place.storeBytes(of: integer == nil ? 0 : 1, as: UInt8.self)
    place.storeBytes(
      of: integer.map { UInt64(ordering: $0) } ?? 0, toByteOffset: 1, as: UInt64.self)
  }

  @inline(__always)
  private func reserve(_ size: Int) throws(PageLoaderError) -> UnsafeMutableRawPointer {
    if buffer.count - used < size { try makeRoom(for: size) }
    defer { used += size }
    return buffer.baseAddress! + used
  }

  @inline(never)
  private func makeRoom(for size: Int) throws(PageLoaderError) {
    try flush()
    guard size > buffer.count else { return }
    buffer.deallocate()
    buffer = .allocate(byteCount: size, alignment: 4096)
  }

  private func flush() throws(PageLoaderError) {
    try file.write(UnsafeRawBufferPointer(rebasing: buffer.prefix(used)), at: written)
    written += used
    used = 0
  }

  /// Ends the present run; the next key may be any.
  func endRun() throws(PageLoaderError) {
    try flush()
    runs.append((runs.last?.upperBound ?? 0)..<written)
  }

  // MARK: - Reading

  /// Writes an index from all runs.
  ///
  /// - Parameter memory: How many bytes may be read at once.
  /// - Returns: Rows of a unique index with equal keys.
  func merge(into slot: IndexSlot, memory: Int) throws(PageLoaderError) -> [DuplicateKey] {
    var index = try IndexBuilder(slot)
    var merge = try RunMerge(self, memory: min(memory, Self.readAtOnce), for: slot)
    try merge.write(to: &index)
    try index.finish()
    return merge.duplicates
  }

  /// Reads `buffer.count` bytes at a place of the file.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(PageLoaderError) {
    try file.fill(buffer, at: offset)
  }
}

/// The end of a ``RunFile`` as something that sorted keys go to.
struct RunSink: SortedKeySink {
  let file: RunFile

  @inline(__always)
  mutating func append(_ integer: Int64?, _ key: StoredKey) throws(PageLoaderError) {
    try file.append(integer, key)
  }
}
