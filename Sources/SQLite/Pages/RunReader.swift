/// Reads a run of a ``RunFile`` key by key.
struct RunReader: ~Copyable {
  private let file: RunFile
  /// The position of the run in the file: of equal keys, those of earlier runs come first.
  private let number: Int
  /// What has not been read yet.
  private var rest: Range<Int>
  private var buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  /// What decides most comparisons.
  private var hasInteger: UInt8 = 0
  private var orderedInteger: UInt64 = 0
  private var window: UInt64 = 0

  /// - Parameter memory: How many bytes to read at once.
  init(_ file: RunFile, run: Int, memory: Int) {
    self.file = file
    number = run
    rest = file.runs[run]
    buffer = .allocate(byteCount: max(memory, 4096) + StoredKey.slack, alignment: 4096)
  }

  deinit {
    buffer.deallocate()
  }

  /// The integer of the present key.
  var integer: Int64? { hasInteger == 0 ? nil : Int64(ordering: orderedInteger) }

  /// The present key, until the next one is read.
  var key: StoredKey {
    StoredKey(start: UnsafeRawPointer(buffer.baseAddress! + start + RunFile.integerSize))
  }

  /// Goes to the first key, then to the next; `false` at the end of the run.
  mutating func next() throws(PageLoaderError) -> Bool {
    if end > 0 { start += RunFile.integerSize + key.size }
    let headerSize = RunFile.integerSize + StoredKey.headerSize
    if end - start < headerSize {
      guard start < end || !rest.isEmpty else { return false }
      try fill(headerSize)
    }
    if end - start < RunFile.integerSize + key.size { try fill(RunFile.integerSize + key.size) }
    let place = UnsafeRawPointer(buffer.baseAddress! + start)
    hasInteger = place.load(as: UInt8.self)
    orderedInteger = place.loadUnaligned(fromByteOffset: 1, as: UInt64.self)
    window = key.window(at: 0)
    return true
  }

  /// Makes sure that the buffer holds the next `size` bytes.
  private mutating func fill(_ size: Int) throws(PageLoaderError) {
    let left = end - start
    if size > buffer.count - StoredKey.slack {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: size + StoredKey.slack, alignment: 4096)
      larger.baseAddress!.copyMemory(from: buffer.baseAddress! + start, byteCount: left)
      buffer.deallocate()
      buffer = larger
    } else {
      buffer.baseAddress!.copyMemory(from: buffer.baseAddress! + start, byteCount: left)
    }
    let count = min(buffer.count - StoredKey.slack - left, rest.count)
    try file.read(
      into: UnsafeMutableRawBufferPointer(rebasing: buffer[left..<left + count]),
      at: rest.lowerBound)
    rest = rest.lowerBound + count..<rest.upperBound
    start = 0
    end = left + count
  }

  /// Whether the present key of one run comes before that of another.
  static func < (a: borrowing RunReader, b: borrowing RunReader) -> Bool {
    if a.hasInteger != b.hasInteger { return a.hasInteger < b.hasInteger }
    if a.orderedInteger != b.orderedInteger { return a.orderedInteger < b.orderedInteger }
    if a.window != b.window { return a.window < b.window }
    if !StoredKey.isEnd(a.window) {
      let order = a.key.compare(b.key)
      if order != 0 { return order < 0 }
    }
    return a.number < b.number
  }
}
