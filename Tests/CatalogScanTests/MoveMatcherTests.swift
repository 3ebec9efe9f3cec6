import CatalogStore
import FileSystem
import Testing

@testable import CatalogScan

@Suite("Files that have moved")
struct MoveMatcherTests {
  /// A directory's files by name, before and now: each name has an identity.
  struct Vector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let before: KeyValuePairs<String, Item>
    let now: KeyValuePairs<String, Item>
    /// The old names and the new ones of what has moved.
    let moves: [String: String]
    /// The old names of what is gone.
    let removed: Set<String>

    init(
      _ description: String, _ before: KeyValuePairs<String, Item>,
      _ now: KeyValuePairs<String, Item>, moves: [String: String] = [:], removed: Set<String> = []
    ) {
      testDescription = description
      self.before = before
      self.now = now
      self.moves = moves
      self.removed = removed
    }
  }

  struct Item: Sendable, ExpressibleByIntegerLiteral {
    let record: EntryRecord
    var identity: EntryIdentity {
      EntryIdentity(record.status.inode, created: record.status.created)
    }

    init(_ record: EntryRecord) { self.record = record }
    init(integerLiteral inode: UInt64) { self.init(.listed(inode: inode)) }

    /// The same inode, of an entry that came to be at another time.
    static func born(_ created: Int64, _ inode: UInt64) -> Item {
      Item(.listed(inode: inode) { $0.status.created = created })
    }
  }

  static let vectors = [
    Vector("a file with another name", ["a": 1], ["b": 1], moves: ["a": "b"]),
    Vector("a file that is gone, and another that has come", ["a": 1], ["b": 2], removed: ["a"]),
    Vector(
      "a file put in the place of another", ["a": 1, "b": 2], ["a": 2], moves: ["b": "a"],
      removed: ["a"]),
    Vector("a file that was replaced and kept", ["a": 1], ["a": 2, "b": 1], moves: ["a": "b"]),
    Vector(
      "two files that have swapped names", ["a": 1, "b": 2], ["a": 2, "b": 1],
      moves: ["a": "b", "b": "a"]),
    Vector(
      "a chain of renamings", ["a": 1, "b": 2, "c": 3], ["b": 1, "c": 2, "d": 3],
      moves: ["a": "b", "b": "c", "c": "d"]),
    Vector(
      "a ring of renamings", ["a": 1, "b": 2, "c": 3], ["a": 3, "b": 1, "c": 2],
      moves: ["a": "b", "b": "c", "c": "a"]),
    Vector(
      "one of two names of a file that was renamed", ["a": 1, "b": 1], ["b": 1, "c": 1],
      moves: ["a": "c"]),
    Vector(
      "two names of a file that became one", ["a": 1, "b": 1], ["c": 1], moves: ["a": "c"],
      removed: ["b"]),
    Vector(
      "two names of a file that were both renamed", ["a": 1, "b": 1], ["c": 1, "d": 1],
      moves: ["a": "c", "b": "d"]),
    Vector(
      "a new file that got the inode of a deleted one", ["a": 1], ["b": .born(101, 1)],
      removed: ["a"]),
    Vector(
      "a deleted file whose inode a link got", ["a": 1],
      ["b": Item(.listed(.symlink, inode: 1))], removed: ["a"]),
    Vector(
      "a file of which only the name was known", ["a": Item(.unknown())],
      ["b": Item(.unknown())], removed: ["a"]),
  ]

  @Test("are found by their identity, name by name", arguments: vectors)
  func moves(_ vector: Vector) {
    let rows = zip(Int64(1)..., vector.before).map { id, item in
      StoredEntry(item.value.record, id: id, name: item.key)
    }
    let listed = Dictionary(uniqueKeysWithValues: vector.now.map { ($0.key, $0.value) })
    var names: [Int64: String] = [:]
    var additions: [MoveMatcher.Addition] = []
    var replacements: [MoveMatcher.Replacement] = []
    for (id, (name, item)) in zip(Int64(100)..., vector.now) {
      guard let row = rows.first(where: { $0.name == Array(name.utf8) }) else {
        names[id] = name
        additions.append(
          .init(identity: item.identity, kind: item.record.kind, id: id, change: id))
        continue
      }
      names[row.id] = name
      guard row.identity != item.identity else { continue }
      replacements.append(
        .init(
          old: row, oldPath: row.name, identity: item.identity, kind: item.record.kind,
          change: row.id))
    }
    var matcher = MoveMatcher(additions: additions, replacements: replacements)
    var removed: Set<String> = []
    for row in rows {
      let name = String(decoding: row.name, as: UTF8.self)
      if listed[name] == nil, !matcher.match(row, from: row.name) { removed.insert(name) }
    }
    for (position, replacement) in replacements.enumerated() {
      matcher.matchReplaced(position, replacement)
      if !matcher.oldHasMoved.contains(position) {
        removed.insert(String(decoding: replacement.oldPath, as: UTF8.self))
      }
    }
    let moves = matcher.matches.map { match in
      (String(decoding: match.path, as: UTF8.self), names[match.arrival.rowID] ?? "")
    }
    #expect(Dictionary(uniqueKeysWithValues: moves) == vector.moves)
    #expect(removed == vector.removed)
    for (position, replacement) in replacements.enumerated() {
      let name = String(decoding: replacement.old.name, as: UTF8.self)
      #expect(matcher.newIsKnown.contains(position) == vector.moves.values.contains(name))
    }
  }

  @Test("what has come is told from what was changed by how it was logged")
  func logged() {
    let file = EntryIdentity(1)
    let old = StoredEntry(.listed(inode: 2), id: 2, name: "b")
    let gone = StoredEntry(.listed(inode: 1), id: 1, name: "a")
    var added = MoveMatcher(
      additions: [.init(identity: file, kind: .file, id: 9, change: 90)], replacements: [])
    let isAdded = added.match(gone, from: gone.name)
    #expect(isAdded)
    #expect(added.matches.first?.arrival.logged == .added)
    #expect(added.matches.first?.arrival.change == 90)
    var replaced = MoveMatcher(
      additions: [],
      replacements: [
        .init(old: old, oldPath: old.name, identity: file, kind: .file, change: 91)
      ])
    let answers = [1, 2].map { _ in replaced.match(gone, from: gone.name) }
    #expect(answers == [true, false])
    #expect(replaced.matches.first?.arrival.logged == .modified)
    #expect(replaced.matches.first?.arrival.replacement == 0)
  }
}
