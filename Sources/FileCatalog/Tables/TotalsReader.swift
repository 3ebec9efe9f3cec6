internal import FileSystem
internal import SQLite
internal import SystemPackage

/// Reads the stored sums of directories.
///
/// A few levels are gone down from directory to directory: what lies deeper costs nothing, however
/// much it is. Where that would mean to look at more entries than there are directories, all of these
/// are read by their paths instead.
struct TotalsReader {
  private let db: Connection
  private let paths: PathLookup

  init(_ db: Connection) throws {
    self.db = db
    paths = try PathLookup(db)
  }

  /// The sums of a directory and of those up to `depth` levels below it.
  func totals(below directory: FilePath, depth: Int) throws -> [DirectoryTotals] {
    let found = try paths.directory(at: directory)
    return try totals(belowFound: found, depth: depth)
  }

  /// The same for every root.
  func totalsOfRoots(depth: Int) throws -> [DirectoryTotals] {
    var roots: [FoundDirectory] = []
    try db.forEach(
      SQL("SELECT f.id, f.exact_path FROM _roots r JOIN _directory_paths f ON f.id = r.entry_id")
    ) { roots.append(FoundDirectory(id: $0.id(0), path: $0.path(1), depth: 0)) }
    return try roots.flatMap { try totals(belowFound: $0, depth: depth) }
  }

  private func totals(
    belowFound directory: FoundDirectory, depth: Int
  ) throws -> [DirectoryTotals] {
    let top: [DirectoryTotals] = try read(SQL("id = ?", [.integer(directory.id)]))
    guard let most = top.first?.totalDirectories else { return [] }
    var found = top
    var level = top
    var entries: Int64 = 0
    var seen = Set(top.map(\.id))
    var levelsLeft = depth
    while levelsLeft > 0, !level.isEmpty {
      levelsLeft -= 1
      for directory in level {
        entries.add(clamped: Int64(directory.files))
        entries.add(clamped: Int64(directory.directories))
      }
      guard entries <= most else { return try totals(anywhereBelow: directory, top, depth) }
      level = try level.filter { $0.directories > 0 }.flatMap { parent in
        try read(
          SQL(
            "id IN (SELECT e.id FROM _entries e WHERE e.parent_id = ? AND e.kind = ?)",
            [.integer(parent.id.rawValue), .integer(Int64(EntryKind.directory.rawValue))]))
      }
      for directory in level where !seen.insert(directory.id).inserted {
        throw SQLiteError.corrupt("directory \(directory.id.rawValue) is inside itself")
      }
      found += level
    }
    return found
  }

  private func totals(
    anywhereBelow directory: FoundDirectory, _ top: [DirectoryTotals], _ depth: Int
  ) throws -> [DirectoryTotals] {
    let (deepest, isTooDeep) = (top.first?.depth ?? 0).addingReportingOverflow(depth)
    return top
      + (try read(
        SQL(
          "depth <= ? AND id <> ? AND ",
          [.integer(isTooDeep ? .max : Int64(deepest)), .integer(directory.id)])
          + directory.isAbove()))
  }

  private func read(_ condition: SQL) throws -> [DirectoryTotals] {
    var totals: [DirectoryTotals] = []
    try db.forEach(
      cached: SQL("SELECT \(DirectoryTotals.columns) FROM directories WHERE ") + condition
    ) { totals.append(DirectoryTotals($0)) }
    return totals
  }
}
