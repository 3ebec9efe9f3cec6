internal import CatalogStore
internal import FileSystem

/// Decides who is who among directories: which one of the catalog a listed directory is.
///
/// While the walk goes on, it decides what is certain: a directory that has the name and the inode of
/// one in its place is that one, and one whose name and identity nobody knows is new. Everything else,
/// and what is below it, is undecided until the walk is over: only then is known what is nowhere else.
///
/// It knows no disk and no database: what was listed, and what is stored of a directory, come in as
/// values.
struct DirectoryMatcher {
  typealias Slot = RescanTree.Slot

  var tree: RescanTree
  /// What becomes of the rows of a file system that is not mounted any more.
  private let unmounted: Unmounted
  /// Parents first.
  private var undecided: [Undecided] = []
  /// Directories that have lost one to another place, perhaps without being read.
  private(set) var disturbed: Set<Slot> = []

  enum Unmounted {
    case kept
    case removed
  }

  /// A directory as it is listed.
  struct Listed {
    let nameHash: UInt64
    let identity: EntryIdentity
    /// Whether its values could be read; else only the name tells.
    let hasStatus: Bool
  }

  /// A directory as it is stored.
  struct Stored {
    let identity: EntryIdentity
    let hasStatus: Bool
  }

  enum Answer: Equatable {
    /// The one that was there.
    case inPlace(Slot)
    /// Another one has the place and the name, and takes the row over.
    case replaced(Slot)
    /// One that was elsewhere.
    case moved(Slot)
    /// The place where another file system was mounted, which is not there now.
    case unmounted(Slot)
    /// The catalog does not have it.
    case new
    /// The end of the walk will tell.
    case undecided(Slot)
  }

  private struct Undecided {
    let slot: Slot
    let listed: Listed
    /// The known directory that had its place, where that is known already.
    let namesake: Slot?
  }

  init(_ tree: RescanTree, unmounted: Unmounted) {
    self.tree = tree
    self.unmounted = unmounted
  }

  // MARK: - While the walk goes on

  /// Finds the directory of the catalog that a listed one is.
  ///
  /// - Parameter stored: what the catalog has of the directory with an id. Asked for few.
  mutating func match(
    _ listed: Listed, in parent: Slot, stored: (_ id: Int64) throws -> Stored?
  ) throws -> Answer {
    let isParentDecided = tree[parent].fate != .undecided
    let namesake = tree.child(listed.nameHash, of: parent)
    if let namesake, isSame(namesake, listed), tree[namesake].parent == parent {
      if tree[namesake].fate == .unmet { tree[namesake].fate = .inPlace }
      return tree[namesake].fate == .undecided ? .undecided(namesake) : .inPlace(namesake)
    }
    let former =
      isParentDecided
      ? namesake : tree[parent].seeming.flatMap { tree.child(listed.nameHash, of: $0) }
    let seeming = try findKnown(listed, namesake: former, stored: stored)
    if isParentDecided, seeming == nil {
      guard let namesake, tree[namesake].fate == .unmet else { return .new }
      if try isUnmounted(namesake, listed, in: parent, stored: stored) {
        tree[namesake].fate = .inPlace
        tree[namesake].isIgnored = true
        return .unmounted(namesake)
      }
    }
    let slot = tree.append(
      parent: parent, nameHash: listed.nameHash, inode: listed.identity.inode, seeming: seeming)
    undecided.append(
      Undecided(slot: slot, listed: listed, namesake: isParentDecided ? namesake : nil))
    return .undecided(slot)
  }

  /// Whether a directory that has the name of a listed one is that one.
  private func isSame(_ namesake: Slot, _ listed: Listed) -> Bool {
    !listed.hasStatus || tree[namesake].inode == listed.identity.inode
  }

  /// The known directory that a listed one seems to be, and that was not met so far.
  private mutating func findKnown(
    _ listed: Listed, namesake: Slot?, stored: (_ id: Int64) throws -> Stored?
  ) throws -> Slot? {
    if let namesake, tree[namesake].fate == .unmet, isSame(namesake, listed) { return namesake }
    guard listed.hasStatus else { return nil }
    return try tree.directories(withInode: listed.identity.inode).first { slot in
      try slot != tree.root && tree[slot].fate == .unmet
        && stored(tree[slot].id)?.identity == listed.identity
    }
  }

  private func isUnmounted(
    _ namesake: Slot, _ listed: Listed, in parent: Slot, stored: (_ id: Int64) throws -> Stored?
  ) throws -> Bool {
    guard unmounted == .kept, let before = try stored(tree[namesake].id), before.hasStatus,
      let above = try stored(tree[parent].id)
    else { return false }
    return before.identity.volume != above.identity.volume
      && listed.identity.volume == above.identity.volume
  }

  // MARK: - When it is over

  /// Decides what was undecided.
  ///
  /// - Returns: the slots that directories had so far and what they are, parents first. Those that are
  ///   new keep theirs.
  mutating func decide(
    stored: (_ id: Int64) throws -> Stored?
  ) throws -> [(slot: Slot, answer: Answer)] {
    defer { undecided.removeAll() }
    let owners = findOwners()
    return try undecided.map { item in
      tree.settleParent(of: item.slot)
      return (item.slot, try decide(item, owners, stored: stored))
    }
  }

  /// Which of the undecided directories each known one is. One that is listed twice, since a file
  /// system is mounted twice or it was moved meanwhile, is rather where it was.
  private func findOwners() -> [Slot: Slot] {
    var owners: [Slot: Slot] = [:]
    for item in undecided {
      guard let known = tree[item.slot].seeming, tree[known].fate == .unmet else { continue }
      let isInPlace =
        tree[known].nameHash == item.listed.nameHash
        && tree[known].oldParent == tree[tree[item.slot].parent].seeming
      if owners[known] == nil || isInPlace { owners[known] = item.slot }
    }
    return owners
  }

  private mutating func decide(
    _ item: Undecided, _ owners: [Slot: Slot], stored: (_ id: Int64) throws -> Stored?
  ) throws -> Answer {
    let parent = tree[item.slot].parent
    if tree[parent].isIgnored {
      tree.become(parent, item.slot)
      return .inPlace(parent)
    }
    if let known = tree[item.slot].seeming, owners[known] == item.slot {
      let isInPlace =
        tree[known].oldParent == parent && tree[known].nameHash == item.listed.nameHash
      tree.become(known, item.slot)
      if isInPlace {
        tree[known].fate = .inPlace
        return .inPlace(known)
      }
      disturbed.insert(tree[known].oldParent)
      tree.move(known, to: parent, nameHash: item.listed.nameHash)
      return .moved(known)
    }
    guard let namesake = item.namesake ?? tree.child(item.listed.nameHash, of: parent),
      tree[namesake].fate == .unmet, owners[namesake] == nil
    else { return .new }
    let isUnmounted = try isUnmounted(namesake, item.listed, in: parent, stored: stored)
    tree[namesake].isIgnored = isUnmounted
    tree.become(namesake, item.slot)
    if isUnmounted {
      tree[namesake].fate = .inPlace
      return .unmounted(namesake)
    }
    tree[namesake].fate = .replaced
    tree[namesake].inode = item.listed.identity.inode
    return .replaced(namesake)
  }
}
