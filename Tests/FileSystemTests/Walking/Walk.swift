import FileSystem
import SystemPackage

/// What a walk hands over, taken batch by batch.
struct Walk: Sendable {
  /// Paths below the root, without a leading slash.
  private(set) var paths: Set<String> = []
  /// How many entries came twice.
  private(set) var repeated = 0
  /// The directories whose content came before their own entry.
  private(set) var tooEarly: [String] = []
  private(set) var failures: [FileError] = []
  /// Why directories could not be read, by path.
  private(set) var unreadable: [String: Errno] = [:]
  private(set) var withoutStatus: Set<String> = []
  /// Of each directory, from all its pieces.
  private(set) var fingerprints: [String: DirectoryFingerprint] = [:]
  private(set) var tallies: [String: DirectoryTally] = [:]
  /// The directories of which the last piece came, and how often.
  private(set) var completed: [String: Int] = [:]
  private(set) var packages: [String: EntryRecord] = [:]
  private(set) var batchCount = 0
  private(set) var largestBatch = 0

  /// Walks to the end, on a thread that may wait for others.
  static func through(
    _ walker: TreeWalker, onBatch: @escaping @Sendable (EntryBatch) -> Void = { _ in }
  ) async throws -> Walk {
    try await WorkerThread.run(named: "reader") {
      var walk = Walk()
      try walker.start()
      while let batch = walker.next() {
        walk.take(batch)
        onBatch(batch)
        walker.recycle(batch)
      }
      return walk
    }
  }

  static func through(
    _ tree: SimulatedTree, jobs: Int = 2, _ change: (inout WalkOptions) -> Void = { _ in }
  ) async throws -> Walk {
    var options = WalkOptions(jobs: jobs)
    change(&options)
    return try await through(tree.walker(options))
  }

  static func through(
    _ root: FilePath, jobs: Int = 2, _ change: (inout WalkOptions) -> Void = { _ in }
  ) async throws -> Walk {
    var options = WalkOptions(jobs: jobs)
    change(&options)
    return try await through(TreeWalker(root: root, options: options) { markPackages })
  }

  mutating func take(_ batch: EntryBatch) {
    batchCount += 1
    largestBatch = max(largestBatch, batch.count)
    failures += batch.failures
    for section in batch.sections {
      let directory = String(decoding: batch.path(of: section), as: UTF8.self)
      if !directory.isEmpty && !paths.contains(directory) { tooEarly.append(directory) }
      if case .unreadable(let error) = section.outcome { unreadable[directory] = error }
      if section.isLast { completed[directory, default: 0] += 1 }
      fingerprints[directory, default: DirectoryFingerprint()].add(section.fingerprint)
      tallies[directory, default: DirectoryTally()].add(section.tally)
      for i in section.records {
        let record = batch.records[i]
        let name = String(decoding: batch.name(of: record), as: UTF8.self)
        let path = directory.isEmpty ? name : "\(directory)/\(name)"
        if !paths.insert(path).inserted { repeated += 1 }
        if record.traits.contains(.withoutStatus) { withoutStatus.insert(path) }
        if record.kind == .package { packages[path] = record }
      }
    }
  }
}

extension SimulatedTree {
  func walker(startingAt start: [String] = [], jobs: Int) throws -> TreeWalker {
    try walker(startingAt: start, WalkOptions(jobs: jobs))
  }

  func walker(startingAt start: [String] = [], _ options: WalkOptions) throws -> TreeWalker {
    try TreeWalker(
      root: "/simulated", startingAt: start.map { Array($0.utf8) }, options: options,
      makeSource: { self.makeSource() }, makeClassifier: { markPackages })
  }
}

/// Takes directories whose names end with `.app` for packages.
@Sendable private func markPackages(
  _ batch: EntryBatch, _ records: Range<Int>, _ probe: DirectoryProbe
) {
  for i in records where batch.records[i].kind == .directory {
    if batch.name(of: batch.records[i]).suffix(4).elementsEqual(".app".utf8) {
      batch.records[i].kind = .package
    }
  }
}

extension DirectoryTally {
  fileprivate mutating func add(_ other: DirectoryTally) {
    files += other.files
    directories += other.directories
    size += other.size
    allocated += other.allocated
    newestModified = max(newestModified, other.newestModified)
  }
}
