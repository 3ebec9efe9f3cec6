internal import FileSystem
internal import GRDB
internal import SystemPackage

/// What is marked on disk to be left out of backups. A mark holds for all that is inside.
struct BackupMarks {
  struct Mark {
    let entry: Int64
    let path: FilePath
    let name: String
  }

  /// All marks by path.
  let all: [Mark]
  /// Those that are not inside another one.
  let outermost: [Mark]

  init(_ db: Database) throws {
    var marks: [Mark] = []
    try RowReader(db).forEach(SQLFragment("SELECT entry_id, path, mark FROM backup_marks")) { row in
      marks.append(Mark(entry: row.integer(0), path: row.path(1), name: row.text(2)))
    }
    all = marks.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
    // What is inside a directory need not follow it at once: `a.b` comes between `a` and `a/c`.
    let paths = Set(marks.map(\.path))
    var seen: Set<FilePath> = []
    outermost = all.filter { mark in
      seen.insert(mark.path).inserted && !mark.path.ancestors.contains(where: paths.contains)
    }
  }

  /// Whether a path is marked, or lies in something that is.
  func covers(_ path: FilePath) -> Bool {
    let marked = Set(outermost.map(\.path))
    return marked.contains(path) || path.ancestors.contains(where: marked.contains)
  }

  /// The bytes of content that are marked, by place.
  func sizes(_ db: Database) throws -> [Int64: Int64] {
    var sizes: [Int64: Int64] = [:]
    let reader = try RowReader(db)
    for mark in outermost {
      let lower = mark.path.bytes + [UInt8(ascii: "/")]
      let upper = mark.path.bytes + [UInt8(ascii: "0")]
      let inside = SQLFragment(
        """
        SELECT f.place_id, sum(f.size) FROM entry_rows f
        WHERE f.kind_id <> 2 AND (f.id = ? OR f.parent_id IN (
          SELECT d.id FROM folders d WHERE d.id = ?
          UNION ALL SELECT d.id FROM folders d WHERE d.path >= ? AND d.path < ?
          UNION ALL SELECT d.id FROM folders d
            WHERE d.path >= CAST(? AS BLOB) AND d.path < CAST(? AS BLOB)))
        GROUP BY f.place_id
        """,
        [
          .integer(mark.entry), .integer(mark.entry), .name(lower), .name(upper), .name(lower),
          .name(upper),
        ])
      try reader.forEach(inside) { sizes[$0.integer(0), default: 0] += $0.integer(1) }
    }
    return sizes
  }
}

extension FilePath {
  /// The directories above, the nearest first.
  var ancestors: [FilePath] {
    var ancestors: [FilePath] = []
    var path = self
    while path.removeLastComponent() { ancestors.append(path) }
    return ancestors
  }
}
