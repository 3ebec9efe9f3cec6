internal import SQLite

/// New types of entries that are in the catalog: collected while rows are read, written afterwards.
///
/// Only the type changes. The entries themselves did not, so they count as unchanged.
struct TypeAssignment {
  private var changes: [(entry: Int64, type: Int32)] = []

  mutating func set(_ type: Int32, of entry: Int64, from old: Int64) {
    if Int64(type) != old { changes.append((entry, type)) }
  }

  func write(to db: Connection) throws {
    guard !changes.isEmpty else { return }
    let update = try db.prepare("UPDATE entries SET type_id = ? WHERE id = ?")
    for change in changes {
      update.bind(Int64(change.type), at: 1)
      update.bind(change.entry, at: 2)
      try update.run()
    }
  }
}
