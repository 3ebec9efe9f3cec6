internal import FileSystem
public import SystemPackage

/// What changes come to, directory by directory.
public struct ChangeSummary: Sendable {
  /// The changes in one directory and below it.
  public struct Line: Sendable, Hashable {
    /// The directory. What moved counts where it is now.
    public let directory: FilePath
    /// Entries that were new.
    public fileprivate(set) var added = 0
    /// Entries that were gone.
    public fileprivate(set) var removed = 0
    /// Entries whose values had changed.
    public fileprivate(set) var modified = 0
    /// Entries that had another path.
    public fileprivate(set) var moved = 0
    /// By how much what is not a directory has become more, in bytes; what only moved is the same.
    public fileprivate(set) var size: Int64 = 0
  }

  private let roots: [FilePath]
  private let depth: Int
  private var numbers: [FilePath: Int] = [:]
  private var found: [Line] = []

  /// An empty summary.
  ///
  /// - Parameters:
  ///   - roots: the directories that levels are counted from.
  ///   - depth: how many levels below them have lines of their own.
  public init(below roots: [FilePath], depth: Int) {
    self.roots = roots
    self.depth = depth
  }

  /// The directories with changes, by path.
  public var lines: [Line] {
    found.sorted { $0.directory.bytes.lexicographicallyPrecedes($1.directory.bytes) }
  }

  /// Adds a change.
  public mutating func add(_ change: Change) {
    let directory = directory(of: change.path)
    let number = numbers[directory] ?? found.count
    if number == found.count {
      numbers[directory] = number
      found.append(Line(directory: directory))
    }
    var growth: Int64 = 0
    switch change.kind {
    case .added:
      found[number].added += 1
      growth = change.size ?? 0
    case .removed:
      found[number].removed += 1
      growth = -(change.size ?? 0)
    case .modified:
      found[number].modified += 1
      growth = (change.size ?? 0) - (change.oldSize ?? change.size ?? 0)
    case .moved:
      found[number].moved += 1
      growth = (change.size ?? 0) - (change.oldSize ?? change.size ?? 0)
    }
    if change.entryKind != .directory { found[number].size.add(clamped: growth) }
  }

  /// The directory that a change counts in: the one that the entry is in, as far down as is told.
  private func directory(of path: FilePath) -> FilePath {
    guard let root = roots.first(where: { path.starts(with: $0) }) else {
      return path.removingLastComponent()
    }
    var below = path
    _ = below.removePrefix(root)
    return below.components.dropLast().prefix(depth).reduce(root) { $0.appending($1) }
  }
}
