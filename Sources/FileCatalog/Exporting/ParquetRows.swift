internal import Console
internal import Parquet
internal import SQLite

/// Rows of a statement on their way into a Parquet file.
struct ParquetRows: ~Copyable {
  /// So many rows are handed over at once.
  private static let batchRows = 1024

  private let types: [ParquetColumn.ValueType]
  private var batch: RowBatch
  private var count = 0
  private var writer: ParquetWriter

  init(
    _ columns: [(name: String, form: ValueForm)], creator: String,
    metadata: [(key: String, value: String)], to output: OutputFile
  ) throws {
    let columns = columns.map { ParquetColumn($0.name, $0.form.parquetType) }
    var options = ParquetWriter.Options()
    options.creator = creator
    options.metadata = metadata
    let writer = try ParquetWriter(columns, options: options) { try output.write($0) }
    types = columns.map(\.type)
    batch = RowBatch(columns)
    self.writer = writer
  }

  /// For the rows of an export.
  init(_ rows: ExportRows, creator: String, _ db: Connection, to output: OutputFile) throws {
    try self.init(
      rows.columns.map { ($0.name, $0.form) }, creator: creator,
      metadata: [
        ("filecat.view", rows.view.name),
        ("filecat.schema", "\(try db.integer("PRAGMA user_version") ?? 0)"),
        ("filecat.creator", creator), ("filecat.roots", try Self.roots(in: db)),
      ], to: output)
  }

  /// Of which scans the rows are, as JSON.
  private static func roots(in db: Connection) throws -> String {
    var json = JSONWriter()
    try json.array { json in
      let statement = SQL(
        "SELECT path, last_scan, last_scan_at, last_scan_state FROM roots ORDER BY path, id")
      try db.forEach(statement) { row in
        json.object { json in
          json.member("path", Cell(row.value(0)))
          json.member("last_scan", Cell(row.value(1)))
          json.member("last_scan_at", Cell(row.value(2)))
          json.member("last_scan_state", Cell(row.value(3)))
        }
      }
    }
    return json.text
  }

  /// Appends a row, whose values are those that its columns can have.
  mutating func append(_ row: Row) throws {
    for index in types.indices {
      let place = Int32(index)
      if row.isNull(place) {
        batch.columns[index].appendNull()
        continue
      }
      switch types[index] {
      case .boolean: batch.columns[index].append(row.integer(place) != 0)
      case .int32, .int64: batch.columns[index].append(row.integer(place))
      case .double: batch.columns[index].append(row.real(place))
      case .string, .binary: batch.columns[index].append(row.bytes(place))
      }
    }
    count += 1
    if count == Self.batchRows { try handOver() }
  }

  private mutating func handOver() throws {
    try writer.write(batch)
    batch.removeAll()
    count = 0
  }

  consuming func finish() throws {
    try handOver()
    try writer.finish()
  }
}

extension ValueForm {
  /// What the values are in Parquet. Times are numbers, in the unit of the view: not all readers know
  /// those of Parquet in nanoseconds.
  fileprivate var parquetType: ParquetColumn.ValueType {
    switch storageClass {
    case .integer: self == .truth ? .boolean : .int64
    case .real: .double
    case .text: .string
    case .blob, .any: .binary
    }
  }
}
