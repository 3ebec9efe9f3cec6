internal import CatalogStore
internal import FileSystem
internal import SQLite

/// What has changed since a scan, as it was then: the history, gone back through from its end.
///
/// The changes of one scan are a set: what was removed or moved has its path as before the scan, what was
/// added, modified or moved as after it. So one scan is undone at a time. What has only come along with a
/// directory that was moved has no change of its own; it is where that directory was.
struct FormerEntries {
  /// What the history keeps of an entry.
  struct Entry {
    var path: [UInt8]
    var kind: Int64
    var size: Int64?
    var modified: Int64?
  }

  /// By id. `nil` for what was not there then.
  private(set) var entries: [Int64: Entry?] = [:]

  /// Goes back to the state that a scan has written.
  init(after scan: Int64, in db: Connection) throws {
    var step = Step()
    var number: Int64?
    let changes = SQL(
      """
      SELECT scan_id, kind, entry_id, entry_kind, exact_path, exact_old_path, fields, old_size,
        old_modified, old_entry_kind
      FROM _change_log
      WHERE scan_id > ? AND NOT (is_content AND kind = \(Change.Kind.removed.number))
      ORDER BY scan_id DESC, id DESC
      """, [.integer(scan)])
    try db.forEach(changes) { row in
      if number != row.integer(0) {
        try undo(step, in: db)
        step = Step()
        number = row.integer(0)
      }
      step.add(Line(row))
    }
    try undo(step, in: db)
  }

  /// A line of the history.
  private struct Line {
    let kind: Change.Kind
    let id: Int64
    let entryKind: Int64
    let path: [UInt8]
    let oldPath: [UInt8]?
    let fields: Set<Substring>
    let oldSize: Int64?
    let oldModified: Int64?
    let oldKind: Int64?

    init(_ row: Row) {
      kind = Change.Kind(number: row.integer(1)) ?? .modified
      id = row.id(2)
      entryKind = row.integer(3)
      path = Array(row.bytes(4))
      oldPath = row.isNull(5) ? nil : Array(row.bytes(5))
      fields = Set(row.text(6).split(separator: ","))
      oldSize = row.optionalInteger(7)
      oldModified = row.optionalInteger(8)
      oldKind = row.optionalInteger(9)
    }

    /// A value before the change: where it is not among what has changed, it was the same.
    func former(_ column: EntryColumn, _ old: Int64?, _ value: Int64?) -> Int64? {
      fields.contains(column.rawValue[...]) ? old : old ?? value
    }
  }

  /// What one scan has changed.
  private struct Step {
    var lines: [Line] = []
    /// Where directories were that the scan has found elsewhere, by where they are then.
    var directories: [[UInt8]: [UInt8]] = [:]

    mutating func add(_ line: Line) {
      lines.append(line)
      if line.kind == .moved, line.entryKind == Int64(EntryKind.directory.rawValue),
        let oldPath = line.oldPath
      {
        directories[line.path] = oldPath
      }
    }

    /// Where something was that has no place of its own in the changes: in the directory that it is in.
    func formerPath(of path: [UInt8]) -> [UInt8] {
      guard !directories.isEmpty else { return path }
      var end = path.count
      while let slash = path[..<end].lastIndex(of: UInt8(ascii: "/")) {
        if let former = directories[Array(path[..<slash])] { return former + path[slash...] }
        end = slash
      }
      return path
    }
  }

  private mutating func undo(_ step: Step, in db: Connection) throws {
    guard !step.lines.isEmpty else { return }
    var before: [Int64: Entry?] = [:]
    for line in step.lines {
      switch line.kind {
      case .added:
        before[line.id] = .some(nil)
      case .removed:
        before[line.id] = Entry(
          path: line.path, kind: line.entryKind, size: line.oldSize, modified: line.oldModified)
      case .modified, .moved:
        guard let after = try entries[line.id] ?? Self.current(line.id, in: db) else { continue }
        before[line.id] = Entry(
          path: line.oldPath ?? step.formerPath(of: line.path),
          kind: line.oldKind ?? after.kind,
          size: line.former(.size, line.oldSize, after.size),
          modified: line.former(.modified, line.oldModified, after.modified))
      }
    }
    if !step.directories.isEmpty {
      for (id, entry) in entries where before[id] == nil {
        if let entry { entries[id]??.path = step.formerPath(of: entry.path) }
      }
    }
    entries.merge(before) { $1 }
  }

  /// What the catalog has of an entry now.
  private static func current(_ id: Int64, in db: Connection) throws -> Entry? {
    try db.first(
      cached: SQL(
        "SELECT path, kind_id, size, modified_ns FROM _entry_rows WHERE id = ?", [.integer(id)])
    ) {
      Entry(
        path: Array($0.bytes(0)), kind: $0.integer(1), size: $0.optionalInteger(2),
        modified: $0.optionalInteger(3))
    }
  }
}
