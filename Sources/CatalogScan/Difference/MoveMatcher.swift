internal import CatalogStore
internal import FileSystem

/// Finds the entries that have moved: what is missing in one place and new in another, with one
/// identity.
///
/// A file that was put in the place of another (`mv b a`) is new where it is although the name is
/// known, and the other one is missing. Files may have several names; each missing one is matched with
/// one new one.
struct MoveMatcher {
  /// An entry that is no directory and has a row under a new id.
  struct Addition {
    let identity: EntryIdentity
    let kind: EntryKind
    let id: Int64
    /// The line in the log that says it is new.
    let change: Int64
  }

  /// An entry that has the name of another one, and for now its row.
  struct Replacement {
    let old: StoredEntry
    let oldPath: [UInt8]
    let identity: EntryIdentity
    let kind: EntryKind
    /// The line in the log that says it is modified.
    let change: Int64
  }

  /// Where an entry is now.
  struct Arrival {
    /// The id of its row until now.
    let rowID: Int64
    let kind: EntryKind
    /// Its line in the log, and what that says so far.
    let change: Int64
    let logged: Change.Kind
    /// The position of the replacement that it is.
    let replacement: Int?
  }

  /// An entry that was found again.
  struct Match {
    let entry: StoredEntry
    let path: [UInt8]
    let arrival: Arrival
  }

  private var arrivals: [EntryIdentity: [Arrival]] = [:]
  private(set) var matches: [Match] = []
  /// The replacements that have come from elsewhere.
  private(set) var newIsKnown: Set<Int> = []
  /// The replacements whose former entry has gone elsewhere.
  private(set) var oldHasMoved: Set<Int> = []

  init(additions: [Addition], replacements: [Replacement]) {
    for addition in additions.reversed() {
      arrivals[addition.identity, default: []].append(
        Arrival(
          rowID: addition.id, kind: addition.kind, change: addition.change, logged: .added,
          replacement: nil))
    }
    for (position, replacement) in replacements.enumerated() {
      arrivals[replacement.identity, default: []].append(
        Arrival(
          rowID: replacement.old.id, kind: replacement.kind, change: replacement.change,
          logged: .modified, replacement: position))
    }
  }

  /// Looks for an entry that is missing.
  mutating func match(_ entry: StoredEntry, from path: [UInt8]) -> Bool {
    let identity = entry.identity
    guard !arrivals.isEmpty, !entry.traits.contains(.withoutStatus),
      let found = arrivals[identity]?.lastIndex(where: { $0.kind == entry.kind }),
      let arrival = arrivals[identity]?.remove(at: found)
    else { return false }
    matches.append(Match(entry: entry, path: path, arrival: arrival))
    if let replacement = arrival.replacement { newIsKnown.insert(replacement) }
    return true
  }

  /// Looks for an entry that another one has replaced.
  mutating func matchReplaced(_ position: Int, _ replacement: Replacement) {
    if match(replacement.old, from: replacement.oldPath) { oldHasMoved.insert(position) }
  }
}
