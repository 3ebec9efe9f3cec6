internal import FileSystem
internal import GRDB
public import StandardDirectories
public import SystemPackage

extension Catalog {
  /// The files that would do for an asset on a device, the best first.
  ///
  /// ```swift
  /// let device = AssetDevice(idiom: .pad, scale: .two, height: 1024)
  /// let icon = try await catalog.assets(named: "icon", on: device, in: "/srv/app").first
  /// ```
  ///
  /// The index alone answers: nothing on the disk is looked at, and what was removed since the last
  /// scan is still found. Names are compared byte for byte, whatever the file system does.
  ///
  /// - Parameters:
  ///   - name: the name, with or without marks and extension; with directories in front only those
  ///     variants are found that lie in such directories.
  ///   - device: what the asset is for.
  ///   - directory: where to look. What lies in it comes before anything further down; without one,
  ///     all roots are searched.
  ///   - defaultExtension: what a name without an extension gets.
  /// - Returns: those in the directory itself first, then the better ones before the worse, of equals
  ///   the nearer, and then by path.
  /// - Throws: ``CatalogError/Code/notInCatalog`` for an unknown directory.
  public func assets(
    named name: String, on device: AssetDevice, in directory: FilePath? = nil,
    defaultExtension: String = "png"
  ) async throws -> [AssetMatch] {
    try await read { db in
      try AssetSearch(name, on: device, defaultExtension: defaultExtension)
        .run(in: directory, db)
    }
  }
}

/// A lookup in the index.
private struct AssetSearch {
  private let lookup: AssetLookup
  /// The directories in front of the name.
  private let way: FilePath

  init(_ name: String, on device: AssetDevice, defaultExtension: String) {
    let path = FilePath(name)
    way = path.removingLastComponent()
    lookup = AssetLookup(
      bytes: path.lastComponent?.bytes ?? [], on: device, defaultExtension: defaultExtension)
  }

  func run(in directory: FilePath?, _ db: Database) throws -> [AssetMatch] {
    // An absolute way says itself where to look.
    let start = way.isAbsolute ? way : directory
    let scope = try start.map { try PathLookup(db, reach: .index).directory(at: $0).path }
    let folders = AssetFolders(scope: scope, way: way.isAbsolute ? "" : way)
    var matches: [AssetMatch] = []
    for ending in lookup.extensions {
      let candidates = SQLFragment(
        """
        SELECT e.id, e.name, d.path, d.depth FROM entries e JOIN folders d ON d.id = e.parent_id
        WHERE e.asset_key = ? AND e.kind IN (1, 3, 4)
        """, [.integer(AssetFacts.key(stem: lookup.stemBytes, extension: ending))])
      try RowReader(db).forEach(candidates) { row in
        let bytes = Array(row.bytes(1))
        let name = AssetName(bytes: bytes)
        guard let rank = lookup.rank(of: name) else { return }
        let folder = row.path(2)
        guard let depth = folders.depth(of: folder, belowRoot: Int(row.integer(3))) else { return }
        matches.append(
          AssetMatch(
            id: EntryID(rawValue: row.integer(0)), path: folder.pushing(FilePath(bytes: bytes)),
            variant: name.variant, depth: depth, rank: rank))
      }
    }
    return matches.sorted { left, right in
      let (isLeftHere, isRightHere) = (folders.isHere(left), folders.isHere(right))
      if isLeftHere != isRightHere { return isLeftHere }
      if left.rank != right.rank { return left.rank < right.rank }
      if left.depth != right.depth { return left.depth < right.depth }
      return left.path.bytes.lexicographicallyPrecedes(right.path.bytes)
    }
  }
}

/// The directories in which a lookup finds something.
private struct AssetFolders {
  /// Where to look; `nil` for everywhere.
  let scope: FilePath?
  /// What their paths end with.
  let way: FilePath

  /// How far down a directory is; `nil` if nothing is to be found in it.
  func depth(of folder: FilePath, belowRoot depth: Int) -> Int? {
    guard folder.ends(with: way) else { return nil }
    guard let scope else { return depth }
    guard scope.contains(folder) else { return nil }
    return folder.components.count - scope.components.count
  }

  /// Whether a variant lies in the very directory that was asked about.
  func isHere(_ match: AssetMatch) -> Bool {
    scope != nil && match.depth == way.components.count
  }
}
