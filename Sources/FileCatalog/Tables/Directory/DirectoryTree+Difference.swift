internal import CatalogStore
internal import FileSystem
public import SystemPackage

extension DirectoryTree {
  /// What has happened between two trees. Paths are relative to their directories.
  ///
  /// Each entry of either tree is told of at most once, and one that is as it was is not.
  public struct Difference: Sendable, Hashable {
    /// An entry that is in both trees.
    public struct Change: Sendable, Hashable {
      /// Where it is in the old tree.
      public let from: FilePath
      /// Where it is in the new tree.
      public let to: FilePath
      /// Which of its values differ.
      public let values: Set<DirectoryTree.Difference.Value>
    }

    /// A value of an entry. When it was last read is none: reading a tree changes it.
    public enum Value: String, Sendable, Hashable, CaseIterable {
      /// What it is.
      case kind
      /// Which one it is: another has its name now.
      case identity
      /// The length of its content.
      case size
      /// Its bytes on disk.
      case allocated
      /// When its content was last changed.
      case modified
      /// When its content or its values were last changed, among them its name.
      case changed
      /// Its permissions.
      case permissions
      /// Its owner or its group.
      case owner
      /// How many names it has.
      case links
      /// The attributes that its file system keeps of it.
      case attributes
      /// Its uniform type.
      case type
      /// What a symbolic link says.
      case target
      /// How much of its content is known.
      case content
    }

    /// Entries that are only in the new tree, in its order.
    public let added: [FilePath]
    /// Entries that are only in the old tree, in its order.
    public let removed: [FilePath]
    /// Entries with the same name in the same directory that have other values, in the order of the new tree.
    /// The two paths differ where a directory around it was moved.
    public let modified: [DirectoryTree.Difference.Change]
    /// Entries with another name or in another directory, in the order of the new tree. What is in a directory
    /// that was moved is not named for that.
    public let moved: [DirectoryTree.Difference.Change]

    /// Whether both trees are the same.
    public var isEmpty: Bool {
      added.isEmpty && removed.isEmpty && modified.isEmpty && moved.isEmpty
    }
  }

  /// What has happened since an older tree was read.
  ///
  /// An entry is the same where volume, inode, time of birth and kind are the same, wherever it is. What took
  /// the name of another of its kind that is gone, as whoever saves a file in one step makes it, is the same
  /// entry too: one with another ``DirectoryTree/Difference/Value/identity``.
  ///
  /// - Complexity: linear in both trees.
  public func difference(from old: DirectoryTree) -> DirectoryTree.Difference {
    let matching = TreeMatching(from: old, to: self)
    let oldPaths = old.paths
    let newPaths = paths
    var modified: [Difference.Change] = []
    var moved: [Difference.Change] = []
    var added: [FilePath] = []
    for (index, origin) in matching.origins.enumerated() {
      guard let origin else {
        added.append(newPaths[index])
        continue
      }
      let values = Difference.Value.allCases.filter {
        $0.differs(old.rows[origin], rows[index]) || $0 == .identity && !matching.isSame[index]
      }
      let change = Difference.Change(
        from: oldPaths[origin], to: newPaths[index], values: Set(values))
      if !matching.isInPlace(index) {
        moved.append(change)
      } else if !values.isEmpty {
        modified.append(change)
      }
    }
    let removed = old.rows.indices.filter { !matching.isFound[$0] }.map { oldPaths[$0] }
    return Difference(added: added, removed: removed, modified: modified, moved: moved)
  }

  /// The paths of all rows.
  private var paths: [FilePath] { [FilePath()] + entries.map(\.path) }
}

extension DirectoryTree.Difference.Value {
  /// Whether two rows differ in the value. Which entry it is does not show in a row alone.
  fileprivate func differs(_ old: DirectoryTree.Row, _ new: DirectoryTree.Row) -> Bool {
    func differ<Value: Equatable>(_ value: (FileStatus) -> Value) -> Bool {
      old.status.map(value) != new.status.map(value)
    }
    return switch self {
    case .kind: old.kind != new.kind || old.isPackage != new.isPackage
    case .identity: false
    case .size: differ(\.size)
    case .allocated: differ(\.allocated)
    case .modified: differ(\.modified)
    case .changed: differ(\.changed)
    case .permissions: differ { $0.mode & 0o7777 }
    case .owner: differ(\.uid) || differ(\.gid)
    case .links: differ(\.links)
    case .attributes: differ(\.attributes)
    case .type: old.type != new.type
    case .target: old.target != new.target
    case .content: old.content != new.content || old.failures.isEmpty != new.failures.isEmpty
    }
  }
}

/// Which rows of a new tree were which of an old one.
private struct TreeMatching {
  /// By row of the new tree, that of the old one.
  private(set) var origins: [Int?]
  /// By row of the new tree, whether it is the same entry, and not another that has its place.
  private(set) var isSame: [Bool]
  /// By row of the old tree, whether it is in the new one.
  private(set) var isFound: [Bool]

  private let old: Side
  private let new: Side
  /// The rows of the old tree by their places.
  private var oldPlaces: [Place: Int] = [:]

  private struct Place: Hashable {
    let directory: Int
    let name: [UInt8]
  }

  /// A tree, as far as it matters here.
  private struct Side {
    let names: [[UInt8]]
    let parents: [Int]
    let kinds: [EntryKind]
    /// `nil` for entries without values.
    let identities: [EntryIdentity?]

    init(_ tree: DirectoryTree, _ volumes: inout [VolumeIdentity: Int64]) {
      names = tree.rows.map(\.name)
      parents = tree.rows.parents
      // A directory may become a package by what is in it.
      kinds = tree.rows.map { $0.kind == .package ? .directory : $0.kind }
      identities = tree.rows.map { row in
        guard let status = row.status else { return nil }
        let volume = tree.volumes[status.device] ?? VolumeIdentity(device: status.device)
        let number = volumes[volume] ?? Int64(volumes.count)
        volumes[volume] = number
        return EntryIdentity(volume: number, inode: status.inode, created: status.created)
      }
    }
  }

  init(from oldTree: DirectoryTree, to newTree: DirectoryTree) {
    var volumes: [VolumeIdentity: Int64] = [:]
    old = Side(oldTree, &volumes)
    new = Side(newTree, &volumes)
    origins = Array(repeating: nil, count: newTree.rows.count)
    isSame = Array(repeating: false, count: newTree.rows.count)
    isFound = Array(repeating: false, count: oldTree.rows.count)
    for index in oldTree.rows.indices {
      oldPlaces[Place(directory: old.parents[index], name: old.names[index])] = index
    }
    // What the two trees are of is one directory to whoever compares them.
    match(0, 0)
    matchPaths()
    matchIdentities { $0 == .directory }
    // Of several names of a file, those that have come along with their directory are what they were.
    matchPlaces { $0.isSame(as: $1) }
    matchIdentities { _ in true }
    matchPlaces { _, _ in true }
  }

  /// Whether an entry that is in both trees has kept its name and its directory.
  func isInPlace(_ index: Int) -> Bool {
    guard index > 0, let origin = origins[index] else { return true }
    return new.names[index] == old.names[origin]
      && origins[new.parents[index]] == old.parents[origin]
  }

  private mutating func match(_ origin: Int, _ index: Int) {
    origins[index] = origin
    isFound[origin] = true
    let (before, now) = (old.identities[origin], new.identities[index])
    isSame[index] = before == nil || now == nil || before == now
  }

  /// Matches what has kept its whole path.
  private mutating func matchPaths() {
    // By row of the new tree, what the old one has at its path.
    var paths: [Int?] = [0]
    for index in new.names.indices.dropFirst() {
      let origin = paths[new.parents[index]].flatMap {
        oldPlaces[Place(directory: $0, name: new.names[index])]
      }
      paths.append(origin)
      if let origin, isOne(origin, index) { match(origin, index) }
    }
  }

  /// Matches what has kept its name in a directory that is in both trees, and its kind.
  private mutating func matchPlaces(where isWanted: (EntryIdentity?, EntryIdentity?) -> Bool) {
    for index in new.names.indices.dropFirst() where origins[index] == nil {
      guard let directory = origins[new.parents[index]],
        let origin = oldPlaces[Place(directory: directory, name: new.names[index])],
        !isFound[origin], old.kinds[origin] == new.kinds[index],
        isWanted(old.identities[origin], new.identities[index])
      else { continue }
      match(origin, index)
    }
  }

  /// Matches what is the same entry, wherever it is; several names of one in their order.
  private mutating func matchIdentities(where isWanted: (EntryKind) -> Bool) {
    var origins: [EntryIdentity: [Int]] = [:]
    for origin in isFound.indices.reversed() where !isFound[origin] && isWanted(old.kinds[origin]) {
      if let identity = old.identities[origin] { origins[identity, default: []].append(origin) }
    }
    for index in new.names.indices where self.origins[index] == nil && isWanted(new.kinds[index]) {
      guard let identity = new.identities[index], let origin = origins[identity]?.popLast(),
        isOne(origin, index)
      else { continue }
      match(origin, index)
    }
  }

  private func isOne(_ origin: Int, _ index: Int) -> Bool {
    old.kinds[origin] == new.kinds[index]
      && old.identities[origin].isSame(as: new.identities[index])
  }
}

extension EntryIdentity? {
  /// Whether both are known and the same.
  fileprivate func isSame(as other: EntryIdentity?) -> Bool { self != nil && self == other }
}
