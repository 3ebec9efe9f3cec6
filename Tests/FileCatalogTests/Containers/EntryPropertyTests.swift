import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("What entries say of containers and variants")
struct EntryPropertyTests {
  /// All ways in which the library reads entries.
  private func readings(_ catalog: Catalog) async throws -> [String: [Entry]] {
    let all = try await catalog.entries(matching: Query())
    var single: [Entry] = []
    var children: [Entry] = []
    for entry in all {
      if let found = try await catalog.entry(at: entry.path) { single.append(found) }
      if entry.kind == .directory { children += try await catalog.children(of: entry.path) }
    }
    let snapshot = try await catalog.snapshot(of: TableRequest())
    return [
      "entries": all, "entry": single, "children": children + all.filter { $0.parentID == nil },
      "snapshot": try await snapshot.rows(in: 0..<snapshot.count),
    ]
  }

  private static let names = [
    "icon.png", "icon@2x~ipad.png", "icon-hd-568h@1.5x.png", "v1.2@3x~mac.tar.gz", "user@box.txt",
  ]

  @Test(
    "is what the columns say, however they are read", arguments: ContainerTree.all)
  func columns(_ tree: ContainerTree) async throws {
    let names = Self.names.map { Piece.file(FilePath("other").appending($0)) }
    let more: [Piece] = [.directory("other/dir@2x"), .fifo("other/pipe@2x")]
    try await withLaboratory(tree.pieces(at: "box") + names + more) { lab in
      let box = Container(tree.style, root: lab.tree.path.appending("box"), identifier: "org.box")
      try await lab.scan([box])
      let id = try await lab.catalog.container(named: "org.box").id
      let rows = try FilesView(lab.catalog).byPath
      for (reading, entries) in try await readings(lab.catalog) {
        #expect(entries.count == rows.count, "\(reading)")
        for entry in entries {
          let row = try #require(rows[entry.path.bytes])
          #expect(entry.container == row["container"].string, "\(reading) \(entry.path)")
          #expect(entry.containerID == (entry.container == nil ? nil : id))
          #expect(entry.role?.name == row["role"].string, "\(reading) \(entry.path)")
          #expect(entry.backupPolicy?.rawValue == row["backup_policy"].string)
          #expect(entry.isPurgeable == row["purgeable"].integer.map { $0 != 0 })
          #expect(entry.assetStem == row["asset_stem"].string)
          #expect(entry.assetScale?.description == row["asset_scale"].printed)
          #expect(entry.assetIdiom?.rawValue == row["asset_idiom"].string)
          #expect(entry.assetHeight.map { Int64($0) } == row["asset_height"].integer)
          #expect(entry.isAssetHD == row["asset_hd"].integer.map { $0 != 0 })
        }
      }
    }
  }

  @Test("follows containers that come, change and go without a scan")
  func registration() async throws {
    try await withLaboratory([.file("cache/x"), .file("Library/Caches/y")]) { lab in
      let root = lab.tree.path
      try await lab.scan()
      #expect(try await lab.entry("cache/x").role == nil)
      #expect(try await lab.entry("cache/x").container == nil)
      try await lab.catalog.register([Container(.flatpak, root: root, identifier: "org.x")])
      #expect(try await lab.entry("cache/x").role == .caches)
      #expect(try await lab.entry("cache/x").container == "org.x")
      #expect(try await lab.entry("Library/Caches/y").role == nil)
      #expect(try await lab.entry("Library/Caches/y").container == "org.x")
      try await lab.catalog.register([Container(.appleSandbox, root: root)])
      #expect(try await lab.entry("Library/Caches/y").role == .caches)
      #expect(try await lab.entry("cache/x").isPurgeable == nil)
      try await lab.catalog.unregister(try #require(try await lab.entry("cache").containerID))
      #expect(try await lab.entry("Library/Caches/y").role == nil)
      #expect(try await lab.entry("cache").containerID == nil)
    }
  }

  @Test("tables that were read before a container came or went are out of date")
  func states() async throws {
    try await withLaboratory([.file("cache/x"), .file("data/y")]) { lab in
      try await lab.scan()
      let caches = TableRequest(try Query(parsing: "role:caches"))
      let container = Container(.flatpak, root: lab.tree.path, identifier: "org.x")
      let before = try await lab.catalog.snapshot(of: caches)
      #expect(before.isEmpty)
      try await lab.catalog.register([container])
      #expect(try await !before.isCurrent())
      let registered = try await lab.catalog.snapshot(of: caches)
      #expect(registered.count == 2)
      #expect(before.diff(to: registered).insertions.count == 2)
      try await lab.catalog.register([container])
      #expect(try await registered.isCurrent(), "nothing has changed")
      try await lab.catalog.unregister(try await lab.catalog.container(named: "org.x").id)
      try await expectError(.snapshotTooOld) { _ = try await registered.row(at: 0) }
      #expect(try await lab.catalog.snapshot(of: caches).isEmpty)
    }
  }

  private static let exclude = "user.com.apple.metadata:com_apple_backup_excludeItem"

  @Test(
    "marks on disk are told where scans store extended attributes, and unknown elsewhere",
    .feature("SP-10"))
  func marks() async throws {
    let pieces: [Piece] = [
      .file("Documents/marked"), .file("Documents/plain"), .file("Documents/inside/x"),
      .attribute("Documents/marked", name: Self.exclude, value: "b"),
      .attribute("Documents/plain", name: "user.xdg.robots.backup", value: "true"),
      .attribute("Documents/inside", name: "user.xdg.robots.backup", value: "false"),
    ]
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      #expect(try await lab.entry("Documents/marked").backupMark == nil)
      var request = ScanRequest()
      request.resourceValues = [ExtendedAttributeValues().key]
      _ = try await lab.catalog.scan([lab.tree.path], request: request)
      for entries in try await readings(lab.catalog).values {
        let marked = entries.filter { $0.backupMark == .excluded }.map {
          lab.relative($0.path.bytes)
        }
        #expect(Set(marked) == ["Documents/marked", "Documents/inside"])
        #expect(entries.allSatisfy { $0.backupMark != nil })
      }
      request.resourceValues = []
      _ = try await lab.catalog.scan([lab.tree.path], request: request)
      #expect(try await lab.entry("Documents/inside").backupMark == nil)
    }
  }

  @Test("marks go with what bears them, and not with its name")
  func replacedEntries() async throws {
    let pieces: [Piece] = [
      .file("file"), .file("moving"), .file("d/x"), .directory("gone"),
      .attribute("file", name: Self.exclude, value: "b"),
      .attribute("moving", name: Self.exclude, value: "b"),
      .attribute("d", name: "user.xdg.robots.backup", value: "false"),
      .attribute("gone", name: Self.exclude, value: "b"),
    ]
    try await withLaboratory(pieces) { lab in
      var options = ScanOptions()
      options.resourceValues = [ExtendedAttributeValues().key]
      try await lab.scan(options)
      // Files are kept until others have their names, so that none gets the inode of another.
      for name in ["file", "gone"] {
        try lab.tree.rename(FilePath(name), to: FilePath("old-" + name))
      }
      try lab.tree.make([.file("file"), .file("gone/y")])
      try lab.tree.remove("old-file")
      try lab.tree.remove("old-gone")
      try lab.tree.rename("moving", to: "d/moved")
      try lab.tree.rename("d", to: "e")
      try lab.tree.make(.attribute("e", name: "user.xdg.robots.backup", value: "true"))
      try await lab.scan()
      for name in ["file", "gone", "e"] as [FilePath] {
        #expect(try await lab.entry(name).backupMark == .unmarked, "\(name)")
      }
      #expect(try await lab.entry("e/moved").backupMark == .excluded)
      let values = "SELECT path, key FROM resource_values ORDER BY path"
      try await withTemporaryCatalog { fresh in
        _ = try await fresh.scan([lab.tree.path], request: ScanRequest(options))
        #expect(try lab.catalog.rows(values) == fresh.rows(values))
      }
    }
  }

  @Test("a directory that is tagged as a cache is marked after any scan, and nothing in it is")
  func cacheTags() async throws {
    let signature = Array("Signature: 8a477f597d28d172789f06886806bc55\n".utf8)
    try await withLaboratory([.file("build/x/y"), .file("fake/z")]) { lab in
      try lab.tree.write(signature, to: "build/CACHEDIR.TAG")
      try lab.tree.write(Array("Signature: none".utf8), to: "fake/CACHEDIR.TAG")
      try await lab.scan()
      let marked = try await lab.catalog.entries(matching: Query()).filter { $0.backupMark != nil }
      #expect(marked.map { lab.relative($0.path.bytes) } == ["build"])
      #expect(marked.first?.backupMark == .excluded)
    }
  }
}
