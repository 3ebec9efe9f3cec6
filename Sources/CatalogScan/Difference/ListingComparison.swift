internal import CatalogStore
internal import FileSystem
internal import SQLite

/// The rows of one directory while its listing is compared with them, piece by piece.
///
/// Those of most directories are kept as values. Of a directory with more of them than ``limit``, the
/// others are kept as digests of 24 bytes: enough to see that an entry is as its row says. A row that
/// differs, or is missing in the listing, is read once more.
struct ListingComparison {
  /// How many rows are kept as values.
  static let limit = 8192

  /// Whether an entry that is on another file system than its row says differs from it.
  enum Volumes {
    case compared
    case ignored
  }

  /// What the rows say of a listed entry.
  enum Match {
    /// No row has its name.
    case none
    /// The row with this number, which says what was listed.
    case same(id: Int64)
    /// The row that has its name.
    case row(StoredEntry)
  }

  private var rows: [[UInt8]: StoredEntry] = [:]
  private var digests: [Digest] = []
  private let directory: Directory?

  private struct Directory {
    let id: Int64
    let volumes: Volumes
    let db: Connection
  }

  /// A directory without rows: whatever is listed is new.
  static var nothing: ListingComparison { ListingComparison([]) }

  /// Some rows.
  init(_ rows: some Sequence<StoredEntry>) {
    self.rows = Dictionary(rows.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    directory = nil
  }

  /// The rows of a directory.
  init(of directory: Int64, _ volumes: Volumes, in db: Connection) throws {
    self.directory = Directory(id: directory, volumes: volumes, db: db)
    try StoredEntry.forEachChild(of: directory, db) { row in
      if rows.count < Self.limit {
        rows[row.name] = row
      } else {
        digests.append(Digest(row, volumes))
      }
    }
    digests.sort { $0.name < $1.name }
  }

  /// Takes the row of a listed entry. What is left in the end was not listed.
  ///
  /// - Parameter volume: the catalog's number of the file system that the entry is on now.
  mutating func take(
    _ record: EntryRecord, named name: [UInt8], target: UnsafeBufferPointer<UInt8>,
    volume: Int64
  ) throws -> Match {
    if !rows.isEmpty, let row = rows.removeValue(forKey: name) { return .row(row) }
    guard let directory, !digests.isEmpty else { return .none }
    let digest = Digest(
      record, id: 0, named: name, target: target,
      volume: directory.volumes == .compared ? volume : 0)
    var isNamed = false
    var position = firstPosition(of: digest.name)
    while position < digests.count, digests[position].name == digest.name {
      let found = digests[position]
      if found.id > 0, found.values == digest.values {
        digests[position].isTaken = true
        return .same(id: found.id)
      }
      isNamed = isNamed || found.id > 0
      position += 1
    }
    guard isNamed, let row = try StoredEntry.child(name, of: directory.id, directory.db) else {
      return .none
    }
    position = firstPosition(of: digest.name)
    while position < digests.count, digests[position].name == digest.name {
      if digests[position].id == row.id {
        digests[position].isTaken = true
        return .row(row)
      }
      position += 1
    }
    return .none
  }

  private func firstPosition(of name: UInt64) -> Int {
    var low = 0
    var high = digests.count
    while low < high {
      let middle = (low + high) / 2
      if digests[middle].name < name { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Calls `body` with the rows whose names were not listed, when the whole listing was compared.
  func forEachMissing(_ body: (StoredEntry) throws -> Void) throws {
    for row in rows.values { try body(row) }
    guard let directory else { return }
    for digest in digests where !digest.isTaken {
      if let row = try StoredEntry.entry(digest.id, directory.db) { try body(row) }
    }
  }
}

/// What tells a row from that of an entry with another name or other values.
private struct Digest {
  let name: UInt64
  let values: UInt64
  private(set) var id: Int64

  /// Whether the entry was listed. Its number is below zero then.
  var isTaken: Bool {
    get { id < 0 }
    set { id = newValue ? -abs(id) : abs(id) }
  }

  /// - Parameter volume: the catalog's number of the file system; 0 where that is not compared.
  init(
    _ record: EntryRecord, id: Int64, named name: [UInt8],
    target: UnsafeBufferPointer<UInt8>, volume: Int64
  ) {
    var fingerprint = DirectoryFingerprint()
    name.withUnsafeBufferPointer { fingerprint.add(record, name: $0, target: target) }
    self.name = name.withUnsafeBufferPointer { RescanTree.hash(of: $0) }
    values = fingerprint.low ^ UInt64(bitPattern: volume) &* 0x9e37_79b9_7f4a_7c15
    self.id = id
  }

  init(_ row: StoredEntry, _ volumes: ListingComparison.Volumes) {
    self = row.target.withUnsafeBufferPointer {
      Digest(
        row.record, id: row.id, named: row.name, target: $0,
        volume: volumes == .compared ? row.volume : 0)
    }
  }
}
