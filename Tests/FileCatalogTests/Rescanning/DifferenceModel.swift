import FileCatalog

/// What a difference is worth: applied to the state before, it has to give the state after.
///
/// It knows nothing of how scans work, only what the words of a change mean: `removed.path` and
/// `moved.old_path` are places in the old catalog, all other paths places in the new one.
struct DifferenceModel {
  let before: CatalogState
  let after: CatalogState
  let changes: [LoggedChange]
  /// The directories of which only their content changed.
  let contentChanges: Set<Int64>
  let scan: ScanID

  private var byID: [Int64: LoggedChange] = [:]
  private(set) var problems: [String] = []

  init(
    from before: CatalogState, to after: CatalogState, by scan: ScanID, in catalog: Catalog
  ) throws {
    self.before = before
    self.after = after
    self.scan = scan
    changes = try LoggedChange.all(of: scan, in: catalog)
    var contentChanges: Set<Int64> = []
    try catalog.forEachRow(
      "SELECT entry_id FROM _change_log WHERE is_content = 1 AND scan_id = \(scan.rawValue)"
    ) { contentChanges.insert($0[0].integer ?? -1) }
    self.contentChanges = contentChanges
    for change in changes {
      if let other = byID.updateValue(change, forKey: change.id) {
        problems.append("two changes of one entry: \(other); \(change)")
      }
    }
    applyPlaces()
    compareValues()
  }

  private static func text(_ path: [UInt8]) -> String { String(decoding: path, as: UTF8.self) }

  // MARK: - Places

  /// Moves, adds and removes entries in the old state and compares the places with the new one.
  private mutating func applyPlaces() {
    for change in changes {
      switch change.kind {
      case "removed": expectOld(change.path, of: change, kind: change.entryKind)
      case "moved": expectOld(change.oldPath ?? [], of: change, kind: nil)
      case "added":
        if before.byID[change.id] != nil { problems.append("known already: \(change)") }
      case "modified":
        if before.byID[change.id] == nil { problems.append("not known before: \(change)") }
      default: problems.append("unknown kind: \(change)")
      }
    }
    var places: [Int64: [UInt8]] = [:]
    for id in before.byID.keys where byID[id]?.kind != "removed" {
      places[id] = place(of: id, &places)
    }
    for change in changes where change.kind == "added" { places[change.id] = change.path }
    var owners: [[UInt8]: Int64] = [:]
    for (id, path) in places {
      if let other = owners.updateValue(id, forKey: path) {
        problems.append("\(Self.text(path)) is the place of both \(id) and \(other)")
      }
    }
    for (path, item) in after.byPath where owners[path] != item.id {
      problems.append(
        "\(Self.text(path)) is \(item.id), by the difference "
          + (owners[path].map { String($0) } ?? "nothing"))
    }
    for (path, id) in owners where after.byPath[path] == nil {
      problems.append("\(Self.text(path)) is not there, by the difference it is \(id)")
    }
  }

  private mutating func expectOld(_ path: [UInt8], of change: LoggedChange, kind: String?) {
    let old = before.byPath[path]
    if old?.id != change.id || kind != nil && old?.kind != kind {
      problems.append("was not there before: \(change)")
    }
  }

  private mutating func place(of id: Int64, _ places: inout [Int64: [UInt8]]) -> [UInt8] {
    if let known = places[id] { return known }
    guard let item = before.byID[id] else { return [] }
    let path: [UInt8]
    if let change = byID[id], change.kind == "moved" {
      path = change.path
    } else if let parent = item.parent {
      if byID[parent]?.kind == "removed" {
        problems.append("\(Self.text(item.path)) stays, but the directory around it is removed")
      }
      path = place(of: parent, &places) + [UInt8(ascii: "/")] + item.name
    } else {
      path = item.path
    }
    places[id] = path
    return path
  }

  // MARK: - Values

  private static let contentFields: Set<String> = [
    "size", "allocated", "modified", "changed", "links",
  ]

  private mutating func compareValues() {
    for change in changes { compare(change) }
    for (id, item) in after.byID {
      guard let old = before.byID[id] else {
        if item.firstSeen != scan.rawValue {
          problems.append("\(Self.text(item.path)) is new and was first seen in another scan")
        }
        continue
      }
      let fields = item.differences(from: old)
      if item.firstSeen != old.firstSeen {
        problems.append("\(Self.text(item.path)) was not first seen now")
      }
      let isChanged =
        !fields.isEmpty || byID[id] != nil || item.isBrokenOtherwise(than: old)
      if (item.lastChanged == scan.rawValue) != isChanged {
        problems.append("\(Self.text(item.path)): last_changed_scan is \(item.lastChanged)")
      }
      guard byID[id] == nil else { continue }
      let isContent = item.kind == "directory" && fields.isSubset(of: Self.contentFields)
      if !fields.isEmpty, !isContent {
        problems.append("\(Self.text(item.path)) differs in \(fields), which no change says")
      }
      if isContent, fields.isEmpty == contentChanges.contains(id) {
        problems.append("\(Self.text(item.path)): content change \(fields) not logged as it is")
      }
    }
  }

  private mutating func compare(_ change: LoggedChange) {
    let old = before.byID[change.id]
    let new = after.byID[change.id]
    if change.kind != "removed" {
      if change.entryKind != new?.kind { problems.append("wrong kind: \(change)") }
      if new?.path != change.path { problems.append("wrong path: \(change)") }
      if change.size != new?.size || change.modified != new?.modified {
        problems.append("wrong values now: \(change)")
      }
    } else if change.size != old?.size || new != nil {
      problems.append("not removed as it says: \(change)")
    }
    if change.kind != "added", change.oldSize != old?.size || change.oldModified != old?.modified {
      problems.append("wrong values before: \(change)")
    }
    if change.kind == "added", change.oldSize != .null || change.oldModified != .null {
      problems.append("new, but with values before: \(change)")
    }
    guard let old, let new else {
      if !change.fields.isEmpty { problems.append("fields without two states: \(change)") }
      return
    }
    var fields = new.differences(from: old)
    if change.kind == "moved" {
      // Moving alone touches these.
      let follows = new.kind == "directory" ? Self.contentFields : ["changed"]
      if fields.isSubset(of: follows) { fields = [] }
    } else if fields.isEmpty, new.kind != "package" {
      problems.append("modified in nothing: \(change)")
    }
    if change.fields != fields { problems.append("fields are \(fields.sorted()): \(change)") }
  }
}

// MARK: - Identities

extension DifferenceModel {
  /// Where an id has not stayed with its identity in a scan of everything: an entry that has one name
  /// before and after keeps its id, and so does what was replaced in its place.
  func lostIdentities() -> [String] {
    var problems: [String] = []
    let old = Dictionary(grouping: before.byID.values, by: \.identity)
    let new = Dictionary(grouping: after.byID.values, by: \.identity)
    for (identity, items) in new {
      guard let known = old[identity] else { continue }
      // Of several names as many as possible.
      let kept = Set(items.map(\.id)).intersection(known.map(\.id)).count
      if kept != min(items.count, known.count) {
        problems.append(
          "\(items.map { Self.text($0.path) }) kept \(kept) ids of "
            + "\(known.map { Self.text($0.path) })")
      }
    }
    let places = Dictionary(
      after.byID.values.map { (Place($0), $0) }, uniquingKeysWith: { first, _ in first })
    for item in before.byID.values {
      guard let now = places[Place(item)], now.id != item.id,
        (now.kind == "directory") == (item.kind == "directory"),
        old[now.identity] == nil, new[item.identity] == nil
      else { continue }
      problems.append("\(Self.text(now.path)) was replaced and has a new id")
    }
    return problems
  }

  private struct Place: Hashable {
    let parent: Int64?
    let name: [UInt8]
    init(_ item: CatalogState.Item) {
      parent = item.parent
      name = item.name
    }
  }
}
