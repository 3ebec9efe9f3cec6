import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import Testing

@Suite("Roles and variants after rescans")
struct RescanRoleTests {
  private static let start: [Piece] = [
    .file("Documents/a/icon@2x.png", bytes: 1), .file("Documents/a/deep/er/x", bytes: 2),
    .file("Library/Caches/y", bytes: 3), .file("tmp/z~ipad.txt", bytes: 4),
    .file("Other/plain.png", bytes: 5), .file("Other/sub/Bag.rtfd/TXT.rtf", bytes: 6),
  ]

  @Test("a directory that moves takes all that is in it to its new role")
  func movesBetweenRoles() async throws {
    try await withLaboratory(Self.start) { lab in
      try await lab.scan([Container(.appleSandbox, root: lab.tree.path)])
      try lab.tree.rename("Documents/a", to: "Library/Caches/a")
      try lab.tree.rename("Other/sub", to: "tmp/sub")
      try lab.tree.make([.file("Documents/new/dir/file@3x.png"), .directory("Library/Preferences")])
      let summary = try await lab.scan()
      #expect(summary.moved == 2)
      let roles = try lab.column("role")
      #expect(roles["Library/Caches/a"] == .some("caches"))
      #expect(roles["Library/Caches/a/deep/er/x"] == .some("caches"))
      #expect(roles["tmp/sub/Bag.rtfd"] == .some("tmp"))
      #expect(roles["Documents/new/dir/file@3x.png"] == .some("documents"))
      #expect(roles["Library/Preferences"] == .some("preferences"))
      #expect(try lab.column("asset_scale")["Documents/new/dir/file@3x.png"] == .some("3"))
    }
  }

  @Test("a file that is renamed is another variant")
  func renamedVariant() async throws {
    try await withLaboratory(Self.start) { lab in
      try await lab.scan()
      let id = try await lab.entry("Documents/a/icon@2x.png").id
      try lab.tree.rename("Documents/a/icon@2x.png", to: "Documents/a/badge@3x~ipad.png")
      try lab.tree.rename("tmp/z~ipad.txt", to: "tmp/z.txt")
      try lab.tree.rename("Other/plain.png", to: "Other/plain-hd.png")
      try await lab.scan()
      #expect(try await lab.entry("Documents/a/badge@3x~ipad.png").id == id)
      #expect(try lab.column("asset_idiom")["Documents/a/badge@3x~ipad.png"] == .some("ipad"))
      #expect(try lab.column("asset_stem")["Documents/a/badge@3x~ipad.png"] == .some("badge"))
      #expect(try lab.column("asset_idiom")["tmp/z.txt"] == .some(nil))
      #expect(try lab.column("asset_hd")["Other/plain-hd.png"] == .some("1"))
      let found = try await lab.catalog.assets(named: "badge", on: AssetLookup.Device(idiom: .pad))
      #expect(found.map(\.id) == [id])
      #expect(try await lab.catalog.assets(named: "icon", on: AssetLookup.Device()).isEmpty)
      try lab.tree.remove("Documents")
      try await lab.scan()
      #expect(
        try await lab.catalog.assets(named: "badge", on: AssetLookup.Device(idiom: .pad)).isEmpty)
      try await lab.catalog.forget(lab.tree.path)
      #expect(try lab.catalog.number("SELECT count(*) FROM _assets") == 0)
    }
  }

  @Test("after any edits a rescan knows the same as a first scan")
  func randomEdits() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    try await withLaboratory(Self.start) { lab in
      let container = Container(.appleSandbox, root: lab.tree.path)
      try await lab.scan([container])
      for round in 0..<12 {
        for _ in 0..<4 { try edit(lab.tree, &random) }
        try await lab.scan(loss: .accepted)
        try await withTemporaryCatalog { fresh in
          var request = ScanRequest()
          request.containers = [container]
          _ = try await fresh.scan([lab.tree.path], request: request)
          let columns = """
            SELECT path, container, role, backup_policy, purgeable, asset_stem, asset_scale,
              asset_idiom, asset_height, asset_hd FROM files ORDER BY path
            """
          let known = try lab.catalog.rows(columns)
          let expected = try fresh.rows(columns)
          #expect(known == expected, "round \(round), seed \(seed)")
          let keys = """
            SELECT d.path || '/' || e.name, e.asset_key FROM _entries e
            JOIN _directory_paths d ON d.id = e.parent_id ORDER BY 1
            """
          #expect(try lab.catalog.rows(keys) == fresh.rows(keys), "round \(round), seed \(seed)")
        }
        let usage = "SELECT role, entries, files, size FROM usage_by_role ORDER BY 1"
        let counted = """
          SELECT f.role, count(*) AS entries, sum(CASE f.kind WHEN 'directory' THEN 0 WHEN 'package'
            THEN (SELECT p.files FROM _packages p WHERE p.id = f.id) ELSE 1 END) AS files,
            sum(CASE f.kind WHEN 'directory' THEN 0 ELSE f.size END) AS size
          FROM files f GROUP BY 1 ORDER BY 1
          """
        let told = try lab.catalog.rows(usage)
        let expected = try lab.catalog.rows(counted)
        #expect(told == expected, "round \(round), seed \(seed)")
        let problems = try await lab.catalog.check()
        #expect(problems.isEmpty, "round \(round), seed \(seed): \(problems)")
        if Int.random(in: 0..<3, using: &random) == 0 {
          // Everything gets another place, and its own again.
          let id = try await lab.catalog.container(named: container.root).id
          try await lab.catalog.unregister(id)
          #expect(try await lab.catalog.check().isEmpty, "round \(round), seed \(seed)")
          try await lab.catalog.register([container])
          #expect(try await lab.catalog.check().isEmpty, "round \(round), seed \(seed)")
        }
        let unplaced = "SELECT count(*) FROM _directory_paths WHERE place_id IS NULL"
        #expect(try lab.catalog.number(unplaced) == 0)
        let orphans = "SELECT count(*) FROM _assets WHERE id NOT IN (SELECT id FROM _entries)"
        #expect(try lab.catalog.number(orphans) == 0)
      }
    }
  }

  private func edit(_ tree: TemporaryDirectory, _ random: inout SeededRandom) throws {
    let directories: [FilePath] = [
      "Documents", "Documents/a", "Library", "Library/Caches", "Library/Caches/b", "tmp", "Other",
      "Library/Application Support/Offline Data", "Other/Bag.rtfd",
    ]
    let names = ["icon.png", "icon@2x.png", "icon~ipad.png", "plain", "x.tar.gz", "Sub", "Sub@2x"]
    func place(_ random: inout SeededRandom) -> FilePath {
      let directory = directories.randomElement(using: &random) ?? "tmp"
      return Bool.random(using: &random)
        ? directory : directory.appending(names.randomElement(using: &random) ?? "x")
    }
    // What cannot be done, such as moving a directory into itself, is simply not done.
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try? tree.make(.file(place(&random), bytes: 1))
    case 1: try? tree.make(.directory(place(&random)))
    case 2: try? tree.rename(place(&random), to: place(&random))
    default: try? tree.remove(place(&random))
    }
  }
}
