/// Reads the table `sqlite_schema`, whose root is page 1.
struct SchemaReader {
  private let writer: PageWriter
  private let pageCount: UInt32
  /// Pages that may still be read; a cycle of pages ends here.
  private var pagesLeft: UInt32

  init(_ writer: PageWriter, pageCount: UInt32) {
    self.writer = writer
    self.pageCount = pageCount
    pagesLeft = pageCount
  }

  mutating func read() throws(PageLoaderError) -> Schema {
    var entries: [Schema.Entry] = []
    var pending: [UInt32] = [1]
    while let number = pending.popLast() {
      let page = try readPage(number)
      let headerOffset = number == 1 ? DatabaseHeader.size : 0
      let kind = PageKind(rawValue: page[headerOffset])
      guard kind == .leafTable || kind == .interiorTable, let kind else {
        throw malformed(number)
      }
      let cellCount = page.number(at: headerOffset + 3, size: 2) ?? 0
      for index in 0..<cellCount {
        let pointer = headerOffset + kind.headerSize + 2 * index
        guard let cell = page.number(at: pointer, size: 2), cell < page.count else {
          throw malformed(number)
        }
        if kind.isInterior {
          pending.append(UInt32(page.number(at: cell, size: 4) ?? 0))
        } else {
          guard let entry = Self.entry(try payload(at: cell, of: page, number)) else {
            throw malformed(number)
          }
          entries.append(entry)
        }
      }
      if kind.isInterior {
        pending.append(UInt32(page.number(at: headerOffset + 8, size: 4) ?? 0))
      }
    }
    return Schema(entries)
  }

  // MARK: - Pages

  private mutating func readPage(_ number: UInt32) throws(PageLoaderError) -> [UInt8] {
    guard (1...pageCount).contains(number), pagesLeft > 0 else { throw malformed(number) }
    pagesLeft -= 1
    return try writer.read(number)
  }

  /// The payload of a leaf's cell, with that of its overflow pages.
  private mutating func payload(
    at offset: Int, of page: [UInt8], _ number: UInt32
  ) throws(PageLoaderError) -> [UInt8] {
    guard
      let size = Varint.read(page[offset...]),
      let rowid = Varint.read(page[(offset + size.size)...]),
      size.value <= UInt64(pageCount) * UInt64(page.count)
    else { throw malformed(number) }
    let total = Int(size.value)
    let start = offset + size.size + rowid.size
    let format = writer.format
    let local = format.localSize(ofPayload: total, maximum: format.tableLocalMaximum)
    guard start + local <= page.count else { throw malformed(number) }
    var payload = Array(page[start..<start + local])
    var next = page.number(at: start + local, size: 4) ?? 0
    while payload.count < total {
      let overflow = try readPage(UInt32(next))
      next = overflow.number(at: 0, size: 4) ?? 0
      payload += overflow[4...].prefix(total - payload.count)
    }
    return payload
  }

  private func malformed(_ page: UInt32) -> PageLoaderError {
    writer.error(.malformedSchema(page: page))
  }

  // MARK: - Rows

  /// The row type, name, tbl_name, rootpage, sql.
  private static func entry(_ record: [UInt8]) -> Schema.Entry? {
    record.withUnsafeBytes { bytes in
      guard var values = RecordValues(bytes), let type = values.next(), let name = values.next(),
        let table = values.next(), let root = values.next(), let sql = values.next(),
        values.next() == nil
      else { return nil }
      return Schema.Entry(
        type: text(type), name: text(name), table: text(table), root: page(root), sql: text(sql))
    }
  }

  private static func text(_ value: RecordValues.Value) -> String {
    if case .text(let bytes) = value { String(decoding: bytes, as: UTF8.self) } else { "" }
  }

  /// 0 for none. The first page is the root of no tree but the schema's own.
  private static func page(_ value: RecordValues.Value) -> UInt32 {
    guard case .integer(let number) = value, number > 1 else { return 0 }
    return UInt32(exactly: number) ?? 0
  }
}
