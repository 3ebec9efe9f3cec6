internal import FileSystem
internal import SQLite
internal import SystemPackage

/// What is marked on disk to be left out of backups. A mark holds for all that is inside.
struct BackupMarks {
  struct Mark {
    let entry: Int64
    let path: FilePath
    let name: String
    let isDirectory: Bool
  }

  /// The marks that are not inside another one, by path.
  let outermost: [Mark]
  private let marked: Set<FilePath>
  /// How many other things than directories are marked in a directory.
  private let counts: [FilePath: Int]

  init(_ db: Connection) throws {
    var marks: [Mark] = []
    let rows = SQL(
      """
      SELECT m.entry_id, ifnull(m.path_bytes, m.path), m.mark, e.kind = 2
      FROM backup_marks m JOIN _entries e ON e.id = m.entry_id
      """)
    try db.forEach(rows) { row in
      marks.append(
        Mark(
          entry: row.integer(0), path: row.path(1), name: row.text(2),
          isDirectory: row.integer(3) != 0))
    }
    marks.sort { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
    // What is inside a directory need not follow it at once: `a.b` comes between `a` and `a/c`.
    let paths = Set(marks.map(\.path))
    var seen: Set<FilePath> = []
    outermost = marks.filter { mark in
      seen.insert(mark.path).inserted && !mark.path.ancestors.contains(where: paths.contains)
    }
    marked = paths
    counts = outermost.reduce(into: [:]) { counts, mark in
      if !mark.isDirectory { counts[mark.path.removingLastComponent(), default: 0] += 1 }
    }
  }

  /// Whether a path is marked, or lies in something that is.
  func covers(_ path: FilePath) -> Bool {
    marked.contains(path) || path.ancestors.contains(where: marked.contains)
  }

  /// How many of the files and packages right in a directory are marked, if the directory is not.
  func count(in directory: FilePath) -> Int { counts[directory] ?? 0 }

  /// The bytes of content that are marked, by place.
  func sizes(_ db: Connection) throws -> [Int64: Int64] {
    var sizes: [Int64: Int64] = [:]
    for mark in outermost {
      let inside = SQL(
        """
        SELECT f.place_id, sum(f.size) FROM _entry_rows f
        WHERE f.kind_id <> 2
          AND (f.id = ? OR f.parent_id = ? OR f.parent_id IN (\(DirectoriesBelow.statement)))
        GROUP BY f.place_id
        """, [.integer(mark.entry), .integer(mark.entry)] + DirectoriesBelow.parameters(mark.path))
      try db.forEach(inside) { sizes[$0.integer(0), default: 0].add(clamped: $0.count(1)) }
    }
    return sizes
  }
}

/// Finds the directories below one, whether or not the bytes of their paths are UTF-8.
enum DirectoriesBelow {
  /// Gives their ids.
  static let statement = """
    SELECT b.id FROM _directory_paths b WHERE b.path >= ? AND b.path < ?
      AND CAST(b.exact_path AS BLOB) >= ? AND CAST(b.exact_path AS BLOB) < ?
    """

  static func parameters(_ path: FilePath) -> [Binding] {
    let bytes = path.bytes
    let prefix = bytes.last == UInt8(ascii: "/") ? bytes.dropLast() : bytes
    let (lower, upper) = (prefix + [UInt8(ascii: "/")], prefix + [UInt8(ascii: "0")])
    return [.text(showing: lower), .text(showing: upper), .blob(lower), .blob(upper)]
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
