import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Scans that do not come to their end")
struct InterruptionTests {
  @Test(
    "a full disk is an error, and the catalog is as it was before",
    .enabled(if: MountedFileSystem.isPermitted))
  func fullDisk() async throws {
    try await withTree([.file("small/a", bytes: 10), .directory("disk")]) { tree in
      let disk = tree.path.appending("disk")
      try await withMountedFileSystem(at: disk, kilobytes: 1500) {
        let catalog = try Catalog(at: disk.appending("catalog.sqlite"))
        let small = tree.path.appending("small")
        _ = try await catalog.scan([small])
        let before = try FilesView(catalog).rows.map(\.values)
        let name = String(repeating: "n", count: 200)
        let large = tree.path.appending("large")
        try tree.make((0..<3000).map { .file(FilePath("large/\(name)\($0)")) })
        for _ in 0..<2 {
          try await expectError(.diskFull) { _ = try await catalog.scan([large]) }
          #expect(try FilesView(catalog).rows.map(\.values) == before)
          #expect(try await catalog.roots().map(\.path) == [small])
          try await expectSound(catalog)
        }
        // With less to write it works again.
        _ = try await catalog.scan([small])
        #expect(try await catalog.entry(at: small.appending("a"))?.size == 10)
        try? catalog.close()
      }
    }
  }

  @Test(
    "a scan that is killed leaves the whole old content",
    .enabled(if: CommandRunner.filecat != nil))
  func killedScan() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    let command = try #require(CommandRunner.filecat)
    let pieces = (0..<1000).map { Piece.file(FilePath("d\($0 % 40)/f\($0)"), bytes: 1) }
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let old = try FilesView(lab.catalog).byPath.keys
      try lab.tree.rename("d0", to: "renamed")
      let new = try IndependentWalk.entries(of: lab.tree.path).keys
      var finished = 0
      for _ in 0..<10 {
        let scan = try command.start([
          "--catalog", lab.catalog.path.string, "scan", "--no-progress", lab.tree.path.string,
        ])
        usleep(UInt32(random.below(250_000)))
        scan.crash()
        // Opened anew, as the next command would.
        let catalog = try Catalog(at: lab.catalog.path)
        try await expectSound(catalog)
        let paths = Set(try FilesView(catalog).byPath.keys)
        #expect(paths == Set(old) || paths == Set(new), "seed \(seed)")
        if paths == Set(new) { finished += 1 }
        try catalog.close()
      }
      #expect(try await lab.scan().entries == 1041, "\(finished) scans had ended, seed \(seed)")
    }
  }

  @Test("readers see the whole old content while a scan goes on")
  func readersDuringScan() async throws {
    let pieces = (0..<1500).map { Piece.file(FilePath("d\($0 % 40)/f\($0)")) }
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      try lab.tree.make((0..<100).map { .file(FilePath("new/f\($0)")) })
      let catalog = lab.catalog
      let root = lab.tree.path
      let scan = Task { try await catalog.scan([root]) }
      var counts: Set<Int> = []
      for _ in 0..<50 { counts.insert(try await catalog.count(of: Query())) }
      _ = try await scan.value
      counts.insert(try await catalog.count(of: Query()))
      #expect(counts.isSubset(of: [1541, 1642]) && counts.contains(1642))
      try await expectSound(catalog)
    }
  }
}
