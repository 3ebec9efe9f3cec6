internal import CatalogStore
internal import FileSystem
package import SQLite
internal import StandardDirectories
internal import SystemPackage

/// Writes the places of directories at the end of a scan.
///
/// Whoever writes the path of a directory leaves its place open, which a partial index finds: a
/// rescan pays for what it has added and moved, and nothing when that is nothing.
package struct PlaceSettlement {
  /// Which directories are looked at.
  package enum Extent {
    /// Those whose place is open.
    case open
    /// All: the containers have changed.
    case everything
  }

  private let map: PlaceMap
  private let db: Connection

  package init(_ map: PlaceMap, in db: Connection) throws {
    self.map = map
    self.db = db
  }

  package func run(_ extent: Extent) throws {
    try settleDirectories(extent)
    try settlePackages()
  }

  private func settleDirectories(_ extent: Extent) throws {
    let condition = extent == .open ? "WHERE place_id IS NULL" : ""
    var changes: [(id: Int64, place: Int64)] = []
    let known = SQL("SELECT id, exact_path, place_id FROM _directory_paths \(condition)")
    try db.forEach(known) { row in
      let path = row.bytes(1)
      let place = map.number(of: map.place(of: path.assumingMemoryBound(to: UInt8.self)))
      if row.optionalInteger(2) != place { changes.append((row.integer(0), place)) }
    }
    guard !changes.isEmpty else { return }
    let update = try db.prepare("UPDATE _directory_paths SET place_id = ? WHERE id = ?")
    for change in changes {
      update.bind(change.place, at: 1)
      update.bind(change.id, at: 2)
      try update.run()
    }
  }

  /// A package can be the directory of a role itself, as the bundle of an application is.
  private func settlePackages() throws {
    var wanted: [Int64: Int64] = [:]
    for container in map.containers {
      for path in container.rules.compactMap(\.packagePath) {
        guard let id = try package(at: path) else { continue }
        let place = path.withBytes { map.place(of: $0) }
        wanted[id] = map.number(of: place)
      }
    }
    var stored: [Int64: Int64] = [:]
    try db.forEach(
      SQL("SELECT id, place_id FROM _packages WHERE place_id IS NOT NULL")
    ) { stored[$0.integer(0)] = $0.integer(1) }
    for (id, place) in wanted where stored[id] != place {
      try db.execute("UPDATE _packages SET place_id = ? WHERE id = ?", [place, id])
    }
    for id in stored.keys where wanted[id] == nil {
      try db.execute("UPDATE _packages SET place_id = NULL WHERE id = ?", [id])
    }
  }

  private func package(at path: FilePath) throws -> Int64? {
    guard let name = path.lastComponent else { return nil }
    let directory = path.removingLastComponent()
    let package = SQL(
      """
      SELECT e.id FROM _directory_paths f JOIN _entries e ON e.parent_id = f.id
      WHERE f.path = ? AND f.exact_path = ? AND e.name = ? AND e.kind = 3
      """, [directory.shown, directory.binding, .name(name.bytes)])
    return try db.first(package) { $0.integer(0) }
  }
}

extension RoleMap.Rule {
  /// The path that the rule is about, if it could be a package: packages have an extension.
  fileprivate var packagePath: FilePath? {
    guard case .name(let last)? = components.last, last.extension != nil else { return nil }
    return path
  }
}
