internal import FileSystem

extension SortOrder {
  /// The `ORDER BY` terms over the view `entry_rows`: a total order, so ties end with the name, the
  /// bytes of the path and the id.
  var sql: String {
    var sql: [String] = directories == .first ? ["kind_id <> \(EntryKind.directory.rawValue)"] : []
    for term in terms { sql += term.sql }
    let keys = terms.map(\.key)
    if !keys.contains(.path) {
      if !keys.contains(.name) { sql.append("filecat_natural_key(name)") }
      sql.append("CAST(path AS BLOB)")
    }
    sql.append("id")
    return sql.joined(separator: ", ")
  }
}

extension SortOrder.Term {
  fileprivate var sql: [String] {
    let suffix = direction == .descending ? " DESC" : ""
    switch key {
    case .name: return ["filecat_natural_key(name)" + suffix]
    case .path: return ["CAST(path AS BLOB)" + suffix]
    case .modified, .created, .changed, .accessed:
      let column = key.rawValue + "_ns"
      return ["\(column) IS NULL", column + suffix]
    case .size, .allocated, .inode, .links, .depth: return ["\(key.rawValue)\(suffix)"]
    case .mode: return ["mode & 4095\(suffix)"]
    case .kind, .type: return ["\(key.rawValue)\(suffix)"]
    case .extension, .owner: return ["\(key.rawValue) COLLATE NOCASE\(suffix)"]
    case .group: return ["group_name COLLATE NOCASE\(suffix)"]
    case .totalSize, .totalAllocated, .totalFiles:
      // Entries without content below them have no totals and come last.
      let total = "(SELECT t.\(key.rawValue) FROM folder_totals t WHERE t.id = entry_rows.id)"
      return ["\(total) IS NULL", total + suffix]
    }
  }
}
