internal import CatalogStore
internal import StandardDirectories
public import SystemPackage

/// A directory into which many machines publish their catalogs, for engines that read Parquet.
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
public struct Lake: Sendable, Hashable {
  /// The directory.
  public let path: FilePath

  /// The lake in a directory, which need not be there yet.
  public init(_ path: FilePath) {
    self.path = path
  }

  /// The name of the file with the rows of a table: one for all rows.
  package static let part = "part-00000.parquet"
  /// Where the records are, below the lake.
  package static let commitsDirectory: FilePath = "commits"
  private static let catalogKey = "catalog="
  private static let publicationKey = "publication="
  /// How many digits the number of a publication has in the name of its record, so that names sort.
  private static let digits = 12
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
    let number = String(publication)
    let zeros = String(repeating: "0", count: max(0, digits - number.count))
    return directory(ofCommits: catalog).appending("\(zeros)\(number).json")
  }

  /// Where the records of a catalog are, below the lake.
  package static func directory(ofCommits catalog: CatalogUUID) -> FilePath {
    commitsDirectory.appending("\(catalogKey)\(catalog)")
  }

  /// Where something is.
  package func callAsFunction(_ place: FilePath) -> FilePath { path.pushing(place) }

  // MARK: - What is there

  /// The catalogs that have published something, in the order of their numbers.
  ///
  /// - Throws: ``FleetError``, also where there is no such directory.
  package func catalogs() throws(FleetError) -> [CatalogUUID] {
    guard path.isThere else {
      throw FleetError(.cannotRead, path, "\(Errno.noSuchFileOrDirectory)")
    }
    return try names(in: Self.commitsDirectory).compactMap { name in
      guard name.hasPrefix(Self.catalogKey) else { return nil }
      return CatalogUUID(String(name.dropFirst(Self.catalogKey.count)))
    }
  }

  /// The numbers of the publications of a catalog that have a record, in order.
  package func publications(of catalog: CatalogUUID) throws(FleetError) -> [Int64] {
    try names(in: Self.directory(ofCommits: catalog)).compactMap { name in
      guard name.utf8.count == Self.digits + ".json".utf8.count, name.hasSuffix(".json"),
        let number = Int64(name.dropLast(".json".count)), number > 0,
        Self.place(ofCommit: number, catalog).lastComponent?.string == name
      else { return nil }
      return number
    }.sorted()
  }

  /// The files of tables that are there, whether a record names them or not: what each belongs to.
  package func files() throws(FleetError) -> [(path: FilePath, catalog: CatalogUUID, number: Int64)]
  {
    var files: [(path: FilePath, catalog: CatalogUUID, number: Int64)] = []
    for table in FleetTable.allCases {
      let directory = FilePath(table.rawValue)
      for catalogName in try names(in: directory) where catalogName.hasPrefix(Self.catalogKey) {
        guard let catalog = CatalogUUID(String(catalogName.dropFirst(Self.catalogKey.count))) else {
          continue
        }
        let place = directory.appending(catalogName)
        for name in try names(in: place) where name.hasPrefix(Self.publicationKey) {
          guard let number = Int64(name.dropFirst(Self.publicationKey.count)) else { continue }
          let inner = place.appending(name)
          for file in try names(in: inner) {
            files.append((inner.appending(file), catalog, number))
          }
        }
      }
    }
    return files
  }

  /// The names in a directory, in the order of their bytes; none where there is no directory.
  private func names(in place: FilePath) throws(FleetError) -> [String] {
    do throws(Errno) {
      return try LocalFiles().names(in: self(place)).map(\.string).sorted()
    } catch {
      if error == .noSuchFileOrDirectory { return [] }
      throw FleetError(.cannotRead, self(place), "\(error)")
    }
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
