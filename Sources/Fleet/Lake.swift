internal import CatalogStore
internal import FileSystem
public import SystemPackage

/// A directory or a bucket into which many machines publish their catalogs, for engines that read Parquet.
///
/// Each table is a directory, and has in it one for each catalog and each of its publications, as
/// [Hive](https://hive.apache.org) names partitions; the record of a publication is put last:
///
/// ```
/// entries/catalog=UUID/publication=7/part-00000.parquet
/// commits/catalog=UUID/000000000007.json
/// ```
///
/// What no record names is not there for any reader. Names follow from what is published, never from time
/// or chance, so whatever is written twice is there once.
public struct Lake: Sendable, Hashable, CustomStringConvertible {
  /// What a lake lies in.
  public enum Place: Sendable, Hashable {
    case directory(FilePath)
    case bucket(BucketAddress)
  }

  /// Where it is.
  public let place: Place
  /// Who asks for what is in a bucket; `nil` for what the process is told.
  private let access: ObjectAccess?

  /// The lake in a directory, which need not be there yet.
  public init(_ path: FilePath) {
    place = .directory(path)
    access = nil
  }

  /// The lake in a bucket, which has to be there.
  ///
  /// - Parameter access: where the bucket is, and who asks for what is in it; `nil` for what the environment
  ///   and the usual files say when it is needed.
  public init(_ bucket: BucketAddress, _ access: ObjectAccess? = nil) {
    place = .bucket(bucket)
    self.access = access
  }

  /// The name of the file with the rows of a table: one for all rows.
  package static let part = "part-00000.parquet"
  /// Where the records are, below the lake.
  package static let commitsDirectory: FilePath = "commits"
  private static let catalogKey = "catalog="
  private static let publicationKey = "publication="
  /// How many digits the number of a publication has in the name of its record, so that names sort.
  private static let digits = 12
  private static let ending = ".json"
  /// The highest number that a publication can have.
  package static let highestPublication: Int64 = 999_999_999_999

  /// Where the rows of a table are, below the lake.
  package static func place(
    of table: FleetTable, _ catalog: CatalogUUID, _ publication: Int64
  ) -> FilePath {
    FilePath(
      "\(table.rawValue)/\(catalogKey)\(catalog)/\(publicationKey)\(publication)/\(part)")
  }

  /// Where the record of a publication is, below the lake.
  package static func place(ofCommit publication: Int64, _ catalog: CatalogUUID) -> FilePath {
    directory(ofCommits: catalog).appending(recordName(publication))
  }

  /// The name of a record by its number.
  static func recordName(_ number: Int64) -> String {
    let number = String(number)
    return String(repeating: "0", count: max(0, digits - number.count)) + number + ending
  }

  /// The number of a record by its name; `nil` where it is that of none.
  static func recordNumber(_ name: String, from lowest: Int64 = 1) -> Int64? {
    guard name.hasSuffix(ending), let number = Int64(name.dropLast(ending.count)),
      lowest...highestPublication ~= number, recordName(number) == name
    else { return nil }
    return number
  }

  /// Where the records of a catalog are, below the lake.
  package static func directory(ofCommits catalog: CatalogUUID) -> FilePath {
    commitsDirectory.appending("\(catalogKey)\(catalog)")
  }

  /// What a place is called: its path, or its address.
  package func callAsFunction(_ place: FilePath) -> String {
    switch self.place {
    case .directory(let path): path.pushing(place).string
    case .bucket(let address): address.text(place.string)
    }
  }

  /// The path, or the address.
  public var description: String {
    switch place {
    case .directory(let path): path.string
    case .bucket(let address): address.description
    }
  }

  /// What its files lie in.
  func store() throws(FleetError) -> any LakeStore {
    switch place {
    case .directory(let path): DirectoryStore(path: path)
    case .bucket(let address): try BucketStore(address, access)
    }
  }
}

// MARK: - What is there

extension Lake {
  /// The catalogs that have published something, in the order of their numbers.
  ///
  /// - Throws: ``FleetError``, also where there is no such directory.
  package func catalogs() throws(FleetError) -> [CatalogUUID] {
    try store().publications().map(\.catalog)
  }

  /// The numbers of the publications of a catalog that have a record, in order.
  package func publications(of catalog: CatalogUUID) throws(FleetError) -> [Int64] {
    try store().files(in: Self.directory(ofCommits: catalog), levels: 1)
      .compactMap { Self.publication(at: $0)?.number }.sorted()
  }

  /// Opens the file of a table for reading, which is what its record says.
  ///
  /// - Throws: ``FleetError`` with ``FleetError/Code/damaged`` where it is not.
  package func open(_ file: CommitRecord.File, of record: CommitRecord) throws -> FileDescriptor {
    let place = Self.place(of: file.table, record.catalog, record.publication)
    let opened = try store().open(place)
    do {
      let status = try FileStatus(of: opened)
      guard EntryKind(mode: status.mode) == .file, status.size == file.size else {
        throw FleetError(
          .damaged, self(place), "the file has not the \(file.size) bytes that its record tells of")
      }
      guard try FileContent(of: opened).hash == file.hash else {
        throw FleetError(.damaged, self(place), "the file is not the one that was written")
      }
    } catch {
      try? opened.close()
      throw error
    }
    return opened
  }

  /// Whose record is at a place; `nil` where none can be.
  fileprivate static func publication(
    at place: FilePath
  ) -> (catalog: CatalogUUID, number: Int64)? {
    let names = place.components.map(\.string)
    guard names.count == 3, names[1].hasPrefix(catalogKey),
      let catalog = CatalogUUID(String(names[1].dropFirst(catalogKey.count))),
      let number = recordNumber(names[2]), Self.place(ofCommit: number, catalog) == place
    else { return nil }
    return (catalog, number)
  }

  /// Whether a file is among those of a publication, by its place.
  fileprivate static func isOfPublication(_ place: FilePath) -> Bool {
    let names = place.components.map(\.string)
    return names.count == 4 && names[1].hasPrefix(catalogKey)
      && CatalogUUID(String(names[1].dropFirst(catalogKey.count))) != nil
      && names[2].hasPrefix(publicationKey)
      && Int64(names[2].dropFirst(publicationKey.count)) != nil
  }
}

extension LakeStore {
  /// The catalogs that have published something, in the order of their numbers, and which publications of
  /// each have a record, in order.
  func publications() throws(FleetError) -> [(catalog: CatalogUUID, numbers: [Int64])] {
    try requireThere()
    var numbers: [CatalogUUID: [Int64]] = [:]
    for place in try files(in: Lake.commitsDirectory, levels: 2) {
      guard let publication = Lake.publication(at: place) else { continue }
      numbers[publication.catalog, default: []].append(publication.number)
    }
    return numbers.map { ($0.key, $0.value.sorted()) }
      .sorted { $0.catalog.description < $1.catalog.description }
  }

  /// The files of tables that are there, whether a record names them or not.
  func tableFiles() throws(FleetError) -> [FilePath] {
    var found: [FilePath] = []
    for table in FleetTable.allCases {
      found += try files(in: FilePath(table.rawValue), levels: 3).filter(Lake.isOfPublication)
    }
    return found
  }
}

/// What a lake has of each catalog.
public enum FleetTable: String, Sendable, CaseIterable {
  /// The entries: all of them, or those that have changed since the publication before.
  case entries
  /// The directories with their paths, in the same way.
  case directories
  /// The names of files that count elsewhere, as a file with several names takes its blocks once: always
  /// all of them.
  case repeated
  /// What scans since the publication before found changed.
  case changes
  /// By how much each of these scans has changed the sums of each directory.
  case growth
  /// The sums of what is there by directory, type, owner and month: always all of them.
  case rollup

  /// Whether it tells a state, which a later full publication tells as well.
  package var isState: Bool {
    switch self {
    case .entries, .directories, .repeated, .rollup: true
    case .changes, .growth: false
    }
  }
}

/// The number that a catalog gets when it is first published, and keeps: 32 digits of base 16, in groups.
public struct CatalogUUID: Sendable, Hashable, CustomStringConvertible {
  /// The number as it is written.
  public let description: String

  /// The number that a text is, in lower case; `nil` for anything else.
  public init?(_ text: String) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
    guard groups == [8, 4, 4, 4, 12],
      text.utf8.allSatisfy({ Array("0123456789abcdef-".utf8).contains($0) })
    else { return nil }
    description = text
  }

  /// A number that nobody else has: version 4 of
  /// [RFC 9562](https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-4).
  package static func random() -> CatalogUUID {
    var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { bytes[$0].hexadecimal }
    return CatalogUUID(unchecked: groups.joined(separator: "-"))
  }

  private init(unchecked text: String) {
    description = text
  }
}
