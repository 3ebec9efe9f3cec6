import FileCatalog
import SystemPackage

/// What a catalog says of its entries at one moment.
struct CatalogState {
  /// An entry with the values that a change may name.
  struct Item: Equatable {
    let id: Int64
    let parent: Int64?
    let path: [UInt8]
    let name: [UInt8]
    let kind: String
    let firstSeen: Int64
    let lastChanged: Int64
    /// By the names that `fields` uses.
    let values: [String: ColumnValue]

    var size: ColumnValue { values["size"] ?? .null }
    var modified: ColumnValue { values["modified"] ?? .null }

    /// What outlasts the name.
    var identity: [ColumnValue] {
      ["device", "inode", "created"].map { values[$0] ?? .null } + [.text(Array(kind.utf8))]
    }

    /// The fields in which two entries differ. While the kind is the same the type is what the name
    /// says, and no value of its own.
    func differences(from other: Item) -> Set<String> {
      Set(values.keys.filter { values[$0] != other.values[$0] })
        .subtracting(kind == other.kind ? ["type", "is_package"] : []).subtracting(["is_broken"])
    }

    /// Whether a link leads nowhere, or no more: that is no change of it, but its row is another one.
    func isBrokenOtherwise(than other: Item) -> Bool {
      values["is_broken"] != other.values["is_broken"]
    }
  }

  /// The columns of `files` that are compared, by the names that `fields` uses.
  private static let columns: [(field: String, column: String)] = [
    ("kind", "kind"), ("size", "size"), ("allocated", "allocated"), ("created", "created_ns"),
    ("modified", "modified_ns"), ("changed", "changed_ns"), ("mode", "mode"), ("uid", "uid"),
    ("gid", "gid"), ("inode", "inode"), ("device", "device"), ("links", "links"),
    ("flags", "flags"), ("link_target", "link_target"),
    ("type", "type"), ("is_package", "is_package"), ("is_broken", "is_broken"),
  ]

  private(set) var byID: [Int64: Item] = [:]
  private(set) var byPath: [[UInt8]: Item] = [:]
  /// The sums of directories, in the order of ``sumColumns``.
  private(set) var sums: [Int64: [Int64]] = [:]

  static let sumColumns = [
    "files", "directories", "size", "allocated", "total_files", "total_directories", "total_size",
    "total_allocated",
  ]

  init(_ catalog: Catalog) throws {
    let names = Self.columns.map(\.column).joined(separator: ", ")
    let sql =
      "SELECT id, parent_id, ifnull(path_bytes, path), ifnull(name_bytes, name), first_seen_scan, "
      + "last_changed_scan, \(names) FROM files"
    try catalog.forEachRow(sql) { row in
      let values = Dictionary(
        uniqueKeysWithValues: zip(Self.columns.map(\.field), row[6...]))
      let item = Item(
        id: row[0].integer ?? -1, parent: row[1].integer, path: row[2].bytes, name: row[3].bytes,
        kind: row[6].string ?? "", firstSeen: row[4].integer ?? -1,
        lastChanged: row[5].integer ?? -1, values: values)
      byID[item.id] = item
      byPath[item.path] = item
    }
    let sums = Self.sumColumns.joined(separator: ", ")
    try catalog.forEachRow("SELECT id, \(sums) FROM directories") { row in
      self.sums[row[0].integer ?? -1] = row[1...].map { $0.integer ?? -1 }
    }
  }
}

/// One line of a scan's difference, as the view `changes` has it.
struct LoggedChange {
  let kind: String
  let id: Int64
  let entryKind: String
  let path: [UInt8]
  let oldPath: [UInt8]?
  let fields: Set<String>
  let size: ColumnValue
  let oldSize: ColumnValue
  let modified: ColumnValue
  let oldModified: ColumnValue

  static func all(of scan: ScanID, in catalog: Catalog) throws -> [LoggedChange] {
    var changes: [LoggedChange] = []
    let sql = """
      SELECT kind, entry_id, entry_kind, ifnull(path_bytes, path),
        ifnull(old_path_bytes, old_path), fields, size, old_size, modified_ns, old_modified_ns
      FROM changes WHERE scan_id = \(scan.rawValue) ORDER BY id
      """
    try catalog.forEachRow(sql) { row in
      changes.append(
        LoggedChange(
          kind: row[0].string ?? "", id: row[1].integer ?? -1, entryKind: row[2].string ?? "",
          path: row[3].bytes, oldPath: row[4] == .null ? nil : row[4].bytes,
          fields: Set((row[5].string ?? "").split(separator: ",").map(String.init)),
          size: row[6], oldSize: row[7], modified: row[8], oldModified: row[9]))
    }
    return changes
  }
}

extension LoggedChange: CustomStringConvertible {
  var description: String {
    let old = oldPath.map { "\(String(decoding: $0, as: UTF8.self)) -> " } ?? ""
    return "\(kind) \(id) \(entryKind) \(old)\(String(decoding: path, as: UTF8.self)) "
      + fields.sorted().joined(separator: ",")
  }
}

extension ColumnValue {
  var bytes: [UInt8] {
    guard case .text(let bytes) = self else { return [] }
    return bytes
  }
}

extension Catalog {
  /// Calls `body` with each row of a statement.
  func forEachRow(_ sql: String, _ body: ([ColumnValue]) throws -> Void) throws {
    _ = try runSQL(sql, begin: { _ in }, row: body)
  }

  /// All rows of all tables, but for those that say that a scan took place.
  func content() throws -> [String: [[ColumnValue]]] {
    var content: [String: [[ColumnValue]]] = [:]
    let tables = try texts("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    for table in tables
    where !["_scan_log", "_scan_failures", "_roots", "sqlite_sequence"].contains(table) {
      var rows: [[ColumnValue]] = []
      try forEachRow("SELECT * FROM \(table)") { rows.append($0) }
      content[table] = rows
    }
    return content
  }
}
