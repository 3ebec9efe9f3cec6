internal import Console
internal import SQLite
internal import SystemPackage

/// The record of a publication: that it is there, of which state, and which files it has.
///
/// Records may have been written by anybody. Nothing in them is a path: where a file is follows from its
/// table, the catalog and the number of the publication.
public struct CommitRecord: Sendable, Hashable {
  /// Whether the tables have everything or what has changed since the publication before.
  public enum Kind: String, Sendable {
    case full
    case delta
  }

  /// The file of a table.
  public struct File: Sendable, Hashable {
    /// The table.
    public let table: FleetTable
    /// How many rows it has.
    public let rows: Int64
    /// How many bytes it has.
    public let size: Int64
    /// The BLAKE2b hash of its content, of 32 bytes in base 16, as `b2sum -l 256` prints it.
    public let hash: String

    package init(_ table: FleetTable, rows: Int64, size: Int64, hash: String) {
      self.table = table
      self.rows = rows
      self.size = size
      self.hash = hash
    }

    var content: FileContent { FileContent(size: size, hash: hash) }
  }

  /// The catalog, and which of its publications this is: 1 for the first.
  public let catalog: CatalogUUID
  public let publication: Int64
  /// What the machine was called.
  public let host: String
  public let kind: Kind
  /// The catalog's number of the last scan, and when that began, in nanoseconds since 1970.
  public let scan: Int64
  public let scanStarted: Int64
  /// When the roots of the catalog were last scanned, the one that was longest ago and the last one, in
  /// seconds since 1970; `nil` where none was.
  public let oldestScan: Int64?
  public let newestScan: Int64?
  /// When it was published by the clock of the machine, and by how many seconds that is ahead of the lake's.
  public let published: Int64
  public let clockSkew: Int64
  /// The version of the catalog's schema.
  public let schema: Int64
  /// What the catalog holds at that state.
  public let entries: Int64
  public let allocated: Int64
  /// The state of the catalog, and what of it must be the same for a delta to follow.
  package let state: String
  package let basis: String
  public let files: [File]

  package init(
    catalog: CatalogUUID, publication: Int64, host: String, kind: Kind, scan: Int64,
    scanStarted: Int64, oldestScan: Int64?, newestScan: Int64?, published: Int64, clockSkew: Int64,
    schema: Int64, entries: Int64, allocated: Int64, state: String, basis: String, files: [File]
  ) {
    self.catalog = catalog
    self.publication = publication
    self.host = host
    self.kind = kind
    self.scan = scan
    self.scanStarted = scanStarted
    self.oldestScan = oldestScan
    self.newestScan = newestScan
    self.published = published
    self.clockSkew = clockSkew
    self.schema = schema
    self.entries = entries
    self.allocated = allocated
    self.state = state
    self.basis = basis
    self.files = files
  }

  /// The version of records that is written. Readers take it and those before.
  fileprivate static let version: Int64 = 1
  /// A record has some hundred bytes for each table.
  static let largest = 64 << 10
}

// MARK: - As JSON

extension CommitRecord {
  package var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("version", .integer(Self.version))
      json.member("catalog", .text("\(catalog)"))
      json.member("publication", .integer(publication))
      json.member("host", .text(host))
      json.member("kind", .text(kind.rawValue))
      json.member("scan", .integer(scan))
      json.member("scan_started", .integer(scanStarted))
      json.member("oldest_scan", oldestScan.map { .integer($0) } ?? .null)
      json.member("newest_scan", newestScan.map { .integer($0) } ?? .null)
      json.member("published", .integer(published))
      json.member("clock_skew", .integer(clockSkew))
      json.member("schema", .integer(schema))
      json.member("entries", .integer(entries))
      json.member("allocated", .integer(allocated))
      json.member("state", .text(state))
      json.member("basis", .text(basis))
      json.key("files")
      json.array { json in
        for file in files {
          json.object { json in
            json.member("table", .text(file.table.rawValue))
            json.member("rows", .integer(file.rows))
            json.member("size", .integer(file.size))
            json.member("hash", .text(file.hash))
          }
        }
      }
    }
    return json.bytes + [UInt8(ascii: "\n")]
  }
}

/// Reads records, by the JSON functions of SQLite.
package struct CommitReader {
  let db: Connection
  let lake: Lake
  let store: any LakeStore

  package init(_ lake: Lake) throws {
    try self.init(lake, lake.store())
  }

  init(_ lake: Lake, _ store: any LakeStore) throws {
    self.lake = lake
    self.store = store
    db = try Connection.inMemory()
  }

  /// The record of a publication.
  ///
  /// - Throws: ``FleetError``.
  package func record(_ publication: Int64, of catalog: CatalogUUID) throws -> CommitRecord {
    guard let result = try records([(catalog, publication)]).first else {
      throw CancellationError()
    }
    return try result.get()
  }

  /// The records of publications, in their order: where many are wanted, they are read together.
  func records(
    _ publications: [(catalog: CatalogUUID, number: Int64)]
  ) throws -> [Result<CommitRecord, FleetError>] {
    let places = publications.map { Lake.place(ofCommit: $0.number, $0.catalog) }
    let texts = store.beginnings(of: places, atMost: CommitRecord.largest + 1)
    return try zip(zip(publications, places), texts).map { known, text in
      let ((catalog, number), place) = known
      do {
        let text = try text.get()
        guard text.count <= CommitRecord.largest else {
          throw FleetError(.invalidRecord, lake(place), "the record is too large to be one")
        }
        return .success(try record(text, number, catalog, lake(place)))
      } catch let error as FleetError {
        return .failure(error)
      }
    }
  }

  private func record(
    _ bytes: [UInt8], _ publication: Int64, _ catalog: CatalogUUID, _ place: String
  ) throws -> CommitRecord {
    func invalid(_ what: String) -> FleetError { FleetError(.invalidRecord, place, what) }
    let json = String(decoding: bytes, as: UTF8.self)
    let (numbers, texts) = try members(of: json)
    func required<Value>(_ name: String, _ value: Value?) throws -> Value {
      guard let value else { throw invalid("the record has no sound \(name)") }
      return value
    }
    func number(_ name: String) throws -> Int64 { try required(name, numbers[name]) }
    func text(_ name: String) throws -> String { try required(name, texts[name]) }
    let version = try number("version")
    guard version <= CommitRecord.version else {
      throw FleetError(.newerVersion, place, "the record is of version \(version)")
    }
    guard texts["catalog"] == catalog.description, numbers["publication"] == publication
    else {
      throw invalid("the record is that of another publication")
    }
    let kind = try required("kind", texts["kind"].flatMap(CommitRecord.Kind.init(rawValue:)))
    return CommitRecord(
      catalog: catalog, publication: publication, host: try text("host"), kind: kind,
      scan: try number("scan"), scanStarted: try number("scan_started"),
      oldestScan: numbers["oldest_scan"], newestScan: numbers["newest_scan"],
      published: try number("published"), clockSkew: try number("clock_skew"),
      schema: try number("schema"), entries: try number("entries"),
      allocated: try number("allocated"), state: try text("state"),
      basis: try text("basis"), files: try files(.text(json), invalid))
  }

  /// The members of an object that are numbers, and those that are texts; none of what is no object.
  func members(of json: String) throws -> (numbers: [String: Int64], texts: [String: String]) {
    let object = SQL(
      """
      SELECT key, type, value FROM json_each(
        CASE WHEN json_valid(?1) AND json_type(?1) = 'object' THEN ?1 ELSE '{}' END)
      """, [.text(json)])
    var numbers: [String: Int64] = [:]
    var texts: [String: String] = [:]
    try db.forEach(cached: object) { row in
      switch row.text(1) {
      case "integer": numbers[row.text(0)] = row.integer(2)
      case "text": texts[row.text(0)] = row.text(2)
      default: break
      }
    }
    return (numbers, texts)
  }

  private func files(
    _ json: Binding, _ invalid: (String) -> FleetError
  ) throws -> [CommitRecord.File] {
    var files: [CommitRecord.File] = []
    var isSound = true
    let statement = SQL(
      """
      SELECT value ->> 'table', value -> 'rows', value -> 'size', value ->> 'hash'
      FROM json_each(?1, '$.files')
      """, [json])
    try db.forEach(cached: statement) { row in
      guard let table = row.optionalText(0).flatMap(FleetTable.init(rawValue:)),
        let rows = row.optionalText(1).flatMap(Int64.init), rows >= 0,
        let size = row.optionalText(2).flatMap(Int64.init), size >= 0,
        let hash = row.optionalText(3), hash.utf8.count == 64
      else {
        isSound = false
        return
      }
      files.append(CommitRecord.File(table, rows: rows, size: size, hash: hash))
    }
    guard isSound, Set(files.map(\.table)).count == files.count,
      files.count == FleetTable.allCases.count
    else { throw invalid("the record does not name the file of each table once") }
    return files
  }
}
