/// Writes a flat Parquet file from its beginning to its end, so that it can go into a file or a pipe.
///
/// Pages are of version 1 and compressed with zstd, with its checksums. Values are written with a
/// dictionary where that takes less, else as differences (`DELTA_BINARY_PACKED`) or as they are (`PLAIN`).
/// Each column of a row group has its bounds and its number of NULLs. See ``ParquetColumn`` for the
/// specification.
///
/// ```swift
/// var writer = try ParquetWriter([ParquetColumn("size", .int64)]) { try file.writeAll($0) }
/// try writer.write(batch)
/// try writer.finish()
/// ```
///
/// There is no file before ``finish()``: what was written until then has no footer, and no reader takes it.
/// Memory is bounded by that of a row group, and by 10 kB or so a row group for what the footer says of it.
package struct ParquetWriter: ~Copyable {
  /// How a file is cut.
  package struct Options: Sendable {
    /// How many rows a row group has; the last one may have less.
    package var rowGroupRows = 131_072
    /// A row group is ended earlier when it takes so many bytes of memory.
    package var rowGroupBytes = 24 << 20
    /// How many rows a page has at most.
    package var pageRows = 20_000
    /// What made the file, such as `filecat version 1.0.0`.
    package var creator = "filecat"
    /// What readers may want to know of the file, by names of their own.
    package var metadata: [(key: String, value: String)] = []

    package init() {}

    fileprivate var limits: ColumnChunk.Limits { ColumnChunk.Limits(pageRows: max(1, pageRows)) }
  }

  private let columns: [ParquetColumn]
  private let options: Options
  private let sink: (UnsafeRawBufferPointer) throws -> Void
  private let compressor: PageCompressor
  private var chunks: [ColumnChunk]
  /// The structs `RowGroup` of the footer.
  private var rowGroups = ThriftWriter()
  private var rowGroupCount = 0
  private var heldRows = 0
  private var rowCount: Int64 = 0
  private var offset = Int64(magic.count)

  private static let magic = Array("PAR1".utf8)

  /// - Parameter sink: takes the bytes of the file as they come. They are lent.
  /// - Throws: ``ParquetError``, and whatever `sink` throws.
  package init(
    _ columns: [ParquetColumn], options: Options = Options(),
    sink: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard !columns.isEmpty, Set(columns.map(\.name)).count == columns.count else {
      throw ParquetError.invalidSchema
    }
    let compressor = try PageCompressor()
    try Self.magic.withUnsafeBytes { try sink($0) }
    self.columns = columns
    self.options = options
    self.sink = sink
    self.compressor = compressor
    chunks = columns.map { ColumnChunk($0, options.limits) }
  }

  /// Writes rows. They may wait in memory for others.
  ///
  /// - Throws: ``ParquetError``, and whatever takes the bytes throws. Then the file cannot be completed.
  package mutating func write(_ batch: RowBatch) throws {
    let rows = batch.columns.first?.rowCount ?? 0
    for (column, values) in zip(columns, batch.columns) {
      guard values.column == column, values.rowCount == rows, values.isSound else {
        throw ParquetError.unequalColumns(name: column.name)
      }
    }
    guard batch.columns.count == columns.count else { throw ParquetError.invalidSchema }
    // Where the values of each column have come to: rows without one have none.
    var values = Array(repeating: 0, count: columns.count)
    var row = 0
    while row < rows {
      let end = min(rows, row + 1024, row + options.rowGroupRows - heldRows)
      var byteCount = 0
      for index in columns.indices {
        try chunks[index].append(
          batch.columns[index], rows: row..<end, from: &values[index], compressor)
        byteCount += chunks[index].byteCount
      }
      heldRows += end - row
      row = end
      if heldRows >= options.rowGroupRows || byteCount >= options.rowGroupBytes {
        try endRowGroup()
      }
    }
  }

  /// Writes what is left, and what describes the file.
  package consuming func finish() throws {
    try endRowGroup()
    let footer = footer
    try write(footer)
    var ending: [UInt8] = []
    PlainEncoding.append(UInt32(truncatingIfNeeded: footer.count), to: &ending)
    try write(ending + Self.magic)
  }

  private mutating func endRowGroup() throws {
    guard heldRows > 0 else { return }
    let start = offset
    var sizes: (uncompressed: Int64, compressed: Int64) = (0, 0)
    var described = ThriftWriter()
    for index in columns.indices {
      let written = try chunks[index].finish(at: offset, compressor, to: &described)
      for page in written.pages { try write(page) }
      sizes.uncompressed += written.uncompressedCount
      sizes.compressed += written.count
      chunks[index] = ColumnChunk(columns[index], options.limits)
    }
    rowGroups.structure { [columns, heldRows] thrift in
      thrift.field(1, listOf: columns.count, written: described.bytes)
      thrift.field(2, sizes.uncompressed)
      thrift.field(3, Int64(heldRows))
      thrift.field(5, start)
      thrift.field(6, sizes.compressed)
    }
    rowGroupCount += 1
    rowCount += Int64(heldRows)
    heldRows = 0
  }

  private mutating func write(_ bytes: [UInt8]) throws {
    guard !bytes.isEmpty else { return }
    try bytes.withUnsafeBytes { try sink($0) }
    offset += Int64(bytes.count)
  }

  /// The struct `FileMetaData`.
  private var footer: [UInt8] {
    var thrift = ThriftWriter()
    thrift.structure { thrift in
      thrift.field(1, 2 as Int32)
      thrift.field(2, listOf: [nil] + columns) { thrift, column in
        guard let column else {
          thrift.field(4, "schema".utf8)
          thrift.field(5, Int32(columns.count))
          return
        }
        column.describe(to: &thrift)
      }
      thrift.field(3, rowCount)
      thrift.field(4, listOf: rowGroupCount, written: rowGroups.bytes)
      if !options.metadata.isEmpty {
        thrift.field(5, listOf: options.metadata) { thrift, pair in
          thrift.field(1, pair.key.utf8)
          thrift.field(2, pair.value.utf8)
        }
      }
      thrift.field(6, options.creator.utf8)
      // Bounds hold in the order of the type: numbers as such, bytes as unsigned ones.
      thrift.field(7, listOf: columns) { thrift, _ in thrift.field(1) { _ in } }
    }
    return thrift.bytes
  }
}

extension ParquetColumn {
  /// Writes the struct `SchemaElement`.
  fileprivate func describe(to thrift: inout ThriftWriter) {
    thrift.field(1, type.physicalType)
    thrift.field(3, (presence == .optional ? 1 : 0) as Int32)
    thrift.field(4, name.utf8)
    guard type == .string else { return }
    thrift.field(6, 0 as Int32)
    thrift.field(10) { thrift in thrift.field(1) { _ in } }
  }
}
