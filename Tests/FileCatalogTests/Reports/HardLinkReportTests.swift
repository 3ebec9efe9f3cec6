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

@Suite("Reports on hard links")
struct HardLinkReportTests {
  /// What a deletion frees: every block but those of files with names elsewhere.
  private func freed(
    _ directory: FilePath, in walk: [[UInt8]: WalkedEntry]
  ) -> (freed: Int64, kept: Int64) {
    let prefix = directory.bytes + [UInt8(ascii: "/")]
    let inside = walk.values.filter { $0.path == directory.bytes || $0.path.starts(with: prefix) }
    var result: (freed: Int64, kept: Int64) = (0, 0)
    let names = Dictionary(grouping: inside) {
      $0.isDirectory ? $0.path : [UInt8]("\($0.status.st_ino)".utf8)
    }
    for group in names.values {
      guard let file = group.first else { continue }
      if file.isDirectory || group.count == Int(file.status.st_nlink) {
        result.freed += file.allocated
      } else {
        result.kept += file.allocated
      }
    }
    return result
  }

  @Test("deleting a directory frees what has no other name, in random trees", .feature("P-07"))
  func deletions() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    let directories = ["a", "b", "a/d1", "a/d1/d2", "a/d1/d3", "b/e", "outside"]
    var pieces = directories.map { Piece.directory(FilePath($0)) }
    var files: [FilePath] = []
    for i in 0..<100 {
      let path = FilePath(directories[random.below(directories.count)]).appending("f\(i)")
      if !files.isEmpty, random.below(2) == 0 {
        pieces.append(.hardLink(path, to: files[random.below(files.count)]))
      } else {
        pieces.append(.file(path, bytes: 1 + random.below(20_000)))
      }
      files.append(path)
    }
    try await withReportLaboratory(pieces) { lab, roots in
      let walk = try IndependentWalk.entries(of: lab.tree.path)
      for directory in directories where directory != "outside" {
        let path = lab.tree.path.pushing(FilePath(directory))
        let expected = freed(path, in: walk)
        let deletion = try await lab.catalog.freedSpace(deleting: path)
        #expect(deletion.freed == expected.freed, "\(directory), seed \(seed)")
        #expect(deletion.kept == expected.kept, "\(directory), seed \(seed)")
        #expect(deletion.unknown == 0)
      }
      try expectFreeingDirectories(lab, walk, seed)
    }
  }

  /// Each file's directory is the lowest that holds all of its names; none when some are elsewhere.
  private func expectFreeingDirectories(
    _ lab: Laboratory, _ walk: [[UInt8]: WalkedEntry], _ seed: UInt64
  ) throws {
    let slash = UInt8(ascii: "/")
    let linked = Dictionary(
      grouping: walk.values.filter { !$0.isDirectory && $0.status.st_nlink > 1 }
    ) { Int64($0.status.st_ino) }
    let roots = ["a", "b"].map { lab.tree.path.appending($0).bytes }
    for row in try lab.catalog.rows(of: "hard_links") {
      let names = try #require(linked[row["inode"]?.integer ?? -1])
      let known = names.filter { name in roots.contains { name.path.starts(with: $0 + [slash]) } }
      #expect(row["links"] == .integer(Int64(names.count)))
      #expect(row["names"] == .integer(Int64(known.count)))
      #expect(row["outside"] == .integer(Int64(names.count - known.count)))
      let isHere = known.count == names.count
      #expect(row["freed"] == (isHere ? row["allocated"] : .integer(0)))
      let above = walk.values.filter { directory in
        directory.isDirectory && roots.contains { directory.path.starts(with: $0) }
          && names.allSatisfy { $0.path.starts(with: directory.path + [slash]) }
      }.max { $0.depth < $1.depth }
      let expected = isHere ? above.map { ColumnValue.text($0.path) } ?? .null : .null
      #expect(row["freed_with"] == expected, "seed \(seed)")
    }
  }

  @Test("names stand together, those in packages at the package")
  func names() async throws {
    try await withReportLaboratory { lab, roots in
      let rows = try lab.catalog.rows(of: "hard_link_names")
      let lib = try FilesView(lab.catalog).byPath[roots[1].appending("lib").bytes]?["inode"]
      let names = rows.filter { $0["inode"] == lib }
      #expect(
        Set(names.compactMap { $0["path"]?.path })
          == [roots[0].appending("App.app"), roots[1].appending("lib")])
      let known = try lab.catalog.rows(of: "hard_links").first { $0["inode"] == lib }
      #expect(known?["names"] == .integer(2) && known?["outside"] == .integer(0))
      // No single directory of the catalog holds both roots.
      #expect(known?["freed_with"] == .null)
    }
  }
}
