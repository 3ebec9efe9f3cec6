internal import SQLite

/// What tells the further values of the rows of a snapshot from those of another: that of an entry differs
/// whenever one of the values differs that the request asks for.
///
/// Where no values are asked for there is nothing to read, and none differ.
struct ValueVersions: Sendable, Hashable {
  /// By the id of an entry that has values. Hashes of this process, as snapshots are.
  private var versions: [Int64: Int] = [:]

  /// For no more rows, their values are looked up one by one.
  private static let fewRows = 10_000

  init(of request: TableRequest, for rows: TableRows, in db: Connection) throws {
    let keys = request.valueKeys
    guard !keys.isEmpty else { return }
    let (ids, _) = rows.listed
    let isFew = ids.count <= Self.fewRows
    for key in keys {
      var values = SQL("SELECT v.entry_id, v.value FROM \(key.values)")
      if isFew { values += SQL(" AND ") + .isID(in: ids, "v.entry_id") }
      try db.forEach(values) { row in
        var hasher = Hasher()
        hasher.combine(key)
        hasher.combine(TablePlace.Value(row, 1))
        // In whatever order the keys come.
        versions[row.integer(0), default: 0] &+= hasher.finalize()
      }
    }
    if !isFew { keep(ids) }
  }

  var isEmpty: Bool { versions.isEmpty }

  /// Whether an entry has the same values in both.
  @inline(__always)
  func isSame(as other: ValueVersions, of id: Int64) -> Bool {
    versions[id] == other.versions[id]
  }

  /// Those of some of the rows.
  func selecting(_ rows: TableRows) -> ValueVersions {
    guard !isEmpty else { return self }
    var selected = self
    selected.keep(rows.listed.ids)
    return selected
  }

  /// These, with some entries as others have them.
  func adopting(_ entries: Set<Int64>, from other: ValueVersions) -> ValueVersions {
    guard !isEmpty || !other.isEmpty else { return self }
    var adopted = self
    for id in entries { adopted.versions[id] = other.versions[id] }
    return adopted
  }

  private mutating func keep(_ ids: [Int64]) {
    let places = PlaceTable(of: ids, in: ids.indices)
    versions = versions.filter { places.place(of: $0.key) != nil }
  }
}
