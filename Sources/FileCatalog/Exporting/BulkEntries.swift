internal import SQLite

/// Reads columns of many entries, one entry behind the other, into a Parquet file.
struct BulkEntries {
  private let columns: [BulkColumn]
  /// What rows of the statement have.
  private let values: [String]
  private let statement: SQL
  /// Why entries have further rows that columns are made of.
  private let reasons: [BulkColumn.Reason]

  /// - Parameters:
  ///   - columns: all columns of the file.
  ///   - tables: `_entries e`, and `_directory_paths d` where columns need it.
  ///   - condition: which entries, and in which order.
  init(_ columns: [BulkColumn], from tables: String, _ condition: SQL) {
    self.columns = columns
    let reasons = Set(columns.flatMap { $0.others.map(\.reason) })
    self.reasons = BulkColumn.Reason.allCases.filter(reasons.contains)
    values = Self.values(of: columns.map(\.usual), after: ["e.id"] + self.reasons.map(\.value))
    let assets = reasons.contains(.asset) ? BulkColumn.Reason.assets : ""
    statement =
      SQL("SELECT \(values.joined(separator: ", ")) FROM \(tables) \(assets) ") + condition
  }

  /// What numbers stand for that columns are made of, by the columns' places.
  func lookUps(in db: Connection) throws -> [Int: ValuesByNumber] {
    var known: [String: ValuesByNumber] = [:]
    var lookUps: [Int: ValuesByNumber] = [:]
    for (place, column) in columns.enumerated() {
      guard case .lookUp(let statement) = column.usual.making else { continue }
      let values = try known[statement] ?? ValuesByNumber(SQL(statement), in: db)
      known[statement] = values
      lookUps[place] = values
    }
    return lookUps
  }

  /// Appends all entries to a file.
  ///
  /// - Parameter step: called with how many there are so far.
  /// - Returns: how many there are.
  func append(
    to file: inout ParquetRows, in db: Connection, _ step: (Int64) throws -> Void
  ) throws -> Int64 {
    var furtherRows = try reasons.map { reason in
      let sources = columns.flatMap { column in
        column.others.filter { $0.reason == reason }.map(\.source)
      }
      return try FurtherRows(
        reason, Self.values(of: sources), values.firstIndex(of: reason.value) ?? 0, db)
    }
    let outputs = columns.enumerated().map { place, column in
      (
        usual: RowOutput(column.usual, for: place, in: values),
        others: column.others.map { other in
          let rows = reasons.firstIndex(of: other.reason) ?? 0
          return (
            rows: rows, output: RowOutput(other.source, for: place, in: furtherRows[rows].values)
          )
        }
      )
    }
    try file.handOver()
    let rows = RowBuffer(columns: values.count)
    var count: Int64 = 0
    func endRows() throws {
      for index in furtherRows.indices { try furtherRows[index].read(for: rows) }
      for (usual, others) in outputs {
        var next = 0
        for (row, place, other) in Self.exceptions(others, furtherRows) {
          try file.append(rows, next..<row, usual)
          try file.append(furtherRows[other.rows].buffer, place..<place + 1, other.output)
          next = row + 1
        }
        try file.append(rows, next..<rows.count, usual)
      }
      try file.endRows()
      rows.removeAll()
    }
    try db.forEach(statement) { row in
      rows.append(row)
      if rows.isFull { try endRows() }
      count += 1
      try step(count)
    }
    try endRows()
    return count
  }

  private typealias Other = (rows: Int, output: RowOutput)

  /// The rows for which a column is made of further ones, in order, with the places of these.
  private static func exceptions(
    _ others: [Other], _ furtherRows: [FurtherRows]
  ) -> [(row: Int, place: Int, other: Other)] {
    var found: [(row: Int, place: Int, other: Other)] = []
    for other in others {
      let known = Set(found.map(\.row))
      for (place, row) in furtherRows[other.rows].rows.enumerated() where !known.contains(row) {
        found.append((row, place, other))
      }
    }
    return others.count > 1 ? found.sorted { $0.row < $1.row } : found
  }

  /// The values that columns are made of, each once, behind some that come first.
  private static func values(
    of sources: [BulkColumn.Source], after first: [String] = []
  ) -> [String] {
    var values: [String] = []
    func add(_ value: String) {
      if !values.contains(value) { values.append(value) }
    }
    first.forEach(add)
    for source in sources {
      switch source.making {
      case .constant: continue
      case .value, .lookUp, .seconds: break
      case .path(let value), .stem(let value), .ending(let value), .withoutExtension(let value):
        add(value)
      }
      add(source.value)
    }
    return values
  }
}

/// The further rows of some entries.
private struct FurtherRows {
  let values: [String]
  let buffer: RowBuffer
  /// The places of the entries that have some.
  private(set) var rows: [Int] = []
  private let reason: BulkColumn.Reason
  /// Where the value is that tells.
  private let place: Int
  private let statement: Statement

  init(_ reason: BulkColumn.Reason, _ values: [String], _ place: Int, _ db: Connection) throws {
    self.reason = reason
    self.values = values
    self.place = place
    buffer = RowBuffer(columns: values.count)
    statement = try db.prepare("SELECT \(values.joined(separator: ", ")) FROM \(reason.tables)")
  }

  /// Reads those of the entries in a buffer, whose numbers come first.
  mutating func read(for entries: RowBuffer) throws {
    buffer.removeAll()
    rows.removeAll(keepingCapacity: true)
    let ids = entries.values(0)
    let tests = entries.values(place)
    for row in 0..<entries.count where reason.holds(tests, row) {
      rows.append(row)
      statement.bind(ids.word(row), at: 1)
      if try statement.step() {
        buffer.append(statement.row)
      } else {
        // As in the view.
        buffer.append(Array(repeating: nil, count: values.count))
      }
      statement.reset()
    }
  }
}

extension RowOutput {
  /// - Parameter values: what rows have.
  fileprivate init(_ source: BulkColumn.Source, for column: Int, in values: [String]) {
    func place(_ value: String) -> Int { values.firstIndex(of: value) ?? 0 }
    let making: Making =
      switch source.making {
      case .value: .value
      case .constant(let number): .constant(number)
      case .lookUp: .lookUp
      case .seconds: .seconds
      case .path(let directory): .path(below: place(directory))
      case .stem(let name): .stem(of: place(name))
      case .ending(let name): .ending(of: place(name))
      case .withoutExtension(let name): .withoutExtension(of: place(name))
      }
    self.init(value: place(source.value), column: column, making: making)
  }
}
