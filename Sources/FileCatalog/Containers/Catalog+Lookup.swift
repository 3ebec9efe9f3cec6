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
    var found: [FoundAsset] = []
    for ending in lookup.extensions {
      let candidates = SQLFragment(
        """
        SELECT e.id, e.name, d.path, d.depth FROM entries e JOIN folders d ON d.id = e.parent_id
        WHERE e.asset_key = ? AND e.kind IN (1, 3, 4)
        """, [.integer(AssetFacts.key(stem: lookup.stemBytes, extension: ending))])
      try RowReader(db).forEach(candidates) { row in
        guard let depth = folders.depth(of: row.bytes(2), belowRoot: row.integer(3)) else { return }
        let name = Array(row.bytes(1))
        let asset = AssetName(bytes: name)
        guard let rank = lookup.rank(of: asset) else { return }
        found.append(
          FoundAsset(
            id: row.integer(0), folder: Array(row.bytes(2)), name: name, variant: asset.variant,
            isHere: folders.isHere(depth), rank: rank, depth: depth))
      }
    }
    return found.sorted().map(\.match)
  }
}

/// What a lookup has found, in the order of its usefulness.
private struct FoundAsset: Comparable {
  let id: Int64
  let folder: [UInt8]
  let name: [UInt8]
  let variant: AssetVariant
  let isHere: Bool
  let rank: Int
  let depth: Int

  static func < (left: FoundAsset, right: FoundAsset) -> Bool {
    if left.isHere != right.isHere { return left.isHere }
    if left.rank != right.rank { return left.rank < right.rank }
    if left.depth != right.depth { return left.depth < right.depth }
    if left.folder != right.folder { return left.folder.lexicographicallyPrecedes(right.folder) }
    return left.name.lexicographicallyPrecedes(right.name)
  }

  var match: AssetMatch {
    AssetMatch(
      id: EntryID(rawValue: id),
      path: FilePath(bytes: folder).pushing(FilePath(bytes: name)),
      variant: variant, depth: depth, rank: rank)
  }
}

/// The directories in which a lookup finds something.
///
/// A name such as `__init__.py` is found by the thousand, so this is about bytes.
private struct AssetFolders {
  /// Where to look, without a slash at its end; `nil` for everywhere.
  private let scope: [UInt8]?
  /// What the paths of directories end with, a slash in front; empty for any.
  private let ending: [UInt8]
  private let steps: Int
  private let slash = UInt8(ascii: "/")

  init(scope: FilePath?, way: FilePath) {
    self.scope = scope.map { $0.bytes == [UInt8(ascii: "/")] ? [] : $0.bytes }
    let way = way.lexicallyNormalized()
    ending = way.isEmpty ? [] : [UInt8(ascii: "/")] + way.bytes
    steps = way.components.count
  }

  /// How far down a directory is; `nil` if nothing is to be found in it.
  func depth(of folder: UnsafeRawBufferPointer, belowRoot depth: Int64) -> Int? {
    guard ending.isEmpty || folder.suffix(ending.count).elementsEqual(ending) else { return nil }
    guard let scope else { return Int(depth) }
    guard folder.starts(with: scope) else { return nil }
    let rest = folder.dropFirst(scope.count)
    guard let first = rest.first else { return 0 }
    if first != slash { return nil }
    return rest.count == 1 ? 0 : rest.count { $0 == slash }
  }

  /// Whether so far down is the very directory that was asked about.
  func isHere(_ depth: Int) -> Bool { scope != nil && depth == steps }
}
