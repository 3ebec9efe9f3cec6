internal import CatalogStore
internal import Console
internal import SQLite
package import SystemPackage

/// The record of a compaction: up to which publications its files tell the history of catalogs.
///
/// It is a line about the compaction, and one for each catalog, which engines read as well. What it tells may
/// have been written by anybody, as in ``CommitRecord``.
public struct CompactionRecord: Sendable, Hashable {
  /// A file that an engine has written.
  package struct File: Sendable, Hashable {
    package let table: FleetTable
    /// What the engine has called it.
    package let name: String
    package let content: FileContent
  }

  /// Its number: 1 for the first. Before it is one that tells nothing.
  public let number: Int64
  package let id: CompactionID
  /// When it was made, and when the last publication was that it tells of, in seconds since 1970.
  public let made: Int64
  package let newest: Int64
  package let files: [File]
  /// The last publication of each catalog whose history it tells.
  package let ends: [CatalogUUID: Int64]

  /// How many files it has, and how many bytes these have.
  public var fileCount: Int { files.count }
  public var size: Int64 { files.reduce(0) { $0 + $1.content.size } }

  /// Where one of its files is, below the lake.
  func place(of file: File) -> FilePath {
    Lake.directory(ofCompacted: file.table, id).pushing(FilePath(file.name))
  }

  /// The version of records that is written. Readers take it and those before.
  fileprivate static let version: Int64 = 1
  /// A record has some hundred bytes for each catalog.
  static let largest = 64 << 20

  package var json: [UInt8] {
    var text = ""
    func line(_ members: (inout JSONWriter) -> Void) {
      var json = JSONWriter()
      json.object(members)
      text += json.text + "\n"
    }
    line { json in
      json.member("version", .integer(Self.version))
      json.member("compaction", .text("\(id)"))
      json.member("made", .integer(made))
      json.member("newest", .integer(newest))
      json.key("files")
      json.array { json in
        for file in files {
          json.object { json in
            json.member("table", .text(file.table.rawValue))
            json.member("name", .text(file.name))
            json.member("size", .integer(file.content.size))
            json.member("hash", .text(file.content.hash))
          }
        }
      }
    }
    for (catalog, end) in ends.sorted(by: { $0.key.description < $1.key.description }) {
      line { json in
        json.member("compaction", .text("\(id)"))
        json.member("catalog", .text("\(catalog)"))
        json.member("last_publication", .integer(end))
      }
    }
    return Array(text.utf8)
  }
}

/// What the files of a compaction are found by. It is drawn, so that of two that are made at the same time
/// neither writes among the files of the other.
package struct CompactionID: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  package init?(_ text: String) {
    guard text.utf8.count == 32,
      text.utf8.allSatisfy({ Array("0123456789abcdef".utf8).contains($0) })
    else { return nil }
    description = text
  }

  package static func random() -> CompactionID {
    CompactionID(unchecked: (0..<16).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal)
  }

  /// That of the compaction before the first, which tells nothing.
  package static let none = CompactionID(unchecked: String(repeating: "0", count: 32))

  private init(unchecked text: String) { description = text }
}

extension Lake {
  /// Where the records of compactions are, below the lake.
  package static let compactionsDirectory: FilePath = "compactions"
  private static let compactionKey = "compaction="

  /// Where the files of a table are that tell the history of many publications, below the lake.
  package static func directory(ofCompacted table: FleetTable) -> FilePath {
    FilePath("compacted_\(table.rawValue)")
  }

  /// The same, of one compaction.
  package static func directory(
    ofCompacted table: FleetTable, _ compaction: CompactionID
  ) -> FilePath {
    directory(ofCompacted: table).appending("\(compactionKey)\(compaction)")
  }

  static func place(ofCompaction number: Int64) -> FilePath {
    compactionsDirectory.appending(recordName(number))
  }

  /// The compaction among whose files a place is; `nil` where it is none of any.
  fileprivate static func compaction(at place: FilePath) -> CompactionID? {
    let names = place.components.map(\.string)
    guard names.count == 3, names[1].hasPrefix(compactionKey) else { return nil }
    return CompactionID(String(names[1].dropFirst(compactionKey.count)))
  }
}

extension LakeStore {
  /// The numbers of the compactions that have a record, in order.
  func compactionNumbers() throws(FleetError) -> [Int64] {
    try files(in: Lake.compactionsDirectory, levels: 1).compactMap { place in
      place.lastComponent.flatMap { Lake.recordNumber($0.string, from: 0) }
    }.sorted()
  }

  /// Files of compactions that have no record.
  func compactionLeftovers(
    besides records: [CompactionRecord]
  ) throws(FleetError) -> [FilePath] {
    let known = Set(records.map(\.id) + [.none])
    var found: [FilePath] = []
    for table in FleetTable.allCases where !table.isState {
      found += try files(in: Lake.directory(ofCompacted: table), levels: 2).filter { place in
        Lake.compaction(at: place).map { !known.contains($0) } ?? false
      }
    }
    return found
  }
}

extension CommitReader {
  /// The records of all compactions, in order.
  func compactions() throws -> [Result<CompactionRecord, FleetError>] {
    let numbers = try store.compactionNumbers()
    let places = numbers.map { Lake.place(ofCompaction: $0) }
    let texts = store.beginnings(of: places, atMost: CompactionRecord.largest + 1)
    return try zip(zip(numbers, places), texts).map { known, text in
      let (number, place) = known
      do {
        let text = try text.get()
        guard text.count <= CompactionRecord.largest else {
          throw FleetError(.invalidRecord, lake(place), "the record is too large to be one")
        }
        return .success(try compaction(text, number, lake(place)))
      } catch let error as FleetError {
        return .failure(error)
      }
    }
  }

  private func compaction(
    _ bytes: [UInt8], _ number: Int64, _ place: String
  ) throws -> CompactionRecord {
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self)
    }
    let invalid = FleetError(.invalidRecord, place, "the record is not that of a compaction")
    guard let first = lines.first else { throw invalid }
    let members = try members(of: first)
    guard let version = members.numbers["version"] else { throw invalid }
    guard version <= CompactionRecord.version else {
      throw FleetError(.newerVersion, place, "the record is of version \(version)")
    }
    guard let id = members.texts["compaction"].flatMap(CompactionID.init),
      let made = members.numbers["made"], let newest = members.numbers["newest"],
      let files = try compactedFiles(first)
    else { throw invalid }
    var ends: [CatalogUUID: Int64] = [:]
    for line in lines.dropFirst() {
      let members = try self.members(of: line)
      guard members.texts["compaction"] == id.description,
        let catalog = members.texts["catalog"].flatMap(CatalogUUID.init),
        let end = members.numbers["last_publication"], ends.updateValue(end, forKey: catalog) == nil
      else { throw invalid }
    }
    return CompactionRecord(
      number: number, id: id, made: made, newest: newest, files: files, ends: ends)
  }

  /// `nil` where one is none.
  private func compactedFiles(_ line: String) throws -> [CompactionRecord.File]? {
    var files: [CompactionRecord.File] = []
    var isSound = true
    let statement = SQL(
      """
      SELECT value ->> 'table', value ->> 'name', value -> 'size', value ->> 'hash'
      FROM json_each(?1, '$.files')
      """, [.text(line)])
    try db.forEach(cached: statement) { row in
      guard let table = row.optionalText(0).flatMap(FleetTable.init(rawValue:)), !table.isState,
        let name = row.optionalText(1), Lake.isFileOfEngine(name),
        let size = row.optionalText(2).flatMap(Int64.init), size >= 0,
        let hash = row.optionalText(3), hash.utf8.count == 64
      else {
        isSound = false
        return
      }
      files.append(
        CompactionRecord.File(
          table: table, name: name, content: FileContent(size: size, hash: hash)))
    }
    return isSound ? files : nil
  }
}

extension Lake {
  /// Whether a name can be that of a file that an engine has written and reads again: what begins with a dot
  /// or a line is none for Spark.
  static func isFileOfEngine(_ name: String) -> Bool {
    name.hasSuffix(".parquet") && !name.hasPrefix(".") && !name.hasPrefix("_")
      && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }
}
