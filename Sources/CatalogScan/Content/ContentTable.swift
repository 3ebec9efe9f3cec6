internal import CatalogStore
internal import FileSystem
internal import SQLite
internal import SystemPackage

/// What the catalog has of the content of files: who has read what, and what the file was then.
struct ContentTable {
  private let db: Connection

  init(_ db: Connection) {
    self.db = db
  }

  /// Numbers of providers in the catalog. What another version of one has said is forgotten.
  ///
  /// - Returns: their numbers, in the order of the providers.
  func numbers(of providers: [any ContentProvider]) throws -> [Int64] {
    try providers.map { provider in
      let known = SQL(
        "SELECT id, version FROM _content_providers WHERE key = ?", [.text(provider.key)])
      if let (id, version) = try db.first(known, { ($0.id(0), $0.integer(1)) }) {
        if version != Int64(provider.version) {
          try db.execute("DELETE FROM _content_readings WHERE provider_id = ?", [id])
          try db.execute(
            "UPDATE _content_providers SET version = ? WHERE id = ?", [provider.version, id])
        }
        return id
      }
      try db.execute(
        "INSERT INTO _content_providers (key, version) VALUES (?, ?)",
        [provider.key, provider.version])
      return db.lastInsertedRowID
    }
  }

  /// The types of the files that a provider is asked about; `nil` for any.
  func types(of provider: any ContentProvider) throws -> Set<Int64>? {
    guard !provider.types.isEmpty else { return nil }
    var types: Set<Int64> = []
    for identifier in provider.types {
      let conforming = SQL(
        """
        SELECT c.type_id FROM _uniform_type_conformance c JOIN _uniform_types t ON t.id = c.ancestor_id
        WHERE t.identifier = ?
        """, [.text(identifier)])
      try db.forEach(conforming) { types.insert($0.integer(0)) }
    }
    return types
  }

  // MARK: - Forgetting

  /// Takes away what was read of files that a scan found changed or gone.
  func forgetChanged(since scan: Int64) throws {
    guard try hasReadings() else { return }
    try db.execute(
      """
      DELETE FROM _entry_values WHERE provider_id IS NOT NULL AND entry_id IN (
        SELECT c.entry_id FROM _change_log c
          JOIN _content_readings r ON r.entry_id = c.entry_id
          LEFT JOIN _entries e ON e.id = c.entry_id
        WHERE c.scan_id >= ?1
          AND (e.id IS NULL OR e.inode IS NOT r.inode OR e.size IS NOT r.size
            OR e.modified IS NOT r.modified))
      """, [scan])
    try db.execute(
      """
      DELETE FROM _content_readings WHERE entry_id IN (
        SELECT c.entry_id FROM _change_log c
        WHERE c.scan_id >= ?1 AND NOT EXISTS (SELECT 1 FROM _entries e WHERE e.id = c.entry_id))
      """, [scan])
  }

  /// Takes away what was read for a root by providers that are not asked any more.
  func forget(allBut keys: [String], of root: Int64) throws {
    guard try hasReadings() else { return }
    for table in ["_entry_values", "_content_readings"] {
      try db.execute(
        """
        DELETE FROM \(table) WHERE provider_id IN (
          SELECT p.id FROM _content_providers p
          WHERE p.key NOT IN (SELECT value FROM json_each(json_array(\(Self.list(keys))))))
        AND entry_id IN (
          SELECT e.id FROM _directory_paths f JOIN _entries e ON e.parent_id = f.id
          WHERE f.root_id = \(root))
        """, keys)
    }
  }

  private static func list(_ keys: [String]) -> String {
    keys.map { _ in "?" }.joined(separator: ", ")
  }

  private func hasReadings() throws -> Bool {
    try db.integer("SELECT EXISTS (SELECT 1 FROM _content_readings)") == 1
  }

  // MARK: - Files to be read

  /// A file, and what is known of its content.
  struct File {
    let id: Int64
    let path: FilePath
    let kind: EntryKind
    let type: Int64
    let state: FileState
    var readings: [Reading] = []
  }

  /// That a provider was asked about a file, and what the file was then.
  struct Reading {
    let provider: Int64
    let state: FileState
    let outcome: ReadingState?

    var isRead: Bool { outcome == .read }
    /// Whether another try is worth while.
    var isPassing: Bool { outcome != .read && outcome != .malformed }
  }

  /// By what it is seen that a file is as it was.
  struct FileState: Hashable {
    let inode: Int64
    let size: Int64
    let modified: Int64
    let changed: Int64

    func isSame(as other: FileState, _ basis: ContentBasis) -> Bool {
      inode == other.inode && size == other.size && modified == other.modified
        && (basis == .content || changed == other.changed)
    }

    init(inode: Int64, size: Int64, modified: Int64, changed: Int64) {
      (self.inode, self.size, self.modified, self.changed) = (inode, size, modified, changed)
    }

    init(_ status: FileStatus) {
      self.init(
        inode: Int64(bitPattern: status.inode), size: status.size, modified: status.modified,
        changed: status.changed)
    }
  }

  /// What can be opened without further ado.
  private static let kinds = [EntryKind.file, .directory, .package].map { "\($0.rawValue)" }
    .joined(separator: ", ")

  /// The entries that a scan, or one after it, found changed. What has come along with a directory may be from
  /// another root, of whose files other values were asked.
  private static func changed(since scan: Int64) -> String {
    """
    WITH RECURSIVE inside(id) AS (
      SELECT entry_id FROM _change_log WHERE scan_id >= \(scan)
        AND kind = \(Change.Kind.moved.number) AND entry_kind = \(EntryKind.directory.rawValue)
      UNION SELECT c.id FROM inside i JOIN _entries c ON c.parent_id = i.id)
    SELECT entry_id FROM _change_log WHERE scan_id >= \(scan) UNION SELECT id FROM inside
    """
  }

  /// Calls `body` with the files and directories of a root, directory by directory, until it wants no more.
  ///
  /// - Parameters:
  ///   - scan: only those that this scan, or one after it, found changed; `nil` for all.
  ///   - start: the id of the directory to begin with.
  ///   - body: gets each file and the id of its directory.
  func forEachFile(
    of root: Int64, changedSince scan: Int64?, from start: Int64,
    _ body: (File, Int64) throws -> Void
  ) throws {
    let changed = scan.map { "AND e.id IN (\(Self.changed(since: $0)))" } ?? ""
    let files = SQL(
      """
      SELECT e.id, f.exact_path, e.name, e.type_id, e.inode, e.size, e.modified, e.changed, f.id,
        r.provider_id, r.inode, r.size, r.modified, r.changed, r.state, e.kind
      FROM _directory_paths f CROSS JOIN _entries e ON e.parent_id = f.id
        LEFT JOIN _content_readings r ON r.entry_id = e.id
      WHERE f.root_id = ? AND f.id >= ? AND e.kind IN (\(Self.kinds)) AND e.size IS NOT NULL AND e.modified IS NOT NULL AND e.changed IS NOT NULL
        AND e.inode IS NOT NULL \(changed)
      ORDER BY f.id
      """, [.integer(root), .integer(start)])
    var file: File?
    var directory: Int64 = 0
    try db.forEach(files) { row in
      if row.integer(0) != file?.id {
        if let file { try body(file, directory) }
        directory = row.integer(8)
        file = File(
          id: row.id(0),
          path: FilePath(bytes: row.bytes(1)).pushing(FilePath(bytes: row.bytes(2))),
          kind: EntryKind(rawValue: UInt8(truncatingIfNeeded: row.integer(15))) ?? .file,
          type: row.integer(3),
          state: FileState(
            inode: row.integer(4), size: row.integer(5), modified: row.integer(6),
            changed: row.integer(7)))
      }
      guard !row.isNull(9) else { return }
      file?.readings.append(
        Reading(
          provider: row.integer(9),
          state: FileState(
            inode: row.integer(10), size: row.integer(11), modified: row.integer(12),
            changed: row.integer(13)),
          outcome: ReadingState(rawValue: row.integer(14))))
    }
    if let file { try body(file, directory) }
  }

  // MARK: - What was read

  /// How a file was read.
  enum ReadingState: Int64 {
    case read
    case malformed
    case unreadable
  }

  /// Writes what a provider has said of a file, unless the catalog has another one there by now.
  func write(
    _ outcome: Result<[String: ResourceValue], ContentFailure>, of file: File, by provider: Int64
  ) throws {
    let state: ReadingState =
      switch outcome {
      case .success: .read
      case .failure(let failure): failure.isPassing ? .unreadable : .malformed
      }
    let insert = try db.cached(
      """
      INSERT OR REPLACE INTO _content_readings
        (entry_id, provider_id, inode, size, modified, changed, state)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 FROM _entries
      WHERE id = ?1 AND inode = ?3 AND size = ?4 AND modified = ?5
      """)
    try insert.run([
      file.id, provider, file.state.inode, file.state.size, file.state.modified,
      file.state.changed, state.rawValue,
    ])
    guard db.changedRows > 0 else { return }
    try db.cached("DELETE FROM _entry_values WHERE entry_id = ? AND provider_id = ?")
      .run([file.id, provider])
    guard case .success(let values) = outcome else { return }
    let value = try db.cached(
      """
      INSERT OR REPLACE INTO _entry_values (entry_id, key, value, provider_id)
      VALUES (?, ?, ?, ?)
      """)
    for (key, content) in values {
      try value.run([file.id, key, content.binding, provider])
    }
  }
}
