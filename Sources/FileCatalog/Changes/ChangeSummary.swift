internal import FileSystem
internal import SQLite
public import SystemPackage

/// What changed in a directory, at any depth.
public struct ChangeSummary: Sendable, Hashable {
  /// The directory.
  public let path: FilePath
  /// Entries that were new.
  public internal(set) var added = 0
  /// Entries that were gone.
  public internal(set) var removed = 0
  /// Entries whose values had changed.
  public internal(set) var modified = 0
  /// Entries that had come from another path.
  public internal(set) var moved = 0
  /// By how many bytes its files became more, less than zero when they became fewer. What was moved
  /// within the catalog counts where it is now only with what it grew.
  public internal(set) var bytes: Int64 = 0

  init(path: FilePath) { self.path = path }

  mutating func add(_ change: Change) {
    switch change.kind {
    case .added: added += 1
    case .removed: removed += 1
    case .modified: modified += 1
    case .moved: moved += 1
    }
    // The blocks of a directory are no content.
    guard change.entryKind != .directory else { return }
    let size = max(0, change.size ?? 0)
    let oldSize = max(0, change.oldSize ?? size)
    switch change.kind {
    case .added: bytes.add(clamped: size)
    case .removed: bytes.add(clamped: -oldSize)
    case .modified, .moved: bytes.add(clamped: size - oldSize)
    }
  }
}

/// Adds changes up, directory by directory.
struct ChangeSummaries {
  private let directory: FilePath?
  private let depth: Int
  /// The longest first: a root may have been inside another one.
  private let roots: [FilePath]
  private var byPath: [FilePath: ChangeSummary] = [:]

  init(below directory: FilePath?, depth: Int, in db: Connection) throws {
    self.directory = directory
    self.depth = depth
    var roots: [FilePath] = []
    // A root that was forgotten still has its history.
    try db.forEach(SQL("SELECT DISTINCT ifnull(root_bytes, root) FROM _scan_log")) {
      roots.append($0.path(0))
    }
    self.roots = roots.sorted { $0.components.count > $1.components.count }
  }

  /// The directories in which something changed, in the order of their paths.
  var sorted: [ChangeSummary] {
    byPath.values.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
  }

  mutating func add(_ change: Change) {
    let place = place(of: change)
    byPath[place, default: ChangeSummary(path: place)].add(change)
  }

  /// The directory to which a change counts: the one in which the entry is, or was, or the one above it
  /// at the depth that was asked for.
  private func place(of change: Change) -> FilePath {
    for path in [change.path, change.oldPath].compactMap({ $0 }) {
      let tops = directory.map { [$0] } ?? roots
      guard let top = tops.first(where: { path.starts(with: $0) }) else { continue }
      var place = top
      // A change of the top itself counts to it.
      for component in path.components.dropFirst(top.components.count).dropLast().prefix(depth) {
        place.append(component)
      }
      return place
    }
    return change.path.removingLastComponent()
  }
}
