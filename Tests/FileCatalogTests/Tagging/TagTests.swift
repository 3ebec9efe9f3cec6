import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Tags that are set")
struct TagTests {
  private static let attributed: ScanOptions = {
    var options = ScanOptions()
    options.resourceValues = [ExtendedAttributeValues().key]
    return options
  }()

  // MARK: - On files

  @Test(
    "a file keeps a tag itself, and queries find it at once", .feature("LX-10", "P-49"),
    .enabled(if: ResourceValueTests.supportsAttributes),
    arguments: [ScanOptions(), attributed])
  func onFiles(_ options: ScanOptions) async throws {
    try await withLaboratory([.file("d/a"), .file("d/b")]) { lab in
      try await lab.scan(options)
      let file = lab.tree.path.pushing("d/a")
      let tagging = try await lab.catalog.addTag(Tag(" draft "), to: file)
      #expect(tagging.hasChanged && tagging.refusal == nil)
      #expect(tagging.tags.map(\.name) == ["draft"])
      #expect(try lab.attribute("d/a") == "draft")
      #expect(try await lab.found("tag:DRAFT") == ["d/a"])
      #expect(try await lab.found("xattr:user.xdg.tags=draft") == ["d/a"])
      #expect(try await lab.catalog.tags(of: file).map(\.name) == ["draft"])
      try await expectSound(lab.catalog)

      try await lab.scan()
      #expect(try await lab.found("tag:draft") == ["d/a"])
      #expect(try await lab.catalog.removeTag(Tag("draft"), from: file).hasChanged)
      #expect(try lab.attribute("d/a") == nil)
      #expect(try await lab.found("tag:draft") == [])
      #expect(try await lab.catalog.taggedEntries().isEmpty)
      #expect(try await !lab.catalog.removeTag(Tag("draft"), from: file).hasChanged)
    }
  }

  @Test(
    "the tags that a file has are kept in their order, and none is there twice",
    .enabled(if: ResourceValueTests.supportsAttributes))
  func order() async throws {
    let pieces: [Piece] = [.file("a"), .attribute("a", name: "user.xdg.tags", value: "z, é ,b,z,")]
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      #expect(try await lab.found("tag:z") == [])
      let file = lab.tree.path.appending("a")
      let known = try await lab.catalog.addTag(Tag("b"), to: file)
      #expect(!known.hasChanged && known.tags.map(\.name) == ["z", "é", "b"])
      // Nothing was written, but the catalog knows now.
      #expect(try lab.attribute("a") == "z, é ,b,z,")
      #expect(try await lab.found("tag:z") == ["a"])
      let composed = try await lab.catalog.addTag(Tag("e\u{301}"), to: file)
      #expect(!composed.hasChanged)
      try await lab.catalog.addTag(Tag("two words"), to: file)
      #expect(try lab.attribute("a") == "z,é,b,two words")
      try await lab.catalog.removeTag(Tag("é"), from: file)
      #expect(try lab.attribute("a") == "z,b,two words")
      #expect(
        try await lab.catalog.taggedEntries().map { $0.tags.map(\.name) } == [
          ["z", "b", "two words"]
        ])
    }
  }

  @Test(
    "where a scan asks for no values, a root and a moved file keep what they have",
    .enabled(if: ResourceValueTests.supportsAttributes))
  func withoutValues() async throws {
    try await withLaboratory([.file("a"), .file("b")]) { lab in
      try await lab.scan()
      try await lab.catalog.addTag(Tag("top"), to: lab.tree.path)
      try await lab.catalog.addTag(Tag("moved"), to: lab.tree.path.appending("a"))
      try await lab.catalog.addTag(Tag("changed"), to: lab.tree.path.appending("b"))
      try lab.tree.rename("a", to: "d/c")
      try lab.tree.make(.file("b", bytes: 5))
      try await lab.scan()
      #expect(try await lab.found("tag:top") == [""])
      #expect(try await lab.found("tag:moved") == ["d/c"])
      #expect(try await lab.found("tag:changed") == ["b"])
    }
  }

  @Test(
    "where scans ask for attributes, tags that another program takes off are gone",
    .enabled(if: ResourceValueTests.supportsAttributes))
  func ofOthers() async throws {
    try await withLaboratory([.file("a")]) { lab in
      try await lab.scan(Self.attributed)
      let file = lab.tree.path.appending("a")
      try await lab.catalog.addTag(Tag("x"), to: file)
      try ExtendedAttributes.set(Array("y".utf8), "user.xdg.tags", of: file)
      try await lab.scan()
      #expect(try await lab.found("tag:x") == [])
      #expect(try await lab.found("tag:y") == ["a"])
    }
  }

  @Test(
    "what is not in the catalog is tagged, and the catalog knows after a scan",
    .enabled(if: ResourceValueTests.supportsAttributes))
  func unknownFile() async throws {
    try await withLaboratory([.file("a")]) { lab in
      try await lab.scan(Self.attributed)
      try lab.tree.make(.file("new"))
      let tagging = try await lab.catalog.addTag(Tag("x"), to: lab.tree.path.appending("new"))
      #expect(tagging.hasChanged && tagging.refusal == nil)
      #expect(try await lab.found("tag:x") == [])
      try await lab.scan()
      #expect(try await lab.found("tag:x") == ["new"])
    }
  }

  @Test(
    "a file with several names is found by all of them",
    .enabled(if: ResourceValueTests.supportsAttributes))
  func hardLinks() async throws {
    try await withLaboratory([.file("a"), .hardLink("d/b", to: "a"), .file("c")]) { lab in
      try await lab.scan()
      try await lab.catalog.addTag(Tag("x"), to: lab.tree.path.appending("a"))
      #expect(try await lab.found("tag:x") == ["a", "d/b"])
      try await expectSound(lab.catalog)
      try await lab.catalog.removeTag(Tag("x"), from: lab.tree.path.pushing("d/b"))
      #expect(try await lab.found("tag:x") == [])
    }
  }

  // MARK: - In the catalog alone

  /// Symbolic links keep no tags themselves, on any file system.
  private static let links: [Piece] = [
    "same", "d/changed", "d/moved", "gone", "p", "q", "from", "to",
  ]
  .map { .symlink($0, to: "target") }

  @Test(
    "tags that the catalog alone has follow their entries through rescans", .feature("P-49"),
    arguments: [ScanOptions(), attributed])
  func inCatalog(_ options: ScanOptions) async throws {
    try await withLaboratory(Self.links + [.file("target")]) { lab in
      try await lab.scan(options)
      for name in ["same", "d/changed", "d/moved", "gone", "p", "q", "from", "to"] {
        let link = lab.tree.path.pushing(FilePath(name))
        let tagging = try await lab.catalog.addTag(Tag("of " + name), to: link)
        #expect(tagging.hasChanged && tagging.refusal == .symbolicLink)
        #expect(try await lab.found("tag:\"of \(name)\"") == [name])
      }
      #expect(try await lab.catalog.tags(of: lab.tree.path.appending("target")).isEmpty)
      try await expectSound(lab.catalog)

      try lab.tree.make(.times("d/changed", accessed: 1_000_000_000, modified: 2_000_000_000))
      try lab.tree.rename("d/moved", to: "e/moved")
      try lab.tree.remove("gone")
      // Two that change places, and one that takes the place of another.
      try lab.tree.rename("p", to: "between")
      try lab.tree.rename("q", to: "p")
      try lab.tree.rename("between", to: "q")
      try lab.tree.rename("from", to: "to")
      let expected = [
        "d/changed": "of d/changed", "e/moved": "of d/moved", "p": "of q", "q": "of p",
        "same": "of same", "to": "of from",
      ]
      // As before, with attributes, without them after there were some.
      for settings in [nil, Self.attributed, ScanOptions()] {
        try await lab.scan(settings)
        let tagged = try await lab.catalog.taggedEntries()
        let tags = Dictionary(
          tagged.map { (lab.relative($0.entry.path.bytes) ?? "", $0.tags.map(\.name).joined()) }
        ) { $0 + $1 }
        #expect(tags == expected)
      }
      #expect(
        try await lab.catalog.removeTag(Tag("of same"), from: lab.tree.path.appending("same"))
          .hasChanged)
      #expect(try await lab.found("tag:\"of same\"") == [])
    }
  }

  @Test("a link that is not in the catalog cannot be tagged, nor what is not there")
  func unknownLinks() async throws {
    try await withLaboratory([.file("target")]) { lab in
      try await lab.scan()
      try lab.tree.make(.symlink("new", to: "target"))
      try await expectError(.notInCatalog) {
        try await lab.catalog.addTag(Tag("x"), to: lab.tree.path.appending("new"))
      }
      #expect(try await lab.catalog.taggedEntries().isEmpty)
      let missing = lab.tree.path.appending("missing")
      let error = await #expect(throws: FileError.self) {
        try await lab.catalog.addTag(Tag("x"), to: missing)
      }
      #expect(error?.path == missing && error?.errno == .noSuchFileOrDirectory)
      await #expect(throws: FileError.self) { try await lab.catalog.tags(of: missing) }
    }
  }

  // MARK: - States

  @Test("a tag makes another state of the catalog, and one that is there already does not")
  func states() async throws {
    try await withLaboratory([.symlink("a", to: "x")]) { lab in
      try await lab.scan()
      let link = lab.tree.path.appending("a")
      let request = TableRequest(Query(.tag("x")))
      let before = try await lab.catalog.snapshot(of: request)
      #expect(before.isEmpty)
      try await lab.catalog.addTag(Tag("x"), to: link)
      #expect(try await !before.isCurrent())
      let after = try await lab.catalog.snapshot(of: request)
      #expect(after.count == 1)
      try await lab.catalog.addTag(Tag("x"), to: link)
      try await lab.catalog.removeTag(Tag("y"), from: link)
      #expect(try await after.isCurrent())
      try await lab.catalog.removeTag(Tag("x"), from: link)
      #expect(try await !after.isCurrent())
    }
  }

  @Test("a word that is empty or has a comma is no tag", arguments: ["", "  ", "a,b", ",", "a\0b"])
  func noTag(_ word: String) {
    let error = #expect(throws: CatalogError.self) { try Tag(word) }
    #expect(error?.code == .invalidArgument)
  }

  private struct Usurper: ResourceValueProvider {
    let key = "usurper"
    func values(of entry: ScannedEntry) throws -> [String: ResourceValue] { ["tags": .text("x")] }
  }

  @Test("no provider writes over the tags of the catalog")
  func reserved() async throws {
    try await withLaboratory([.symlink("a", to: "x")], providers: [Usurper()]) { lab in
      try await lab.scan()
      try await lab.catalog.addTag(Tag("mine"), to: lab.tree.path.appending("a"))
      var options = ScanOptions()
      options.resourceValues = ["usurper"]
      let summary = try await lab.scan(options)
      #expect(summary.state == .partial)
      #expect(try await lab.found("tag:mine") == ["a"])
      #expect(try await lab.found("tag:x") == [])
    }
  }
}

extension Laboratory {
  /// The paths that a query finds, below the tree.
  fileprivate func found(_ text: String) async throws -> [String] {
    try await catalog.entries(matching: Query(parsing: text)).map {
      relative($0.path.bytes) ?? ""
    }
  }

  /// The tags as the file has them.
  fileprivate func attribute(_ name: FilePath) throws -> String? {
    try ExtendedAttributes.value("user.xdg.tags", of: tree.path.pushing(name)).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
