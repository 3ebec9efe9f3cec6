internal import FileSystem
internal import SQLite
internal import SystemPackage
internal import TextMatching

/// A directory of the catalog.
struct FoundDirectory {
  let id: Int64
  let path: FilePath
  /// Steps below the root.
  let depth: Int64

  /// The condition that a path is below the directory.
  ///
  /// - Parameter table: the table or the view that has the columns `path` and `path_bytes`, with a dot.
  func isAbove(_ table: String = "") -> SQL {
    var prefix = path.bytes
    if prefix.last == UInt8(ascii: "/") { prefix.removeLast() }
    // `0` is the byte after `/`: all that lies between begins with the path.
    let (lower, upper) = (prefix + [UInt8(ascii: "/")], prefix + [UInt8(ascii: "0")])
    let shown = SQL(
      "\(table)path >= ? AND \(table)path < ?", [.text(showing: lower), .text(showing: upper)])
    // What is shown with U+FFFD may be shown like something else.
    guard String(decoding: prefix, as: UTF8.self).unicodeScalars.contains("\u{FFFD}") else {
      return shown
    }
    let exact = "CAST(ifnull(\(table)path_bytes, \(table)path) AS BLOB)"
    return shown + SQL(" AND \(exact) >= ? AND \(exact) < ?", [.blob(lower), .blob(upper)])
  }

  /// The condition that a path is the directory's or below it.
  func isAtOrAbove(_ table: String = "") -> SQL {
    SQL(
      "(\(table)path = ? AND ifnull(\(table)path_bytes, \(table)path) = ? OR ",
      [path.shown, path.binding]) + isAbove(table) + SQL(")")
  }
}

/// Finds entries by path, however the path is written.
struct PathLookup {
  private let db: Connection
  private let reach: Reach

  /// What may be looked at to understand a path.
  enum Reach {
    /// Symbolic links on the disk, too.
    case disk
    /// Nothing but the catalog.
    case index
  }

  init(_ db: Connection, reach: Reach = .disk) throws {
    self.db = db
    self.reach = reach
  }

  /// The id of the entry at a path: as it is written, or with symbolic links resolved.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/notInCatalog``.
  func entry(at path: FilePath) throws -> Int64 {
    for candidate in try spellings(of: path) {
      if let id = try exactEntry(at: candidate) { return id }
    }
    throw try missing(path)
  }

  /// The directory at a path. A symbolic link to a directory stands for what it points to.
  func directory(at path: FilePath) throws -> FoundDirectory {
    var isKnown = false
    for candidate in try spellings(of: path) {
      if let id = try exactEntry(at: candidate) {
        isKnown = true
        if let directory = try directory(withID: id) { return directory }
      }
    }
    guard isKnown else { throw try missing(path) }
    throw CatalogError(
      .notADirectory, path: path, "\(path.string) is not a directory in the catalog")
  }

  private func missing(_ path: FilePath) throws -> CatalogError {
    let root = try RootTable.root(containing: path.absolute, in: db)
    return CatalogError(
      .notInCatalog, path: path, root: root?.location.given,
      nearest: try nearest(to: path.absolute)?.string, "\(path.string) is not in the catalog")
  }

  /// The entry that was probably meant by a path that leads nowhere: one with a similar name where the path
  /// is left, or a root.
  private func nearest(to path: FilePath) throws -> FilePath? {
    var directory = path
    while let name = directory.lastComponent {
      directory = directory.removingLastComponent()
      guard let id = try exactEntry(at: directory) else { continue }
      var names: [String] = []
      try db.forEach(
        SQL("SELECT name FROM _entries WHERE parent_id = ? LIMIT 10000", [.integer(id)])
      ) { names.append($0.text(0)) }
      return Spelling.nearest(to: name.string, in: names).map { directory.appending($0) }
    }
    var roots: [String] = []
    try db.forEach(SQL("SELECT path FROM _roots")) { roots.append($0.text(0)) }
    return Spelling.nearest(to: path.string, in: roots).map { FilePath($0) }
  }

  private func spellings(of path: FilePath) throws -> [FilePath] {
    let absolute = path.absolute
    var spellings = [absolute]
    // A root may have been given through a symbolic link, and may be offline by now.
    let renamed = SQL("SELECT given_path, exact_path FROM _roots WHERE given_path <> exact_path")
    try db.forEach(renamed) { root in
      var rest = absolute
      if rest.removePrefix(root.path(0)) { spellings.append(root.path(1).pushing(rest)) }
    }
    guard reach == .disk else { return spellings }
    if let resolved = absolute.resolved { spellings.append(resolved) }
    // The last component may be a link that is meant itself, below one that is only on the way.
    if let name = absolute.lastComponent,
      let parent = absolute.removingLastComponent().resolved
    {
      spellings.append(parent.appending(name))
    }
    return spellings
  }

  private func exactEntry(at path: FilePath) throws -> Int64? {
    // A root has no parent to look in.
    let root = SQL("SELECT entry_id FROM _roots WHERE exact_path = ?", [.name(path.bytes)])
    if let id = try db.first(cached: root, { $0.optionalInteger(0) }) { return id }
    guard let name = path.lastComponent else { return nil }
    let directory = path.removingLastComponent()
    let parent = SQL(
      "SELECT id FROM _directory_paths WHERE path = ? AND exact_path = ?",
      [directory.shown, directory.binding])
    guard let id = try db.first(cached: parent, { $0.integer(0) }) else { return nil }
    let entry = SQL(
      "SELECT id FROM _entries WHERE parent_id = ? AND name = ?",
      [.integer(id), .name(name.bytes)])
    return try db.first(cached: entry) { $0.integer(0) }
  }

  private func directory(withID id: Int64) throws -> FoundDirectory? {
    let path = SQL("SELECT exact_path, depth FROM _directory_paths WHERE id = ?", [.integer(id)])
    return try db.first(cached: path) {
      FoundDirectory(id: id, path: $0.path(0), depth: $0.integer(1))
    }
  }
}
