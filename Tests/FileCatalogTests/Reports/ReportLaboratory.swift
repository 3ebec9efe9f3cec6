import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Two roots with all that makes adding up hard: links within directories, across them, across roots
/// and into packages, sparse files, packages, and names that are not UTF-8.
enum ReportFixture {
  static let now = 1_790_000_000_000_000_000
  static let bad = FilePath(bytes: [0x62, 0x2F, 0xFE, 0x64, 0x2F, 0xFF, 0x2E, 0x6A, 0xFD])

  static let pieces: [Piece] = {
    let day = 86_400_000_000_000
    // Only root may give files away.
    let gifts: [Piece] = getuid() == 0 ? [.owner("a/photo.jpg", uid: 12_345, gid: 1)] : []
    return [
      .file("a/one.txt", bytes: 50_000), .hardLink("a/two.md", to: "a/one.txt"),
      .hardLink("b/three.txt", to: "a/one.txt"), .file("a/deep/er/x.tar.gz", bytes: 9000),
      .hardLink("a/deep/y.gz", to: "a/deep/er/x.tar.gz"),
      .sparse("a/sparse.img", length: 500_000_000), .file("a/noext", bytes: 10),
      .file("a/.hidden", bytes: 11), .file("a/sp.a ce", bytes: 12), .file("a/dot.", bytes: 13),
      .directory("a/dir.ext/empty"), .symlink("a/broken", to: "nowhere"),
      .symlink("a/fine", to: "noext"), .fifo("a/pipe"), .file(bad, bytes: 7000),
      .hardLink("b/again", to: bad), .file("a/App.app/Contents/bin", bytes: 80_000),
      .hardLink("a/App.app/Contents/bin2", to: "a/App.app/Contents/bin"),
      .file("a/App.app/lib", bytes: 30_000), .hardLink("b/lib", to: "a/App.app/lib"),
      .file("b/Other.app/x", bytes: 100), .file("b/photo.JPG", bytes: 20_000),
      .file("a/photo.jpg", bytes: 20_001),
      .times("b/photo.JPG", accessed: 0, modified: now - 10_000 * day),
      .times("a/noext", accessed: 0, modified: 10_000 * day),
      .times("a/photo.jpg", accessed: 0, modified: 4_000_000_000_000_000_000),
    ] + gifts
  }()
}

/// The entries of a catalog beside what the disk says of them, in the order of their ids.
struct ReportTruth {
  struct Known {
    var row: FilesView.Row
    var walked: WalkedEntry
    /// Of a package, what it holds.
    var held: [WalkedEntry]
  }

  let entries: [Known]

  init(_ lab: Laboratory, roots: [FilePath]) throws {
    var walk: [[UInt8]: WalkedEntry] = [:]
    for root in roots { walk.merge(try IndependentWalk.entries(of: root)) { first, _ in first } }
    let rows = try FilesView(lab.catalog).rows.sorted { $0.id < $1.id }
    entries = rows.compactMap { row in
      walk[row.path].map { walked in
        let isPackage = row["kind"].string == "package"
        let prefix = row.path + [UInt8(ascii: "/")]
        return Known(
          row: row, walked: walked,
          held: isPackage ? walk.values.filter { $0.path.starts(with: prefix) } : [])
      }
    }
    #expect(entries.count == rows.count)
  }

  /// The entries at and below a directory.
  func inside(_ directory: FilePath?) -> [Known] {
    guard let directory else { return entries }
    let path = directory.bytes
    return entries.filter {
      $0.walked.path == path || $0.walked.path.starts(with: path + [UInt8(ascii: "/")])
    }
  }

  /// What usage reports say, added up one by one.
  static func shares(
    _ entries: [Known], by key: (Known) -> ColumnValue
  ) -> [ColumnValue: Share] {
    var shares: [ColumnValue: Share] = [:]
    var counted: Set<UInt64> = []
    for entry in entries {
      var share = shares[key(entry)] ?? Share()
      share.entries += 1
      for item in entry.held.isEmpty ? [entry.walked] : entry.held + [entry.walked] {
        if !item.isDirectory {
          share.files += 1
          share.size += Int64(item.status.st_size)
        }
        if item.isDirectory || item.status.st_nlink == 1
          || counted.insert(UInt64(item.status.st_ino)).inserted
        {
          share.allocated += item.allocated
        }
      }
      shares[key(entry)] = share
    }
    return shares
  }
}

/// A row of a usage report.
struct Share: Equatable {
  var entries: Int64 = 0
  var files: Int64 = 0
  var size: Int64 = 0
  var allocated: Int64 = 0

  init() {}

  init(_ row: [String: ColumnValue]) {
    entries = row["entries"]?.integer ?? -1
    files = row["files"]?.integer ?? -1
    size = row["size"]?.integer ?? -1
    allocated = row["allocated"]?.integer ?? -1
  }
}

extension Catalog {
  /// The rows of a report, by column.
  func rows(
    of name: String, in directory: FilePath? = nil, limit: Int? = nil
  ) throws -> [[String: ColumnValue]] {
    let request = ReportRequest(try Report(named: name), in: directory, limit: limit)
    var rows: [[String: ColumnValue]] = []
    try forEachRow(of: request) { values in
      rows.append(
        Dictionary(
          zip(request.report.columns.map(\.name), values), uniquingKeysWith: { first, _ in first }))
    }
    return rows
  }
}

/// Scans the two roots of a tree.
func withReportLaboratory(
  _ pieces: [Piece] = ReportFixture.pieces, _ body: (Laboratory, [FilePath]) async throws -> Void
) async throws {
  try await withLaboratory(pieces) { lab in
    let roots = ["a", "b"].map { lab.tree.path.appending($0) }
    _ = try await lab.catalog.scan(roots)
    try await expectSound(lab.catalog)
    try await body(lab, roots)
  }
}
