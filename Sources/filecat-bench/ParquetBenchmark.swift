import Parquet
import SQLite
import SystemPackage

/// Seconds that the view `files` of a catalog takes to become a Parquet file, without the time that SQLite
/// takes to read it: its rows are in memory.
@Sendable func measureParquet(_ catalog: String) async throws {
  let rows = try FileRows(of: Connection(path: FilePath(catalog), .readOnly))
  var byteCount = 0
  let time = try Duration.best(of: 3) {
    byteCount = 0
    var writer = try ParquetWriter(rows.columns) { byteCount += $0.count }
    for batch in rows.batches { try writer.write(batch) }
    try writer.finish()
  }
  let perSecond = Int(Double(rows.count) / (time / .seconds(1)))
  let perRow = Double(byteCount) / Double(max(rows.count, 1))
  print(
    "parquet: \(milliseconds(time)) s for \(grouped(rows.count)) rows of \(rows.columns.count) columns,"
      + " \(grouped(perSecond)) a second, \((perRow * 10).rounded() / 10) bytes a row")
}

/// The rows of the view, in memory.
private struct FileRows {
  private(set) var columns: [ParquetColumn] = []
  private(set) var batches: [RowBatch] = []
  private(set) var count = 0

  init(of db: Connection) throws {
    let select = try db.prepare("SELECT * FROM files ORDER BY parent_id, name")
    let names = select.columnNames
    var classes = names.map { _ in Row.StorageClass.null }
    while try select.step() {
      for index in names.indices where classes[index] == .null {
        classes[index] = select.row.storageClass(Int32(index))
      }
    }
    select.reset()
    columns = zip(names, classes).map { name, storage in
      switch storage {
      case .null, .integer: ParquetColumn(name, .int64)
      case .real: ParquetColumn(name, .double)
      case .text: ParquetColumn(name, .string)
      case .blob: ParquetColumn(name, .binary)
      }
    }
    while try select.step() {
      if count % 1024 == 0 { batches.append(RowBatch(columns)) }
      append(select.row)
      count += 1
    }
  }

  private mutating func append(_ row: Row) {
    let last = batches.count - 1
    for (index, column) in columns.enumerated() {
      let place = Int32(index)
      switch column.type {
      case _ where row.isNull(place): batches[last].columns[index].appendNull()
      case .double: batches[last].columns[index].append(row.real(place))
      case .string, .binary: batches[last].columns[index].append(row.bytes(place))
      case .boolean, .int32, .int64: batches[last].columns[index].append(row.integer(place))
      }
    }
  }
}
