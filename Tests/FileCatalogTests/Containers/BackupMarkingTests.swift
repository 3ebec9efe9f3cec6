import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

/// SP-10, SP-04: what says “do not back up” is set and cleared.
@Suite("Marks against backups that are set")
struct BackupMarkingTests {
  private static let tag = "Signature: 8a477f597d28d172789f06886806bc55\n"

  private func marks(in lab: Laboratory) throws -> [String] {
    try lab.catalog.rows("SELECT path, mark FROM backup_marks ORDER BY path, mark").map {
      "\(lab.relative(Array(($0["path"]?.string ?? "").utf8)) ?? "") \($0["mark"]?.string ?? "")"
    }
  }

  @Test(
    "are what backup programs know, and the catalog knows them at once", .feature("SP-10", "LX-10"),
    .enabled(if: ResourceValueTests.supportsAttributes))
  func marked() async throws {
    try await withLaboratory([.file("d/a"), .file("d/b"), .symlink("link", to: "d")]) { lab in
      try await lab.scan()
      for path in ["d/a", "d"] as [FilePath] {
        let told = try await lab.catalog.setBackupMark(
          .excluded, of: lab.tree(path), rehearsal: .dryRun)
        #expect(told.marks == ["user.xdg.robots.backup"])
        #expect(try ExtendedAttributes.all(of: lab.tree(path)).isEmpty)
        let done = try await lab.catalog.setBackupMark(.excluded, of: lab.tree(path))
        #expect(done.marks == told.marks && done.coveredBy == nil && done.path == lab.tree(path))
        #expect(try await lab.catalog.setBackupMark(.excluded, of: lab.tree(path)).marks.isEmpty)
        let value = try ExtendedAttributes.all(of: lab.tree(path))["user.xdg.robots.backup"]
        #expect(value == Array("false".utf8))
      }
      #expect(try marks(in: lab) == ["d user.xdg.robots.backup", "d/a user.xdg.robots.backup"])
      try await expectSound(lab.catalog)
      // What lies in a marked directory is still left out.
      let inside = try await lab.catalog.setBackupMark(.unmarked, of: lab.tree("d/a"))
      #expect(inside.marks == ["user.xdg.robots.backup"] && inside.coveredBy == lab.tree("d"))
      try await lab.catalog.setBackupMark(.unmarked, of: lab.tree("d"))
      #expect(try marks(in: lab).isEmpty)
      #expect(try ExtendedAttributes.all(of: lab.tree("d")).isEmpty)
      await #expect(throws: FileError.self) {
        try await lab.catalog.setBackupMark(.excluded, of: lab.tree("link"))
      }
      await #expect(throws: FileError.self) {
        try await lab.catalog.setBackupMark(.excluded, of: lab.tree("nothing"))
      }
    }
  }

  @Test(
    "of other programs are all taken away, and nothing else is", .feature("SP-10"),
    .enabled(if: ResourceValueTests.supportsAttributes))
  func unmarked() async throws {
    try await withLaboratory([.directory("cache"), .directory("other"), .file("f")]) { lab in
      try lab.tree.write(Self.tag, to: "cache/CACHEDIR.TAG")
      try lab.tree.write("my own\n", to: "other/CACHEDIR.TAG")
      try lab.tree.make([
        .attribute("f", name: "user.com.apple.MobileBackup", value: "\u{1}"),
        .attribute("f", name: "user.xdg.robots.backup", value: "0"),
        .attribute("f", name: "user.project", value: "x"),
      ])
      var options = ScanOptions()
      options.resourceValues = [ExtendedAttributeValues().key]
      try await lab.scan(options)
      #expect(
        try marks(in: lab) == [
          "cache CACHEDIR.TAG", "f user.com.apple.MobileBackup", "f user.xdg.robots.backup",
        ])
      let file = try await lab.catalog.setBackupMark(.unmarked, of: lab.tree("f"))
      #expect(file.marks == ["user.com.apple.MobileBackup", "user.xdg.robots.backup"])
      #expect(try ExtendedAttributes.all(of: lab.tree("f")).keys.sorted() == ["user.project"])
      let cache = try await lab.catalog.setBackupMark(.unmarked, of: lab.tree("cache"))
      #expect(cache.marks == ["CACHEDIR.TAG"] && !lab.tree.holds("cache/CACHEDIR.TAG"))
      #expect(try await lab.catalog.setBackupMark(.unmarked, of: lab.tree("other")).marks.isEmpty)
      #expect(try lab.tree.text(of: "other/CACHEDIR.TAG") == "my own\n")
      #expect(try marks(in: lab).isEmpty)
      try await expectSound(lab.catalog)
      #expect(try await lab.scan().modified == 0)
    }
  }
}
