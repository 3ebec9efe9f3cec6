/// The values of a column in one row group, on their way into pages.
///
/// The first page is written both ways, with a dictionary and without, and what costs less is kept. A
/// dictionary that becomes too large is left for the pages that follow. What is held in memory is a page
/// at most, the dictionary, and the pages before in their compressed form.
struct ColumnChunk {
  /// When a page is full, and when a dictionary is no gain any more.
  struct Limits {
    var pageRows = 20_000
    var pageBytes = 512 << 10
    var dictionaryBytes = 1 << 20
  }

  /// How values are written.
  private enum Mode {
    /// With a dictionary, of which is not known yet whether it pays.
    case trying
    case dictionary
    case direct
  }

  /// The enum `Encoding` of `parquet.thrift`.
  private enum Encoding: Int32 {
    case plain = 0
    case runs = 3
    case delta = 5
    case dictionary = 8
  }

  /// So many rows are taken at once; limits are looked at in between.
  private static let step = 1024
  /// After so many values it shows whether most of them are different.
  private static let sample = 4096

  private let column: ParquetColumn
  private let limits: Limits
  private var mode: Mode
  private var statistics: ColumnStatistics
  private var dictionary = ValueDictionary()

  // The page that is being filled: a byte a row that tells whether it has a value, and the values as
  // numbers of the dictionary, as words, or as they are written.
  private var presence: [UInt8] = []
  private var indices: [UInt32] = []
  private var words: [Int64] = []
  private var texts: [UInt8] = []

  /// The pages that are done.
  private var pages: [[UInt8]] = []
  private var pagesCount = 0
  private var rowCount = 0
  private var uncompressedCount = 0
  private var hasDictionaryPages = false
  private var hasDirectPages = false

  init(_ column: ParquetColumn, _ limits: Limits) {
    self.column = column
    self.limits = limits
    statistics = ColumnStatistics(column.type)
    mode = column.type == .boolean ? .direct : .trying
  }

  /// How many bytes of memory the chunk takes.
  var byteCount: Int {
    presence.count + 4 * indices.count + 8 * words.count + texts.count + pagesCount
      + dictionary.byteCount
  }

  // MARK: - Values

  /// Appends rows.
  ///
  /// - Parameter value: the place of the first value of these rows; then of the first behind them.
  mutating func append(
    _ values: ColumnValues, rows: Range<Int>, from value: inout Int, _ compressor: PageCompressor
  ) throws(ParquetError) {
    var rows = rows
    while let first = rows.first {
      var end = min(rows.upperBound, first + Self.step, first + limits.pageRows - presence.count)
      var count = Self.count(values.presence[first..<end])
      if column.type.isText {
        // A page is cut off earlier where values are long.
        while values.byteCount(value..<value + count) > limits.pageBytes, end - first > 1 {
          end = first + (end - first) / 2
          count = Self.count(values.presence[first..<end])
        }
        guard values.byteCount(value..<value + count) <= Int(Int32.max) / 2 else {
          throw .valueTooLong(column: column.name)
        }
      }
      // An array that grows by itself takes up to twice what it needs.
      if presence.capacity == 0 { presence.reserveCapacity(limits.pageRows) }
      presence += values.presence[first..<end]
      statistics.addNulls(end - first - count)
      append(values, value..<value + count)
      value += count
      rows = end..<rows.upperBound
      try settle(compressor)
    }
  }

  private static func count(_ presence: ArraySlice<UInt8>) -> Int {
    presence.withUnsafeBufferPointer { $0.reduce(0) { $0 + Int($1) } }
  }

  private mutating func append(_ values: ColumnValues, _ range: Range<Int>) {
    guard !range.isEmpty else { return }
    if mode != .direct {
      if indices.capacity == 0 { indices.reserveCapacity(limits.pageRows) }
    } else if column.type.isText {
      if texts.capacity == 0 { texts.reserveCapacity(limits.pageBytes + limits.pageBytes / 4) }
    } else if words.capacity == 0 {
      words.reserveCapacity(limits.pageRows)
    }
    switch (column.type.isText, mode) {
    case (true, .direct): appendTexts(values, range)
    case (true, _): index(values, range)
    case (false, .direct):
      values.words[range].withUnsafeBufferPointer { statistics.add($0) }
      words += values.words[range]
    case (false, _):
      let known = dictionary.count
      values.words[range].withUnsafeBufferPointer { words in
        // Neighbours are often alike.
        var last: (word: Int64, index: UInt32)?
        for word in words {
          if let last, last.word == word {
            indices.append(last.index)
          } else {
            let index = dictionary.index(of: word)
            indices.append(index)
            last = (word, index)
          }
        }
      }
      dictionary.words[known...].withUnsafeBufferPointer { statistics.add($0) }
    }
  }

  private mutating func appendTexts(_ values: ColumnValues, _ range: Range<Int>) {
    values.withTexts(range) { all in
      var bounds: (least: UnsafeRawBufferPointer, greatest: UnsafeRawBufferPointer)?
      for text in all {
        PlainEncoding.append(text, to: &texts)
        guard let known = bounds else {
          bounds = (text, text)
          continue
        }
        if text.compare(with: known.greatest) > 0 {
          bounds = (known.least, text)
        } else if text.compare(with: known.least) < 0 {
          bounds = (text, known.greatest)
        }
      }
      if let bounds {
        statistics.add(bounds.least)
        statistics.add(bounds.greatest)
      }
    }
  }

  private mutating func index(_ values: ColumnValues, _ range: Range<Int>) {
    values.withTexts(range) { all in
      for text in all {
        let known = dictionary.count
        indices.append(dictionary.index(of: text))
        if dictionary.count > known { statistics.add(text) }
      }
    }
  }

  // MARK: - Pages

  /// Ends the page when it is full, and the dictionary when it is no gain.
  private mutating func settle(_ compressor: PageCompressor) throws(ParquetError) {
    if mode != .direct, dictionary.encodedCount > limits.dictionaryBytes {
      if mode == .dictionary { try endPage(compressor) }
      leaveDictionary()
    } else if mode == .trying, indices.count >= Self.sample,
      10 * dictionary.count > 9 * indices.count
    {
      leaveDictionary()
    }
    if presence.count >= limits.pageRows || texts.count >= limits.pageBytes {
      try endPage(compressor)
    }
  }

  /// Writes what follows without a dictionary, with what waits for its page.
  private mutating func leaveDictionary() {
    mode = .direct
    (words, texts) = looked(up: indices)
    indices = []
    // The pages before still need it.
    if !hasDictionaryPages { dictionary = ValueDictionary() }
  }

  private func looked(up indices: [UInt32]) -> (words: [Int64], texts: [UInt8]) {
    var texts: [UInt8] = []
    guard column.type.isText else { return (indices.map { dictionary.words[Int($0)] }, texts) }
    dictionary.plain.withUnsafeBytes { plain in
      for index in indices { PlainEncoding.append(dictionary.text(index, in: plain), to: &texts) }
    }
    return ([], texts)
  }

  private mutating func endPage(_ compressor: PageCompressor) throws(ParquetError) {
    guard !presence.isEmpty else { return }
    if mode == .trying { try chooseMode(compressor) }
    let page = body(mode)
    let compressed = try compressor.compress(page)
    let encoding = mode == .direct ? directEncoding : .dictionary
    let rows = Int32(presence.count)
    let written = written(compressed, of: page.count) { thrift in
      thrift.field(1, 0 as Int32)
      thrift.field(2, Int32(page.count))
      thrift.field(3, Int32(compressed.count))
      thrift.field(5) { thrift in
        thrift.field(1, rows)
        thrift.field(2, encoding.rawValue)
        thrift.field(3, Encoding.runs.rawValue)
        thrift.field(4, Encoding.runs.rawValue)
      }
    }
    pages.append(written)
    pagesCount += written.count
    if mode == .direct { hasDirectPages = true } else { hasDictionaryPages = true }
    rowCount += presence.count
    presence.removeAll(keepingCapacity: true)
    indices.removeAll(keepingCapacity: true)
    words.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
  }

  /// Writes the first page both ways.
  private mutating func chooseMode(_ compressor: PageCompressor) throws(ParquetError) {
    let withDictionary =
      try Self.cost(dictionaryBody, compressor) + Self.cost(body(.dictionary), compressor)
    let (indices, dictionary) = (indices, dictionary)
    leaveDictionary()
    guard dictionary.count > 0, try withDictionary < Self.cost(body(.direct), compressor) else {
      return
    }
    mode = .dictionary
    (self.indices, self.dictionary, words, texts) = (indices, dictionary, [], [])
  }

  /// What a page costs: its room in the file, and a little for what a reader has to go through.
  private static func cost(
    _ page: [UInt8], _ compressor: PageCompressor
  ) throws(ParquetError) -> Int {
    try compressor.compress(page).count + page.count / 16
  }

  private var directEncoding: Encoding {
    column.type == .int32 || column.type == .int64 ? .delta : .plain
  }

  /// The levels of a page and its values.
  private func body(_ mode: Mode) -> [UInt8] {
    var body: [UInt8] = []
    if column.presence == .optional {
      PlainEncoding.append(0, to: &body)
      presence.withUnsafeBufferPointer { HybridRuns.append(levels: $0, to: &body) }
      let length = UInt32(body.count - 4)
      for place in 0..<4 { body[place] = UInt8(truncatingIfNeeded: length >> UInt32(8 * place)) }
    }
    switch mode {
    case .trying, .dictionary:
      // Some readers know no numbers without bits.
      let width = max(1, BitPacking.width(of: UInt64(max(0, dictionary.count - 1))))
      body.append(UInt8(width))
      indices.withUnsafeBufferPointer { HybridRuns.append($0, width: width, to: &body) }
    case .direct:
      words.withUnsafeBufferPointer { words in
        switch column.type {
        case .int32: DeltaPacking.append(words, as: Int32.self, to: &body)
        case .int64: DeltaPacking.append(words, as: Int64.self, to: &body)
        case .boolean, .double: PlainEncoding.append(words, as: column.type, to: &body)
        case .string, .binary: body += texts
        }
      }
    }
    return body
  }

  private var dictionaryBody: [UInt8] {
    if column.type.isText { return dictionary.plain }
    var body: [UInt8] = []
    dictionary.words.withUnsafeBufferPointer {
      PlainEncoding.append($0, as: column.type, to: &body)
    }
    return body
  }

  /// A page as it stands in the file.
  ///
  /// - Parameter count: how many bytes there were before they were compressed.
  private mutating func written(
    _ compressed: UnsafeRawBufferPointer, of count: Int, _ header: (inout ThriftWriter) -> Void
  ) -> [UInt8] {
    var thrift = ThriftWriter()
    thrift.structure(header)
    uncompressedCount += thrift.bytes.count + count
    return thrift.bytes + compressed
  }

  // MARK: - The end

  /// A chunk as it stands in the file.
  struct Written {
    /// The pages; the first is that of the dictionary where there is one.
    let pages: [[UInt8]]
    let count: Int64
    /// How many bytes it has before they are compressed.
    let uncompressedCount: Int64
  }

  /// Ends the chunk.
  ///
  /// - Parameters:
  ///   - offset: where the chunk will begin in the file.
  ///   - thrift: gets the struct `ColumnChunk`.
  mutating func finish(
    at offset: Int64, _ compressor: PageCompressor, to thrift: inout ThriftWriter
  ) throws(ParquetError) -> Written {
    try endPage(compressor)
    var dictionaryCount = 0
    if hasDictionaryPages {
      let body = dictionaryBody
      let count = Int32(dictionary.count)
      let compressed = try compressor.compress(body)
      let page = written(compressed, of: body.count) { thrift in
        thrift.field(1, 2 as Int32)
        thrift.field(2, Int32(body.count))
        thrift.field(3, Int32(compressed.count))
        thrift.field(7) { thrift in
          thrift.field(1, count)
          thrift.field(2, Encoding.plain.rawValue)
        }
      }
      pages.insert(page, at: 0)
      pagesCount += page.count
      dictionaryCount = page.count
    }
    let written = Written(
      pages: pages, count: Int64(pagesCount), uncompressedCount: Int64(uncompressedCount))
    thrift.structure { thrift in
      thrift.field(2, offset)
      thrift.field(3) { describe(written, at: offset, dictionaryCount, to: &$0) }
    }
    return written
  }

  /// Writes the struct `ColumnMetaData`.
  private func describe(
    _ written: Written, at offset: Int64, _ dictionaryCount: Int, to thrift: inout ThriftWriter
  ) {
    var encodings: [Encoding] = [.runs]
    if hasDictionaryPages { encodings += [.plain, .dictionary] }
    if hasDirectPages, !encodings.contains(directEncoding) { encodings.append(directEncoding) }
    thrift.field(1, column.type.physicalType)
    thrift.field(2, listOf: encodings.map(\.rawValue))
    thrift.field(3, listOf: column.name)
    thrift.field(4, 6 as Int32)
    thrift.field(5, Int64(rowCount))
    thrift.field(6, written.uncompressedCount)
    thrift.field(7, written.count)
    thrift.field(9, offset + Int64(dictionaryCount))
    if hasDictionaryPages { thrift.field(11, offset) }
    thrift.field(12) { statistics.write(to: &$0) }
  }
}

extension ColumnValues {
  /// How many bytes some of the values have together.
  fileprivate func byteCount(_ range: Range<Int>) -> Int {
    range.isEmpty ? 0 : ends[range.upperBound - 1] - start(of: range.lowerBound)
  }

  private func start(of value: Int) -> Int { value == 0 ? 0 : ends[value - 1] }

  /// Calls `body` with some of the values, which are lent.
  fileprivate func withTexts<Result>(
    _ range: Range<Int>, _ body: (Texts) throws -> Result
  ) rethrows -> Result {
    let start = range.isEmpty ? 0 : start(of: range.lowerBound)
    return try bytes.withUnsafeBytes { bytes in
      try ends[range].withUnsafeBufferPointer { ends in
        try body(Texts(bytes: bytes, start: start, ends: ends))
      }
    }
  }

  /// Values that lie one behind the other.
  fileprivate struct Texts: Sequence, IteratorProtocol {
    let bytes: UnsafeRawBufferPointer
    var start: Int
    let ends: UnsafeBufferPointer<Int>
    private var index = 0

    init(bytes: UnsafeRawBufferPointer, start: Int, ends: UnsafeBufferPointer<Int>) {
      self.bytes = bytes
      self.start = start
      self.ends = ends
    }

    mutating func next() -> UnsafeRawBufferPointer? {
      guard index < ends.count else { return nil }
      let text = UnsafeRawBufferPointer(rebasing: bytes[start..<ends[index]])
      start = ends[index]
      index += 1
      return text
    }
  }
}

extension PageCompressor {
  func compress(_ page: [UInt8]) throws(ParquetError) -> UnsafeRawBufferPointer {
    try page.withUnsafeBufferPointer { page throws(ParquetError) in
      try compress(UnsafeRawBufferPointer(page))
    }
  }
}
