internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

extension Lake {
  /// How long is kept what nobody needs to know the last state.
  public struct Retention: Sendable {
    /// How many days after a full publication the entries of those before it are kept: somebody may be
    /// reading them.
    public var states = 7
    /// How many days changes and growth are kept, which say what came when.
    public var history = 56
    /// After how many days a file that no record names is taken for left behind.
    public var leftovers = 1

    /// Entries for a week, history for eight weeks, files that no record names for a day.
    public init() {}
  }

  /// What ``expire(_:now:)`` has removed.
  public struct Expired: Sendable, Hashable {
    public var files = 0
    /// How many bytes they had.
    public var size: Int64 = 0
  }

  /// Removes what is not kept any longer. The last full publication of a catalog and those after it stay.
  ///
  /// A record goes before its files: whoever reads meanwhile sees all of a publication or none of it.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Throws: ``FleetError``.
  public func expire(_ retention: Retention, now: Int64) throws -> Expired {
    var expired = Expired()
    let reader = try CommitReader(self)
    func isOver(_ time: Int64, _ days: Int) -> Bool { time < now - Int64(days) * 86_400 }
    for catalog in try catalogs() {
      // Where a record cannot be read nobody knows what follows from it.
      let records = try publications(of: catalog).map { try reader.record($0, of: catalog) }
      guard let full = records.last(where: { $0.kind == .full }) else { continue }
      for record in records where record.publication < full.publication {
        let places = Dictionary(
          uniqueKeysWithValues: record.files.map {
            ($0.table, Self.place(of: $0.table, catalog, record.publication))
          })
        if isOver(record.published, retention.history) {
          try remove(Self.place(ofCommit: record.publication, catalog), &expired)
          for place in places.values { try remove(place, &expired) }
        } else if isOver(full.published, retention.states) {
          for (table, place) in places where table.isState { try remove(place, &expired) }
        }
      }
    }
    for place in try FleetStatus(of: self).leftovers {
      guard let status = try? FileStatus(ofPath: self(place)),
        isOver(status.modified / 1_000_000_000, retention.leftovers)
      else { continue }
      try remove(place, &expired)
    }
    return expired
  }

  private func remove(_ place: FilePath, _ expired: inout Expired) throws(FleetError) {
    let file = self(place)
    guard let status = try? FileStatus(ofPath: file) else { return }
    guard file.withPlatformString({ unlink($0) }) == 0 else {
      throw FleetError(.cannotWrite, file, "\(Errno(rawValue: errno))")
    }
    // Where it was the last one; others stay.
    file.removingLastComponent().withPlatformString { _ = rmdir($0) }
    expired.files += 1
    expired.size += status.size
  }
}
