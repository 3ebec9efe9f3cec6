/// A Parquet file as its footer describes it: what a ``ParquetReader`` goes by.
///
/// Files are read as ``ParquetWriter`` writes them, and all others are refused: flat, with row groups, columns
/// and pages one behind the other, and whatever is told twice told alike. The bytes may come from anybody:
/// each length is compared with what there is before memory is taken for it.
package struct ParquetFile: Sendable {
  /// Reads as many bytes as have room, from a place on; throws where there are less.
  package typealias Source =
    @Sendable (_ offset: Int64, _ memory: UnsafeMutableRawBufferPointer) throws -> Void

  /// The columns, in the order in which the file has them.
  package let columns: [ParquetColumn]
  /// How many rows there are.
  package let rowCount: Int64
  /// What the file says of itself.
  package let metadata: [(key: String, value: String)]

  let rowGroups: [RowGroup]
  let source: Source

  /// Some rows: where the pages of each column are.
  struct RowGroup: Sendable {
    var rows: Int64 = 0
    var chunks: [Chunk] = []
    /// Where the first page begins, as the file says.
    var start: Int64 = 0
  }

  struct Chunk: Sendable {
    let start: Int64
    /// Where the pages with values begin; before them is that of the dictionary, if there is one.
    let values: Int64
    let end: Int64
  }

  private static let magic: UInt32 = 0x3152_4150
  /// The magic number before, and the length of the footer with that behind.
  private static let head: Int64 = 4
  private static let tail: Int64 = 8
  /// What describes a file has some kilobytes for each row group, and what it says of itself.
  private static let longestFooter = 64 << 20

  /// Reads the footer.
  ///
  /// - Parameter size: how many bytes the file has.
  /// - Throws: ``ParquetError``, and whatever `source` throws.
  package init(size: Int64, source: @escaping Source) throws {
    guard size >= Self.head + Self.tail else { throw ParquetError.notParquet }
    func words(at offset: Int64, _ count: Int) throws -> [UInt32] {
      var words = Array(repeating: 0 as UInt32, count: count)
      try words.withUnsafeMutableBytes { try source(offset, $0) }
      return words.map { UInt32(littleEndian: $0) }
    }
    let end = try words(at: size - Self.tail, 2)
    guard try words(at: 0, 1) == [Self.magic], end[1] == Self.magic else {
      throw ParquetError.notParquet
    }
    let length = Int64(end[0])
    guard length <= size - Self.head - Self.tail else {
      throw ParquetError.damaged("its footer is longer than the file")
    }
    guard length <= Self.longestFooter else {
      throw ParquetError.unsupported("a footer of \(length) bytes")
    }
    let start = size - Self.tail - length
    var bytes = [UInt8](repeating: 0, count: Int(length))
    try bytes.withUnsafeMutableBytes { try source(start, $0) }
    let footer = try bytes.withUnsafeBytes { try Footer(ThriftReader($0)) }
    try footer.requireSound(from: Self.head, to: start)
    columns = footer.columns
    rowCount = footer.rowCount
    metadata = footer.metadata
    rowGroups = footer.rowGroups
    self.source = source
  }

  /// The place of the column with a name.
  package func column(_ name: String) -> Int? { columns.firstIndex { $0.name == name } }
}

/// The struct `FileMetaData`.
private struct Footer {
  var columns: [ParquetColumn] = []
  var rowCount: Int64 = -1
  var metadata: [(key: String, value: String)] = []
  var rowGroups: [ParquetFile.RowGroup] = []

  init(_ thrift: consuming ThriftReader) throws(ParquetError) {
    // The root of the schema, which says how many columns there are, comes first.
    var elements: [SchemaElement] = []
    try thrift.structure { (thrift: inout ThriftReader, field, kind) throws(ParquetError) in
      switch field {
      case 2:
        try thrift.structures(kind) { (thrift: inout ThriftReader) throws(ParquetError) in
          elements.append(try SchemaElement(&thrift))
        }
      case 3: rowCount = try thrift.integer(kind)
      case 4:
        try thrift.structures(kind) { (thrift: inout ThriftReader) throws(ParquetError) in
          rowGroups.append(try Self.rowGroup(&thrift, elements))
        }
      case 5:
        try thrift.structures(kind) { (thrift: inout ThriftReader) throws(ParquetError) in
          metadata.append(try Self.pair(&thrift))
        }
      default: break
      }
    }
    guard let root = elements.first, root.childCount == elements.count - 1, root.type == nil else {
      throw .damaged("its schema is not that of a flat table")
    }
    for element in elements.dropFirst() { columns.append(try element.column) }
    guard !columns.isEmpty, Set(columns.map(\.name)).count == columns.count else {
      throw .invalidSchema
    }
  }

  /// The struct `SchemaElement`.
  private struct SchemaElement {
    var type: Int64?
    var repetition: Int64?
    var name: [UInt8] = []
    var childCount: Int?
    var convertedType: Int64?
    /// The field of the union `LogicalType` that is set.
    var logicalType: Int16?

    init(_ thrift: inout ThriftReader) throws(ParquetError) {
      try thrift.structure { (thrift: inout ThriftReader, field, kind) throws(ParquetError) in
        switch field {
        case 1: type = try thrift.integer(kind)
        case 3: repetition = try thrift.integer(kind)
        case 4: name = try thrift.binary(kind)
        case 5: childCount = Int(exactly: try thrift.integer(kind))
        case 6: convertedType = try thrift.integer(kind)
        case 10 where kind == .structure:
          try thrift.structure { (_, field, _) throws(ParquetError) in logicalType = field }
        default: break
        }
      }
    }

    var column: ParquetColumn {
      get throws(ParquetError) {
        let name = String(decoding: name, as: UTF8.self)
        guard childCount == nil, repetition == 0 || repetition == 1 else {
          throw .unsupported("the column \(name), which is not flat,")
        }
        return ParquetColumn(name, try valueType(name), repetition == 1 ? .optional : .required)
      }
    }

    private func valueType(
      _ name: String
    ) throws(ParquetError) -> ParquetColumn.ValueType {
      switch (type, convertedType, logicalType) {
      case (0, nil, nil): return .boolean
      case (1, nil, nil): return .int32
      case (2, nil, nil): return .int64
      case (5, nil, nil): return .double
      case (6, 0, 1): return .string
      case (6, nil, nil): return .binary
      default: throw .unsupported("the type of the column \(name)")
      }
    }
  }

  private static func pair(
    _ thrift: inout ThriftReader
  ) throws(ParquetError) -> (key: String, value: String) {
    var pair = (key: "", value: "")
    try thrift.structure { (thrift: inout ThriftReader, field, kind) throws(ParquetError) in
      switch field {
      case 1: pair.key = String(decoding: try thrift.binary(kind), as: UTF8.self)
      case 2: pair.value = String(decoding: try thrift.binary(kind), as: UTF8.self)
      default: break
      }
    }
    return pair
  }

  // MARK: - Row groups

  /// The struct `RowGroup`.
  private static func rowGroup(
    _ thrift: inout ThriftReader, _ elements: [SchemaElement]
  ) throws(ParquetError) -> ParquetFile.RowGroup {
    var group = ParquetFile.RowGroup()
    var chunks: [ChunkDescription] = []
    try thrift.structure { (thrift: inout ThriftReader, field, kind) throws(ParquetError) in
      switch field {
      case 1:
        try thrift.structures(kind) { (thrift: inout ThriftReader) throws(ParquetError) in
          chunks.append(try ChunkDescription(&thrift))
        }
      case 3: group.rows = try thrift.integer(kind)
      case 5: group.start = try thrift.integer(kind)
      default: break
      }
    }
    guard chunks.count + 1 == elements.count else {
      throw .damaged("a row group has not as many columns as the schema")
    }
    for (chunk, element) in zip(chunks, elements.dropFirst()) {
      guard chunk.type == element.type, chunk.name == element.name, chunk.count == group.rows else {
        throw .damaged("a column of a row group is not that of the schema")
      }
      guard chunk.codec == 6 else { throw .unsupported("the compression \(chunk.codec)") }
      group.chunks.append(try chunk.place)
    }
    return group
  }

  /// The structs `ColumnChunk` and `ColumnMetaData`.
  private struct ChunkDescription {
    var type: Int64?
    var name: [UInt8] = []
    var codec: Int64 = -1
    var count: Int64 = -1
    var length: Int64 = -1
    var values: Int64 = -1
    var dictionary: Int64?

    init(_ thrift: inout ThriftReader) throws(ParquetError) {
      try thrift.structure { (thrift: inout ThriftReader, field, kind) throws(ParquetError) in
        switch field {
        case 1: throw .unsupported("a column in another file")
        case 3 where kind == .structure:
          try thrift.structure { (thrift: inout ThriftReader, field, kind) throws(ParquetError) in
            switch field {
            case 1: type = try thrift.integer(kind)
            case 3: name = try thrift.onlyBinary(kind)
            case 4: codec = try thrift.integer(kind)
            case 5: count = try thrift.integer(kind)
            case 7: length = try thrift.integer(kind)
            case 9: values = try thrift.integer(kind)
            case 11: dictionary = try thrift.integer(kind)
            default: break
            }
          }
        default: break
        }
      }
    }

    var place: ParquetFile.Chunk {
      get throws(ParquetError) {
        let start = dictionary ?? values
        let (end, isBeyond) = start.addingReportingOverflow(length)
        guard start >= 0, length > 0, !isBeyond, values >= start, values < end else {
          throw .damaged("a column has no sound place")
        }
        return ParquetFile.Chunk(start: start, values: values, end: end)
      }
    }
  }

  /// Refuses a file whose parts do not lie one behind the other, or that do not add up.
  func requireSound(from start: Int64, to end: Int64) throws(ParquetError) {
    var place = start
    var rows: Int64 = 0
    for group in rowGroups {
      let (sum, isBeyond) = rows.addingReportingOverflow(group.rows)
      guard group.rows > 0, !isBeyond, group.start == place else {
        throw .damaged("a row group has no sound place, or no rows")
      }
      rows = sum
      for chunk in group.chunks {
        guard chunk.start == place else { throw .damaged("its columns are not in their order") }
        place = chunk.end
      }
    }
    guard place == end, rows == rowCount else {
      throw .damaged("its row groups are not all that it has")
    }
  }
}
