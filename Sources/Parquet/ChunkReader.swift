internal import CZstd

/// Reads the values of a column in one row group, page by page.
struct ChunkReader {
  /// The most bytes that a page may have, and the most that texts of rows read at once may have. Those of
  /// ``ParquetWriter`` have one or two million, but for a single text that is longer.
  private static let pageBytes = 16 << 20
  private static let textBytes = 64 << 20
  /// A header has some twenty bytes.
  private static let headerBytes: Int64 = 128

  private let column: ParquetColumn
  private let chunk: ParquetFile.Chunk
  private var place: Int64
  /// How many rows are still to come with further pages, and how many of the page.
  private var rowsBehind: Int64
  private var rowsLeft = 0

  private var dictionary: Dictionary?
  /// The content of the page.
  private var page = PageMemory()
  private var levels: RunReader?
  private var values: Values?
  private var presence: [UInt32] = []
  private var words: [Int64] = []
  private var indices: [UInt32] = []

  /// What the numbers of pages stand for.
  private struct Dictionary {
    var words: [Int64] = []
    /// Where texts are in the content of their page.
    var texts: [Range<Int>] = []
    let page: PageMemory
  }

  /// How the values of a page are read.
  private enum Values {
    case indices(RunReader)
    case deltas(DeltaReader)
    case plain(PlainReader)
  }

  init(_ column: ParquetColumn, _ chunk: ParquetFile.Chunk, rows: Int64) {
    self.column = column
    self.chunk = chunk
    place = chunk.start
    rowsBehind = rows
  }

  /// Refuses a chunk that has more than its rows.
  func requireEnd() throws(ParquetError) {
    guard place == chunk.end, rowsLeft == 0 else { throw unequal }
    try requirePageEnd()
  }

  // MARK: - Rows

  /// Appends the next rows.
  mutating func read(
    _ count: Int, into result: inout ParquetValues, _ decompressor: PageDecompressor,
    _ source: ParquetFile.Source
  ) throws {
    var left = count
    while left > 0 {
      if rowsLeft == 0 { try beginPage(decompressor, source) }
      let rows = min(left, rowsLeft, ParquetReader.step)
      do throws(PageFault) {
        try read(rows, into: &result)
      } catch {
        throw named(error)
      }
      guard result.byteCount <= Self.textBytes else {
        throw ParquetError.unsupported("texts as long as those of the column \(column.name)")
      }
      rowsLeft -= rows
      left -= rows
    }
  }

  private mutating func read(_ rows: Int, into result: inout ParquetValues) throws(PageFault) {
    var count = rows
    if presence.isEmpty {
      presence = Array(repeating: 1, count: ParquetReader.step)
      words = Array(repeating: 0, count: ParquetReader.step)
      indices = Array(repeating: 0, count: ParquetReader.step)
    }
    let page = page.bytes
    if levels != nil {
      try presence.withUnsafeMutableBufferPointer { presence throws(PageFault) in
        guard let base = presence.baseAddress else { return }
        try levels?.read(rows, from: page, into: base)
        count = presence[..<rows].reduce(0) { $0 + Int($1) }
      }
    }
    switch values {
    case .indices(var reader):
      try indices.withUnsafeMutableBufferPointer { indices throws(PageFault) in
        guard let base = indices.baseAddress else { return }
        try reader.read(count, from: page, into: base)
      }
      values = .indices(reader)
      try appendIndexed(rows, count, to: &result)
    case .deltas(var reader):
      try words.withUnsafeMutableBufferPointer { words throws(PageFault) in
        guard let base = words.baseAddress else { return }
        try reader.read(count, from: page, into: base)
      }
      values = .deltas(reader)
      appendWords(rows, to: &result)
    case .plain(var reader):
      if column.type.isText {
        try appendTexts(rows, from: &reader, to: &result)
      } else {
        let type = column.type
        try words.withUnsafeMutableBufferPointer { words throws(PageFault) in
          guard let base = words.baseAddress else { return }
          if type == .boolean {
            try reader.readTruths(count, from: page, into: base)
          } else {
            try reader.readWords(count, width: type.plainWidth, from: page, into: base)
          }
        }
        appendWords(rows, to: &result)
      }
      values = .plain(reader)
    case nil: throw .unequal
    }
  }

  private func appendTexts(
    _ rows: Int, from reader: inout PlainReader, to result: inout ParquetValues
  ) throws(PageFault) {
    for row in 0..<rows {
      if presence[row] == 0 {
        result.appendNull()
      } else {
        let range = try reader.readText(from: page.bytes)
        result.append(UnsafeRawBufferPointer(rebasing: page.bytes[range]))
      }
    }
  }

  private func appendWords(_ rows: Int, to result: inout ParquetValues) {
    var next = 0
    for row in 0..<rows {
      if presence[row] == 0 {
        result.appendNull()
      } else {
        result.append(words[next])
        next += 1
      }
    }
  }

  private func appendIndexed(
    _ rows: Int, _ count: Int, to result: inout ParquetValues
  ) throws(PageFault) {
    guard let dictionary else { throw .unequal }
    let known = column.type.isText ? dictionary.texts.count : dictionary.words.count
    guard indices[..<count].allSatisfy({ Int($0) < known }) else { throw .unequal }
    var next = 0
    for row in 0..<rows {
      guard presence[row] != 0 else {
        result.appendNull()
        continue
      }
      let index = Int(indices[next])
      next += 1
      if column.type.isText {
        let text = dictionary.page.bytes[dictionary.texts[index]]
        result.append(UnsafeRawBufferPointer(rebasing: text))
      } else {
        result.append(dictionary.words[index])
      }
    }
  }

  // MARK: - Pages

  private mutating func beginPage(
    _ decompressor: PageDecompressor, _ source: ParquetFile.Source
  ) throws {
    try requirePageEnd()
    if place == chunk.start, chunk.values > chunk.start {
      let header = try readPage(decompressor, source)
      guard header.type == .dictionary, place == chunk.values,
        let count = Int(exactly: header.count)
      else { throw unequal }
      try readDictionary(count, header.size)
    }
    let header = try readPage(decompressor, source)
    guard header.type == .values, 0 < header.count, header.count <= rowsBehind else {
      throw unequal
    }
    rowsBehind -= header.count
    rowsLeft = Int(header.count)
    guard rowsBehind > 0 || place == chunk.end else { throw unequal }
    do throws(PageFault) {
      try beginValues(header)
    } catch {
      throw named(error)
    }
  }

  private func requirePageEnd() throws(ParquetError) {
    let isAtEnd =
      switch values {
      case .indices(let reader): reader.isAtEnd
      case .deltas(let reader): reader.isAtEnd
      case .plain(let reader): reader.isAtEnd
      case nil: true
      }
    guard isAtEnd, levels?.isAtEnd ?? true else { throw unequal }
  }

  private mutating func beginValues(_ header: PageHeader) throws(PageFault) {
    var start = 0
    var levels: RunReader?
    if column.presence == .optional {
      let length = Int(UInt32(littleEndian: page.bytes.loadUnaligned(as: UInt32.self)))
      guard header.size >= 4, length <= header.size - 4 else { throw .unequal }
      start = 4 + length
      levels = try RunReader(4..<start, width: 1)
    }
    self.levels = levels
    switch (header.encoding, column.type) {
    case (8, _) where dictionary != nil:
      guard start < header.size else { throw .unequal }
      let width = Int(page.bytes[start])
      values = .indices(try RunReader(start + 1..<header.size, width: width))
    case (5, .int32), (5, .int64):
      values = .deltas(
        try DeltaReader(start..<header.size, of: page.bytes, isNarrow: column.type == .int32))
    case (0, .boolean), (0, .double), (0, .string), (0, .binary):
      values = .plain(PlainReader(start..<header.size))
    default: throw .unsupported("the encoding \(header.encoding)")
    }
  }

  private mutating func readDictionary(_ count: Int, _ size: Int) throws {
    var reader = PlainReader(0..<size)
    var dictionary = Dictionary(page: page)
    let (bytes, width) = (page.bytes, column.type.plainWidth)
    do throws(PageFault) {
      // Each text has four bytes at least.
      guard column.type != .boolean, 0...size / max(4, width) ~= count else { throw .unequal }
      if column.type.isText {
        dictionary.texts.reserveCapacity(count)
        for _ in 0..<count { dictionary.texts.append(try reader.readText(from: bytes)) }
      } else {
        dictionary.words = Array(repeating: 0, count: count)
        try dictionary.words.withUnsafeMutableBufferPointer { words throws(PageFault) in
          guard let base = words.baseAddress else { return }
          try reader.readWords(count, width: width, from: bytes, into: base)
        }
      }
      guard reader.isAtEnd else { throw .unequal }
    } catch {
      throw named(error)
    }
    // Its texts stay where they are.
    page = PageMemory()
    self.dictionary = dictionary
  }

  /// Reads a page, whose content is ``page`` then.
  private mutating func readPage(
    _ decompressor: PageDecompressor, _ source: ParquetFile.Source
  ) throws -> PageHeader {
    let available = chunk.end - place
    guard available > 0 else { throw unequal }
    var head = [UInt8](repeating: 0, count: Int(min(available, Self.headerBytes)))
    try head.withUnsafeMutableBytes { try source(place, $0) }
    let header = try head.withUnsafeBytes { bytes throws(ParquetError) in
      try PageHeader(ThriftReader(bytes))
    }
    guard header.size <= Self.pageBytes, header.compressedSize <= Self.pageBytes else {
      throw ParquetError.unsupported("a page of the column \(column.name) that is as long")
    }
    guard Int64(header.length + header.compressedSize) <= available else { throw unequal }
    let start = place + Int64(header.length)
    try decompressor.decompress(header.compressedSize, into: page, header.size) {
      try source(start, $0)
    }
    place = start + Int64(header.compressedSize)
    return header
  }

  // MARK: - Faults

  private var unequal: ParquetError {
    .damaged("the values of the column \(column.name) do not add up")
  }

  private func named(_ fault: PageFault) -> ParquetError {
    switch fault {
    case .unequal: unequal
    case .unsupported(let what): .unsupported("\(what) in the column \(column.name)")
    }
  }
}

/// The struct `PageHeader`.
private struct PageHeader {
  enum PageType: Int64 {
    case values = 0
    case dictionary = 2
  }

  let type: PageType
  /// How long the header is, and the page behind it, before it was compressed and now.
  let length: Int
  let size: Int
  let compressedSize: Int
  /// How many rows the page has, or values of a dictionary.
  let count: Int64
  let encoding: Int64

  init(_ thrift: consuming ThriftReader) throws(ParquetError) {
    var type: PageType?
    var sizes: (Int64, Int64) = (-1, -1)
    var count: Int64 = -1
    var encodings: [Int64] = []
    try thrift.structure { (thrift: inout ThriftReader, field, kind) throws(ParquetError) in
      switch field {
      case 1: type = PageType(rawValue: try thrift.integer(kind))
      case 2: sizes.0 = try thrift.integer(kind)
      case 3: sizes.1 = try thrift.integer(kind)
      case 5 where kind == .structure && type == .values,
        7 where kind == .structure && type == .dictionary:
        try thrift.structure { (thrift: inout ThriftReader, field, kind) throws(ParquetError) in
          let value = try thrift.integer(kind)
          if field == 1 { count = value } else { encodings.append(value) }
        }
      default: throw .unsupported("a page with the field \(field)")
      }
    }
    guard let type, let size = Int(exactly: sizes.0), let compressed = Int(exactly: sizes.1),
      size >= 0, compressed >= 0, count >= 0, let encoding = encodings.first
    else { throw .damaged("a page has no sound header") }
    // Levels are written as runs, a dictionary as it is.
    guard encodings.dropFirst() == (type == .values ? [3, 3] : []),
      type == .values || encoding == 0
    else { throw .unsupported("the encodings \(encodings) of a page") }
    self.type = type
    self.size = size
    self.compressedSize = compressed
    self.count = count
    self.encoding = encoding
    length = thrift.offset
  }
}

/// The content of a page, with zeros behind it.
private final class PageMemory {
  private var memory: UnsafeMutableRawBufferPointer = .allocate(
    byteCount: BitPacking.padding, alignment: 16)

  init() { memory.initializeMemory(as: UInt8.self, repeating: 0) }

  deinit { memory.deallocate() }

  /// Lent until the next page.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }

  /// Room for a page of so many bytes.
  func reserve(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if memory.count < count + BitPacking.padding {
      memory.deallocate()
      memory = .allocate(byteCount: count + BitPacking.padding, alignment: 16)
    }
    memory[count..<count + BitPacking.padding].initializeMemory(as: UInt8.self, repeating: 0)
    return UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
  }
}

/// What ``PageCompressor`` has compressed, as it was.
final class PageDecompressor {
  private let context: OpaquePointer
  private var compressed: [UInt8] = []

  init() throws(ParquetError) {
    guard let context = ZSTD_createDCtx() else { throw .compression("no memory") }
    self.context = context
  }

  deinit {
    ZSTD_freeDCtx(context)
  }

  /// Decompresses a page of so many bytes.
  ///
  /// - Parameter read: reads what is compressed.
  fileprivate func decompress(
    _ compressedCount: Int, into page: PageMemory, _ count: Int,
    _ read: (UnsafeMutableRawBufferPointer) throws -> Void
  ) throws {
    if compressed.count < compressedCount {
      compressed = [UInt8](repeating: 0, count: compressedCount)
    }
    try compressed.withUnsafeMutableBytes { compressed in
      try read(UnsafeMutableRawBufferPointer(rebasing: compressed[..<compressedCount]))
    }
    let memory = page.reserve(count)
    let code = compressed.withUnsafeBytes {
      ZSTD_decompressDCtx(
        context, memory.baseAddress, memory.count, $0.baseAddress, compressedCount)
    }
    guard ZSTD_isError(code) == 0 else {
      throw ParquetError.damaged("zstd: \(String(cString: ZSTD_getErrorName(code)))")
    }
    guard code == count else {
      throw ParquetError.damaged("a page is not as long as its header says")
    }
  }
}
