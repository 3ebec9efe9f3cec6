public import SystemPackage

/// What a lake has of each catalog, from its records alone.
public struct FleetStatus: Sendable {
  /// A catalog that has published.
  public struct Member: Sendable, Hashable {
    /// The last publication.
    public let last: CommitRecord
    /// The last full one that is there; `nil` where there is none.
    public let full: Int64?
    /// The publications between the full one and the last that have no record: the state after the first
    /// of them is not known.
    public let gaps: [ClosedRange<Int64>]
    /// Why records could not be read.
    public let faults: [FleetError]

    /// The last publication whose state is known: that of the full one and of those that follow without
    /// a gap; `nil` without a full one.
    public var known: Int64? {
      full.map { full in gaps.first.map { $0.lowerBound - 1 } ?? max(full, last.publication) }
    }
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
    let reader = try CommitReader(lake)
    var members: [Member] = []
    var unknown: [CatalogUUID] = []
    var faults: [FleetError] = []
    var named: Set<FilePath> = []
    for catalog in try lake.catalogs() {
      var records: [CommitRecord] = []
      var unread: [FleetError] = []
      let numbers = try lake.publications(of: catalog)
      for number in numbers {
        for table in FleetTable.allCases { named.insert(Lake.place(of: table, catalog, number)) }
      }
      for number in numbers.reversed() {
        do {
          records.append(try reader.record(number, of: catalog))
        } catch let error as FleetError {
          unread.append(error)
        }
        if records.last?.kind == .full { break }
      }
      guard let last = records.first else {
        if !unread.isEmpty { unknown.append(catalog) }
        faults += unread
        continue
      }
      let full = records.last.flatMap { $0.kind == .full ? $0.publication : nil }
      var gaps: [ClosedRange<Int64>] = []
      var next = full ?? 1
      for record in records.reversed() {
        if record.publication > next { gaps.append(next...record.publication - 1) }
        next = record.publication + 1
      }
      members.append(Member(last: last, full: full, gaps: gaps, faults: unread))
    }
    self.members = members.sorted {
      ($0.last.host, $0.last.catalog.description) < ($1.last.host, $1.last.catalog.description)
    }
    self.unknown = unknown
    self.faults = faults
    leftovers = try lake.files().map(\.path).filter { !named.contains($0) }
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

  /// The file.
  public let path: FilePath
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
    let reader = try CommitReader(self)
    var count = 0
    for catalog in try catalogs() {
      var isSuperseded = false
      // From the last on: what stands before a full one may have been removed.
      for number in try publications(of: catalog).reversed() {
        let record: CommitRecord
        do {
          record = try reader.record(number, of: catalog)
        } catch let error as FleetError {
          try body(FleetProblem(path: error.path, fault: .unreadable, description: "\(error)"))
          continue
        }
        for file in record.files {
          let problem = problem(of: file, in: record)
          if problem?.fault == .missing, isSuperseded, file.table.isState { continue }
          count += 1
          if let problem { try body(problem) }
        }
        if record.kind == .full { isSuperseded = true }
      }
    }
    return count
  }

  private func problem(of file: CommitRecord.File, in record: CommitRecord) -> FleetProblem? {
    let place = self(Lake.place(of: file.table, record.catalog, record.publication))
    func problem(_ fault: FleetProblem.Fault, _ what: String) -> FleetProblem {
      FleetProblem(path: place, fault: fault, description: "\(place.string): \(what)")
    }
    let content: FileContent
    do {
      let opened = try FileDescriptor.open(
        place, .readOnly, options: [.noFollow, .nonBlocking, .closeOnExec])
      content = try opened.closeAfter { try FileContent(of: opened, at: place) }
    } catch Errno.noSuchFileOrDirectory {
      return problem(.missing, "the file is not there")
    } catch let error as FleetError {
      return FleetProblem(path: place, fault: .unreadable, description: "\(error)")
    } catch {
      return problem(.unreadable, "\(error)")
    }
    if content.size != file.size {
      return problem(.size, "the file has \(content.size) bytes, and had \(file.size)")
    }
    return content.hash == file.hash ? nil : problem(.content, "the file is not what was written")
  }
}
