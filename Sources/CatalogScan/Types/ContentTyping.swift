internal import CatalogStore
internal import FileSystem
internal import SQLite
internal import SystemPackage
internal import UniformTypes

/// Types the files of a root by their first bytes where their names do not settle it.
///
/// It runs after the walk, on what the walk has written: the scan itself opens no file. What was
/// found out is kept by volume and inode until the size or the time of the last change differ, so
/// that a rescan reads only what is new. A file that cannot be read keeps the type that was known, or
/// that of its name.
struct ContentTyping {
  private let rootID: Int64
  private let rootPath: FilePath
  private let typing: ScanOptions.Typing
  private let numbering: TypeNumbering
  private let db: Connection

  init(
    of rootID: Int64, at rootPath: FilePath, _ typing: ScanOptions.Typing,
    _ numbering: TypeNumbering, in db: Connection
  ) {
    self.rootID = rootID
    self.rootPath = rootPath
    self.typing = typing
    self.numbering = numbering
    self.db = db
  }

  /// Types the files.
  ///
  /// - Returns: what could not be read, with paths below the root. Files that nobody but others may read
  ///   are not among them.
  func run(_ control: ScanControl) throws -> [FileError] {
    guard typing == .byContent else {
      try forget()
      return []
    }
    let root: OpenRoot
    do throws(Errno) {
      root = try OpenRoot(rootPath)
    } catch {
      return [FileError(.open, "", error)]
    }
    var failures: [FileError] = []
    let known = try SniffedTypes(of: rootID, in: db)
    var found: [SniffedTypes.File: SniffedTypes.Finding] = [:]
    var types = TypeAssignment()
    var names = NameTyping(numbering)
    let verdict = ContentVerdict(numbering)
    let files = FileBeginning(length: ContentSniffer.prefixLength)
    try db.forEach(Self.files(of: rootID)) { row in
      if control.isCancelled { throw CancellationError() }
      var status = FileStatus()
      status.mode = UInt32(truncatingIfNeeded: row.integer(2))
      let named = row.bytes(1).withMemoryRebound(to: UInt8.self) {
        names.type(of: $0, as: EntryClass(.file, status))
      }
      guard named.mayBeSniffed else { return }
      let file = SniffedTypes.File(volume: row.integer(3), inode: row.integer(4))
      let size = row.integer(5)
      let modified = row.integer(6)
      let content: Int32
      if let type = known.type(of: file, size: size, modified: modified) {
        content = type
        found[file] = SniffedTypes.Finding(size: size, modified: modified, type: type)
      } else {
        let path = FilePath(bytes: row.bytes(8)).pushing(FilePath(bytes: row.bytes(1)))
        do throws(Errno) {
          let (status, type) = try files.read(root.open(path), verdict.type)
          let created = row.optionalInteger(9) ?? FileStatus.unknownTime
          // Another file has come into its place.
          guard Int64(bitPattern: status.inode) == file.inode, status.created == created else {
            return
          }
          // Kept under what the file was when it was read: it may have changed since the walk.
          found[file] = SniffedTypes.Finding(
            size: status.size, modified: status.modified, type: type)
          content = type
        } catch {
          if error.saysReplaced || error == .invalidArgument { return }
          if error != .permissionDenied {
            failures.append(FileError(.open, path.below(rootPath), error))
          }
          guard let before = known.findings[file] else { return }
          found[file] = before
          content = before.type
        }
      }
      types.set(verdict.number(named, content: content), of: row.integer(0), from: row.integer(7))
    }
    try types.write(to: db)
    try SniffedTypes.replace(found, of: rootID, in: db)
    return failures
  }

  /// Goes back to names, where content has counted before.
  private func forget() throws {
    let hasCounted = SQL(
      "SELECT 1 FROM _sniffed_types WHERE root_id = ? LIMIT 1", [.integer(rootID)])
    guard try db.first(hasCounted, { _ in true }) == true else { return }
    try SniffedTypes.removeAll(of: rootID, in: db)
    try Retyping(numbering, in: db).run()
  }

  /// The regular files of a root that have any content.
  private static func files(of root: Int64) -> SQL {
    SQL(
      """
      SELECT e.id, e.name, e.mode, e.volume_id, e.inode, e.size, e.modified, e.type_id, f.exact_path,
        e.created
      FROM _directory_paths f JOIN _entries e ON e.parent_id = f.id
      WHERE f.root_id = ? AND e.kind = \(EntryKind.file.rawValue) AND e.size > 0
      """, [.integer(root)])
  }
}

/// Weighs the type by name against the type by content, in the numbers of a catalog.
struct ContentVerdict {
  private let sniffer: ContentSniffer
  private let numbering: TypeNumbering
  private let positions: [Int32: TypeIndex]

  init(_ numbering: TypeNumbering) {
    self.numbering = numbering
    sniffer = ContentSniffer(numbering.registry)
    positions = numbering.positions
  }

  /// The number of the type that some bytes have by themselves; 0 if they say nothing.
  func type(of bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
    sniffer.sniff(bytes).map { numbering.number(of: $0) } ?? 0
  }

  /// The number of the type that a file with this name and this content has.
  func number(_ named: NameTyping.Answer, content: Int32) -> Int32 {
    guard named.mayBeSniffed, let sniffed = positions[content] else { return named.number }
    let type = sniffer.refine(named.match.type, sniffed: sniffed)
    return type == .none ? named.number : numbering.number(of: type)
  }
}

/// New types of entries that are in the catalog: collected while rows are read, written afterwards.
///
/// Only the type changes. The entries themselves did not, so they count as unchanged.
struct TypeAssignment {
  private var changes: [(entry: Int64, type: Int32)] = []

  mutating func set(_ type: Int32, of entry: Int64, from old: Int64) {
    if Int64(type) != old { changes.append((entry, type)) }
  }

  func write(to db: Connection) throws {
    guard !changes.isEmpty else { return }
    let update = try db.prepare("UPDATE _entries SET type_id = ? WHERE id = ?")
    for change in changes {
      update.bind(Int64(change.type), at: 1)
      update.bind(change.entry, at: 2)
      try update.run()
    }
  }
}
