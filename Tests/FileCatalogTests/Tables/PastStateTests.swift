import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("A state that is over", .timeLimit(.minutes(20)))
struct PastStateTests {
  private static let columns: [EntryColumn] = [
    .id, .parentID, .directory, .name, .path, .kind, .extension, .size, .modifiedNanoseconds,
    .depth, .isHidden, .isPackage, .displayName, .root,
  ]

  /// What a catalog said, read from a copy of its file.
  private struct Copy {
    let catalog: Catalog
    let scan: ScanID
  }

  private static func text(_ value: ColumnValue) -> String {
    if case .text(let bytes) = value { return String(decoding: bytes, as: UTF8.self) }
    return "\(value)"
  }

  /// The first rows that differ; `nil` where none do.
  private static func difference(_ past: [String], _ then: [String]) -> String? {
    if past == then { return nil }
    let place = zip(past, then).prefix { $0 == $1 }.count
    func row(_ rows: [String]) -> String { rows.indices.contains(place) ? rows[place] : "none" }
    return "row \(place) is \(row(past)), and was \(row(then))"
  }

  /// Rows as texts, to be compared and shown.
  private static func rows(
    _ request: TableRequest, _ read: (TableRequest, ([ColumnValue]) throws -> Void) throws -> Void
  ) throws -> [String] {
    var rows: [String] = []
    try read(request) { values in rows.append(values.map(Self.text).joined(separator: "|")) }
    return rows
  }

  private func expectSame(_ state: PastState, _ copy: Catalog, _ comment: Comment) async throws {
    let queries = ["", "kind:file", "ext:txt,c", "size:>3 kind:file", "name:a*", "!b/", "depth:<3"]
    let orders = ["path", "-size,name", "modified", "extension,-depth", "-total_size"]
    for (place, query) in queries.enumerated() {
      for order in Set(["path", orders[(place + Int(state.scan.rawValue)) % orders.count]]) {
        let request = TableRequest(
          try Query(parsing: query), order: try SortOrder(parsing: order), columns: Self.columns)
        let past = try Self.rows(request) { try state.forEachRow(of: $0, $1) }
        let then = try Self.rows(request) { try copy.forEachRow(of: $0, $1) }
        let difference = Self.difference(past, then)
        #expect(difference == nil, "\(comment), “\(query)” by \(order)")
        if difference != nil { return }
      }
      let query = try Query(parsing: query)
      let counts = (try await state.count(of: query), try await copy.count(of: query))
      #expect(counts.0 == counts.1, comment)
    }
    let totals = try await state.totals(below: nil, depth: .max).sorted {
      $0.id.rawValue < $1.id.rawValue
    }
    let expected = try await copy.totals(below: nil, depth: .max).sorted {
      $0.id.rawValue < $1.id.rawValue
    }
    #expect(totals.map(\.sums) == expected.map(\.sums), comment)
    for directory in expected {
      let request = TableRequest(
        in: .children(of: directory.path), order: SortOrder(), columns: Self.columns)
      let past = try Self.rows(request) { try state.forEachRow(of: $0, $1) }
      let then = try Self.rows(request) { try copy.forEachRow(of: $0, $1) }
      #expect(Self.difference(past, then) == nil, "\(comment), children of \(directory.path)")
      let below = TableRequest(
        try Query(parsing: "kind:file"), in: .subtree(of: directory.path), columns: [.path])
      let inside = try Self.rows(below) { try state.forEachRow(of: $0, $1) }
      let insideThen = try Self.rows(below) { try copy.forEachRow(of: $0, $1) }
      #expect(Self.difference(inside, insideThen) == nil, "\(comment), below \(directory.path)")
    }
  }

  @Test(
    "is what a catalog said that was copied then, over fifty scans of random edits",
    .feature("X-08", "P-21"))
  func copies() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    let pieces: [Piece] = [
      .file("one/a.txt", bytes: 3), .file("one/d/b.c", bytes: 5), .file("one/d/e/f.txt", bytes: 2),
      .file("one/Notes.rtfd/TXT.rtf", bytes: 9), .directory("one/empty"), .file("two/x", bytes: 1),
      .symlink("one/link", to: "a.txt"),
      .file(FilePath(bytes: Array("one/od".utf8) + [0xff]), bytes: 4),
    ]
    try await withLaboratory(pieces) { lab in
      try await withTemporaryDirectory { copies in
        var states: [Copy] = []
        for round in 0..<50 {
          if round > 0 { try Self.edit(lab.tree, &random) }
          var request = ScanRequest()
          request.loss = .accepted
          _ = try await lab.catalog.scan([lab.tree("one"), lab.tree("two")], request: request)
          let scan = try await lab.catalog.roots().compactMap(\.lastScan?.rawValue).max()
          let file = copies.path.appending("\(round).sqlite")
          try await lab.catalog.backUp(to: file)
          states.append(Copy(catalog: try Catalog(at: file), scan: ScanID(rawValue: scan ?? 0)))
        }
        for (round, copy) in states.enumerated() {
          let state = try await lab.catalog.state(at: .scan(copy.scan))
          try await expectSame(state, copy.catalog, "round \(round), seed \(seed)")
          try copy.catalog.close()
        }
        // Nothing of it is left for those who ask for the state of now.
        let now = try await lab.catalog.count(of: Query())
        #expect(try lab.paths().count == now)
      }
    }
  }

  private static func content(_ random: inout SeededRandom) -> [UInt8] {
    [UInt8](repeating: 7, count: Int.random(in: 0..<9000, using: &random))
  }

  /// What is below both roots, but for what a package holds: what goes into one and comes out in another root is a
  /// move that took that long, and is in the meantime told to be where it was.
  private static func items(
    in tree: TemporaryDirectory
  ) throws -> [(path: FilePath, isDirectory: Bool, isFile: Bool)] {
    let prefix = tree.path.bytes.count + 1
    return try IndependentWalk.entries(of: tree.path).values
      .filter { $0.depth > 1 && !String(decoding: $0.path, as: UTF8.self).contains(".rtfd/") }
      .sorted { $0.path.lexicographicallyPrecedes($1.path) }
      .map { (FilePath(bytes: Array($0.path[prefix...])), $0.isDirectory, $0.type == 0o100000) }
  }

  /// Changes something in a tree: as often as not several things at once.
  private static func edit(_ tree: TemporaryDirectory, _ random: inout SeededRandom) throws {
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      let all = try items(in: tree)
      let directories =
        all.filter { $0.isDirectory && $0.path.extension != "rtfd" }.map(\.path)
        + [FilePath("one"), FilePath("two")]
      let files = all.filter(\.isFile).map(\.path)
      let parent = directories.randomElement(using: &random) ?? FilePath("one")
      let name =
        ["a", "b", "c.txt", "d.c", ".h", "e.TXT", "Box.rtfd", "é"].randomElement(
          using: &random) ?? "a"
      let new = parent.appending("\(name)\(Int.random(in: 0..<40, using: &random))")
      // What is there already, or goes into itself, fails and changes nothing.
      switch Int.random(in: 0..<9, using: &random) {
      case 0, 1:
        try? tree.write(content(&random), to: new)
      case 2:
        try? tree.makeDirectory(new)
      case 3:
        if let file = files.randomElement(using: &random) {
          try? tree.write(content(&random), to: file)
        }
      case 4, 5:
        // Any two places, also a directory into another, never into itself.
        let candidates = all.map(\.path)
        if let old = candidates.randomElement(using: &random), !new.starts(with: old) {
          try? tree.rename(old, to: new)
        }
      case 6:
        if let old = all.map(\.path).randomElement(using: &random) { try tree.remove(old) }
      case 7:
        let two = Array(files.shuffled(using: &random).prefix(2))
        if two.count == 2 {
          try tree.rename(two[0], to: "one/swap")
          try tree.rename(two[1], to: two[0])
          try tree.rename("one/swap", to: two[1])
        }
      default:
        if let file = files.randomElement(using: &random) {
          try tree.remove(file)
          try? tree.makeLink(file, to: "a.txt")
        }
      }
    }
  }

  @Test("knows where everything was that has come along with directories, which were moved twice")
  func movedTwice() async throws {
    let pieces: [Piece] = [
      .file("one/d/e/f", bytes: 2), .file("one/d/g", bytes: 3), .file("one/h", bytes: 4),
    ]
    try await withLaboratory(pieces) { lab in
      let first = try await lab.scan()
      try lab.tree.rename("one/d", to: "one/x")
      _ = try await lab.scan()
      try lab.tree.rename("one/x/e", to: "one/y")
      try lab.tree.rename("one/x", to: "one/y/z")
      _ = try await lab.scan()
      let state = try await lab.catalog.state(at: .scan(first.scanID))
      var paths: [String] = []
      try state.forEachPath(of: TableRequest()) { paths.append(lab.relative(Array($0)) ?? "") }
      #expect(
        paths == [
          "", "one", "one/d", "one/d/e", "one/d/e/f", "one/d/g", "one/h",
        ])
      #expect(try await state.kind(of: lab.tree("one/d/e")) == .directory)
      #expect(try await state.kind(of: lab.tree("one/y")) == nil)
      #expect(try await state.totals(below: lab.tree("one/d"), depth: 0).first?.totalSize == 5)
    }
  }

  @Test("has no rows of a root that came later")
  func laterRoot() async throws {
    try await withLaboratory([.file("one/a"), .file("two/b")]) { lab in
      _ = try await lab.catalog.scan([lab.tree("one")])
      let before = try #require(try await lab.catalog.roots().first?.lastScan)
      _ = try await lab.catalog.scan([lab.tree("two")])
      let state = try await lab.catalog.state(at: .scan(before))
      #expect(try await state.count(of: Query()) == 2)
      #expect(try await state.totals(below: nil, depth: 9).map(\.path) == [lab.tree("one")])
      try await expectError(.notInCatalog) {
        _ = try await state.totals(below: lab.tree("two"), depth: 0)
      }
    }
  }

  @Test(
    "refuses what the history does not keep, and names what it does",
    arguments: [
      "owner:root", "is:public.image", "kind:image", "mode:644", "created:<7d", "links:>1",
      "a !role:caches", "(a | tag:x)", "xattr:user.a", "allocated:>1", "broken:yes",
    ])
  func refused(_ query: String) async throws {
    try await withLaboratory([.file("a")]) { lab in
      let scan = try await lab.scan().scanID
      let state = try await lab.catalog.state(at: .scan(scan))
      try await expectError(.notKept) { _ = try await state.count(of: Query(parsing: query)) }
    }
  }

  @Test("refuses columns and orders that are not kept")
  func refusedColumns() async throws {
    try await withLaboratory([.file("a")]) { lab in
      let state = try await lab.catalog.state(at: .scan(lab.scan().scanID))
      let requests = [
        TableRequest(columns: [.path, .owner]), TableRequest(columns: [.allocated]),
        TableRequest(order: try SortOrder(parsing: "-created")),
      ]
      for request in requests {
        try await expectError(.notKept) { try state.forEachRow(of: request) { _ in } }
      }
    }
  }

  @Test("is refused beyond the horizon, in the future, and before the first scan")
  func horizon() async throws {
    try await withLaboratory([.file("a")]) { lab in
      let first = try await lab.scan().scanID
      try await expectError(.scanNotFound) {
        _ = try await lab.catalog.state(at: .scan(ScanID(rawValue: 99)))
      }
      try await expectError(.stateNotKept) {
        _ = try await lab.catalog.state(at: .time(0)).count(of: Query())
      }
      try lab.tree.write("b", to: "b")
      _ = try await lab.scan()
      #expect(try await lab.catalog.state(at: .scan(first)).count(of: Query()) == 2)
    }
  }
}

extension DirectoryTotals {
  fileprivate var sums: String {
    "\(path) \(depth) \(files) \(directories) \(size) \(allocated) \(totalFiles) "
      + "\(totalDirectories) \(totalSize) \(totalAllocated)"
  }
}
