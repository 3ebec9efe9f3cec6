import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Usage reports")
struct UsageReportTests {
  /// Reports, their key columns, and what the key of an entry is.
  static let reports:
    [(name: String, key: String, of: @Sendable (ReportTruth.Known) -> ColumnValue)] =
      [
        ("usage_by_kind", "kind", { $0.row["kind"] }),
        ("usage_by_type", "type", { $0.row["type"] }),
        (
          "usage_by_extension", "extension",
          { entry in
            guard !entry.walked.isDirectory || !entry.held.isEmpty else { return .null }
            return fileExtension(of: entry.walked.name).map { .shown($0) } ?? .null
          }
        ),
        ("usage_by_owner", "uid", { .integer(Int64($0.walked.status.st_uid)) }),
        ("usage_by_age", "age", { .text(Array(age(of: $0.walked.status.st_mtim).utf8)) }),
        ("usage_by_access_age", "age", { .text(Array(age(of: $0.walked.status.st_atim).utf8)) }),
        ("usage_by_group", "gid", { .integer(Int64($0.walked.status.st_gid)) }),
        ("usage_by_size", "size_class", { .text(Array(sizeClass(of: $0).utf8)) }),
      ]

  private static func sizeClass(of entry: ReportTruth.Known) -> String {
    if entry.walked.isDirectory && entry.held.isEmpty { return "directory" }
    let size = entry.row["size"].integer ?? 0
    let limits: [(Int64, String)] = [
      (1, "empty"), (4096, "under 4 KiB"), (65_536, "under 64 KiB"), (1 << 20, "under 1 MiB"),
      (1 << 24, "under 16 MiB"), (1 << 28, "under 256 MiB"), (1 << 32, "under 4 GiB"),
    ]
    return limits.first { size < $0.0 }?.1 ?? "4 GiB and more"
  }

  private static func age(of moment: timespec) -> String {
    let days = Double(time(nil) - moment.tv_sec) / 86_400
    let limits: [(Double, String)] = [
      (-0.1, "in the future"), (1, "under a day"), (7, "under a week"), (30, "under 30 days"),
      (90, "under 90 days"), (365, "under a year"), (730, "under 2 years"),
      (1825, "under 5 years"),
    ]
    return limits.first { days < $0.0 }?.1 ?? "5 years and more"
  }

  @Test(
    "rows are what a walk adds up, for all roots and for one directory",
    .feature("P-50", "P-51", "P-52"), arguments: reports)
  func rowsAreTrue(
    _ report: (name: String, key: String, of: @Sendable (ReportTruth.Known) -> ColumnValue)
  ) async throws {
    try await withReportLaboratory { lab, roots in
      let truth = try ReportTruth(lab, roots: roots)
      let places = [
        nil, roots[0], roots[1], roots[0].appending("deep"), roots[0].appending("dir.ext"),
      ]
      for place in places {
        let rows = try lab.catalog.rows(of: report.name, in: place)
        let expected = ReportTruth.shares(truth.inside(place), by: report.of)
        #expect(rows.count == expected.count)
        for row in rows {
          let key = row[report.key] ?? .null
          #expect(Share(row) == expected[key], "\(key) in \(place?.string ?? "all")")
        }
      }
    }
  }

  @Test("rows of a catalog's only root are those of everything", arguments: reports.map(\.name))
  func onlyRoot(_ name: String) async throws {
    try await withLaboratory([.file("a.txt", bytes: 5), .file("d/b.md", bytes: 7)]) { lab in
      try await lab.scan()
      let all = try lab.catalog.rows(of: name)
      #expect(!all.isEmpty)
      #expect(try lab.catalog.rows(of: name, in: lab.tree.path) == all)
    }
  }

  @Test("rows add up to what du says", .feature("P-08"), arguments: reports.map(\.name))
  func rowsAddUp(_ name: String) async throws {
    try await withReportLaboratory { lab, roots in
      for place in roots {
        let sum = try lab.catalog.rows(of: name, in: place).reduce(0) { $0 + Share($1).allocated }
        #expect(try diskUsage(of: place) == sum)
      }
      let sum = try lab.catalog.rows(of: name).reduce(0) { $0 + Share($1).allocated }
      let tree = try #require(try diskUsage(of: lab.tree.path))
      var status = stat()
      #expect(lstat(lab.tree.path.string, &status) == 0)
      // The directory around both roots is not in the catalog.
      #expect(tree - Int64(status.st_blocks) * 512 == sum)
    }
  }

  @Test("random links in random trees count once, in every directory")
  func randomTrees() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    var pieces: [Piece] = [.directory("a"), .directory("b")]
    var files: [FilePath] = []
    let directories = ["a", "b", "a/d1", "a/d1/d2", "b/e", "a/P.app", "b/Q.app/in"]
    for i in 0..<120 {
      let path = FilePath(directories[random.below(directories.count)])
        .appending("f\(i).\(["txt", "md", ""][random.below(3)])")
      if !files.isEmpty, random.below(2) == 0 {
        pieces.append(.hardLink(path, to: files[random.below(files.count)]))
      } else {
        pieces.append(.file(path, bytes: random.below(20_000)))
      }
      files.append(path)
    }
    try await withReportLaboratory(pieces) { lab, roots in
      let truth = try ReportTruth(lab, roots: roots)
      for report in Self.reports {
        for place in [nil, roots[0], roots[1], roots[0].appending("d1")] {
          let expected = ReportTruth.shares(truth.inside(place), by: report.of)
          for row in try lab.catalog.rows(of: report.name, in: place) {
            #expect(
              Share(row) == expected[row[report.key] ?? .null], "\(report.name), seed \(seed)")
          }
        }
      }
    }
  }

  @Test("the report on directories has the stored totals")
  func directories() async throws {
    try await withReportLaboratory { lab, roots in
      for place in [nil, roots[0], roots[0].appending("deep")] {
        let totals = try await lab.catalog.totals(below: place, depth: 100)
        let rows = try lab.catalog.rows(of: "usage_by_directory", in: place)
        #expect(rows.count == totals.count)
        for row in rows {
          let total = try #require(totals.first { .text($0.path.bytes) == row["path"] })
          #expect(row["files"] == .integer(Int64(total.totalFiles)))
          #expect(row["directories"] == .integer(Int64(total.totalDirectories)))
          #expect(row["size"] == .integer(total.totalSize))
          #expect(row["allocated"] == .integer(total.totalAllocated))
        }
        let sizes = rows.compactMap { $0["allocated"]?.integer }
        #expect(sizes == sizes.sorted(by: >))
      }
    }
  }

  @Test("the largest files are those that take most space, each once", .feature("P-52"))
  func largestFiles() async throws {
    try await withReportLaboratory { lab, roots in
      let truth = try ReportTruth(lab, roots: roots)
      for place in [nil, roots[1]] {
        var seen: Set<UInt64> = []
        let expected = truth.inside(place).filter { entry in
          let isPackage = !entry.held.isEmpty
          guard !entry.walked.isDirectory || isPackage else { return false }
          let inodes = (isPackage ? entry.held : [entry.walked])
            .filter { !$0.isDirectory && $0.status.st_nlink > 1 }.map { UInt64($0.status.st_ino) }
          let isNew = inodes.allSatisfy { !seen.contains($0) }
          seen.formUnion(inodes)
          return isPackage || isNew
        }.map {
          ($0.row["allocated"].integer ?? -1, $0.row["size"].integer ?? -1, $0.row.id, $0.row)
        }
        .sorted { ($1.0, $1.1, $0.2) < ($0.0, $0.1, $1.2) }
        let rows = try lab.catalog.rows(of: "largest_files", in: place)
        #expect(rows.map { $0["path"] } == expected.map { $0.3["path"] })
        #expect(rows.first?["path"]?.string?.hasSuffix("sparse.img") == false)
        let first = try lab.catalog.rows(of: "largest_files", in: place, limit: 2)
        #expect(first == Array(rows.prefix(2)))
      }
    }
  }

  @Test("broken links are those without a target", .feature("FS-11"))
  func brokenLinks() async throws {
    try await withReportLaboratory { lab, roots in
      let rows = try lab.catalog.rows(of: "broken_links")
      #expect(rows.map { $0["path"]?.path } == [roots[0].appending("broken")])
      #expect(rows.first?["link_target"]?.string == "nowhere")
      #expect(try lab.catalog.rows(of: "broken_links", in: roots[1]).isEmpty)
    }
  }
}
