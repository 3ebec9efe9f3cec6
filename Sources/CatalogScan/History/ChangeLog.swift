internal import CatalogStore
internal import FileSystem
internal import SQLite

/// Writes what a rescan finds changed, and counts it.
struct ChangeLog {
  /// A change on its way into the log.
  struct Item {
    var kind: Change.Kind
    var id: Int64
    var entryKind: EntryKind
    /// What it was before.
    var oldKind: EntryKind?
    /// Whose it is, or was.
    var uid: UInt32
    var path: [UInt8]
    var oldPath: [UInt8]?
    var fields: [EntryColumn] = []
    var size: Int64?
    var oldSize: Int64?
    var modified: Int64?
    var oldModified: Int64?
    /// A directory of which only its content changed.
    var isContent = false
    /// Of what is added, removed, or put over something else: by what another root may know it.
    var identity: EntryIdentity?
    /// Of what is removed: the scan that first saw it.
    var firstSeen: Int64?
  }

  /// Whether it is noted what was added and removed, beside where: other roots may have had it, or have it
  /// now.
  enum Identities {
    case noted
    case leftOut
  }

  private(set) var added = 0
  private(set) var removed = 0
  private(set) var modified = 0
  private(set) var moved = 0
  /// Whether anything was written, counted or not.
  private(set) var isEmpty = true
  private let db: Connection
  private let identities: Identities
  private let insert: Statement
  private let replace: Statement

  init(on db: Connection, scanID: Int64, identities: Identities) throws(SQLiteError) {
    self.db = db
    self.identities = identities
    insert = try db.prepare(
      """
      INSERT INTO _change_log (scan_id, kind, entry_id, entry_kind, path, path_bytes,
        old_path, old_path_bytes, fields, size, old_size, modified, old_modified, is_content, uid,
        inode, volume_id, created, first_seen_scan, own_tags, file_tags, old_entry_kind)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?19,
        CASE WHEN ?19 IS NOT NULL THEN \(Self.value("?20")) END,
        CASE WHEN ?19 IS NOT NULL THEN \(Self.value("?21")) END, nullif(?22, ?4))
      """)
    insert.bind(scanID, at: 1)
    insert.bind(TagTable.ownKey, at: 20)
    insert.bind(TagTable.attributeKey, at: 21)
    replace = try db.prepare(
      """
      UPDATE _change_log SET kind = ?2, entry_id = ?3, old_path = ?4, old_path_bytes = ?5,
        fields = ?6, old_size = ?7, old_modified = ?8, inode = ?9,
        old_entry_kind = nullif(?10, entry_kind)
      WHERE id = ?1
      """)
  }

  /// What the entry of a line has under a key.
  private static func value(_ key: String) -> String {
    "(SELECT v.value FROM _entry_values v WHERE v.entry_id = ?3 AND v.key = \(key))"
  }

  private mutating func count(_ kind: Change.Kind, _ step: Int) {
    switch kind {
    case .added: added += step
    case .removed: removed += step
    case .modified: modified += step
    case .moved: moved += step
    }
  }

  /// Adds a change and returns its number.
  @discardableResult
  mutating func add(_ item: Item) throws -> Int64 {
    isEmpty = false
    if !item.isContent { count(item.kind, 1) }
    insert.bind(item.kind.number, at: 2)
    insert.bind(item.id, at: 3)
    insert.bind(Int64(item.entryKind.rawValue), at: 4)
    insert.bind(item.oldKind.map { Int64($0.rawValue) }, at: 22)
    insert.bind(item.size, at: 10)
    insert.bind(item.oldSize, at: 11)
    insert.bind(item.modified, at: 12)
    insert.bind(item.oldModified, at: 13)
    insert.bind(Int64(item.isContent ? 1 : 0), at: 14)
    insert.bind(Int64(item.uid), at: 15)
    let identity = known(item.identity)
    let former = item.kind == .removed ? identity : nil
    insert.bind(identity.map { Int64(bitPattern: $0.inode) }, at: 16)
    insert.bind(former?.volume, at: 17)
    insert.bind(former?.created, at: 18)
    insert.bind(former == nil ? nil : item.firstSeen, at: 19)
    Self.bind(item.fields, to: insert, at: 9)
    try item.path.withUnsafeBufferPointer { path in
      insert.bindShown(path, at: 5)
      try (item.oldPath ?? []).withUnsafeBufferPointer { oldPath in
        Self.bind(item.oldPath == nil ? nil : oldPath, to: insert, at: 7)
        try insert.run()
      }
    }
    return db.lastInsertedRowID
  }

  /// An identity, if it is noted and outlasts the entry: where it is not known when a file was made, its
  /// number may be that of another by now.
  private func known(_ identity: EntryIdentity?) -> EntryIdentity? {
    guard identities == .noted, let identity, identity.created != FileStatus.unknownTime else {
      return nil
    }
    return identity
  }

  /// Counts no more what turns out to be something else.
  mutating func takeBack(_ kind: Change.Kind, _ number: Int) { count(kind, -number) }

  /// Says of a change something else, now that more is known.
  ///
  /// - Parameter identity: of what turns out to be added.
  mutating func replace(
    _ number: Int64, _ kind: Change.Kind, with other: Change.Kind, id: Int64,
    from old: (entry: StoredEntry, path: [UInt8])?, fields: [EntryColumn],
    identity: EntryIdentity? = nil
  ) throws {
    count(kind, -1)
    count(other, 1)
    replace.bind(number, at: 1)
    replace.bind(other.number, at: 2)
    replace.bind(id, at: 3)
    Self.bind(fields, to: replace, at: 6)
    replace.bind(old?.entry.size, at: 7)
    replace.bind(old?.entry.modified, at: 8)
    replace.bind(old.map { Int64($0.entry.kind.rawValue) }, at: 10)
    replace.bind(known(identity).map { Int64(bitPattern: $0.inode) }, at: 9)
    try (old?.path ?? []).withUnsafeBufferPointer { path in
      Self.bind(old == nil ? nil : path, to: replace, at: 4)
      try replace.run()
    }
  }

  private static func bind(
    _ path: UnsafeBufferPointer<UInt8>?, to statement: Statement, at index: Int32
  ) {
    if let path {
      statement.bindShown(path, at: index)
    } else {
      statement.bindNull(at: index)
      statement.bindNull(at: index + 1)
    }
  }

  private static func bind(_ fields: [EntryColumn], to statement: Statement, at index: Int32) {
    if fields.isEmpty {
      statement.bindNull(at: index)
    } else {
      statement.bind(fields.map(\.rawValue).joined(separator: ","), at: index)
    }
  }
}
