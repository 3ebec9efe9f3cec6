internal import CatalogStore
internal import FileSystem
internal import SQLite
internal import UniformTypes

/// Gives the entries of all roots the types they have by the declarations of now, after those have
/// changed. Only rows whose type differs are written.
///
/// What is a package and what a directory is decided where the disk can be looked at, when a root is
/// scanned. Until then an entry that would turn from one into the other keeps what it is.
struct Retyping {
  private let numbering: TypeNumbering
  private let db: Connection

  init(_ numbering: TypeNumbering, in db: Connection) {
    self.numbering = numbering
    self.db = db
  }

  func run() throws {
    var names = NameTyping(numbering)
    let verdict = ContentVerdict(numbering)
    let sniffed = try SniffedTypes(in: db)
    let positions = numbering.positions
    let package = numbering.number(ofIdentifier: "com.apple.package")
    var types = TypeAssignment()
    let statement = SQL(
      """
      SELECT id, parent_id, name, kind, mode, attributes, traits, type_id, volume_id, inode, size,
        modified
      FROM _entries
      """)
    try db.forEach(statement) { row in
      let entry = StoredName(row)
      let old = row.integer(7)
      let named = row.bytes(2).withMemoryRebound(to: UInt8.self) { name in
        entry.isRoot
          ? names.type(of: UnsafeBufferPointer(rebasing: name[..<0]), as: entry.entryClass)
          : names.type(of: name, as: entry.entryClass)
      }
      let isPackage = named.match.flags.contains(.isPackage)
      switch (entry.isPackage, isPackage) {
      case (true, false):
        // What nobody declares any more is a package of no known kind.
        let known = positions[Int32(truncatingIfNeeded: old)] != nil
        types.set(known ? Int32(truncatingIfNeeded: old) : package, of: entry.id, from: old)
      case (false, true):
        break
      case (true, true):
        types.set(named.number, of: entry.id, from: old)
      case (false, false):
        let content = sniffed.type(of: entry.file, size: row.integer(10), modified: row.integer(11))
        types.set(
          content.map { verdict.number(named, content: $0) } ?? named.number, of: entry.id,
          from: old)
      }
    }
    try types.write(to: db)
  }
}

/// What decides the type of an entry that is in the catalog.
private struct StoredName {
  let id: Int64
  let isRoot: Bool
  let isPackage: Bool
  let entryClass: EntryClass
  let file: SniffedTypes.File

  init(_ row: Row) {
    id = row.integer(0)
    // A root is entered whatever it is called: it has no type by name.
    isRoot = row.optionalInteger(1) == nil
    isPackage =
      EntryRecord.Traits(rawValue: UInt8(truncatingIfNeeded: row.integer(6))).contains(.package)
    var status = FileStatus()
    status.mode = UInt32(truncatingIfNeeded: row.integer(4))
    status.attributes = UInt32(truncatingIfNeeded: row.integer(5))
    let kind = EntryKind(rawValue: UInt8(truncatingIfNeeded: row.integer(3))) ?? .file
    entryClass = EntryClass(kind, status)
    file = SniffedTypes.File(volume: row.integer(8), inode: row.integer(9))
  }
}
