import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Duplicates")
struct DuplicateTests {
  private func write(_ bytes: [UInt8], to path: FilePath) throws {
    let file = URL(fileURLWithPath: path.string)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  private func names(_ findings: DuplicateGroup.Findings, below top: FilePath) -> [[String]] {
    findings.groups.map { group in
      group.members.map { String($0.path.string.dropFirst(top.string.count + 1)) }.sorted()
    }
  }

  @Test("a file that has changed since it was read is the same as none any more")
  func changedSince() async throws {
    try await withLaboratory([.file("a", bytes: 50_000), .file("b", bytes: 50_000)]) { lab in
      try await lab.scan()
      let request = DuplicateGroup.Request(.content)
      #expect(try await lab.catalog.duplicates(request).groups.count == 1)
      let path = lab.tree.path.appending("b")
      try write([UInt8](repeating: 7, count: 50_000), to: path)
      let changed = try await lab.catalog.duplicates(request)
      #expect(changed.groups.isEmpty && changed.failures.map(\.path) == [path])
      try lab.tree.remove("b")
      let gone = try await lab.catalog.duplicates(request)
      #expect(gone.groups.isEmpty && gone.failures.map(\.path) == [path])
    }
  }

  @Test(
    "by name and size, each file once however many names it has, and groups by what they waste",
    .feature("P-23"))
  func candidates() async throws {
    let pieces: [Piece] = [
      .file("a/same.txt", bytes: 9000), .file("b/same.txt", bytes: 9000),
      .hardLink("c/same.txt", to: "b/same.txt"), .file("d/same.txt", bytes: 9001),
      .file("a/big", bytes: 90_000), .file("b/big", bytes: 90_000), .file("c/big", bytes: 90_000),
      .file("a/other", bytes: 90_000), .file("a/empty"), .file("b/empty"),
      .file("a/linked", bytes: 500), .hardLink("b/linked", to: "a/linked"),
    ]
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let findings = try await lab.catalog.duplicates(DuplicateGroup.Request())
      #expect(findings.filesRead == 0)
      #expect(names(findings, below: lab.tree.path).first == ["a/big", "b/big", "c/big"])
      #expect(findings.groups.map(\.size) == [90_000, 9000])
      #expect(findings.groups.last?.members.count == 2)
      let big = try #require(findings.groups.first?.members.first?.allocated)
      #expect(findings.groups.first?.wasted == 2 * big)
      let rows = try lab.catalog.rows(of: "duplicate_candidates")
      #expect(rows.map { $0["copies"]?.integer } == [3, 3, 3, 2, 2])
      #expect(rows.map { $0["wasted"]?.integer }.first == findings.groups.first?.wasted)
      let large = try await lab.catalog.duplicates(DuplicateGroup.Request(minimumSize: 9001))
      #expect(large.groups.count == 1)
      let inside = try await lab.catalog.duplicates(
        DuplicateGroup.Request(in: lab.tree.path.appending("a")))
      #expect(inside.groups.isEmpty)
    }
  }

  @Test("by content: the same ends are not enough, names do not matter", .feature("P-23"))
  func content() async throws {
    try await withLaboratory { lab in
      let top = lab.tree.path
      // Long enough for a middle that neither the first nor the last block sees.
      let long = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      var middle = long
      middle[50_000] ^= 1
      var head = long
      head[0] ^= 1
      var tail = long
      tail[99_999] ^= 1
      try write(long, to: top.appending("a/long"))
      try write(long, to: top.appending("b/copy"))
      try write(middle, to: top.appending("a/middle"))
      try write(head, to: top.appending("a/head"))
      try write(tail, to: top.appending("a/tail"))
      try write([1, 2, 3], to: top.appending("a/short"))
      try write([1, 2, 3], to: top.appending("b/other"))
      try write([1, 2, 4], to: top.appending("b/short"))
      try lab.tree.make([
        .hardLink("b/link", to: "a/head"), .sparse("a/hole", length: 3_000_000),
        .sparse("b/hole", length: 3_000_000),
      ])
      try write([0xAA], to: top.appending(FilePath(bytes: [0x78, 0xFF]).string))
      try await lab.scan()
      let findings = try await lab.catalog.duplicates(DuplicateGroup.Request(.content))
      #expect(
        Set(names(findings, below: top))
          == [["a/long", "b/copy"], ["a/short", "b/other"], ["a/hole", "b/hole"]])
      #expect(findings.failures.isEmpty)
      #expect(findings.groups.map(\.wasted) == findings.groups.map(\.wasted).sorted(by: >))
      let again = try await lab.catalog.duplicates(DuplicateGroup.Request(.content))
      #expect(again.filesRead == 0, "everything is known")
      #expect(again.groups == findings.groups)
      let inside = try await lab.catalog.duplicates(
        DuplicateGroup.Request(.content, in: top.appending("a")))
      #expect(inside.groups.isEmpty)
    }
  }

  @Test("what was read counts until the file changes")
  func cache() async throws {
    try await withLaboratory([.file("a", bytes: 50_000), .file("b", bytes: 50_000)]) { lab in
      try await lab.scan()
      let first = try await lab.catalog.duplicates(DuplicateGroup.Request(.content))
      #expect(first.groups.count == 1 && first.filesRead > 0)
      try write([UInt8](repeating: 7, count: 50_000), to: lab.tree.path.appending("b"))
      let stale = try await lab.catalog.duplicates(DuplicateGroup.Request(.content))
      #expect(stale.groups.isEmpty && stale.failures.count == 1 && stale.filesRead == 0)
      try await lab.scan()
      let second = try await lab.catalog.duplicates(DuplicateGroup.Request(.content))
      #expect(second.groups.isEmpty && second.filesRead == 1)
      #expect(try lab.catalog.number("SELECT count(*) FROM _content_hashes") == 2)
    }
  }

  @Test("files that are not what the last scan saw are named, not compared")
  func changedFiles() async throws {
    let pieces: [Piece] = ["a", "b", "c", "d"].map { .file(FilePath($0), bytes: 10) }
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      try write([1, 2], to: lab.tree.path.appending("b"))
      try TemporaryDirectory.remove(lab.tree.path.appending("c"))
      let findings = try await lab.catalog.duplicates(DuplicateGroup.Request(.content))
      #expect(names(findings, below: lab.tree.path) == [["a", "d"]])
      #expect(
        findings.failures.map(\.path) == ["b", "c"].map { lab.tree.path.appending($0) })
      #expect(findings.failures.map(\.operation) == ["compare", "read"])
    }
  }

  @Test("hashes are BLAKE2b as b2sum makes them", .enabled(if: CommandRunner.exists("b2sum")))
  func hashes() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    let sizes = [
      1, 2, 127, 128, 129, 255, 256, 257, 4096, 32_768, 32_769, 262_144, 262_273, 600_001,
    ]
    try await withLaboratory { lab in
      for size in sizes {
        let bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        for copy in ["x", "y"] { try write(bytes, to: lab.tree.path.appending("\(copy)\(size)")) }
      }
      try await lab.scan()
      let findings = try await lab.catalog.duplicates(DuplicateGroup.Request(.content))
      #expect(Set(findings.groups.map(\.size)) == Set(sizes.map { Int64($0) }), "seed \(seed)")
      for group in findings.groups {
        let path = try #require(group.members.first?.path.string)
        let outcome = try CommandRunner("b2sum").run(["-l", "256", path])
        let hash = group.hash.map { $0.map { String(format: "%02x", $0) }.joined() }
        #expect(outcome.text.split(separator: " ").first.map(String.init) == hash, "seed \(seed)")
      }
    }
  }
}
