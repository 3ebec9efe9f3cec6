import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Names that collide")
struct NameCollisionTests {
  private func rows(_ lab: Laboratory, in directory: FilePath? = nil) throws -> [[String]] {
    var rows: [[String]] = []
    let request = ReportRequest(try Report(named: "name_collisions"), in: directory)
    try lab.catalog.forEachRow(of: request) { values in
      rows.append([
        lab.relative(Array((values[0].string ?? "").utf8)) ?? "?", "\(values[2].integer ?? 0)",
        values[3].string ?? "",
      ])
    }
    return rows
  }

  @Test(
    "are those of one directory that differ only in case, in composition, or in both",
    .feature("LX-15"))
  func vectors() async throws {
    let pieces: [Piece] = [
      .file("README"), .file("readme"), .file("Readme"), .file("other"),
      // é as one scalar, and as two.
      .file("d/caf\u{e9}"), .file("d/cafe\u{301}"), .file("d/CAF\u{c9}"),
      .file("e/\u{e9}"), .file("e/e\u{301}"), .file("f/\u{c9}"), .file("g/\u{e9}"),
      .directory("h/SRC"), .file("h/src"), .file("ss"), .file("\u{df}"),
    ]
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let found = try rows(lab)
      #expect(
        Set(found) == [
          ["README", "3", "case"], ["readme", "3", "case"], ["Readme", "3", "case"],
          ["d/caf\u{e9}", "3", "case and composition"],
          ["d/cafe\u{301}", "3", "case and composition"],
          ["d/CAF\u{c9}", "3", "case and composition"],
          ["e/\u{e9}", "2", "composition"], ["e/e\u{301}", "2", "composition"],
          ["h/SRC", "2", "case"], ["h/src", "2", "case"],
        ])
      #expect(try rows(lab, in: lab.tree.path.appending("h")).count == 2)
      #expect(try rows(lab, in: lab.tree.path) == found)
      // What collides stands together.
      let places = found.indices.filter { found[$0][0].lowercased() == "readme" }
      #expect(places == Array((places.first ?? 0)..<(places.first ?? 0) + 3))
    }
  }

  @Test("names of any bytes are as a comparison of each with each says", arguments: 0..<6)
  func anyBytes(_ round: Int) async throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed: seed)
    let letters: [[UInt8]] = [
      [0x61], [0x41], [0xc3, 0xa9], [0x65, 0xcc, 0x81], [0xc3, 0x89], [0xff], [0xc3], [0x62],
      [0xe2, 0x84, 0xaa], [0x6b],
    ]
    try await withTree { tree in
      var names: Set<[UInt8]> = []
      for _ in 0..<60 {
        names.insert(
          (0..<Int.random(in: 1...3, using: &random)).flatMap { _ in
            letters.randomElement(using: &random) ?? []
          })
      }
      for name in names {
        let path = tree.path.pushing(FilePath(bytes: name))
        try FileDescriptor.open(path, .writeOnly, options: .create, permissions: .ownerReadWrite)
          .close()
      }
      try await withTemporaryCatalog { catalog in
        let lab = Laboratory(tree: tree, catalog: catalog)
        try await lab.scan()
        var found: Set<[UInt8]> = []
        try catalog.forEachRow(of: ReportRequest(try Report(named: "name_collisions"))) { values in
          if case .text(let name) = values[1] { found.insert(name) }
        }
        let matcher = CaseSensitivity.insensitive
        let expected = names.filter { name in
          names.contains { $0 != name && matcher.comparable($0) == matcher.comparable(name) }
        }
        #expect(found == expected, "seed \(seed)")
      }
    }
  }

  @Test(
    "a query finds a name however it is composed", .feature("P-30"),
    arguments: ["caf\u{e9}", "cafe\u{301}"])
  func queries(_ name: String) async throws {
    try await withLaboratory([.file("d/caf\u{e9}.txt"), .file("e/cafe\u{301}.txt")]) { lab in
      try await lab.scan()
      for query in [
        "\(name)", "name:\(name).txt", "name:*\(name)*", "path:*/\(name).*",
        "CAF\(name.dropFirst(3))",
      ] {
        #expect(try await lab.catalog.count(of: Query(parsing: query)) == 2, "\(query)")
      }
      let table = try await lab.catalog.entries(matching: Query(parsing: name))
      #expect(table.count == 2)
    }
  }
}
