import FileCatalog
import SystemPackage

/// The rows of the SQL view `files`, as a user's own statement reads them.
struct FilesView {
  struct Row {
    var values: [String: ColumnValue]

    subscript(column: String) -> ColumnValue { values[column] ?? .null }
    var id: Int64 { self["id"].integer ?? -1 }
    /// As they are, and not as they are shown.
    var path: [UInt8] { exact("path") }
    var name: [UInt8] { exact("name") }

    private func exact(_ column: String) -> [UInt8] {
      let bytes = self[column + "_bytes"]
      guard case .text(let value) = bytes == .null ? self[column] : bytes else { return [] }
      return value
    }
  }

  let rows: [Row]

  init(_ catalog: Catalog, where condition: String = "1") throws {
    rows = try catalog.rows("SELECT * FROM files WHERE \(condition)").map { Row(values: $0) }
  }

  var byPath: [[UInt8]: Row] {
    Dictionary(rows.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

extension ColumnValue {
  /// Bytes as views show them: U+FFFD stands for what is not UTF-8.
  static func shown(_ bytes: [UInt8]) -> ColumnValue {
    .text(Array(String(decoding: bytes, as: UTF8.self).utf8))
  }
}

extension Catalog {
  /// The rows of a statement, by column.
  func rows(_ sql: String) throws -> [[String: ColumnValue]] {
    var columns: [String] = []
    var rows: [[String: ColumnValue]] = []
    _ = try runSQL(
      sql, begin: { columns = $0 },
      row: { rows.append(Dictionary(zip(columns, $0), uniquingKeysWith: { first, _ in first })) })
    return rows
  }

  /// The number in the first column of the first row.
  func number(_ sql: String) throws -> Int64? {
    var result: Int64?
    _ = try runSQL(sql, begin: { _ in }, row: { result = result ?? $0.first?.integer })
    return result
  }

  /// The texts in the first column.
  func texts(_ sql: String) throws -> [String] {
    var result: [String] = []
    _ = try runSQL(sql, begin: { _ in }, row: { result.append($0.first?.string ?? "NULL") })
    return result
  }
}
