package import FileCatalog
package import SystemPackage

/// A row of a table, with what columns and looks need of it.
package struct BrowserRow: Hashable, Sendable {
  package var id: EntryID
  package var path: FilePath
  package var kind: EntryKind
  /// Bytes of content, of a directory those of all that is in it.
  package var size: Int64
  /// Bytes on the disk, of a directory with all that is in it.
  package var allocated: Int64
  /// How many files are in it; `nil` for what is no directory.
  package var files: Int64?
  /// In nanoseconds since 1970.
  package var modified: Int64?
  package var type: String
  package var owner: String
  package var mode: UInt32
  package var isBroken: Bool
  package var isRoot: Bool
  /// The scan that saw it first, and the one that last saw it changed.
  package var firstSeen: Int64
  package var lastChanged: Int64

  package var isDirectory: Bool { kind == .directory }

  package init(
    id: EntryID, path: FilePath, kind: EntryKind, size: Int64, allocated: Int64, files: Int64?,
    modified: Int64?, type: String, owner: String, mode: UInt32, isBroken: Bool,
    isRoot: Bool = false,
    firstSeen: Int64, lastChanged: Int64
  ) {
    self.id = id
    self.path = path
    self.kind = kind
    self.size = size
    self.allocated = allocated
    self.files = files
    self.modified = modified
    self.type = type
    self.owner = owner
    self.mode = mode
    self.isBroken = isBroken
    self.isRoot = isRoot
    self.firstSeen = firstSeen
    self.lastChanged = lastChanged
  }
}

/// A table that the screen shows a part of.
///
/// Only rows near those that are seen are known: however many there are, it takes the same memory.
package struct Listing: Sendable {
  /// What tells answers to this question from those to the ones before.
  package internal(set) var generation = 0
  /// How many rows there are; `nil` as long as it is not known.
  package internal(set) var count: Int?
  /// The rows that are known, by index.
  package internal(set) var rows: [Int: BrowserRow] = [:]
  /// The row that is chosen.
  package internal(set) var selected = 0
  /// The row at the top of the screen.
  package internal(set) var top = 0
  /// What bars are parts of: the bytes of everything, in content and on the disk.
  package internal(set) var whole = Whole()
  /// Whether what is shown is that of a question before, or a part of the answer.
  package internal(set) var isStale = false
  /// Whether there are more rows than are known of yet.
  package internal(set) var isPartial = false
  /// The rows that have been asked for and have not come.
  var awaited: Range<Int>?
  /// Where an entry stands, as soon as there is a table.
  var place: (@Sendable (EntryID) -> Int?)?

  /// The sums of what a table is about.
  package struct Whole: Hashable, Sendable {
    package var size: Int64 = 0
    package var allocated: Int64 = 0
    package var files: Int64 = 0
    package var directories: Int64 = 0
    /// Why not all of it is known.
    package var fault: String?

    package init() {}
  }

  package var chosen: BrowserRow? { rows[selected] }

  /// Keeps what is chosen in the table, and on a screen of so many rows.
  mutating func settle(height: Int) {
    let last = max(0, (count ?? 0) - 1)
    selected = min(max(0, selected), last)
    let height = max(1, height)
    top = min(max(top, selected - height + 1), selected)
    top = max(0, min(top, max(0, (count ?? 0) - height)))
  }

  /// The rows to ask for, so that a screen of so many can be shown, and the next one up and down.
  mutating func missing(height: Int) -> Range<Int>? {
    guard let count, awaited == nil, !isStale else { return nil }
    let seen = top..<min(count, top + height)
    guard seen.contains(where: { rows[$0] == nil }) else { return nil }
    let wanted = max(0, top - height)..<min(count, top + 2 * height)
    awaited = wanted
    return wanted
  }

  /// Takes rows, in place of all that were known.
  mutating func take(_ new: [BrowserRow], from start: Int) {
    awaited = nil
    rows = Dictionary(
      uniqueKeysWithValues: zip(start..., new).map { ($0, $1) })
  }
}
