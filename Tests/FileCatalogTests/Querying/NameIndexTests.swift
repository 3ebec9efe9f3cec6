import FileSystem
import SQLite
import SystemPackage
import TestSupport
import TestTraits
import Testing
import TextMatching

@testable import FileCatalog

/// What names are looked for in is another way to the same answers.
@Suite("The names of a catalog")
struct NameIndexTests {
  private static func name(_ number: Int, _ random: inout SeededRandom) -> [UInt8] {
    switch random.below(10) {
    case 0: CrookedNames.random(using: &random) + Array("\(number)".utf8)
    case 1: Array("Übergröße-\(number).TXT".utf8)
    default:
      Array("\(["index", "README", "img", "Main"][random.below(4)])-\(number % 97).\(number)".utf8)
    }
  }

  /// The names of the entries, by their ids.
  private static func names(in catalog: Catalog) throws -> [Int64: [UInt8]] {
    let db = try Connection(path: catalog.path, .readOnly)
    var names: [Int64: [UInt8]] = [:]
    try db.forEach("SELECT id, name FROM _entries") { names[$0.id(0)] = Array($0.bytes(1)) }
    return names
  }

  private static func number(_ sql: String, in catalog: Catalog) throws -> Int64 {
    try #require(try Connection(path: catalog.path, .readOnly).integer(sql))
  }

  /// Compares what queries find with what their patterns match.
  private func compare(
    _ catalog: Catalog, _ random: inout SeededRandom, _ comment: String
  ) async throws {
    let names = try Self.names(in: catalog)
    let ids = names.keys.sorted()
    for _ in 0..<40 {
      let model = names[ids[random.below(ids.count)]] ?? []
      let start = random.below(model.count)
      let piece = Array(model[start..<min(model.count, start + 1 + random.below(8))])
      let text = EscapedText.text(of: piece, escaping: ["*", "?", "[", "{", "\\"])
      let pattern: TextPattern =
        switch random.below(6) {
        case 0: .exact(bytes: model)
        case 1: .glob("*\(text)*")
        case 2: .glob("{\(text)*,*readme*}")
        case 3: .regex("(img|main)-\(random.below(97))[.].*\(random.below(10))$")
        default: TextPattern(.substring, piece)
        }
      guard !pattern.bytes.contains(UInt8(ascii: "/")) || pattern.form == .regex else { continue }
      let sensitivity: CaseSensitivity = random.below(3) == 0 ? .sensitive : .insensitive
      guard let matcher = try? TextMatcher(pattern, caseSensitivity: sensitivity) else { continue }
      let expected = Set(
        names.filter { _, name in name.withUnsafeBytes { matcher.matches($0) } }.map(\.key))
      let comment = "\(pattern), \(sensitivity), \(comment)"
      let query = Query(.name(pattern), caseSensitivity: sensitivity)
      #expect(try await catalog.count(of: query) == expected.count, "\(comment)")
      let found = try await catalog.entries(matching: query).map(\.id.rawValue)
      #expect(Set(found) == expected && found.count == expected.count, "\(comment)")
      // Beside other conditions, above and below others, and turned around.
      let files = Query(.name(pattern) && .kind(.file), caseSensitivity: sensitivity)
      let either = Query(
        .name(pattern) || .name(.substring("img-7.")), caseSensitivity: sensitivity)
      let others = Query(!Filter.name(pattern), caseSensitivity: sensitivity)
      #expect(
        try await catalog.count(of: others) == names.count - expected.count, "not, \(comment)")
      let isEither = try TextMatcher(.substring("img-7."), caseSensitivity: sensitivity)
      let eitherCount = names.count { id, name in
        expected.contains(id) || name.withUnsafeBytes { isEither.matches($0) }
      }
      #expect(try await catalog.count(of: either) == eitherCount, "either, \(comment)")
      let snapshot = try await catalog.snapshot(of: TableRequest(files))
      #expect(
        try await catalog.entries(matching: files).count == snapshot.count, "\(comment)")
      let root = try #require(try await catalog.roots().first?.path)
      #expect(
        try await catalog.entries(matching: query, in: .subtree(of: root)).count == expected.count,
        "below, \(comment)")
    }
  }

  @Test("are found as by looking at each, after every rescan", .feature("P-26"))
  func rescans() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    try await withLaboratory { lab in
      var files: [FilePath] = []
      func add(_ count: Int) throws {
        for number in 0..<count {
          let name = Self.name(number, &random)
          let file = FilePath("d\(random.below(4))").appending(
            FilePath.Component(platformString: name.map(CChar.init(bitPattern:)) + [0])!)
          guard !lab.tree.holds(file) else { continue }
          try lab.tree.write("", to: file)
          files.append(file)
        }
      }
      try add(2500)
      for round in 0..<4 {
        try await lab.scan(loss: .accepted)
        #expect(try Self.number("SELECT count(*) FROM _name_gaps", in: lab.catalog) == 0)
        let blocks = "SELECT count(DISTINCT id >> 10) FROM _entries"
        let trigrams = "SELECT count(*) FROM _name_trigrams"
        #expect(
          try Self.number(blocks, in: lab.catalog) == Self.number(trigrams, in: lab.catalog))
        try await compare(lab.catalog, &random, "round \(round), seed \(seed)")
        files.shuffle(using: &random)
        for file in files.prefix(60) { try lab.tree.remove(file) }
        for (number, file) in files[60..<120].enumerated() {
          try lab.tree.rename(file, to: FilePath("renamed \(round)-\(number).Jpg"))
        }
        if round == 2 { try lab.tree.remove("d3") }
        files = files.dropFirst(120).filter { lab.tree.holds($0) }
        try add(round * 700)
      }
    }
  }

  @Test("are searched in rows where a block is missing, noted or no block")
  func blocks() async throws {
    let damages = [
      "DELETE FROM _name_trigrams WHERE id = 2", "DELETE FROM _name_blocks WHERE id = 2",
      "UPDATE _name_blocks SET names = zeroblob(9)", "UPDATE _name_blocks SET names = ''",
      "UPDATE _name_blocks SET names = substr(names, 1, 1000)",
      "UPDATE _name_blocks SET names = substr(names, 1, 1100)",
      "UPDATE _name_blocks SET names = names || 'x'",
      "UPDATE _name_trigrams SET trigrams = x'00'; DELETE FROM _name_blocks",
      "INSERT INTO _name_gaps SELECT id FROM _name_trigrams; UPDATE _name_blocks SET names = ''",
    ]
    try await withLaboratory((0..<1500).map { .file(FilePath("file-\($0).txt")) }) { lab in
      try await lab.scan()
      try lab.catalog.close()
      for damage in damages {
        let db = try Connection(path: lab.catalog.path, .readWrite)
        try db.execute("BEGIN; \(damage); COMMIT")
        let catalog = try Catalog(at: lab.catalog.path)
        let hundreds = Query(.name(.substring("file-14")))
        #expect(try await catalog.count(of: hundreds) == 111, "\(damage)")
        #expect(
          try await catalog.entries(matching: Query(.name("FILE-1499.*"))).count == 1, "\(damage)")
        let isNoted = damage.contains("_name_gaps")
        let problems = try await catalog.check()
        #expect(problems.isEmpty == isNoted, "\(damage): \(problems)")
        #expect(problems.allSatisfy { $0.rule == .names }, "\(damage): \(problems)")
        #expect(try await catalog.repair().isEmpty == isNoted)
        try await expectSound(catalog)
        try catalog.close()
        try db.close()
      }
    }
  }

  @Test("that are not those of the rows are noticed and collected anew")
  func wrongNames() async throws {
    try await withLaboratory((0..<1500).map { .file(FilePath("file-\($0).txt")) }) { lab in
      try await lab.scan()
      try lab.catalog.close()
      for damage in [
        "UPDATE _name_trigrams SET trigrams = zeroblob(1000)",
        "UPDATE _name_blocks SET names = CAST(zeroblob(250) || substr(names, 251) AS BLOB)",
        "UPDATE _name_blocks SET names = (SELECT b.names FROM _name_blocks b WHERE b.id = 2)",
        "INSERT INTO _name_trigrams VALUES (3, zeroblob(1000))",
      ] {
        let db = try Connection(path: lab.catalog.path, .readWrite)
        try db.execute(damage)
        try db.close()
        let catalog = try Catalog(at: lab.catalog.path)
        let problems = try await catalog.check()
        #expect(
          !problems.isEmpty && problems.allSatisfy { $0.rule == .names }, "\(damage): \(problems)")
        #expect(try await catalog.repair().map(\.problem) == problems)
        try await expectSound(catalog)
        let hundreds = Query(.name(.substring("file-14")))
        #expect(try await catalog.count(of: hundreds) == 111, "\(damage)")
        try catalog.close()
      }
    }
  }
}
