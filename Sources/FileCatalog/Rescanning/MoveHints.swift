/// What an attempt has found out about directories too late, for the next attempt.
///
/// The walk meets directories one by one. Whether a directory of an old name is the old one or another
/// in its place may show only afterwards, when the old one turns up elsewhere.
struct MoveHints {
  /// Inodes of directories that are not where they were.
  var movedAway: Set<UInt64> = []
  /// Inodes of directories that are where they were, and somewhere else too: the same file system
  /// mounted twice, or a directory that was moved while the walk went on.
  var inPlace: Set<UInt64> = []
  /// Follow no directory: too much is going on.
  var areMovesIgnored = false
}

/// An attempt went by a wrong assumption about directories and is repeated.
struct WrongAssumption: Error {
  enum Fact {
    case movedAway(inode: UInt64)
    case inPlace(inode: UInt64)
  }

  let fact: Fact
}

extension MoveHints {
  mutating func add(_ fact: WrongAssumption.Fact) {
    switch fact {
    case .movedAway(let inode): movedAway.insert(inode)
    case .inPlace(let inode): inPlace.insert(inode)
    }
  }
}
