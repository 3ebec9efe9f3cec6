internal import CatalogStore
internal import SQLite

/// What the first bytes of files said in earlier scans: the table `_sniffed_types`.
struct SniffedTypes {
  /// A file, whatever name it has.
  struct File: Hashable {
    let volume: Int64
    let inode: Int64
  }

  /// What was found out about a content.
  struct Finding: Equatable {
    let size: Int64
    let modified: Int64
    /// The number of the type that the bytes alone have; 0 if they say nothing.
    let type: Int32
  }

  private(set) var findings: [File: Finding] = [:]

  /// Reads what is known of the files of a root, or of all roots.
  init(of root: Int64? = nil, in db: Connection) throws {
    let condition = root.map { SQL(" WHERE root_id = ?", [.integer($0)]) }
    let statement =
      SQL("SELECT volume_id, inode, size, modified, type_id FROM _sniffed_types")
      + (condition ?? SQL(""))
    var findings: [File: Finding] = [:]
    try db.forEach(statement) { row in
      findings[File(volume: row.integer(0), inode: row.integer(1))] = Finding(
        size: row.integer(2), modified: row.integer(3),
        type: Int32(truncatingIfNeeded: row.integer(4)))
    }
    self.findings = findings
  }

  /// What is known of a content; `nil` when the file has changed since.
  func type(of file: File, size: Int64, modified: Int64) -> Int32? {
    guard let finding = findings[file], finding.size == size, finding.modified == modified else {
      return nil
    }
    return finding.type
  }

  /// Keeps the findings of a root and forgets all others of it.
  static func replace(_ findings: [File: Finding], of root: Int64, in db: Connection) throws {
    let kept = try SniffedTypes(of: root, in: db).findings
    guard findings != kept else { return }
    try removeAll(of: root, in: db)
    let insert = try db.prepare(
      """
      INSERT INTO _sniffed_types (root_id, volume_id, inode, size, modified, type_id)
      VALUES (?, ?, ?, ?, ?, ?)
      """)
    for (file, finding) in findings {
      try insert.run([
        root, file.volume, file.inode, finding.size, finding.modified, finding.type,
      ])
    }
  }

  static func removeAll(of root: Int64, in db: Connection) throws {
    try db.execute("DELETE FROM _sniffed_types WHERE root_id = ?", [root])
  }
}
