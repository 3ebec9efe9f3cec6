import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

/// SP-10, SP-04: what says “do not back up” is set and cleared.
@Suite("Marks against backups that are set", .feature("SP-10", "SP-04"))
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

  @Test(
    "of a role, of a container, and of a role in all containers",
    .enabled(if: ResourceValueTests.supportsAttributes))
  func selections() async throws {
    let offline: FilePath = "Library/Application Support/Offline Data"
    let pieces = ["one", "two"].flatMap { box -> [Piece] in
      let root = FilePath(box)
      return [
        .file(root.pushing("Documents/d")), .file(root.pushing(offline).appending("o")),
        .file(root.pushing("Library/Caches/c")), .file(root.pushing("Library/Caches/deep/x")),
      ]
    }
    try await withLaboratory(pieces) { lab in
      var request = ScanRequest()
      request.resourceValues = [ExtendedAttributeValues().key]
      request.containers = ["one", "two"].map { Container(.appleSandbox, root: lab.tree($0)) }
      _ = try await lab.catalog.scan([lab.tree.path], request: request)
      let one = try await lab.catalog.container(named: lab.tree("one")).id
      func set(_ mark: BackupMark, _ selection: ContainerSelection) async throws -> [String] {
        let told = try await lab.catalog.setBackupMark(mark, of: selection, rehearsal: .dryRun)
        let results = try await lab.catalog.setBackupMark(mark, of: selection)
        #expect(told.map(\.path) == results.map(\.path))
        try await expectSound(lab.catalog)
        return try zip(told, results).map { told, result in
          let marking = try result.outcome.get()
          #expect(try told.outcome.get().marks == marking.marks)
          return (lab.relative(result.path.bytes) ?? "") + (marking.marks.isEmpty ? " already" : "")
        }
      }
      let all = ContainerSelection(roles: [.offlineData])
      #expect(try await set(.excluded, all) == ["one/\(offline)", "two/\(offline)"])
      #expect(
        try await set(.excluded, all) == ["one/\(offline) already", "two/\(offline) already"])
      // Now the disk says what the role promises.
      #expect(try await lab.catalog.backupContradictions().isEmpty)
      let caches = ContainerSelection(containers: [one], roles: [.caches])
      #expect(try await set(.excluded, caches) == ["one/Library/Caches"])
      try await lab.catalog.setBackupMark(.excluded, of: lab.tree("one/Library/Caches/deep/x"))
      #expect(try await set(.excluded, ContainerSelection(containers: [one])) == ["one"])
      #expect(
        try marks(in: lab).map { $0.split(separator: " user")[0] } == [
          "one", "one/\(offline)", "one/Library/Caches", "one/Library/Caches/deep/x",
          "two/\(offline)",
        ])
      #expect(
        try await set(.unmarked, caches) == ["one/Library/Caches", "one/Library/Caches/deep/x"])
      #expect(
        try await set(.unmarked, ContainerSelection(containers: [one])) == [
          "one", "one/\(offline)",
        ])
      #expect(try marks(in: lab).count == 1)
      try lab.tree.remove("two/Library/Application Support/Offline Data")
      let gone = try await lab.catalog.setBackupMark(.excluded, of: all)
      #expect(gone.map { (try? $0.outcome.get()) != nil } == [true, false])
      let none = ContainerSelection(roles: [.resources])
      #expect(try await lab.catalog.setBackupMark(.excluded, of: none).isEmpty)
    }
  }

  @Test(
    "are a file where there are no extended attributes, and are not known of files",
    .enabled(if: MountedFileSystem.isPermitted))
  func withoutAttributes() async throws {
    try await withLaboratory([.directory("disk")]) { lab in
      let disk = lab.tree("disk")
      let mounted = try CommandRunner("mount").run(["-t", "ramfs", "none", disk.string])
      try #require(mounted.status == 0, "\(mounted.errors)")
      defer { _ = try? CommandRunner("umount").run(["-l", disk.string]) }
      try lab.tree.make([.file("disk/d/a"), .file("disk/b")])
      var options = ScanOptions()
      options.resourceValues = [ExtendedAttributeValues().key]
      try await lab.scan(options)
      let marking = try await lab.catalog.setBackupMark(.excluded, of: disk.appending("d"))
      #expect(marking.marks == ["CACHEDIR.TAG"])
      #expect(try marks(in: lab) == ["disk/d CACHEDIR.TAG"])
      await #expect(throws: FileError.self) {
        try await lab.catalog.setBackupMark(.excluded, of: disk.appending("b"))
      }
      try await lab.catalog.setBackupMark(.unmarked, of: disk.appending("d"))
      #expect(try marks(in: lab).isEmpty)
      #expect(!lab.tree.holds("disk/d/CACHEDIR.TAG"))
    }
  }
}
