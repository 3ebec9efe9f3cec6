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
    guard let header = Varint.read(record[...]), header.value <= UInt64(record.count) else {
      return nil
    }
    var types = record[header.size..<max(header.size, Int(header.value))]
    var body = record[Int(header.value)...]
    var values: [ArraySlice<UInt8>] = []
    while let type = Varint.read(types) {
      let size = valueSize(type: type.value)
      guard size <= body.count else { return nil }
      // The values 0 and 1 have no bytes; no root page is 1 here, and 0 stands for none.
      values.append(body.prefix(size))
      types = types.dropFirst(type.size)
      body = body.dropFirst(size)
    }
    guard values.count == 5, values[3].count <= 8 else { return nil }
    let root = values[3].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Schema.Entry(
      type: String(decoding: values[0], as: UTF8.self),
      name: String(decoding: values[1], as: UTF8.self),
      table: String(decoding: values[2], as: UTF8.self),
      root: UInt32(truncatingIfNeeded: root),
      sql: String(decoding: values[4], as: UTF8.self))
  }

  private static func valueSize(type: UInt64) -> Int {
    switch type {
    case 1...4: Int(type)
    case 5: 6
    case 6, 7: 8
    case 12...: Int(clamping: (type - 12) / 2)
    default: 0
    }
  }
}
