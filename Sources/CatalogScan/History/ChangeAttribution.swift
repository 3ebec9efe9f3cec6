package import CatalogStore
internal import FileCoordination
internal import FileSystem
package import SQLite
package import SystemPackage

/// Tells whose the changes of a scan are, where it has found changes of several.
///
/// A scan reads directories, and in a directory others may have changed something too. What does not
/// belong to the scan's own origin becomes a scan of its own, of the same moment: an origin is that of
/// a whole scan.
package struct ChangeAttribution {
  /// Changes that belong to one origin other than the scan's.
  package struct Part {
    package let origin: ChangeOrigin?
    package fileprivate(set) var changes: [Int64] = []
    package fileprivate(set) var counts: [Change.Kind: Int] = [:]
  }

  private struct Line {
    let id: Int64
    let kind: Change.Kind
    let isContent: Bool
    /// Where the entry is and, if it has moved, where it was.
    let paths: [[UInt8]]
  }

  package let parts: [Part]

  /// Finds the changes of a scan that are not its own.
  ///
  /// - Parameters:
  ///   - claims: what coordinators of this process are writing.
  ///   - request: says whose the scan is.
  package init(
    of scan: Int64, _ request: ScanRequest, _ claims: [OwnWrites.Claim], in db: Connection
  ) throws {
    guard !claims.isEmpty else {
      parts = []
      return
    }
    let lines = try Self.lines(of: scan, in: db)
    let unclaimed = request.originShare == .all ? request.origin : nil
    var parts: [ChangeOrigin?: Part] = [:]
    func add(_ line: Line, to origin: ChangeOrigin?) {
      guard origin != request.origin else { return }
      var part = parts[origin] ?? Part(origin: origin)
      part.changes.append(line.id)
      if !line.isContent { part.counts[line.kind, default: 0] += 1 }
      parts[origin] = part
    }
    /// Directories in which something changed that nobody here has written.
    var foreign: Set<ArraySlice<UInt8>> = []
    for line in lines where !line.isContent {
      let owner = claims.first { line.paths.contains(where: $0.covers) }
      if owner == nil { foreign.formUnion(line.paths.map(\.parentPath)) }
      add(line, to: owner.map(\.origin) ?? unclaimed)
    }
    for line in lines where line.isContent {
      let owner = claims.first { claim in
        line.paths.contains { !foreign.contains($0[...]) && claim.isAround($0) }
      }
      add(line, to: owner.map(\.origin) ?? unclaimed)
    }
    self.parts = Array(parts.values)
  }

  private static func lines(of scan: Int64, in db: Connection) throws -> [Line] {
    let statement = SQL(
      """
      SELECT id, kind, is_content, exact_path, exact_old_path FROM _change_log WHERE scan_id = ?
      """,
      [.integer(scan)])
    var lines: [Line] = []
    try db.forEach(statement) { row in
      lines.append(
        Line(
          id: row.integer(0), kind: Change.Kind(number: row.integer(1)) ?? .modified,
          isContent: row.integer(2) != 0,
          paths: [row.bytes(3), row.bytes(4)].filter { !$0.isEmpty }.map { Array($0) }))
    }
    return lines
  }

  /// How many changes of a kind are not the scan's own.
  package func count(_ kind: Change.Kind) -> Int {
    parts.reduce(0) { $0 + ($1.counts[kind] ?? 0) }
  }

  /// Makes a scan of each part.
  ///
  /// - Returns: the last one; `scan` itself if all changes are its own.
  package func split(_ scan: Int64, in db: Connection) throws -> Int64 {
    var last = scan
    for part in parts {
      last = try ScanLog.add(part.counts, by: part.origin, of: scan, in: db)
      let move = try db.cached("UPDATE _change_log SET scan_id = ? WHERE id = ?")
      for change in part.changes { try move.run([last, change]) }
      for column in ["last_changed_scan", "first_seen_scan"] {
        try db.execute(
          """
          UPDATE _entries SET \(column) = ?1 WHERE \(column) = ?2
            AND id IN (SELECT entry_id FROM _change_log WHERE scan_id = ?1)
          """, [last, scan])
      }
    }
    return last
  }
}

/// What the coordinators of a catalog are writing, until the catalog has it.
///
/// It is there so that every change gets its origin, whichever scan of this process is the first to see
/// it: the one that follows the coordinator, or one that reads the directory at the same time.
package final class OwnWrites: Sendable {
  /// Items that are being written, and by whom.
  package struct Claim: Sendable {
    package let origin: ChangeOrigin
    package let paths: Set<[UInt8]>
    /// The directories that hold the items.
    fileprivate let parents: Set<[UInt8]>
  }

  /// Withdraws a claim when it is let go.
  package final class Ticket: Sendable {
    private let number: Int
    private let writes: OwnWrites

    fileprivate init(_ number: Int, in writes: OwnWrites) {
      self.number = number
      self.writes = writes
    }

    deinit {
      writes.claims.withLock { $0.claims[number] = nil }
    }
  }

  private let claims = Monitor<(last: Int, claims: [Int: Claim])>((0, [:]))

  package init() {}

  /// The claims as they are now.
  package var all: [Claim] { claims.withLock { Array($0.claims.values) } }

  /// Says that changes of these items belong to an origin, as long as the ticket lives.
  package func claim(_ items: [FilePath], for origin: ChangeOrigin) -> Ticket {
    let paths = Set(items.flatMap { [$0] + $0.scratchPaths }.map(\.bytes))
    let claim = Claim(
      origin: origin, paths: paths, parents: Set(paths.map { Array($0.parentPath) }))
    let number = claims.withLock { state in
      state.last += 1
      state.claims[state.last] = claim
      return state.last
    }
    return Ticket(number, in: self)
  }
}

extension OwnWrites.Claim {
  /// Whether a path is one of the items, or inside one.
  package func covers(_ path: [UInt8]) -> Bool {
    // There may be many items: what is around the path is looked for among them.
    if paths.contains(path) { return true }
    var rest = path[...]
    while let slash = rest.lastIndex(of: UInt8(ascii: "/")), slash > 0 {
      rest = rest[..<slash]
      if paths.contains(Array(rest)) { return true }
    }
    return false
  }

  /// Whether a directory holds one of the items, and differs because of that.
  package func isAround(_ directory: [UInt8]) -> Bool {
    parents.contains(directory)
  }
}

extension [UInt8] {
  /// The path without its last name.
  var parentPath: ArraySlice<UInt8> {
    guard let slash = lastIndex(of: UInt8(ascii: "/")) else { return [] }
    return self[..<Swift.max(slash, 1)]
  }
}
