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

@Suite("Columns of scanned entries")
struct ColumnTests {
  @Test(
    "every column agrees with fstatat, entry by entry",
    .feature("FS-15", "FS-21", "FS-22", "FS-23", "LX-06", "LX-16", "P-09"))
  func everyColumnAgrees() async throws {
    let pieces: [Piece] = [
      .file("plain.txt", bytes: 5), .file("empty"), .file("large.bin", bytes: 100_000),
      .sparse("sparse.img", length: 10_000_000), .file("run.sh", bytes: 3),
      .mode("run.sh", 0o4755), .file("sticky/a", bytes: 1), .mode("sticky", 0o1777),
      .file(".hidden/.secret", bytes: 9), .symlink("link", to: "plain.txt"),
      .symlink("long", to: FilePath(String(repeating: "far/", count: 200))),
      .fifo("pipe"), .socket("socket"), .file("name", bytes: 7),
      .hardLink("other/name", to: "name"),
      .file("old", bytes: 1), .times("old", accessed: 1_234_567_890, modified: -1),
      .file("older", bytes: 1),
      .times("older", accessed: 0, modified: -1_500_000_000_000_000_000),
      .file("future", bytes: 1), .times("future", accessed: 5, modified: 7_000_000_000_999_999_999),
    ]
    try await withLaboratory(pieces) { lab in
      if getuid() == 0 {
        try lab.tree.make(.file("foreign", bytes: 2))
        try lab.tree.make(.owner("foreign", uid: 54_321, gid: 65_432))
        try lab.tree.make(.owner("link", uid: 1, gid: 1))
      }
      _ = try IndependentWalk.entries(of: lab.tree.path)
      let walk = try IndependentWalk.entries(of: lab.tree.path)
      let summary = try await lab.scan()
      let after = try IndependentWalk.entries(of: lab.tree.path)
      let view = try FilesView(lab.catalog)
      expectSameEntries(view, as: walk, after: after)
      try await expectTotals(of: lab, as: walk)
      #expect(summary.entries == walk.count)
      #expect(summary.state == .complete)
      for row in view.rows {
        #expect(row["root"].path == lab.tree.path)
        #expect(row["first_seen_scan"].integer == summary.scanID.rawValue)
        #expect(row["last_changed_scan"].integer == summary.scanID.rawValue)
      }
    }
  }

  @Test("an entry's properties say the same as its row", .feature("FS-26"))
  func entriesAgreeWithRows() async throws {
    let pieces: [Piece] = [
      .file("docs/a.txt", bytes: 5), .symlink("link", to: "docs/a.txt"), .fifo("pipe"),
    ]
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let entries = try await lab.catalog.entries(matching: Query())
      let rows = try FilesView(lab.catalog).byPath
      #expect(entries.count == rows.count)
      for entry in entries {
        let row = try #require(rows[entry.path.bytes])
        #expect(row["id"].integer == entry.id.rawValue)
        #expect(row["parent_id"].integer == entry.parentID?.rawValue)
        #expect(row["kind"].string == entry.kind.name)
        #expect(row["type"].string == entry.type)
        #expect(row["size"].integer == entry.size)
        #expect(row["allocated"].integer == entry.allocated)
        #expect(row["created_ns"].integer == entry.created)
        #expect(row["modified_ns"].integer == entry.modified)
        #expect(row["changed_ns"].integer == entry.changed)
        #expect(row["accessed_ns"].integer == entry.accessed)
        #expect(row["mode"].integer == entry.mode.map { Int64($0) })
        #expect(row["inode"].integer == entry.inode.map { Int64(bitPattern: $0) })
        #expect(row["links"].integer == entry.links.map { Int64($0) })
        #expect(row["depth"].integer == Int64(entry.depth))
        #expect(row["extension"].string == entry.pathExtension)
        #expect(row["link_target"] == entry.linkTarget.map { .shown($0.bytes) } ?? .null)
        let found = try await lab.catalog.entry(at: entry.path)
        #expect(found == entry)
      }
      let file = try await lab.entry("docs/a.txt")
      #expect(file.isRegularFile && !file.isDirectory && !file.isSymbolicLink)
      let pipe = try await lab.entry("pipe")
      #expect(!pipe.isRegularFile && !pipe.isDirectory && !pipe.isSymbolicLink)
    }
  }

  @Test("devices are rows that nobody opened", .feature("FS-22"), .enabled(if: getuid() == 0))
  func devicesAreRows() async throws {
    try await withLaboratory { lab in
      let null = lab.tree.path.appending("null").string
      try #require(mknod(null, S_IFCHR | 0o666, dev_t(0x103)) == 0)
      let block = lab.tree.path.appending("block").string
      try #require(mknod(block, S_IFBLK | 0o600, dev_t(0x7f0)) == 0)
      try await lab.scan()
      #expect(try await lab.entry("null").kind == .characterDevice)
      #expect(try await lab.entry("block").kind == .blockDevice)
    }
  }

  @Test(
    "the birth of a file lies between the moments before and after it was made",
    .feature("FS-23", "LX-09"))
  func birthIsKnown() async throws {
    try await withLaboratory([.file("a")]) { lab in
      let directory = try IndependentWalk.entries(of: lab.tree.path)
      try await lab.scan()
      let entry = try await lab.entry("a")
      // File systems without times of birth have none.
      if let created = entry.created {
        let changed = directory[entry.path.bytes].map { WalkedEntry.nanoseconds($0.status.st_ctim) }
        #expect(created <= changed ?? .max)
        #expect(created > (changed ?? 0) - 60_000_000_000)
      }
    }
  }
}
