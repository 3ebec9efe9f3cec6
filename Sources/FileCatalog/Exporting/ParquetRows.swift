internal import Console
internal import Parquet
internal import SQLite

/// Rows of a statement on their way into a Parquet file.
struct ParquetRows: ~Copyable {
  /// So many rows are handed over at once that come one by one.
  private static let singleRows = 128

  private let columns: [ParquetColumn]
  /// What numbers stand for that rows have instead of values, by the columns' places.
  private let lookUps: [ValuesByNumber?]
  /// Rows that have a value for each column, and were not handed over so far.
  private let rows: RowBuffer
  private var batch: RowBatch
  private let thread: ParquetThread

  init(
    _ columns: [(name: String, form: ValueForm)], lookUps: [Int: ValuesByNumber] = [:],
    creator: String, metadata: [(key: String, value: String)], to output: OutputFile
  ) throws {
    let columns = columns.map { ParquetColumn($0.name, $0.form.parquetType) }
    var options = ParquetWriter.Options()
    options.creator = creator
    options.metadata = metadata
    thread = try ParquetThread(columns) { [options] in
      try ParquetWriter(columns, options: options) { try output.write($0) }
    }
    self.columns = columns
    self.lookUps = columns.indices.map { lookUps[$0] }
    rows = RowBuffer(columns: columns.count, capacity: Self.singleRows)
    batch = RowBatch(columns)
  }

  /// For the rows of an export.
  init(_ rows: ExportRows, creator: String, _ db: Connection, to output: OutputFile) throws {
    try self.init(
      rows.columns.map { ($0.name, $0.form) }, lookUps: try rows.lookUps, creator: creator,
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

  // MARK: - Rows

  /// Appends a row with a value for each column.
  mutating func append(_ row: Row) throws {
    rows.append(row)
    if rows.isFull { try handOver() }
  }

  /// Ends rows of which each column has got values by ``append(_:_:_:)``.
  mutating func endRows() throws {
    try thread.write(&batch)
  }

  /// Hands rows over that have come by ``append(_:)``; others may follow in another way.
  mutating func handOver() throws {
    guard rows.count > 0 else { return }
    for column in columns.indices {
      try append(rows, 0..<rows.count, RowOutput(value: column, column: column, making: .value))
    }
    rows.removeAll()
    try endRows()
  }

  consuming func finish() throws {
    try handOver()
    try thread.finish()
  }

  // MARK: - Values

  /// Appends values of some rows of a buffer to a column.
  ///
  /// - Throws: ``SQLiteError/Code/corrupt`` for a value that the column cannot have.
  mutating func append(
    _ rows: RowBuffer, _ range: Range<Int>, _ output: RowOutput
  ) throws(SQLiteError) {
    guard !range.isEmpty else { return }
    let column = output.column
    if case .constant(let number) = output.making {
      batch.columns[column].append(number, count: range.count)
      return
    }
    let values = rows.values(output.value)
    let isSound =
      switch (output.making, columns[column].type) {
      case (.value, .boolean):
        batch.columns[column].append(values, range) { 0...1 ~= $0 ? $0 : nil }
      case (.value, .int32), (.value, .int64):
        batch.columns[column].append(values, range) { $0 }
      case (.seconds, _):
        batch.columns[column].append(values, range) { $0.flooredDivision(by: 1_000_000_000) }
      case (.value, .double): batch.columns[column].append(reals: values, range)
      case (.value, .string):
        batch.columns[column].append(values, range, .text) { column, text, _ in
          guard text.isUTF8 else { return false }
          column.append(text)
          return true
        }
      case (.value, .binary):
        batch.columns[column].append(values, range, .blob) { column, bytes, _ in
          column.append(bytes)
          return true
        }
      case (.path(let place), _):
        batch.columns[column].append(paths: values, below: rows.values(place), range)
      case (.stem(let place), _):
        batch.columns[column].append(stems: rows.values(place), without: values, range)
      case (.ending(let place), _):
        batch.columns[column].append(endings: rows.values(place), of: values, range)
      case (.withoutExtension(let place), _):
        batch.columns[column].append(rows.values(place), range, .text) { column, name, row in
          guard name.isUTF8 else { return false }
          column.append(values.storageClass(row) == .null ? name : name.beforeLastDot)
          return true
        }
      case (.constant, _): true
      case (.lookUp, _):
        lookUps[column]?.append(values, range, to: &batch.columns[column]) ?? false
      }
    guard isSound else {
      throw .corrupt("a value of \(columns[column].name) is none that can be there")
    }
  }
}

/// What a column is made of: a value of rows.
struct RowOutput {
  let value: Int
  let column: Int
  let making: Making

  /// ``BulkColumn/Making`` with the places of other values.
  enum Making {
    case value
    case constant(Int64?)
    case lookUp
    case seconds
    case path(below: Int)
    case stem(of: Int)
    case ending(of: Int)
    case withoutExtension(of: Int)
  }
}

/// Each returns whether all values are such as the column can have.
extension ColumnValues {
  /// Appends integers.
  @inline(__always)
  fileprivate mutating func append(
    _ values: RowBuffer.Values, _ range: Range<Int>, _ making: (Int64) -> Int64?
  ) -> Bool {
    var isSound = true
    append(rows: range.count) { presence, words in
      var used = 0
      for row in range {
        let storage = values.storageClass(row)
        let isThere = storage != .null
        presence[row - range.lowerBound] = isThere ? 1 : 0
        let word = making(values.word(row))
        words[used] = word ?? 0
        used += isThere ? 1 : 0
        isSound = isSound && (!isThere || storage == .integer && word != nil)
      }
      return used
    }
    return isSound
  }

  fileprivate mutating func append(reals values: RowBuffer.Values, _ range: Range<Int>) -> Bool {
    for row in range {
      switch values.storageClass(row) {
      case .null: appendNull()
      case .real: append(values.word(row))
      case .integer:
        guard let value = Double(exactly: values.word(row)) else { return false }
        append(value)
      case .text, .blob: return false
      }
    }
    return true
  }

  /// Appends texts or BLOBs.
  @inline(__always)
  fileprivate mutating func append(
    _ values: RowBuffer.Values, _ range: Range<Int>, _ storage: Row.StorageClass,
    _ body: (inout ColumnValues, UnsafeRawBufferPointer, Int) -> Bool
  ) -> Bool {
    for row in range {
      let found = values.storageClass(row)
      if found == .null {
        appendNull()
      } else if found != storage || !body(&self, values.bytes(row), row) {
        return false
      }
    }
    return true
  }

  /// Appends paths of names, below directories.
  fileprivate mutating func append(
    paths names: RowBuffer.Values, below directories: RowBuffer.Values, _ range: Range<Int>
  ) -> Bool {
    append(names, range, .text) { column, name, row in
      guard directories.storageClass(row) == .text else { return false }
      let directory = directories.bytes(row)
      guard name.isUTF8, directory.isUTF8 else { return false }
      // Of no other directory than / the path ends in one.
      let separator = UInt8(ascii: "/")
      let end = directory.last == separator ? directory.count - 1 : directory.count
      column.append(UnsafeRawBufferPointer(rebasing: directory[..<end]), separator, name)
      return true
    }
  }

  /// Appends so many characters at the ends of names.
  fileprivate mutating func append(
    endings names: RowBuffer.Values, of counts: RowBuffer.Values, _ range: Range<Int>
  ) -> Bool {
    for row in range {
      switch (counts.storageClass(row), names.storageClass(row)) {
      case (.null, _): appendNull()
      case (.integer, .text):
        let name = names.bytes(row)
        guard name.isUTF8 else { return false }
        let stem = name.dropping(characters: counts.word(row))
        if stem.count == name.count {
          appendNull()
        } else {
          append(UnsafeRawBufferPointer(rebasing: name[stem.count...]))
        }
      default: return false
      }
    }
    return true
  }

  /// Appends names without as many characters at their ends.
  fileprivate mutating func append(
    stems names: RowBuffer.Values, without counts: RowBuffer.Values, _ range: Range<Int>
  ) -> Bool {
    for row in range {
      switch (counts.storageClass(row), names.storageClass(row)) {
      case (.null, _): appendNull()
      case (.integer, .text):
        let name = names.bytes(row)
        guard name.isUTF8 else { return false }
        append(name.dropping(characters: counts.word(row)))
      default: return false
      }
    }
    return true
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
