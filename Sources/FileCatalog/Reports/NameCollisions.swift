internal import CatalogStore
internal import SQLite
internal import TextMatching

/// Finds names that a file system could take for one: in the same directory, and different only in the case of
/// letters, or in how letters with marks are encoded.
///
/// Names are read in the order of the index that has them, directory by directory, so that no more than one
/// directory is in memory. SQL by itself cannot do it: it knows the case of ASCII alone.
struct NameCollisions {
  /// A name, and what it collides with.
  struct Finding {
    let entry: Int64
    /// How many names are alike, this one among them.
    let count: Int
    let difference: Difference
  }

  /// What the names differ in.
  enum Difference: String {
    case letterCase = "case"
    case composition
    case both = "case and composition"
  }

  private var findings: [Finding] = []
  private var names: [[UInt8]] = []
  /// Where the names of the directory are that fold to the same hash.
  private var places: [Int: [Int]] = [:]
  private var hasRepetition = false

  /// All collisions in a directory and below, or in the whole catalog; those of one directory together, and
  /// names that are alike one after the other.
  static func all(in directory: FoundDirectory?, _ db: Connection) throws -> [Finding] {
    var collisions = NameCollisions()
    let below =
      directory.map {
        SQL("WHERE parent_id IN (SELECT id FROM _directory_paths WHERE ") + $0.isAtOrAbove()
          + SQL(")")
      } ?? SQL("WHERE parent_id IS NOT NULL")
    var parent: Int64?
    try db.forEach(
      SQL("SELECT parent_id, name FROM _entries ") + below + SQL(" ORDER BY parent_id, name")
    ) { row in
      if row.integer(0) != parent {
        try collisions.endDirectory(parent, db)
        parent = row.integer(0)
      }
      collisions.add(row.bytes(1))
    }
    try collisions.endDirectory(parent, db)
    return collisions.findings
  }

  private mutating func add(_ name: UnsafeRawBufferPointer) {
    let hash = CaseFolding.withFolded(name) { folded in
      var hasher = Hasher()
      hasher.combine(bytes: folded)
      return hasher.finalize()
    }
    if places[hash, default: []].isEmpty {
      places[hash] = [names.count]
    } else {
      places[hash]?.append(names.count)
      hasRepetition = true
    }
    names.append(Array(name))
  }

  private mutating func endDirectory(_ parent: Int64?, _ db: Connection) throws {
    defer {
      names.removeAll(keepingCapacity: true)
      places.removeAll(keepingCapacity: true)
      hasRepetition = false
    }
    guard hasRepetition, let parent else { return }
    for places in places.values.filter({ $0.count > 1 }).sorted(by: { $0[0] < $1[0] }) {
      // A hash is no proof.
      let alike = Dictionary(grouping: places) { CaseSensitivity.insensitive.comparable(names[$0]) }
      for group in alike.values.filter({ $0.count > 1 }).sorted(by: { $0[0] < $1[0] }) {
        let difference = Self.difference(of: group.map { names[$0] })
        for place in group {
          let entry = SQL(
            "SELECT id FROM _entries WHERE parent_id = ? AND name = ?",
            [.integer(parent), .name(names[place])])
          guard let id = try db.first(entry, { $0.id(0) }) else { continue }
          findings.append(Finding(entry: id, count: group.count, difference: difference))
        }
      }
    }
  }

  private static func difference(of names: [[UInt8]]) -> Difference {
    // Texts are equal in Swift when they are canonically equivalent.
    let texts = Set(names.map { String(decoding: $0, as: UTF8.self) })
    if texts.count == 1 { return .composition }
    return texts.count == names.count ? .letterCase : .both
  }
}
