import FileCatalog
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Fleet

@Suite("Importing from a lake")
struct ImportTests {
  /// A lake, and a place for the catalogs that are made of it.
  private struct Shore {
    let lake: Lake
    let directory: TemporaryDirectory

    func catalog(_ name: String = "imported") throws -> Catalog {
      try Catalog(at: directory(FilePath(name + ".sqlite")))
    }
  }

  private func withShore(_ body: (Shore) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      try await body(Shore(lake: Lake(directory("lake")), directory: directory))
    }
  }

  @discardableResult
  private func publish(
    _ catalog: Catalog, to shore: Shore, by host: String = "here",
    _ extent: Catalog.Publication.Extent = .asNeeded
  ) async throws -> CommitRecord {
    var publication = Catalog.Publication(by: host)
    publication.extent = extent
    switch try await catalog.publish(publication, to: shore.lake) {
    case .published(let record), .upToDate(let record): return record
    }
  }

  /// All that is published of entries and follows from it: the view `files` but for numbers that every catalog
  /// gives anew.
  private static let files = """
    root, directory, name, path, kind, type, extension, size, allocated, created_ns, modified_ns, changed_ns,
    accessed_ns, mode, uid, gid, owner, group_name, inode, device, links, flags, is_hidden, is_package,
    link_target, depth, container, role, backup_policy, purgeable, asset_stem, asset_scale, asset_idiom,
    asset_height, asset_hd, total_size, total_allocated, total_files, type_description, is_broken, name_bytes,
    path_bytes
    """
  private static let questions = [
    "SELECT \(files) FROM files",
    """
    SELECT path, depth, files, directories, size, allocated, total_files, total_directories, total_size,
      total_allocated, newest_modified, state, error, path_bytes FROM directories
    """,
    "SELECT * FROM usage_by_kind", "SELECT * FROM usage_by_type",
    "SELECT * FROM usage_by_extension",
    "SELECT * FROM usage_by_owner", "SELECT * FROM usage_by_role",
    "SELECT path, excludes, one_file_system, shallow, include_packages, container, gitignore, skip_fs, "
      + "last_scan_at, last_scan_state, entries, total_size, total_allocated FROM roots",
    "SELECT f.path, f.path_bytes, r.allocated FROM _repeated_links r JOIN files f ON f.id = r.entry_id",
    "SELECT f.path, x.exact_target FROM _symlinks x JOIN files f ON f.id = x.id",
  ]

  private func answers(_ question: String, _ catalog: Catalog) throws -> [String] {
    try catalog.rows(question).map { row in
      row.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: "\n")
    }.sorted()
  }

  /// Expects that a catalog holds what others do together.
  private func expectEqual(
    _ imported: Catalog, _ originals: [Catalog], _ place: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await expectSound(imported, sourceLocation: sourceLocation)
    for question in originals.count == 1 ? Self.questions : Array(Self.questions.prefix(2)) {
      let expected = try originals.flatMap { try answers(question, $0) }.sorted()
      let found = try answers(question, imported)
      let missing = Set(expected).subtracting(found).sorted()
      let excess = Set(found).subtracting(expected).sorted()
      #expect(
        found == expected,
        "\(place) \(question.prefix(40)): lacks \(missing.prefix(1)), has \(excess.prefix(1))",
        sourceLocation: sourceLocation)
    }
  }

  private static let awkward: [Piece] = [
    .file("a.txt", bytes: 5), .file("d/b.png", bytes: 7), .file("d/icon@2x~phone.png"),
    .file("d/e/c"), .hardLink("d/e/c2", to: "a.txt"), .file("Notes.rtfd/text", bytes: 9000),
    .hardLink("Notes.rtfd/linked", to: "a.txt"),
    .hardLink("Notes.rtfd/other", to: "Notes.rtfd/text"),
    .symlink("link", to: "a.txt"), .symlink("broken", to: "nowhere"), .fifo("pipe"),
    .file("new\nline \"quoted\" it's"), .file(".hidden"), .directory("empty"),
    .file("archive.tar.gz", bytes: 100), .file("what.odd-extension"),
    .times("d/b.png", accessed: -5, modified: -7_000_000_001),
  ]

  // MARK: - What comes of it

  @Test("a catalog is rebuilt with every value, and is sound")
  func everything() async throws {
    try await withLaboratory(Self.awkward) { lab in
      let odd = FilePath(bytes: lab.tree.path.bytes + [47, 0x6e, 0xff])
      try CommandRunner("mkdir").run([lab.tree("plain").string])
      #expect(mkdir(odd) == 0)
      #expect(symlink(FilePath(bytes: [0xfe, 0x41]), odd.pushing("s")) == 0)
      try await lab.scan()
      try await withShore { shore in
        try await publish(lab.catalog, to: shore)
        let imported = try shore.catalog()
        let result = try await imported.importRoots(from: shore.lake)
        #expect(result.map(\.record.host) == ["here"] && result.first?.last == 1)
        #expect(result.first?.roots.map(\.root) == [lab.tree.path])
        try await expectEqual(imported, [lab.catalog])
        #expect(try imported.texts("SELECT state FROM roots") == ["offline"])
        try imported.close()
      }
    }
  }

  private func mkdir(_ path: FilePath) -> Int32 {
    path.withPlatformString { Foundation.mkdir($0, 0o755) }
  }
  private func symlink(_ target: FilePath, _ path: FilePath) -> Int32 {
    target.withPlatformString { target in path.withPlatformString { Foundation.symlink(target, $0) }
    }
  }

  @Test(
    "a catalog is rebuilt after any edits, from a full publication and what follows",
    arguments: [UInt64.random(in: 0 ... .max), .random(in: 0 ... .max), .random(in: 0 ... .max)])
  func randomEdits(seed: UInt64) async throws {
    try await withLaboratory { lab in
      try await withShore { shore in
        var random = SeededRandom(seed: seed)
        var editor = TreeEditor(lab.tree, random: SeededRandom(seed: random.next()), isWide: false)
        for _ in 0..<100 { editor.edit() }
        for number in 0..<300 {
          try lab.tree.make(.file(FilePath("many/\(number)"), bytes: number))
        }
        _ = try await lab.catalog.scan([lab.tree.path])
        for round in 0..<7 {
          try await publish(lab.catalog, to: shore)
          let imported = try shore.catalog("round\(round)")
          _ = try await imported.importRoots(from: shore.lake)
          try await expectEqual(imported, [lab.catalog], "round \(round), seed \(seed)")
          try imported.close()
          if round == 4 {
            // So many that one more is little, whatever was removed.
            for number in 0..<100 {
              try lab.tree.make(.file(FilePath("again/\(number)"), bytes: number))
            }
          } else if round == 5 {
            try await publish(lab.catalog, to: shore, .full)
            try lab.tree.make(.file("one more", bytes: 3))
          } else {
            for _ in 0..<[1, 3, 10, 40][random.below(4)] { editor.edit() }
          }
          try await lab.scan(loss: .accepted)
        }
        let last = try FleetStatus(of: shore.lake).members.first?.last
        #expect(last?.kind == .delta, "seed \(seed)")
      }
    }
  }

  @Test("a link whose target goes is broken in what is published of it, though it has not changed")
  func brokenLink() async throws {
    let pieces: [Piece] =
      [.file("target"), .symlink("d/link", to: "../target")]
      + (0..<50).map { .file(FilePath("many/\($0)"), bytes: $0) }
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      try await withShore { shore in
        try await publish(lab.catalog, to: shore)
        try lab.tree.remove("target")
        #expect(try await lab.scan().modified == 0)
        #expect(try lab.catalog.texts("SELECT name FROM files WHERE is_broken") == ["link"])
        try await publish(lab.catalog, to: shore)
        #expect(try FleetStatus(of: shore.lake).members.first?.last.kind == .delta)
        let imported = try shore.catalog()
        _ = try await imported.importRoots(from: shore.lake)
        try await expectEqual(imported, [lab.catalog])
        try imported.close()
      }
    }
  }

  @Test("containers, roles, settings and several roots come along")
  func containers() async throws {
    let pieces: [Piece] = [
      .file("home/Library/Caches/x", bytes: 3), .file("home/Documents/y.txt", bytes: 4),
      .file("home/tmp/z"), .file("home/skipped/file.o"),
    ]
    try await withLaboratory(pieces) { lab in
      var options = ScanOptions()
      options.excludes = ["*.o"]
      try await lab.catalog.register([Container(.appleSandbox, root: lab.tree("home"))])
      try await lab.scan(options)
      try await withTree([.file("other", bytes: 9), .file("p/q")]) { other in
        _ = try await lab.catalog.scan([other.path])
        try await withShore { shore in
          try await publish(lab.catalog, to: shore)
          let imported = try shore.catalog()
          let result = try await imported.importRoots(from: shore.lake)
          #expect(result.first?.roots.count == 2)
          try await expectEqual(imported, [lab.catalog])
          #expect(try imported.number("SELECT count(*) FROM files WHERE role = 'caches'") ?? 0 > 0)
          try imported.close()
        }
      }
    }
  }

  @Test("a later scan finds what has changed since, and nothing else")
  func rescan() async throws {
    try await withLaboratory(Self.awkward) { lab in
      try await lab.scan()
      try await withShore { shore in
        try await publish(lab.catalog, to: shore)
        let imported = try shore.catalog()
        _ = try await imported.importRoots(from: shore.lake)
        let same = try #require(try await imported.scan([lab.tree.path]).first)
        #expect(same.added == 0 && same.removed == 0 && same.moved == 0 && !same.isFirst)
        #expect(same.modified == 0)
        try lab.tree.make(.file("later", bytes: 3))
        try lab.tree.remove("d/b.png")
        let next = try #require(try await imported.scan([lab.tree.path]).first)
        #expect(next.added == 1 && next.removed == 1)
        #expect(try imported.texts("SELECT state FROM roots") == ["online"])
        _ = try await lab.catalog.scan([lab.tree.path])
        try await expectSound(imported)
        #expect(
          try answers("SELECT path, size, type FROM files", imported)
            == answers("SELECT path, size, type FROM files", lab.catalog))
        try imported.close()
      }
    }
  }

  // MARK: - Several machines

  @Test("several machines go into one catalog, at once or one after the other")
  func severalMachines() async throws {
    try await withLaboratory(Self.awkward) { lab in
      try await withLaboratory([.file("x/y", bytes: 3), .hardLink("z", to: "x/y")]) { other in
        try await lab.scan()
        try await other.scan()
        try await withShore { shore in
          try await publish(lab.catalog, to: shore, by: "anna")
          try await publish(other.catalog, to: shore, by: "berta")
          let both = try shore.catalog("both")
          _ = try await both.importRoots(of: ["anna", "berta"], from: shore.lake)
          // The file system has the same name for both, and is another one.
          let devices = "SELECT count(*) FROM _volumes"
          #expect(try both.number(devices) == 2)
          try await expectEqual(both, [lab.catalog, other.catalog])
          let later = try shore.catalog("later")
          _ = try await later.importRoots(of: ["berta"], from: shore.lake)
          _ = try await later.importRoots(of: ["anna"], from: shore.lake)
          try await expectEqual(later, [lab.catalog, other.catalog])
          try both.close()
          try later.close()
        }
      }
    }
  }

  @Test(
    "a root that lies where one is already is refused, and finds a place below another directory")
  func overlaps() async throws {
    try await withLaboratory(Self.awkward) { lab in
      try await lab.scan()
      try await withShore { shore in
        try await publish(lab.catalog, to: shore)
        try await expectError(.overlappingRoots) {
          _ = try await lab.catalog.importRoots(from: shore.lake)
        }
        try await expectSound(lab.catalog)
        _ = try await lab.catalog.importRoots(from: shore.lake, below: "/hosts/here")
        try await expectSound(lab.catalog)
        let count = "SELECT count(*) FROM files WHERE path LIKE '/hosts/here/%'"
        #expect(
          try lab.catalog.number(count) == lab.catalog.number("SELECT count(*) / 2 FROM files"))
        let roots = try lab.catalog.texts("SELECT path FROM roots ORDER BY path")
        #expect(roots.contains("/hosts/here" + lab.tree.path.string) && roots.count == 2)
        try await expectError(.overlappingRoots) {
          _ = try await lab.catalog.importRoots(from: shore.lake, below: "/hosts/here")
        }
      }
    }
  }

  // MARK: - What goes wrong

  private func expectFleetError(
    _ code: FleetError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
  ) async {
    do {
      try await body()
      Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as FleetError {
      #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
      #expect(!error.description.contains("\n"), sourceLocation: sourceLocation)
    } catch {
      Issue.record("another error: \(error)", sourceLocation: sourceLocation)
    }
  }

  @Test("machines are told apart by their names, and those of one name by their catalogs")
  func names() async throws {
    try await withLaboratory([.file("a")]) { lab in
      try await withLaboratory([.file("b")]) { other in
        try await lab.scan()
        try await other.scan()
        try await withShore { shore in
          try await publish(lab.catalog, to: shore)
          let second = try await publish(other.catalog, to: shore)
          let imported = try shore.catalog()
          await expectFleetError(.unknownHost) {
            _ = try await imported.importRoots(of: ["there"], from: shore.lake)
          }
          await expectFleetError(.ambiguousHost) {
            _ = try await imported.importRoots(of: ["here"], from: shore.lake)
          }
          await expectFleetError(.ambiguousHost) {
            _ = try await imported.importRoots(from: shore.lake)
          }
          #expect(try shore.directory.names().contains { $0.contains("sqlite") } == false)
          _ = try await imported.importRoots(of: ["\(second.catalog)"], from: shore.lake)
          try await expectEqual(imported, [other.catalog])
          try imported.close()
        }
      }
    }
  }

  @Test("behind a gap nothing is known, and what is before it is imported")
  func gap() async throws {
    try await withLaboratory((0..<30).map { .file(FilePath("\($0)"), bytes: $0) }) { lab in
      try await lab.scan()
      try await withShore { shore in
        let first = try await publish(lab.catalog, to: shore)
        let before = try shore.catalog("before")
        _ = try await before.importRoots(from: shore.lake)
        for round in 0..<3 {
          try lab.tree.make(.file(FilePath("more\(round)")))
          try await lab.scan()
          try await publish(lab.catalog, to: shore)
        }
        let record = shore.lake(Lake.place(ofCommit: 2, first.catalog))
        #expect(try CommandRunner("rm").run([record]).status == 0)
        let imported = try shore.catalog()
        let result = try #require(try await imported.importRoots(from: shore.lake).first)
        #expect(result.record.publication == 1 && result.last == 4)
        try await expectEqual(imported, [before])
        try imported.close()
        try before.close()
      }
    }
  }

  @Test(
    "files that are not what was written are refused, and nothing is left behind",
    arguments: [FleetTable.entries, .directories], 0..<4)
  func damage(table: FleetTable, fault: Int) async throws {
    try await withLaboratory(Self.awkward) { lab in
      try await lab.scan()
      try await withShore { shore in
        let record = try await publish(lab.catalog, to: shore)
        let place = shore.lake(Lake.place(of: table, record.catalog, 1))
        let arguments = [
          ["truncate", "-s", "100", place], ["rm", place], ["truncate", "-s", "0", place],
          ["sh", "-c", "printf x | dd of='\(place)' bs=1 seek=60 conv=notrunc 2>/dev/null"],
        ][fault]
        #expect(try CommandRunner(arguments[0]).run(Array(arguments.dropFirst())).status == 0)
        let imported = try shore.catalog()
        await expectFleetError(fault == 1 ? .cannotRead : .damaged) {
          _ = try await imported.importRoots(from: shore.lake)
        }
        #expect(try shore.directory.names().filter { $0 != "lake" } == [])
        // A catalog that is there stays as it was.
        let state = try answers(Self.questions[0], lab.catalog)
        await expectFleetError(fault == 1 ? .cannotRead : .damaged) {
          _ = try await lab.catalog.importRoots(from: shore.lake, below: "/x")
        }
        #expect(try answers(Self.questions[0], lab.catalog) == state)
        try await expectSound(lab.catalog)
      }
    }
  }

  @Test("an import that is cancelled leaves nothing behind")
  func cancelled() async throws {
    try await withLaboratory(Self.awkward + (0..<3000).map { .file(FilePath("many/\($0)")) }) {
      lab in
      try await lab.scan()
      try await withShore { shore in
        try await publish(lab.catalog, to: shore)
        let imported = try shore.catalog()
        let importing = Task { try await imported.importRoots(from: shore.lake) }
        importing.cancel()
        await #expect(throws: (any Error).self) { _ = try await importing.value }
        #expect(try shore.directory.names().filter { $0 != "lake" } == [])
      }
    }
  }
}
