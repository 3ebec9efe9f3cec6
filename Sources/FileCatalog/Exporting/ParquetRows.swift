internal import Console
internal import Parquet
internal import SQLite

/// Rows of a statement on their way into a Parquet file.
struct ParquetRows: ~Copyable {
  /// So many rows are handed over at once.
  private static let batchRows = 1024

  private let sources: [Source]
  private var batch: RowBatch
  private var count = 0
  private var writer: ParquetWriter

  /// Where the values of a column come from.
  private struct Source {
    let type: ParquetColumn.ValueType
    /// What the numbers of the rows stand for; `nil` where the rows have the values.
    let texts: TextsByNumber?
  }

  /// - Parameter texts: for columns that are to have texts, what the numbers stand for that rows have instead.
  init(
    _ columns: [(name: String, form: ValueForm)], texts: [String: TextsByNumber] = [:],
    creator: String, metadata: [(key: String, value: String)], to output: OutputFile
  ) throws {
    let sources = columns.map { Source(type: $0.form.parquetType, texts: texts[$0.name]) }
    let columns = zip(columns, sources).map { ParquetColumn($0.name, $1.type) }
    var options = ParquetWriter.Options()
    options.creator = creator
    options.metadata = metadata
    let writer = try ParquetWriter(columns, options: options) { try output.write($0) }
    self.sources = sources
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

  /// Appends a row. Where a value is none that its column can have, the next step of the statement throws.
  mutating func append(_ row: Row) throws {
    for index in sources.indices {
      let place = Int32(index)
      if !append(row, place, to: index) {
        row.refuse(place)
        // A column of another length would be told instead.
        batch.columns[index].appendNull()
      }
    }
    count += 1
    if count == Self.batchRows { try handOver() }
  }

  /// Appends a row of numbers; of columns that are to have texts, what these stand for.
  mutating func append(_ numbers: [Int64?]) throws {
    for (index, number) in numbers.enumerated() {
      guard let number else {
        batch.columns[index].appendNull()
        continue
      }
      if let texts = sources[index].texts {
        texts.append(number, to: &batch.columns[index])
      } else {
        batch.columns[index].append(number)
      }
    }
    count += 1
    if count == Self.batchRows { try handOver() }
  }

  /// - Returns: whether the value is one that the column can have.
  @inline(__always)
  private mutating func append(_ row: Row, _ place: Int32, to index: Int) -> Bool {
    switch (row.storageClass(place), sources[index].type) {
    case (.null, _):
      batch.columns[index].appendNull()
    case (.integer, .string):
      guard let texts = sources[index].texts else { return false }
      texts.append(row.integer(place), to: &batch.columns[index])
    case (.integer, .boolean):
      let value = row.integer(place)
      guard 0...1 ~= value else { return false }
      batch.columns[index].append(value)
    case (.integer, .int32), (.integer, .int64):
      batch.columns[index].append(row.integer(place))
    case (.integer, .double):
      guard let value = Double(exactly: row.integer(place)) else { return false }
      batch.columns[index].append(value)
    case (.real, .double):
      batch.columns[index].append(row.real(place))
    case (.text, .string):
      let bytes = row.bytes(place)
      guard bytes.withMemoryRebound(to: UInt8.self, { UTF8Validity.isValid($0) }) else {
        return false
      }
      batch.columns[index].append(bytes)
    case (.blob, .binary):
      batch.columns[index].append(row.bytes(place))
    default: return false
    }
    return true
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

/// What the numbers of a column stand for, such as those of types.
struct TextsByNumber {
  private var texts: [Int64: [UInt8]] = [:]

  /// - Parameter statement: selects numbers and texts.
  init(_ statement: SQL, in db: Connection) throws {
    try db.forEach(statement) { row in
      // What is no text is told by who reads it.
      if row.storageClass(1) == .text { texts[row.integer(0)] = Array(row.bytes(1)) }
    }
  }

  @inline(__always)
  fileprivate func append(_ number: Int64, to column: inout ColumnValues) {
    guard let text = texts[number] else { return column.appendNull() }
    text.withUnsafeBytes { column.append($0) }
  }
}

extension ValueForm {
  /// What the values are in Parquet. Times are numbers, in the unit of the view: not all readers know
  /// those of Parquet in nanoseconds.
  var parquetType: ParquetColumn.ValueType {
    switch storageClass {
    case .integer: self == .truth ? .boolean : .int64
    case .real: .double
    case .text: .string
    case .blob, .any: .binary
    }
  }
}
