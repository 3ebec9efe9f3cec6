/// Which catalogs of a lake an answer is about, of which time it is, and what is missing in it.
public struct FleetCoverage: Sendable {
  /// Which catalogs are to count.
  public struct Scope: Sendable {
    /// Machines that do not count, by their names.
    public var skippedHosts: [String] = []
    /// Machines whose last scan is longer ago do not count, in seconds.
    public var maximumAge: Int64?

    /// All machines.
    public init() {}
  }

  /// Why a catalog does not count.
  public enum Absence: Sendable, Hashable {
    /// It was left out by name.
    case skipped
    /// Its last scan is too long ago.
    case tooOld
    /// There is no full publication of it, or its record cannot be read.
    case noState
  }

  /// The catalogs that count.
  public let counted: [FleetStatus.Member]
  /// Those that do not.
  public let absent: [(member: FleetStatus.Member, absence: Absence)]
  /// Those of which no record can be read.
  public let unknown: [CatalogUUID]
  /// Why records could not be read.
  public let faults: [FleetError]

  /// Chooses among what a lake has.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Throws: ``FleetError`` with ``FleetError/Code/unknownHost`` for a name that no machine has.
  public init(
    of status: FleetStatus, in lake: Lake, _ scope: Scope, now: Int64
  ) throws(FleetError) {
    let hosts = Set(status.members.map(\.last.host))
    if let name = scope.skippedHosts.first(where: { !hosts.contains($0) }) {
      throw FleetError(
        .unknownHost, "\(lake)", known: hosts.sorted(), "no machine is called “\(name)”")
    }
    var counted: [FleetStatus.Member] = []
    var absent: [(member: FleetStatus.Member, absence: Absence)] = []
    for member in status.members {
      if scope.skippedHosts.contains(member.last.host) {
        absent.append((member, .skipped))
      } else if member.known == nil {
        absent.append((member, .noState))
      } else if let limit = scope.maximumAge, member.age(at: now) ?? .max > limit {
        absent.append((member, .tooOld))
      } else {
        counted.append(member)
      }
    }
    self.counted = counted
    self.absent = absent
    unknown = status.unknown
    faults = status.faults + status.members.flatMap(\.faults)
  }

  /// When roots were last scanned whose state an answer is about: the one longest ago and the last one, in
  /// seconds since 1970.
  public var scans: ClosedRange<Int64>? {
    let times = states.flatMap { [$0.oldestScan, $0.newestScan] }.compactMap { $0 }
    return times.min().flatMap { first in times.max().map { first...$0 } }
  }

  /// How many entries there are.
  public var entries: Int64 { states.reduce(0) { $0 + $1.entries } }

  /// The states that an answer is about.
  private var states: [CommitRecord] { counted.compactMap(\.state) }

  /// Whether something is missing that nobody has left out.
  public var isIncomplete: Bool {
    !faults.isEmpty || absent.contains { $0.absence == .noState }
      || counted.contains { !$0.gaps.isEmpty }
  }

  // MARK: - What engines are to read

  /// The catalogs of which nothing is to be read.
  package var left: [CatalogUUID] { absent.map(\.member.last.catalog) + unknown }

  /// The last publications that are to be read, where others follow that cannot be.
  package var ends: [(catalog: CatalogUUID, publication: Int64)] {
    counted.compactMap { member in
      guard let known = member.known, !member.gaps.isEmpty || !member.faults.isEmpty else {
        return nil
      }
      return (member.last.catalog, known)
    }
  }
}

extension FleetStatus.Member {
  /// How many seconds ago the last scan was whose state is known; `nil` where there was none.
  public func age(at now: Int64) -> Int64? { state?.newestScan.map { now - $0 } }
}
