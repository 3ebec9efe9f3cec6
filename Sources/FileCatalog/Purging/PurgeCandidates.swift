internal import FileCoordination
internal import FileSystem
internal import StandardDirectories
internal import SystemPackage

/// What may be removed, by the catalog and by the disk, in the order in which it is.
struct PurgeCandidates: Sendable {
  /// What an entry must still be when it is removed.
  enum Expectation: Sendable {
    case file(FileStatus)
    case package(FileStatus, PackageContents)
    /// It is not to be removed.
    case none(PurgeResult.Reason)
  }

  struct Candidate: Sendable {
    let item: PurgeItem
    /// The index of its directory in ``PurgeRows/directories``.
    let directory: Int
    let name: FilePath.Component
    let expectation: Expectation
    /// Whether something is free when all candidates are gone.
    fileprivate(set) var isWorthIt = true
  }

  let rows: PurgeRows
  /// The bases that may be touched, by their index in ``PurgeRows/bases``.
  private(set) var bases: [Int: PurgeBase] = [:]
  private(set) var all: [Candidate] = []
  private(set) var refusals: [PurgeRefusal]
  /// Moments that must have gone by: the system's clock gave them out.
  private(set) var newestStamp: Int64

  /// Looks at the disk.
  ///
  /// - Parameter now: nanoseconds since 1970.
  init(_ rows: PurgeRows, _ request: PurgeRequest, now: Int64) {
    self.rows = rows
    refusals = rows.outside
    newestStamp = rows.newestScan
    let mounts = MountTable()
    for (index, row) in rows.bases.enumerated() {
      do throws(PurgeRefusal.Trouble) {
        bases[index] = try PurgeBase(row, mounts)
      } catch {
        refuse(index, error.reason)
      }
    }
    look(olderThan: request.olderThan.map { now.subtracting($0.nanoseconds) }, now: now)
    refusals.sort { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
    countNames()
    sort()
  }

  private mutating func refuse(_ base: Int, _ reason: PurgeRefusal.Reason) {
    bases[base] = nil
    let row = rows.bases[base]
    guard !refusals.contains(where: { $0.path == row.path && $0.role == row.role }) else { return }
    refusals.append(
      PurgeRefusal(
        path: row.path, container: row.container.name, role: row.role, reason: reason))
  }

  private mutating func look(olderThan limit: Int64?, now: Int64) {
    var opened: [Int: Result<OpenFile, PurgeResult.Reason>] = [:]
    // A mount keeps a whole directory of a role from being touched, so it is looked for first.
    for (index, directory) in rows.directories.enumerated() {
      guard let base = bases[directory.base] else { continue }
      do throws(PurgeResult.Reason) {
        _ = try base.open(directory.path)
      } catch {
        if error == .mount { refuse(directory.base, .mount(directory.path)) }
        opened[index] = .failure(error)
      }
    }
    // Entries come directory by directory: only one is open at a time.
    var last: (index: Int, file: Result<OpenFile, PurgeResult.Reason>)?
    for entry in rows.entries {
      let directory = rows.directories[entry.directory]
      guard let base = bases[directory.base] else { continue }
      if last?.index != entry.directory {
        let file =
          opened[entry.directory]
          ?? Result { () throws(PurgeResult.Reason) in try base.open(directory.path) }
        last = (entry.directory, file)
      }
      guard let file = last?.file else { continue }
      add(entry, in: file, of: base, olderThan: limit, now: now)
    }
  }

  private mutating func add(
    _ entry: PurgeRows.Entry, in opened: Result<OpenFile, PurgeResult.Reason>, of base: PurgeBase,
    olderThan limit: Int64?, now: Int64
  ) {
    let directory = rows.directories[entry.directory]
    let path = directory.path.appending(entry.name)
    var (size, lastUsed) = (entry.size, entry.lastUsed)
    let expectation: Expectation
    do throws(PurgeResult.Reason) {
      let place = try opened.get()
      let status = try base.status(of: entry.name, in: place, at: path)
      newestStamp = max(newestStamp, status.changed)
      lastUsed = status.lastUsed
      guard entry.isSame(as: status) else { throw .changed }
      if entry.kind == .package {
        let contents = try PackageContents(entry.name, in: place, of: base, at: path)
        (size, lastUsed) = (contents.size, contents.lastUsed)
        expectation = .package(status, contents)
      } else {
        expectation = .file(status)
      }
    } catch {
      expectation = .none(error)
    }
    if let limit, lastUsed.map({ $0 > limit }) ?? true { return }
    let isLater = lastUsed.map { $0 > now.adding(Self.tolerance) } ?? false
    let row = rows.bases[directory.base]
    all.append(
      Candidate(
        item: PurgeItem(
          path: path, container: row.container.name, role: row.role, kind: entry.kind, size: size,
          lastUsed: lastUsed),
        directory: entry.directory, name: entry.name,
        expectation: isLater ? .none(.datedInFuture) : expectation))
  }

  /// By how much clocks may differ, such as that of a file server, in nanoseconds.
  static let tolerance: Int64 = 60 * 1_000_000_000

  struct FileNumber: Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ status: FileStatus) { (device, inode) = (status.device, status.inode) }
  }

  /// Finds the files that have names elsewhere: they free nothing.
  private mutating func countNames() {
    var names: [FileNumber: UInt32] = [:]
    for case .file(let status) in all.map(\.expectation) where status.links > 1 {
      names[FileNumber(status), default: 0] += 1
    }
    for index in all.indices {
      switch all[index].expectation {
      case .file(let status):
        let count = status.links > 1 ? names[FileNumber(status)] ?? 0 : 1
        all[index].isWorthIt = status.allocated > 0 && count >= status.links
      case .package(_, let contents): all[index].isWorthIt = contents.freed > 0
      case .none: break
      }
    }
  }

  /// What was not used for the longest time comes first, the names of one file beside each other.
  private mutating func sort() {
    var firstNames: [FileNumber: [UInt8]] = [:]
    let paths = all.map(\.item.path.bytes)
    for (candidate, path) in zip(all, paths) {
      guard case .file(let status) = candidate.expectation, status.links > 1 else { continue }
      let known = firstNames[FileNumber(status)]
      if known.map({ path.lexicographicallyPrecedes($0) }) ?? true {
        firstNames[FileNumber(status)] = path
      }
    }
    func file(_ index: Int) -> [UInt8] {
      guard case .file(let status) = all[index].expectation, status.links > 1 else {
        return paths[index]
      }
      return firstNames[FileNumber(status)] ?? paths[index]
    }
    let keys = all.indices.map { index in
      (time: all[index].item.lastUsed ?? .max, file: file(index), path: paths[index], index: index)
    }
    let order = keys.sorted { left, right in
      if left.time != right.time { return left.time < right.time }
      if left.file != right.file { return left.file.lexicographicallyPrecedes(right.file) }
      return left.path.lexicographicallyPrecedes(right.path)
    }
    all = order.map { all[$0.index] }
  }
}

extension PurgeRows.Entry {
  /// Whether it is what the catalog has. When it was read last is not: scans do not look for that.
  fileprivate func isSame(as status: FileStatus) -> Bool {
    let found = EntryKind(mode: status.mode)
    guard inode == status.inode, modified == status.modified else { return false }
    return kind == .package ? found == .directory : found == kind && size == status.size
  }
}

extension Int64 {
  /// The sum, or the largest number there is.
  func adding(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }

  /// The difference, or the smallest number there is.
  fileprivate func subtracting(_ other: Int64) -> Int64 {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return overflows ? .min : difference
  }
}
