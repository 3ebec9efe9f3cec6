internal import CatalogStore
internal import FileSystem

/// Decides who is who among directories: which one of the catalog a listed directory is.
///
/// A directory is looked for by its name in the directory it was in, then by its identity. That has
/// to be decided while the walk goes on, since what is in it comes next. Where it turns out wrong,
/// the scan begins again with what it has learned (``MoveHints``).
///
/// It knows no disk and no database: what was listed, and what is stored of a directory, come in as
/// values.
struct DirectoryMatcher {
  typealias Slot = RescanTree.Slot

  var tree: RescanTree
  /// What earlier attempts have found out.
  private let hints: MoveHints
  /// What becomes of the rows of a file system that is not mounted any more.
  private let unmounted: Unmounted
  /// Which directories those were that have been replaced in their places.
  private var replacedIdentities: [Slot: EntryIdentity] = [:]
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
  }

  init(_ tree: RescanTree, _ hints: MoveHints, unmounted: Unmounted) {
    self.tree = tree
    self.hints = hints
    self.unmounted = unmounted
  }

  /// Finds the directory of the catalog that a listed one is.
  ///
  /// - Parameters:
  ///   - siblings: whether the same listing has an identity.
  ///   - stored: what the catalog has of the directory with an id. Asked for few.
  mutating func match(
    _ listed: Listed, in parent: Slot, siblings: (EntryIdentity) -> Bool,
    stored: (_ id: Int64) throws -> Stored?
  ) throws -> Answer {
    let inode = listed.identity.inode
    let namesake = tree.child(listed.nameHash, of: parent)
    if let namesake {
      let directory = tree[namesake]
      if directory.inode == inode || !listed.hasStatus {
        switch directory.fate {
        case .unmet:
          tree[namesake].fate = .inPlace
        case .elsewhere where directory.parent != parent:
          throw WrongAssumption(fact: .inPlace(inode: directory.inode))
        default:
          break
        }
        return .inPlace(namesake)
      }
    }
    if let slot = try findMoved(listed, into: parent, stored: stored) { return .moved(slot) }
    if let namesake, tree[namesake].fate == .unmet, let before = try stored(tree[namesake].id) {
      if unmounted == .kept, before.hasStatus, let above = try stored(tree[parent].id),
        before.identity.volume != above.identity.volume,
        listed.identity.volume == above.identity.volume
      {
        return .unmounted(namesake)
      }
      if !hints.movedAway.contains(tree[namesake].inode), !siblings(before.identity) {
        tree[namesake].fate = .replaced
        tree[namesake].inode = inode
        replacedIdentities[namesake] = before.identity
        return .replaced(namesake)
      }
    }
    return .new
  }

  /// A known directory that has been moved here, told by its identity.
  private mutating func findMoved(
    _ listed: Listed, into parent: Slot, stored: (_ id: Int64) throws -> Stored?
  ) throws -> Slot? {
    let inode = listed.identity.inode
    guard !hints.areMovesIgnored, listed.hasStatus, !hints.inPlace.contains(inode) else {
      return nil
    }
    let known = try tree.directories(withInode: inode).first { slot in
      guard slot != tree.root, [.unmet, .replaced].contains(tree[slot].fate) else { return false }
      // The row of a directory that was replaced may say by now what replaced it.
      let before = try replacedIdentities[slot] ?? stored(tree[slot].id)?.identity
      return before == listed.identity
    }
    guard let slot = known else { return nil }
    // Something else was taken for this directory because it has its name.
    if tree[slot].fate == .replaced {
      throw WrongAssumption(fact: .movedAway(inode: inode))
    }
    guard !tree.isInside(parent, slot) else { return nil }
    disturbed.insert(tree[slot].oldParent)
    tree.move(slot, to: parent, nameHash: listed.nameHash)
    return slot
  }
}

/// What an attempt has found out about directories too late, for the next attempt.
///
/// The walk meets directories one by one. Whether a directory of an old name is the old one or another
/// in its place may show only afterwards, when the old one turns up elsewhere.
struct MoveHints {
  /// Inodes of directories that are not where they were.
  private(set) var movedAway: Set<UInt64> = []
  /// Inodes of directories that are where they were, and somewhere else too: the same file system
  /// mounted twice, or a directory that was moved while the walk went on.
  private(set) var inPlace: Set<UInt64> = []
  /// Follow no directory: too much is going on.
  var areMovesIgnored = false

  mutating func add(_ fact: WrongAssumption.Fact) {
    switch fact {
    case .movedAway(let inode): movedAway.insert(inode)
    case .inPlace(let inode): inPlace.insert(inode)
    }
  }
}

/// An attempt went by a wrong assumption about directories and is repeated.
struct WrongAssumption: Error, Equatable {
  enum Fact: Equatable {
    case movedAway(inode: UInt64)
    case inPlace(inode: UInt64)
  }

  let fact: Fact
}
