package import CatalogStore
internal import FileSystem
internal import SQLite
package import SystemPackage

/// Reads the values in the content of a root's files, after a scan of it.
///
/// The scan is committed before: what is read is added in small transactions, so that others can write
/// meanwhile, and whatever is not read when this ends is read after the next scan.
package struct ContentReading {
  /// How many files are read before what they say is written.
  private static let chunk = 256

  private let store: CatalogStore
  private let root: FilePath
  private let providers: [any ContentProvider]
  private let host: ContentHost
  private let jobs: ScanRequest.Jobs
  private let control: ScanControl

  /// - Parameter providers: all that there are; the settings of the root say which are asked.
  package init(
    store: CatalogStore, root: FilePath, providers: [any ContentProvider], host: ContentHost,
    jobs: ScanRequest.Jobs, control: ScanControl
  ) {
    self.store = store
    self.root = root
    self.providers = providers
    self.host = host
    self.jobs = jobs
    self.control = control
  }

  /// What came of it.
  package struct Findings {
    /// How many files were read.
    package var files = 0
    /// How many could not be.
    package var failures = 0
    /// Seconds since it began.
    package var seconds = 0.0
    /// Where a file was that was read a moment ago.
    package var directory: FilePath = ""
  }

  /// Reads what has to be read.
  ///
  /// - Parameters:
  ///   - scan: the scan before.
  ///   - isWhole: whether it was about the whole root: if not, only what it found changed is read.
  ///   - progress: gets the number of files that were read.
  /// - Throws: ``/CatalogStore/CatalogError/Code/interrupted`` with what was read until then in the catalog.
  package func run(
    after scan: ScanID, isWhole: Bool, progress: (Findings) -> Void
  ) throws -> Findings {
    let started = Clock.now
    var findings = Findings()
    let record = try store.read { try RootTable.all(in: $0).root(at: root) }
    guard let record, !record.settings.contentValues.isEmpty else { return findings }
    let asked = try Self.asked(record.settings, of: root, among: providers)
    var work = try store.pool.write { db in
      let table = ContentTable(db)
      return try zip(try table.numbers(of: asked), asked).map { number, provider in
        Work(number: number, provider: provider, types: try table.types(of: provider))
      }
    }
    let opened: OpenRoot
    do throws(Errno) {
      opened = try OpenRoot(root)
    } catch {
      return findings
    }
    let reader = FileReader(asked, in: host, threads: jobs.readers, control)
    var place = Place()
    while let files = try pending(of: record.id, work, after: isWhole ? nil : scan, from: &place) {
      let read = reader.read(files, in: opened)
      if control.isCancelled { throw interruption }
      let failures = try write(read, work, after: scan)
      // Told once; the other files would be told the same.
      for provider in read.flatMap(\.unavailable) { work[provider].isAvailable = false }
      for file in read where file.isUnsettled { place.tried.insert(file.file.id) }
      findings.files += read.count
      findings.failures += failures
      findings.seconds = Double(Clock.now - started) / 1e9
      findings.directory = read.last?.file.path.removingLastComponent() ?? root
      progress(findings)
    }
    return findings
  }

  private var interruption: CatalogError {
    CatalogError(
      .interrupted, path: store.path,
      "interrupted while files of \(root.string) were read: the scan itself is in the catalog, and the "
        + "next one reads the rest")
  }

  /// The providers that the settings of a root ask.
  package static func asked(
    _ settings: ScanOptions, of root: FilePath, among providers: [any ContentProvider]
  ) throws(CatalogError) -> [any ContentProvider] {
    var asked: [any ContentProvider] = []
    for key in settings.contentValues {
      guard let provider = providers.first(where: { $0.key == key }) else {
        throw CatalogError(
          .valuesNotProvided, path: root, named: key, among: providers.map(\.key),
          "\(root.string) asks for what “\(key)” reads in files, which nothing here provides")
      }
      asked.append(provider)
    }
    return asked
  }

  /// A provider that is asked about files of some types.
  private struct Work: Sendable {
    let number: Int64
    let provider: any ContentProvider
    let types: Set<Int64>?
    /// Whether it can work on this system.
    var isAvailable = true

    func concerns(_ file: ContentTable.File) -> Bool {
      guard isAvailable, provider.kinds.contains(file.kind), types?.contains(file.type) ?? true
      else {
        return false
      }
      let known = file.readings.first { $0.provider == number }
      guard let known, !known.isPassing else { return true }
      return !known.state.isSame(as: file.state, provider.basis)
    }
  }

  /// How far through the root it is.
  private struct Place {
    var directory: Int64 = 0
    /// Files that would be asked about for ever: nothing of them could be written.
    var tried: Set<Int64> = []
  }

  /// Some of the files that have to be read; `nil` when there are none left.
  private func pending(
    of root: Int64, _ work: [Work], after scan: ScanID?, from place: inout Place
  ) throws -> [FileReader.Question]? {
    struct Enough: Error {}
    var files: [FileReader.Question] = []
    var start = place
    do {
      try store.read { db in
        try ContentTable(db).forEachFile(
          of: root, changedSince: scan?.rawValue, from: start.directory
        ) { file, directory in
          guard !start.tried.contains(file.id) else { return }
          let asked = work.indices.filter { work[$0].concerns(file) }
          guard !asked.isEmpty else { return }
          files.append(FileReader.Question(file: file, asked: asked))
          start.directory = directory
          if files.count >= Self.chunk { throw Enough() }
        }
      }
    } catch is Enough {}
    place = start
    return files.isEmpty ? nil : files
  }

  // MARK: - Writing

  /// - Returns: how many files could not be read.
  private func write(_ read: [FileReader.Answer], _ work: [Work], after scan: ScanID) throws -> Int
  {
    try store.pool.write { db in
      let table = ContentTable(db)
      var failed: Set<Int64> = []
      var unavailable: Set<Int> = []
      for file in read {
        for (index, outcome) in file.outcomes {
          if case .failure(.cancelled) = outcome { continue }
          try table.write(outcome, of: file.file, by: work[index].number)
          guard case .failure(let failure) = outcome else { continue }
          if case .unavailable = failure, !unavailable.insert(index).inserted { continue }
          failed.insert(file.file.id)
          try ScanLog.record(
            FileError(.content, file.file.path, failure.errno ?? Errno(rawValue: 0)),
            saying: "\(work[index].provider.key): \(failure)", ofScan: scan.rawValue, in: db)
        }
      }
      try ScanLog.addErrors(failed.count, toScan: scan.rawValue, in: db)
      try AttributeTable.noteChange(in: db)
      return failed.count
    }
  }
}
