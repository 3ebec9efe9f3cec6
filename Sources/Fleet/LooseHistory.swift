package import SystemPackage

/// What the files of single publications tell of history, each a little, and no compaction tells yet.
package struct LooseHistory: Sendable {
  /// The last publication of each catalog that is part of it.
  package private(set) var ends: [CatalogUUID: Int64] = [:]
  /// How many publications that are.
  package private(set) var publications = 0
  /// How many rows they have, as their records say.
  package private(set) var rows: [FleetTable: Int64] = [:]
  /// Why records could not be read: what follows them is not part of it.
  package private(set) var faults: [FleetError] = []
  /// When the last of them was published.
  fileprivate var newest = Int64.min
  /// The number of the compaction that is to tell it.
  fileprivate let number: Int64

  /// Reads the records of a lake.
  ///
  /// - Throws: ``FleetError``, also where the record of a compaction cannot be read: what it tells would be
  ///   told twice.
  package init(of lake: Lake) throws {
    let store = try lake.store()
    let reader = try CommitReader(lake, store)
    let compactions = try reader.compactions().map { try $0.get() }
    number = (compactions.last?.number ?? 0) + 1
    let told = CompactionRecord.ends(of: compactions)
    for (catalog, numbers) in try store.publications() {
      let numbers = numbers.filter { $0 > told[catalog] ?? 0 }
      for result in try reader.records(numbers.map { (catalog, $0) }) {
        do throws(FleetError) {
          add(try result.get())
        } catch {
          faults.append(error)
          break
        }
      }
    }
  }

  private mutating func add(_ record: CommitRecord) {
    ends[record.catalog] = record.publication
    publications += 1
    newest = max(newest, record.published)
    for file in record.files where !file.table.isState { rows[file.table, default: 0] += file.rows }
  }
}

extension CompactionRecord {
  /// The last publication of each catalog that one of them tells of.
  static func ends(of compactions: [CompactionRecord]) -> [CatalogUUID: Int64] {
    compactions.reduce(into: [:]) { $0.merge($1.ends) { max($0, $1) } }
  }
}

extension Lake {
  /// Makes the directories into which an engine is to write, where it lies in directories.
  package func makeDirectories(for compaction: CompactionID) throws(FleetError) {
    let store = try store()
    for table in FleetTable.allCases where !table.isState {
      try store.makeDirectory(Self.directory(ofCompacted: table, compaction))
    }
  }

  /// Puts the record of a compaction, after which its files are read in place of those of publications.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Throws: ``FleetError`` with ``FleetError/Code/busy`` where another compaction was made meanwhile.
  package func commit(
    _ compaction: CompactionID, of history: LooseHistory, now: Int64
  ) throws -> CompactionRecord {
    let store = try store()
    var files: [CompactionRecord.File] = []
    for table in FleetTable.allCases where !table.isState {
      let places = try store.files(in: Self.directory(ofCompacted: table, compaction), levels: 1)
      var named: [(place: FilePath, name: String)] = []
      var others: [FilePath] = []
      for place in places {
        // Engines leave sums and marks beside their files.
        if let name = place.lastComponent?.string, Self.isFileOfEngine(name) {
          named.append((place, name))
        } else {
          others.append(place)
        }
      }
      try store.remove(others)
      for (file, content) in zip(named, store.contents(of: named.map(\.place))) {
        guard let content = try content.get() else {
          throw FleetError(.cannotRead, self(file.place), "the file has gone")
        }
        files.append(CompactionRecord.File(table: table, name: file.name, content: content))
      }
    }
    let record = CompactionRecord(
      number: history.number, id: compaction, made: now, newest: history.newest, files: files,
      ends: history.ends)
    let place = Self.place(ofCompaction: record.number)
    let json = record.json
    guard json.count <= CompactionRecord.largest else {
      throw FleetError(.invalidRecord, self(place), "the record is too large to be read again")
    }
    let publishing = try store.beginPublishing(Self.compactionsDirectory)
    guard try publishing.put(place, .kept, { try $0.writeAll(json) }) != nil else {
      throw FleetError(.busy, self(place), "somebody else has compacted the lake meanwhile")
    }
    return record
  }

  /// Removes what an engine has written for a compaction that gets no record.
  package func discard(_ compaction: CompactionID) throws(FleetError) {
    let store = try store()
    for table in FleetTable.allCases where !table.isState {
      try store.remove(
        store.files(in: Self.directory(ofCompacted: table, compaction), levels: 1))
    }
  }
}

extension LakeWriter {
  /// Puts what engines find of compactions before there is any, unless it is there: a compaction that tells
  /// nothing. They refuse to read where there is no file.
  ///
  /// - Parameter write: writes the file of a table without rows into a descriptor.
  package func putEmptyCompaction(
    _ write: (FleetTable, FileDescriptor) throws -> Void
  ) throws {
    let record = Lake.place(ofCompaction: 0)
    guard try store.status(of: [record]) == [nil] else { return }
    for table in FleetTable.allCases where !table.isState {
      let place = Lake.directory(ofCompacted: table, .none).appending(Lake.part)
      _ = try publishing.put(place, .kept) { try write(table, $0) }
    }
    let empty = CompactionRecord(
      number: 0, id: .none, made: 0, newest: 0, files: [], ends: [:])
    _ = try publishing.put(record, .kept) { try $0.writeAll(empty.json) }
  }
}
