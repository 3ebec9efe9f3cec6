internal import FileCoordination
internal import FileSystem
internal import SystemPackage

/// What the coordinators of a catalog are writing, until the catalog has it.
///
/// It is there so that every change gets its origin, whichever scan of this process is the first to see
/// it: the one that follows the coordinator, or one that reads the directory at the same time.
final class OwnWrites: Sendable {
  /// Items that are being written, and by whom.
  struct Claim: Sendable {
    let origin: ChangeOrigin
    let paths: Set<[UInt8]>
  }

  /// Withdraws a claim when it is let go.
  final class Ticket: Sendable {
    private let number: Int
    private let writes: OwnWrites

    fileprivate init(_ number: Int, in writes: OwnWrites) {
      self.number = number
      self.writes = writes
    }

    deinit {
      writes.claims.withLock { $0.claims[number] = nil }
    }
  }

  private let claims = Monitor<(last: Int, claims: [Int: Claim])>((0, [:]))

  /// The claims as they are now.
  var all: [Claim] { claims.withLock { Array($0.claims.values) } }

  /// Says that changes of these items belong to an origin, as long as the ticket lives.
  func claim(_ items: [FilePath], for origin: ChangeOrigin) -> Ticket {
    let paths = items.flatMap { [$0] + $0.scratchPaths }
    let claim = Claim(origin: origin, paths: Set(paths.map(\.bytes)))
    let number = claims.withLock { state in
      state.last += 1
      state.claims[state.last] = claim
      return state.last
    }
    return Ticket(number, in: self)
  }
}

extension OwnWrites.Claim {
  /// Whether a path is one of the items, or inside one.
  func covers(_ path: [UInt8]) -> Bool {
    let slash = UInt8(ascii: "/")
    return paths.contains(path)
      || paths.contains {
        path.count > $0.count && path[$0.count] == slash && path.starts(with: $0)
      }
  }

  /// Whether a directory holds one of the items, and differs because of that.
  func isAround(_ directory: [UInt8]) -> Bool {
    paths.contains { $0.parentPath == directory[...] }
  }
}

extension [UInt8] {
  /// The path without its last name.
  var parentPath: ArraySlice<UInt8> {
    guard let slash = lastIndex(of: UInt8(ascii: "/")) else { return [] }
    return self[..<Swift.max(slash, 1)]
  }
}
