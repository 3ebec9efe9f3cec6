package import CatalogStore
internal import FileSystem
package import SQLite
internal import SystemPackage

/// A root that has come to another path: its directory was moved, or its volume is mounted elsewhere.
///
/// The root keeps its entries with their ids, its history, and the containers and searches in it. Only their
/// paths change.
package struct RootMove {
  package let root: RootRecord
  private let location: RootLocation

  /// - Throws: ``CatalogError/Code/rootInTheWay`` where the new path is that of another root, or one of both
  ///   would be inside the other.
  package init(
    of root: RootRecord, to location: RootLocation, among roots: [RootRecord]
  ) throws(CatalogError) {
    let other = roots.first { other in
      guard other.id != root.id else { return false }
      let path = other.location.path
      return path.contains(location.path) || location.path.contains(path)
    }
    if let other {
      let path = other.location.path
      throw CatalogError(
        .rootInTheWay, path: location.path, root: path,
        "\(location.path.string) cannot become the path of a root beside the root \(path.string)")
    }
    self.root = root
    self.location = location
  }

  /// The root that the directory at a path is, which no root has: the one whose entry has its identity, and
  /// whose own path does not lead there any more.
  init?(
    recognizing location: RootLocation, among roots: [RootRecord], in db: Connection
  ) throws {
    guard !roots.isEmpty, !roots.contains(where: { $0.location.path == location.path }),
      let present = Identity(of: location.path)
    else { return nil }
    let ids = SQL(
      """
      SELECT r.id FROM _roots r JOIN _entries e ON e.id = r.entry_id
      JOIN _volumes v ON v.id = e.volume_id
      WHERE v.identity = ? AND e.inode = ? AND e.created = ?
      """,
      [
        .text(present.volume), .integer(Int64(bitPattern: present.inode)),
        .integer(present.created),
      ])
    guard let id = try db.first(ids, { $0.id(0) }), let root = roots.first(where: { $0.id == id }),
      Identity(of: root.location.path) != present
    else { return nil }
    self.root = root
    self.location = location
  }

  /// What tells the directory at a path from all others; `nil` where it cannot be read, or the file system
  /// does not tell when it was made: numbers are given again.
  private struct Identity: Equatable {
    let volume: String
    let inode: UInt64
    let created: Int64

    init?(of path: FilePath) {
      guard let directory = try? OpenFile(unlinked: path, for: .listing),
        let status = try? directory.status(), status.created != FileStatus.unknownTime,
        let volume = try? directory.volume()
      else { return nil }
      (self.volume, inode, created) = (volume.description, status.inode, status.created)
    }
  }

  /// Gives the root its new path.
  ///
  /// - Returns: the root as it is now.
  @discardableResult
  package func perform(in db: Connection) throws -> RootRecord? {
    let old = root.location.path
    try RootTable.move(root, to: location, in: db)
    if let entry = root.entryID, old.lastComponent != location.path.lastComponent {
      try rename(entry, in: db)
    }
    let containers = try ContainerTable(db)
    try containers.follow(PathChange(from: old, to: location.path))
    try PlaceSettlement(try containers.map(), in: db).run(.everything)
    return try RootTable.all(in: db).first { $0.id == root.id }
  }

  private func rename(_ entry: Int64, in db: Connection) throws {
    let path = location.path
    let name = path.lastComponent?.bytes ?? path.bytes
    var extensions = try ExtensionNumbers(in: db)
    try name.withUnsafeBufferPointer { name in
      try EntryUpdates(on: db, scanID: try HistoryTable(db).lastScan, keeping: .all)
        .move(entry, to: nil, NameFacts(name, &extensions))
    }
    try extensions.writeAdded(to: db)
    try NameIndex.fillGaps(in: db)
  }
}
