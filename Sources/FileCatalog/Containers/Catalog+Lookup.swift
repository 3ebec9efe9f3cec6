internal import FileSystem
internal import SQLite
public import StandardDirectories
public import SystemPackage

extension Catalog {
  /// The files that would do for an asset on a device, the best first.
  ///
  /// ```swift
  /// let device = AssetLookup.Device(idiom: .pad, scale: .two, height: 1024)
  /// let icon = try await catalog.assets(named: "icon", on: device, in: "/srv/app").first
  /// ```
  ///
  /// The index alone answers: nothing on the disk is looked at, and what was removed since the last
  /// scan is still found. Names are compared byte for byte, whatever the file system does, unless
  /// `caseSensitivity` says otherwise: then names that differ in case only are found with equal ranks.
  ///
  /// - Parameters:
  ///   - name: the name, with or without marks and extension; with directories in front only those
  ///     variants are found that lie in such directories. It need not be UTF-8.
  ///   - device: what the asset is for.
  ///   - role: what the directories are for in which to look, in whatever container.
  ///   - container: in which container to look, but not in those inside it.
  ///   - directory: where to look. What lies in it comes before anything further down; without one,
  ///     all roots are searched.
  ///   - defaultExtension: what a name without an extension gets.
  ///   - caseSensitivity: whether the case of letters counts in the name; in directories in front of
  ///     it, it does. The index tells names apart, so all names are looked at where it does not.
  ///   - limit: at most so many; `nil` for all.
  /// - Returns: those in the directory itself first, then the better ones before the worse, of equals
  ///   the nearer, and then by path.
  /// - Throws: ``/CatalogStore/CatalogError/Code/notInCatalog`` for an unknown directory.
  /// - Complexity: linear in the number of files that have the name with any marks, at about a
  ///   microsecond each.
  public func assets(
    named name: FilePath, on device: AssetLookup.Device, in directory: FilePath? = nil,
    role: Role? = nil, container: ContainerID? = nil, defaultExtension: String = "png",
    caseSensitivity: CaseSensitivity = .sensitive,
    limit: Int? = nil
  ) async throws -> [AssetMatch] {
    try await read { db in
      let search = AssetSearch(
        name, on: device, defaultExtension: defaultExtension, caseSensitivity,
        in: AssetPlaces(role: role, container: container))
      return try search.run(in: directory, limit: limit, db)
    }
  }
}

/// A lookup in the index.
private struct AssetSearch {
  private let lookup: AssetLookup
  /// The directories in front of the name.
  private let way: FilePath
  private let caseSensitivity: CaseSensitivity
  private let idiom: Idiom?
  private let places: AssetPlaces

  init(
    _ name: FilePath, on device: AssetLookup.Device, defaultExtension: String,
    _ caseSensitivity: CaseSensitivity, in places: AssetPlaces
  ) {
    self.places = places
    idiom = device.idiom
    way = name.removingLastComponent()
    lookup = AssetLookup(
      bytes: caseSensitivity.comparable(name.lastComponent?.bytes ?? []), on: device,
      defaultExtension: String(
        decoding: caseSensitivity.comparable(Array(defaultExtension.utf8)), as: UTF8.self))
    self.caseSensitivity = caseSensitivity
  }

  func run(in directory: FilePath?, limit: Int?, _ db: Connection) throws -> [AssetMatch] {
    // An absolute way says itself where to look.
    let start = way.isAbsolute ? way : directory
    let scope = try start.map { try PathLookup(db, reach: .index).directory(at: $0).path }
    let directories = AssetDirectories(scope: scope, way: way.isAbsolute ? "" : way)
    var names = RankedNames(lookup, for: idiom, caseSensitivity)
    var found = FoundAssets()
    for condition in try conditions() {
      let candidates =
        SQL(
          """
          SELECT e.id, e.name, d.exact_path, d.depth
          FROM _entries e JOIN _directory_paths d ON d.id = e.parent_id
          WHERE e.kind IN (1, 3, 4) AND (
          """) + condition + SQL(")") + places.condition
      try db.forEach(candidates) { row in
        guard let name = names.index(of: row.bytes(1)),
          let depth = directories.depth(of: row.bytes(2), belowRoot: row.integer(3))
        else { return }
        found.add(
          row.integer(0), in: row.bytes(2), name: name, rank: names[name].rank, depth: depth,
          isHere: directories.isHere(depth))
      }
    }
    return found.best(limit, names)
  }

  /// What the names can be told by; what meets a condition need not be one of them.
  private func conditions() throws -> [SQL] {
    switch caseSensitivity {
    case .sensitive:
      return lookup.extensions.map { ending in
        SQL(
          "e.asset_key = ?",
          [.integer(NameFacts.assetKey(stem: lookup.stemBytes, extension: ending))])
      }
    case .insensitive:
      guard let stem = String(validating: lookup.stemBytes, as: UTF8.self) else {
        return [SQL("1")]
      }
      let matcher = try TextMatcher(
        .substring(stem), caseSensitivity: .insensitive, syntax: .name)
      return [SQL("filecat_matches(e.name, ?)", [.object(matcher)])]
    }
  }
}

/// The places among the containers in which a lookup finds something.
private struct AssetPlaces {
  let role: Role?
  let container: ContainerID?

  /// What follows the conditions of a statement over the directories `d`.
  var condition: SQL {
    if role == nil, container == nil { return SQL("") }
    let name: Binding = role.map { .text($0.name) } ?? .null
    let number: Binding = container.map { .integer($0.rawValue) } ?? .null
    return SQL(
      """
       AND d.place_id IN (
        SELECT p.id FROM _places p LEFT JOIN _role_policies r ON r.id = p.role_id
        WHERE (? IS NULL OR r.name = ?) AND (? IS NULL OR p.container_id = ?))
      """, [name, name, number, number])
  }
}

/// The directories in which a lookup finds something.
///
/// A name such as `__init__.py` is found by the thousand, so this is about bytes.
private struct AssetDirectories {
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
  func depth(of directory: UnsafeRawBufferPointer, belowRoot depth: Int64) -> Int? {
    guard ending.isEmpty || directory.suffix(ending.count).elementsEqual(ending) else { return nil }
    guard let scope else { return Int(depth) }
    guard directory.starts(with: scope) else { return nil }
    let rest = directory.dropFirst(scope.count)
    guard let first = rest.first else { return 0 }
    if first != slash { return nil }
    return rest.count == 1 ? 0 : rest.count { $0 == slash }
  }

  /// Whether so far down is the very directory that was asked about.
  func isHere(_ depth: Int) -> Bool { scope != nil && depth == steps }
}
