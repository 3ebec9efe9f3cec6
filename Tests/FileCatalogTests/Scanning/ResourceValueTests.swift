import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Further values of entries")
struct ResourceValueTests {
  struct Initials: ResourceValueProvider {
    let key = "initials"

    func values(of entry: ScannedEntry) throws -> [String: ResourceValue] {
      let name = entry.path.lastComponent?.string ?? ""
      if name == "bad" { throw Errno.ioError }
      return [
        "first": .text(String(name.prefix(1))), "length": .integer(Int64(name.utf8.count)),
        "half": .real(Double(name.utf8.count) / 2), "raw": .bytes([0, 1, 255]),
      ]
    }
  }

  @Test("what a provider says is stored with the entry and read with SQL", .feature("FS-16"))
  func providedValues() async throws {
    // More than a batch holds, so that values meet their entries across batches.
    let pieces = (0..<1100).map { Piece.file(FilePath("d\($0 % 7)/f\($0)")) }
    try await withLaboratory(pieces, providers: [Initials()]) { lab in
      var options = ScanOptions()
      options.resourceValues = ["initials"]
      try await lab.scan(options)
      let count = try lab.catalog.number("SELECT count(*) FROM resource_values")
      #expect(count == Int64(4 * 1108))
      let wrong = try lab.catalog.number(
        """
        SELECT count(*) FROM resource_values v JOIN files f ON f.id = v.entry_id
        WHERE (v.key = 'length' AND v.value <> length(f.name))
          OR (v.key = 'half' AND v.value <> length(f.name) / 2.0)
          OR (v.key = 'first' AND v.value <> substr(f.name, 1, 1))
          OR (v.key = 'raw' AND v.value <> x'0001ff') OR v.path <> f.path
        """)
      #expect(wrong == 0)
      let details = try await lab.catalog.details(of: lab.tree.path.appending("d1"))
      #expect(details.values.map(\.key) == ["first", "half", "length", "raw"])
      // The key is kept with the root until it is taken off.
      try await lab.scan()
      #expect(try lab.catalog.number("SELECT count(*) FROM resource_values") == count)
      try await lab.scan(ScanOptions())
      #expect(try lab.catalog.number("SELECT count(*) FROM resource_values") == 0)
    }
  }

  @Test("what a provider throws is recorded, and the scan goes on")
  func failingProvider() async throws {
    try await withLaboratory([.file("x/bad"), .file("x/good")], providers: [Initials()]) { lab in
      var options = ScanOptions()
      options.resourceValues = ["initials"]
      let summary = try await lab.scan(options)
      #expect(summary.state == .partial && summary.errors == 1)
      let failures = try await lab.catalog.failures(ofScan: summary.scanID)
      #expect(failures.map(\.path) == [lab.tree.path.appending("x").appending("bad")])
      #expect(failures.map(\.operation) == ["attributes"])
      #expect(try lab.paths() == ["x", "x/bad", "x/good"])
    }
  }

  struct LongValues: ResourceValueProvider {
    let key = "long"

    func values(of entry: ScannedEntry) throws -> [String: ResourceValue] {
      let count = entry.path.lastComponent == "long" ? 9_000_000 : 8_000_000
      return ["bytes": .bytes([UInt8](repeating: 7, count: count))]
    }
  }

  @Test("a value that no row can hold is recorded, and the scan goes on")
  func longValues() async throws {
    try await withLaboratory([.file("long"), .file("short")], providers: [LongValues()]) { lab in
      var options = ScanOptions()
      options.resourceValues = ["long"]
      let summary = try await lab.scan(options)
      #expect(summary.state == .partial && summary.errors == 1)
      let failures = try await lab.catalog.failures(ofScan: summary.scanID)
      #expect(failures.map(\.path) == [lab.tree.path.appending("long")])
      let details = try await lab.catalog.details(of: lab.tree.path.appending("short"))
      #expect(details.values.count == 1)
    }
  }

  @Test(
    "a root has values like all that is in it, by a first scan, by rescans and until taken off",
    .feature("FS-16", "FS-18"))
  func rootValues() async throws {
    try await withLaboratory([.file("a/b")], providers: [Initials()]) { lab in
      func lengths() throws -> Int64? {
        try lab.catalog.number(
          """
          SELECT count(*) FROM resource_values v JOIN files f ON f.id = v.entry_id
          WHERE f.parent_id IS NULL AND v.key = 'length' AND v.value = length(f.name)
          """)
      }
      try await lab.scan()
      #expect(try lengths() == 0)
      var options = ScanOptions()
      options.resourceValues = ["initials"]
      try await lab.scan(options)
      #expect(try lengths() == 1)
      try await lab.scan()
      #expect(try lengths() == 1)
      try await lab.catalog.forget(lab.tree.path)
      try await lab.scan(options)
      #expect(try lengths() == 1)
      try await lab.scan(ScanOptions())
      #expect(try lab.catalog.number("SELECT count(*) FROM resource_values") == 0)
      try await lab.catalog.forget(lab.tree.path)
      let bad = lab.tree.path.appending("bad")
      try lab.tree.make(.file("bad/x"))
      let summary = try await lab.catalog.scan([bad], request: ScanRequest(options))[0]
      #expect(summary.state == .partial && summary.errors == 1)
      #expect(try await lab.catalog.failures(ofScan: summary.scanID).map(\.path) == [bad])
    }
  }

  @Test("a key that nothing provides is an error that names the known ones")
  func unknownKey() async throws {
    try await withLaboratory([.file("a")]) { lab in
      var options = ScanOptions()
      options.resourceValues = ["xatr"]
      let error = await #expect(throws: CatalogError.self) { try await lab.scan(options) }
      #expect(error?.code == .valuesNotProvided)
      #expect(error?.description.contains("xattr") == true)
    }
  }

  @Test(
    "extended attributes are stored when they are asked for, and gone when they no longer are",
    .feature("FS-16", "P-48"), .enabled(if: supportsAttributes))
  func extendedAttributes() async throws {
    let pieces: [Piece] = [
      .file("a"), .attribute("a", name: "user.xdg.tags", value: "Blue,holiday 2026"),
      .file("b"), .attribute("b", name: "user.xdg.tags", value: "blueberry"),
      .attribute("b", name: "user.empty", value: ""), .symlink("link", to: "a"), .fifo("pipe"),
    ]
    try await withLaboratory(pieces) { lab in
      var options = ScanOptions()
      options.resourceValues = ["xattr"]
      let summary = try await lab.scan(options)
      #expect(summary.errors == 0)
      let details = try await lab.catalog.details(of: lab.tree.path.appending("a"))
      let tags = details.values.first { $0.key == "xattr:user.xdg.tags" }?.value
      #expect(tags?.text == "Blue,holiday 2026")
      let other = try await lab.catalog.details(of: lab.tree.path.appending("b"))
      #expect(other.values.contains { $0.key == "xattr:user.empty" && $0.value.text == "" })
      #expect(try await lab.catalog.details(of: lab.tree.path.appending("link")).values.isEmpty)
      let tagged = try await lab.catalog.entries(matching: Query(parsing: "tag:blue"))
      #expect(tagged.map(\.name) == ["a"])
      // As long as nobody says otherwise.
      try lab.tree.make([
        .file("c"), .attribute("c", name: "user.later", value: "x"),
        .attribute("b", name: "user.empty", value: "full"),
      ])
      try await lab.scan()
      let later = ValueKey.extendedAttribute("user.later")
      let empty = ValueKey.extendedAttribute("user.empty")
      let c = try await lab.catalog.entry(at: lab.tree("c"), values: [later, empty])
      #expect(c?.values == [later: .text("x")])
      let b = try await lab.catalog.entry(at: lab.tree("b"), values: [later, empty])
      #expect(b?.values == [empty: .text("full")])
      let exact = try await lab.catalog.entries(
        matching: Query(.tag("blue"), caseSensitivity: .sensitive))
      #expect(exact.isEmpty)
      try await lab.scan(ScanOptions())
      #expect(try await lab.catalog.count(of: Query(parsing: "tag:blue")) == 0)
      let without = try await lab.catalog.entry(at: lab.tree("b"), values: [empty])
      #expect(without?.values == [:])
      #expect(try lab.catalog.number("SELECT count(*) FROM resource_values") == 0)
    }
  }

  #if os(Linux)
    @Test(
      "extended attributes are stored however long the path is",
      .enabled(if: supportsAttributes))
    func attributesOfLongPaths() async throws {
      try await withLaboratory { lab in
        let name = FilePath(String(repeating: "n", count: 200))
        let half = (0..<15).reduce(into: FilePath()) { path, _ in path.append(name.components) }
        // Two halves that are made by path, and put together.
        for (top, tag) in [("a", "short"), ("b", "long")] as [(FilePath, String)] {
          let file = top.pushing(half).appending("file")
          try lab.tree.make(.file(file))
          try lab.tree.make(.attribute(file, name: "user.xdg.tags", value: tag))
        }
        try lab.tree.rename("b", to: FilePath("a").pushing(half).appending("b"))
        var options = ScanOptions()
        options.resourceValues = ["xattr"]
        let summary = try await lab.scan(options)
        #expect(summary.errors == 0 && summary.entries == 35)
        for (tag, length) in [("short", 3000), ("long", 6000)] {
          let tagged = try await lab.catalog.entries(matching: Query(.tag(tag)))
          #expect(tagged.map(\.name) == ["file"])
          #expect(tagged.first.map { $0.path.length > length } == true)
        }
      }
    }
  #endif

  @Test(
    "tags are the words between commas, in any case of any script",
    .enabled(if: supportsAttributes),
    arguments: [
      ("über", ["a"]), ("ÜBER", ["a"]), ("x", ["a"]), ("two words", ["b"]), ("x,two words", []),
      ("y,", []), ("two", []),
    ])
  func tags(_ tag: String, _ names: [String]) async throws {
    let pieces: [Piece] = [
      .file("a"), .attribute("a", name: "user.xdg.tags", value: " Über , x,y"),
      .file("b"), .attribute("b", name: "user.xdg.tags", value: "y ,X1,Two words"),
    ]
    try await withLaboratory(pieces) { lab in
      var options = ScanOptions()
      options.resourceValues = ["xattr"]
      try await lab.scan(options)
      #expect(
        try await lab.catalog.entries(matching: Query(.tag(tag))).map(\.name) == names)
    }
  }

  static var supportsAttributes: Bool {
    let file = NSTemporaryDirectory() + "/filecat-attribute-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: file) }
    guard FileManager.default.createFile(atPath: file, contents: nil) else { return false }
    let tree = TemporaryDirectory(at: FilePath(NSTemporaryDirectory()))
    let name = FilePath(file).lastComponent.map { FilePath(root: nil, [$0]) } ?? ""
    return (try? tree.make(.attribute(name, name: "user.test", value: "x"))) != nil
  }
}
