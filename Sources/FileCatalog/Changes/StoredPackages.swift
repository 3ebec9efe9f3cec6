internal import FileSystem
internal import SQLite

/// Which directories of a root the catalog holds as packages, and which as directories.
///
/// Whether a directory is one item is decided by a scan, from the declarations of its time, and is no
/// fact of the disk. A comparison goes by what was decided: it then compares like with like, and
/// declarations that came or went since are no difference. What would make a package of a directory,
/// such as an Info.plist that appeared in it, is reported as what it is: a new file.
struct StoredPackages: Sendable {
  private let isPackage: [[UInt8]: Bool]

  /// Reads the directories that a declaration can make packages of: those with a dot in their names.
  init(of root: RootRecord, in db: Connection) throws {
    let directories = SQL(
      """
      SELECT f.path, e.name, e.kind FROM folders f JOIN entries e ON e.parent_id = f.id
      WHERE f.root_id = ?
        AND e.kind IN (\(EntryKind.directory.rawValue), \(EntryKind.package.rawValue))
      """, [.integer(root.id)])
    var isPackage: [[UInt8]: Bool] = [:]
    try db.forEach(directories) { row in
      let name = row.bytes(1)
      let kind = EntryKind(rawValue: UInt8(truncatingIfNeeded: row.integer(2)))
      guard kind == .package || name.contains(UInt8(ascii: ".")) else { return }
      isPackage[Self.join(Array(row.bytes(0)), name)] = kind == .package
    }
    self.isPackage = isPackage
  }

  /// Whether the directory `name` in the directory with an absolute path is held as a package; `nil`
  /// if the catalog does not have it, or nothing could make a package of it.
  func isPackage(_ name: UnsafeBufferPointer<UInt8>, in directory: [UInt8]) -> Bool? {
    isPackage[Self.join(directory, name)]
  }

  private static func join(_ directory: [UInt8], _ name: some Collection<UInt8>) -> [UInt8] {
    directory + (directory.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name
  }
}
