public import SystemPackage

/// What a lake has of each catalog, from its records alone.
public struct FleetStatus: Sendable {
  /// A catalog that has published.
  public struct Member: Sendable, Hashable {
    /// The last publication.
    public let last: CommitRecord
    /// The last publication whose state is known: that of the full one and of those that follow without
    /// a gap; `nil` without a full one.
    public let known: Int64?
    /// Its record.
    public let state: CommitRecord?
    /// The last full one that is there; `nil` where there is none.
    public let full: Int64?
    /// The publications between the full one and the last that have no record: the state after the first
    /// of them is not known.
    public let gaps: [ClosedRange<Int64>]
    /// Why records could not be read.
    public let faults: [FleetError]
  }

  /// The catalogs, in the order of their machines' names.
  public let members: [Member]
  /// Catalogs of which no record can be read.
  public let unknown: [CatalogUUID]
  /// Why that is so.
  public let faults: [FleetError]
  /// Files of tables that no record names, below the lake: publishers that were killed have left them, or
  /// are at work.
  public let leftovers: [FilePath]

  /// Reads the records of a lake, of each catalog from its last full publication on.
  ///
  /// - Throws: ``FleetError``.
  public init(of lake: Lake) throws {
    let store = try lake.store()
    let publications = try store.publications()
    let histories = try RecentHistory.read(publications, CommitReader(lake, store))
    members = histories.compactMap(\.member).sorted {
      ($0.last.host, $0.last.catalog.description) < ($1.last.host, $1.last.catalog.description)
    }
    let unread = histories.filter { $0.records.isEmpty && !$0.faults.isEmpty }
    unknown = unread.map(\.catalog)
    faults = unread.flatMap(\.faults)
    leftovers = try Self.leftovers(in: store, besides: publications)
  }

  /// The files of tables that no record names.
  static func leftovers(
    in store: any LakeStore, besides publications: [(catalog: CatalogUUID, numbers: [Int64])]
  ) throws(FleetError) -> [FilePath] {
    var named: Set<FilePath> = []
    for (catalog, numbers) in publications {
      for number in numbers {
        for table in FleetTable.allCases { named.insert(Lake.place(of: table, catalog, number)) }
      }
    }
    return try store.tableFiles().filter { !named.contains($0) }
  }
}

/// The records of a catalog from the last one back to the last full one.
private struct RecentHistory {
  let catalog: CatalogUUID
  /// The publications that were not looked at yet.
  private var rest: [Int64]
  private(set) var records: [CommitRecord] = []
  private(set) var faults: [FleetError] = []

  /// Those of all catalogs: of each the last record, then of each that needs it the one before.
  static func read(
    _ publications: [(catalog: CatalogUUID, numbers: [Int64])], _ reader: CommitReader
  ) throws -> [RecentHistory] {
    var histories = publications.map { RecentHistory(catalog: $0.catalog, rest: $0.numbers) }
    var open = histories.indices.filter { !histories[$0].rest.isEmpty }
    while !open.isEmpty {
      let wanted = open.compactMap { place in
        histories[place].rest.popLast().map { (histories[place].catalog, $0) }
      }
      for (place, result) in zip(open, try reader.records(wanted)) {
        switch result {
        case .success(let record): histories[place].records.append(record)
        case .failure(let error): histories[place].faults.append(error)
        }
      }
      open = open.filter {
        histories[$0].records.last?.kind != .full && !histories[$0].rest.isEmpty
      }
    }
    return histories
  }

  private init(catalog: CatalogUUID, rest: [Int64]) {
    self.catalog = catalog
    self.rest = rest
  }

  /// What is known by them; `nil` without a record.
  var member: FleetStatus.Member? {
    guard let last = records.first else { return nil }
    let full = records.last.flatMap { $0.kind == .full ? $0.publication : nil }
    var gaps: [ClosedRange<Int64>] = []
    var next = full ?? 1
    for record in records.reversed() {
      if record.publication > next { gaps.append(next...record.publication - 1) }
      next = record.publication + 1
    }
    let known = full.map { _ in gaps.first.map { $0.lowerBound - 1 } ?? last.publication }
    return FleetStatus.Member(
      last: last, known: known, state: records.first { $0.publication == known }, full: full,
      gaps: gaps, faults: faults)
  }
}

/// What is wrong with the files of a lake.
public struct FleetProblem: Sendable, Hashable {
  /// What can be wrong.
  public enum Fault: String, Sendable {
    /// A file that a record names is not there.
    case missing
    /// A file has another size than the record says.
    case size
    /// A file has the size, and other bytes than were written.
    case content
    /// A file or a record could not be read, or the record is none.
    case unreadable
  }

  /// The file: its path, or its address.
  public let place: String
  public let fault: Fault
  /// What is the case, in one line for a person.
  public let description: String
}

extension Lake {
  /// Compares all files that records name with what these say of them.
  ///
  /// - Parameter body: called with each problem as it is found.
  /// - Returns: how many files there are.
  /// - Throws: ``FleetError``, and whatever `body` throws.
  /// - Complexity: Reads every file once.
  public func verify(_ body: (FleetProblem) throws -> Void) throws -> Int {
    let store = try store()
    let reader = try CommitReader(self, store)
    var count = 0
    for (catalog, numbers) in try store.publications() {
      var isSuperseded = false
      // From the last on: what stands before a full one may have been removed.
      for result in try reader.records(numbers.reversed().map { (catalog, $0) }) {
        let record: CommitRecord
        do throws(FleetError) {
          record = try result.get()
        } catch {
          try body(FleetProblem(place: error.place, fault: .unreadable, description: "\(error)"))
          continue
        }
        let places = record.files.map { Lake.place(of: $0.table, catalog, record.publication) }
        let contents = store.contents(of: places)
        for (file, (place, content)) in zip(record.files, zip(places, contents)) {
          let problem = problem(at: self(place), file, content)
          if problem?.fault == .missing, isSuperseded, file.table.isState { continue }
          count += 1
          if let problem { try body(problem) }
        }
        if record.kind == .full { isSuperseded = true }
      }
    }
    return count
  }

  /// What is wrong with a file; `nil` where it is what its record says.
  private func problem(
    at place: String, _ file: CommitRecord.File, _ content: Result<FileContent?, FleetError>
  ) -> FleetProblem? {
    func problem(_ fault: FleetProblem.Fault, _ what: String) -> FleetProblem {
      FleetProblem(place: place, fault: fault, description: "\(place): \(what)")
    }
    switch content {
    case .success(nil): return problem(.missing, "the file is not there")
    case .success(let content?) where content.size != file.size:
      return problem(.size, "the file has \(content.size) bytes, and had \(file.size)")
    case .success(let content?):
      return content.hash == file.hash
        ? nil : problem(.content, "the file is not what was written")
    case .failure(let error):
      return FleetProblem(place: place, fault: .unreadable, description: "\(error)")
    }
  }
}
