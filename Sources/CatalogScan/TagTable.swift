package import CatalogStore
internal import FileSystem
package import SQLite

/// The tags of entries as a catalog has them.
///
/// Most are what an extended attribute says, stored as a scan stores it. Where the file system keeps none,
/// they are in the catalog alone, under a key that scans leave as it is.
package struct TagTable {
  /// The extended attribute in which desktops of Linux keep tags, separated by commas.
  package static let attribute = "user.xdg.tags"
  /// The key of what that attribute says.
  package static let attributeKey = ExtendedAttributeValues.key(of: attribute)
  /// The key of tags that the catalog alone has.
  package static let ownKey = "tags"

  /// Both keys, in the order in which tags are told.
  package static let keys = [attributeKey, ownKey]

  private let db: Connection

  package init(_ db: Connection) {
    self.db = db
  }

  /// The tags of all entries that have some: what the attribute says first, then those of the catalog alone.
  package func all() throws -> [Int64: TagList] {
    let values = SQL(
      """
      SELECT entry_id, value FROM _entry_values WHERE key IN (?1, ?2)
      ORDER BY entry_id, key = ?2
      """, [.text(Self.attributeKey), .text(Self.ownKey)])
    var tags: [Int64: TagList] = [:]
    try db.forEach(values) { row in
      let list = TagList(Array(row.bytes(1)))
      if !list.isEmpty { tags[row.integer(0), default: TagList()].add(contentsOf: list) }
    }
    return tags
  }
}

/// Which values of entries a scan leaves as they are.
///
/// They belong to the ids of entries, and follow them wherever they go.
package enum KeptValues: Hashable {
  /// All of them: nothing provides values.
  case all
  /// The tags that the catalog alone has, and what was read in the content of files. Everything else is what
  /// providers say on the way.
  case ownAndContent

  /// - Parameter before: the settings of the last scan, if there was one. Values that are not asked for any
  ///   more are removed.
  package init(_ settings: ScanOptions, before: ScanOptions?) {
    let isProvided = !settings.resourceValues.isEmpty
    self = isProvided || !(before?.resourceValues ?? []).isEmpty ? .ownAndContent : .all
  }

  /// The condition on a row of the table `_entry_values`.
  var condition: String {
    switch self {
    case .all: "1"
    case .ownAndContent: "(key = '\(TagTable.ownKey)' OR provider_id IS NOT NULL)"
    }
  }
}

/// Tags in their order, none of them twice.
///
/// They are bytes, since others may have written them. A tag of theirs that is no text is kept as it is.
package struct TagList: Hashable, Sendable {
  private static let comma = UInt8(ascii: ",")
  private static let space = UInt8(ascii: " ")

  private(set) package var items: [[UInt8]] = []

  /// Reads tags with commas between them, and spaces around them.
  package init(_ bytes: [UInt8] = []) {
    for item in bytes.split(separator: Self.comma) {
      let start = item.drop { $0 == Self.space }
      guard let end = start.lastIndex(where: { $0 != Self.space }) else { continue }
      add(Array(start[...end]))
    }
  }

  package var isEmpty: Bool { items.isEmpty }

  /// The tags with commas between them.
  package var bytes: [UInt8] { Array(items.joined(separator: [Self.comma])) }

  package func contains(_ tag: [UInt8]) -> Bool { items.contains { Self.areSame($0, tag) } }

  /// Adds a tag at the end, unless it is there.
  package mutating func add(_ tag: [UInt8]) {
    if !contains(tag) { items.append(tag) }
  }

  /// Adds the tags of another list that are not there.
  package mutating func add(contentsOf other: TagList) {
    for tag in other.items { add(tag) }
  }

  package mutating func remove(_ tag: [UInt8]) { items.removeAll { Self.areSame($0, tag) } }

  /// Whether two tags are the same, however Unicode writes their letters.
  private static func areSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    if a == b { return true }
    guard let a = String(validating: a, as: UTF8.self),
      let b = String(validating: b, as: UTF8.self)
    else { return false }
    return a == b
  }
}
