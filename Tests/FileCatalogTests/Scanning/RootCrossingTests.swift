import FileCatalog
import FileSystem
import Fleet
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("What has gone from one root into another")
struct RootCrossingTests {
  /// In which order the roots are scanned afterwards, and whether by one call.
  enum Order: CaseIterable {
    case from, to, fromAtOnce, toAtOnce

    var scans: [[FilePath]] {
      switch self {
      case .from: [["one"], ["two"]]
      case .to: [["two"], ["one"]]
      case .fromAtOnce: [["one", "two"]]
      case .toAtOnce: [["two", "one"]]
      }
    }

    /// Whether it is found where it has gone before it is missed.
    var isBackwards: Bool { self == .to || self == .toAtOnce }
  }

  /// What stays where it is.
  private static let rest: [Piece] = [
    .file("one/stays", bytes: 2), .file("two/in/stays", bytes: 4),
  ]

  @Test(
    "is one move, with the id that it had", .feature("X-08", "P-05", "P-20"),
    arguments: Order.allCases)
  func file(_ order: Order) async throws {
    try await withLaboratory(Self.rest + [.file("one/d/needle.txt", bytes: 3)]) { lab in
      let last = try await lab.scanBoth()
      let before = try CatalogState(lab.catalog).items(lab)
      try lab.tree.rename("one/d/needle.txt", to: "two/in/Pin@2x.png")
      let summaries = try await lab.scan(order.scans)

      #expect(try await lab.moves(since: last) == ["> one/d/needle.txt -> two/in/Pin@2x.png"])
      let after = try CatalogState(lab.catalog).items(lab)
      let (old, new) = (before["one/d/needle.txt"], after["two/in/Pin@2x.png"])
      #expect(old?.id == new?.id && old?.firstSeen == new?.firstSeen)
      #expect(new.map { $0.lastChanged > last.rawValue } == true)
      #expect(after.count == before.count)
      #expect(try await lab.found("name:Pin*") == ["two/in/Pin@2x.png"])
      #expect(try await lab.found("name:needle*") == [])
      try await lab.expectAsNew()

      // Of the later scan it is a move, of the earlier nothing.
      let counts = try lab.catalog.rows(
        "SELECT added, removed, moved FROM scans WHERE id > \(last.rawValue) ORDER BY id")
      let numbers = counts.map { row in ["added", "removed", "moved"].map { row[$0]?.integer } }
      #expect(numbers == [[0, 0, 0], [0, 0, 1]])
      if order.scans.count == 1 {
        #expect(summaries.map { [$0.added, $0.removed, $0.moved] } == [[0, 0, 0], [0, 0, 1]])
      } else {
        #expect(try await lab.catalog.recounted(summaries).map(\.moved) == [0, 1])
      }
      #expect(try await lab.scan([["one", "two"]]).map(\.moved) == [0, 0])
    }
  }

  @Test("takes along what it holds, and that is no change", arguments: Order.allCases)
  func directory(_ order: Order) async throws {
    let odd = FilePath(bytes: Array("one/d/od".utf8) + [0xff] + Array("/x".utf8) + [0xfe])
    let pieces: [Piece] =
      (0..<300).map { .file(FilePath("one/d/\($0 % 9)/\($0 % 4)/f\($0)"), bytes: $0) } + [
        .file(odd, bytes: 1), .symlink("one/d/link", to: "1/1"), .file("one/d/.hidden/h"),
        .file("one/d/Notes.rtfd/TXT.rtf", bytes: 9), .file("one/d/a", bytes: 5),
        .hardLink("one/d/b", to: "one/d/a"), .hardLink("one/d/1/a", to: "one/d/a"),
        .directory("one/d/empty"), .fifo("one/d/pipe"),
      ]
    try await withLaboratory(Self.rest + pieces) { lab in
      let last = try await lab.scanBoth()
      let before = try CatalogState(lab.catalog).items(lab)
      try lab.tree.rename("one/d", to: "two/in/further/e")
      try await lab.scan(order.scans)

      #expect(
        try await lab.moves(since: last) == [
          "+ two/in/further", "> one/d -> two/in/further/e",
        ])
      let after = try CatalogState(lab.catalog).items(lab)
      for (path, item) in before where path == "one/d" || path.hasPrefix("one/d/") {
        let now = after["two/in/further/e" + path.dropFirst("one/d".count)]
        #expect(now?.id == item.id && now?.firstSeen == item.firstSeen, "\(path)")
      }
      #expect(try await lab.found("name:f299") == ["two/in/further/e/2/3/f299"])
      try await lab.expectAsNew()
      // What one directory has lost, another has got.
      let id = try #require(before["one/d"]?.id)
      let changed = try lab.catalog.number(
        "SELECT sum(total_files) FROM growth_by_directory WHERE directory_id = \(id)")
      #expect(changed == 0)
      #expect(try await lab.scan([["one", "two"]]).map(\.moved) == [0, 0])
    }
  }

  @Test("and has changed on the way, is told with what has changed", arguments: Order.allCases)
  func edited(_ order: Order) async throws {
    let pieces: [Piece] = [
      .file("one/a", bytes: 3), .file("one/d/gone", bytes: 1), .file("one/d/out", bytes: 2),
      .file("one/d/in/deep", bytes: 3), .file("one/d/same", bytes: 4),
    ]
    try await withLaboratory(Self.rest + pieces) { lab in
      let last = try await lab.scanBoth()
      let before = try lab.ids()
      try lab.apply([
        .move("one/a", "two/b"), .make(.file("two/b", bytes: 30)), .move("one/d", "two/d"),
        .remove("two/d/gone"), .move("two/d/out", "two/out"), .move("two/d/in", "two/inner"),
        .make(.file("two/d/new")), .make(.file("two/inner/more")),
      ])
      try await lab.scan(order.scans)
      #expect(
        try await lab.moves(since: last) == [
          "+ two/d/new", "+ two/inner/more", "- one/d/gone", "> one/a -> two/b modified,size",
          "> one/d -> two/d", "> one/d/in -> two/inner", "> one/d/out -> two/out",
        ])
      let after = try lab.ids()
      for (old, new) in [
        ("one/a", "two/b"), ("one/d", "two/d"), ("one/d/in", "two/inner"),
        ("one/d/in/deep", "two/inner/deep"), ("one/d/out", "two/out"),
        ("one/d/same", "two/d/same"),
      ] {
        #expect(before[old] != nil && before[old] == after[new], "\(old)")
      }
      let size = try lab.catalog.rows(
        "SELECT size, old_size FROM changes WHERE kind = 'moved' AND path LIKE '%/two/b'")
      #expect(size == [["size": .integer(30), "old_size": .integer(3)]])
      try await lab.expectAsNew()
    }
  }

  @Test("is matched name by name where a file has several", arguments: Order.allCases)
  func hardLinks(_ order: Order) async throws {
    let pieces: [Piece] = [
      .file("one/a", bytes: 3), .hardLink("one/b", to: "one/a"), .hardLink("one/c", to: "one/a"),
    ]
    try await withLaboratory(Self.rest + pieces) { lab in
      let last = try await lab.scanBoth()
      let before = try lab.ids()
      try lab.apply([
        .move("one/a", "two/a"), .move("one/b", "two/b"), .make(.hardLink("two/d", to: "two/a")),
      ])
      try await lab.scan(order.scans)
      #expect(
        try await lab.moves(since: last) == ["+ two/d", "> one/a -> two/a", "> one/b -> two/b"])
      let after = try lab.ids()
      #expect(after["two/a"] == before["one/a"] && after["two/b"] == before["one/b"])
      #expect(after["one/c"] == before["one/c"])
    }
  }

  @Test("is matched both ways at once", arguments: Order.allCases)
  func swapped(_ order: Order) async throws {
    let pieces: [Piece] = [
      .file("one/d/f", bytes: 1), .file("two/e/g", bytes: 2), .file("one/p", bytes: 3),
      .file("two/q", bytes: 4),
    ]
    try await withLaboratory(Self.rest + pieces) { lab in
      let last = try await lab.scanBoth()
      let before = try lab.ids()
      try lab.apply([
        .move("one/d", "two/d"), .move("two/e", "one/e"), .move("one/p", "two/p"),
        .move("two/q", "one/q"),
      ])
      try await lab.scan(order.scans)
      #expect(
        try await lab.moves(since: last) == [
          "> one/d -> two/d", "> one/p -> two/p", "> two/e -> one/e", "> two/q -> one/q",
        ])
      let after = try lab.ids()
      for (old, new) in [("one/d/f", "two/d/f"), ("two/e/g", "one/e/g"), ("two/q", "one/q")] {
        #expect(before[old] == after[new])
      }
      try await lab.expectAsNew()
    }
  }

  @Test(
    "and was put over another there, is a move, and the other is gone", arguments: Order.allCases)
  func putOver(_ order: Order) async throws {
    let pieces: [Piece] = [
      .file("one/a", bytes: 3), .file("two/b", bytes: 5), .file("two/c", bytes: 6), .file("one/d"),
    ]
    try await withLaboratory(Self.rest + pieces) { lab in
      _ = try await lab.scanBoth()
      try lab.tree.make(.file("two/b", bytes: 7))
      try await lab.scan([["two"]])
      let last = try #require(try lab.lastScan())
      let before = try lab.ids()
      // One over what is known, one over it once more, and one that nobody knows.
      try lab.apply([
        .move("one/a", "two/b"), .make(.file("../new", bytes: 9)), .move("../new", "two/c"),
      ])
      try await lab.scan(order.scans)
      #expect(try await lab.moves(since: last) == ["- two/b", "> one/a -> two/b"])
      let after = try lab.ids()
      #expect(after["two/b"] == before["one/a"] && after["two/c"] == before["two/c"])
      #expect(!after.values.contains { $0 == before["two/b"] })
      try await lab.expectAsNew()
      // What had happened to the one that is gone is still told of it.
      let id = try #require(before["two/b"])
      let told = "SELECT kind FROM changes WHERE entry_id = \(id) ORDER BY id"
      #expect(try lab.catalog.texts(told) == ["modified", "removed"])
      let modified = "SELECT sum(modified) FROM scans WHERE id > \(last.rawValue)"
      #expect(try lab.catalog.number(modified) == 1)
    }
  }

  @Test(
    "is a removal and an addition where the scans lie too far apart",
    arguments: [
      (.seconds(3600), true), (.nanoseconds(1), false), (.zero, false), (.seconds(-1), false),
      (.seconds(Int64.max), true),
    ] as [(Duration, Bool)])
  func time(_ time: Duration, _ isFound: Bool) async throws {
    try await withLaboratory(Self.rest + [.file("one/a", bytes: 3)]) { lab in
      let last = try await lab.scanBoth()
      let before = try lab.ids()
      try lab.tree.rename("one/a", to: "two/a")
      try await lab.scan([["one"]])
      try await lab.scan([["two"]], within: time)
      let moves = try await lab.moves(since: last)
      #expect(moves == (isFound ? ["> one/a -> two/a"] : ["+ two/a", "- one/a"]))
      #expect((try lab.ids()["two/a"] == before["one/a"]) == isFound)
      // Nothing is left that a later scan would find again.
      try await lab.scan([["one"], ["two"]], within: .seconds(3600))
      #expect(try await lab.moves(since: last) == moves)
    }
  }

  @Test("is found by scans of parts, and by quick ones", arguments: Order.allCases)
  func parts(_ order: Order) async throws {
    try await withLaboratory(Self.rest + [.file("one/d/a", bytes: 3), .file("one/e/b")]) { lab in
      let last = try await lab.scanBoth()
      let before = try lab.ids()
      try lab.tree.rename("one/d/a", to: "two/in/a")
      let inner: [FilePath: FilePath] = ["one": "one/d", "two": "two/in"]
      try await lab.scan(order.scans.map { $0.compactMap { inner[$0] } })
      #expect(try await lab.moves(since: last) == ["> one/d/a -> two/in/a"])
      var request = ScanRequest()
      request.thoroughness = .quick
      try lab.tree.rename("one/e", to: "two/in/e")
      try await lab.scan(order.scans, request)
      #expect(
        try await lab.moves(since: last) == ["> one/d/a -> two/in/a", "> one/e -> two/in/e"])
      let after = try lab.ids()
      #expect(after["two/in/a"] == before["one/d/a"] && after["two/in/e/b"] == before["one/e/b"])
    }
  }

  @Test("keeps the tags that it had, beside those that it has got", arguments: Order.allCases)
  func tags(_ order: Order) async throws {
    // The system stores no tags with a symbolic link: they are in the catalog alone.
    let pieces: [Piece] = [
      .symlink("one/a", to: "x"), .symlink("one/d/b", to: "y"), .file("one/c"),
    ]
    try await withLaboratory(Self.rest + pieces) { lab in
      _ = try await lab.scanBoth()
      for name in ["one/a", "one/d/b", "one/c"] as [FilePath] {
        try await lab.catalog.addTag(Tag("kept"), to: lab.tree(name))
      }
      try lab.apply([.move("one/a", "two/a"), .move("one/d", "two/d"), .move("one/c", "two/c")])
      try await lab.scan(order.scans)
      #expect(try await lab.found("tag:kept") == ["two/a", "two/c", "two/d/b"])

      try lab.tree.rename("two/a", to: "one/a")
      try await lab.scan([["one"]])
      try await lab.catalog.addTag(Tag("new"), to: lab.tree("one/a"))
      try await lab.scan([["two"]])
      #expect(try await lab.found("tag:kept tag:new") == ["one/a"])
    }
  }

  @Test("is read for the values that are asked of the files there", arguments: Order.allCases)
  func content(_ order: Order) async throws {
    let lines = ContentProviderTests.LineCount()
    try await withLaboratory(Self.rest, contentProviders: [lines]) { lab in
      try lab.tree.write("first\nsecond\n", to: "one/d/e/f")
      _ = try await lab.scanBoth()
      var request = ScanRequest()
      request.contentValues = ["lines"]
      try await lab.scan([["two"]], request)
      _ = lines.asked()
      try lab.tree.rename("one/d", to: "two/in/d")
      let inner: [FilePath: FilePath] = ["one": "one", "two": "two/in"]
      try await lab.scan(order.scans.map { $0.compactMap { inner[$0] } })
      #expect(lines.asked() == ["first"])
      let values =
        "SELECT f.path || ' ' || v.value FROM resource_values v JOIN files f USING (path)"
      #expect(
        try lab.catalog.texts(values + " WHERE v.key = 'line_count' AND f.name = 'f'")
          == ["\(lab.tree("two/in/d/e/f")) 2"])
      try lab.tree.rename("two/in/d", to: "one/d")
      try await lab.scan(order.scans)
      #expect(lines.asked() == [])
    }
  }

  @Test("and on into a third, keeps its id all the way")
  func onwards() async throws {
    let roots: [FilePath] = ["one", "two", "three"]
    let pieces: [Piece] = [.file("one/d/f", bytes: 3), .file("three/x")]
    try await withLaboratory(Self.rest + pieces) { lab in
      let last = try await lab.scanEach(roots)
      let before = try lab.ids()
      // Found where it is before anybody knows whence, and gone on from there.
      try lab.tree.rename("one/d", to: "two/d")
      try await lab.scan([["two"]])
      try lab.tree.rename("two/d", to: "three/d")
      try await lab.scan([["three"], ["two"], ["one"]])
      #expect(try lab.ids()["three/d"] == before["one/d"])
      #expect(try lab.ids()["three/d/f"] == before["one/d/f"])
      #expect(try await lab.moves(since: last).filter { !$0.hasPrefix(">") } == [])
      try await lab.expectAsNew(roots)
      // And one step after the other.
      try lab.tree.rename("three/d", to: "one/e")
      try await lab.scan([["one"], ["three"]])
      try lab.tree.rename("one/e", to: "two/e")
      try await lab.scan([["one"], ["two"]])
      #expect(try lab.ids()["two/e/f"] == before["one/d/f"])
      try await lab.expectAsNew(roots)
    }
  }

  @Test("is not what had come back and gone once more")
  func thereAndBack() async throws {
    try await withLaboratory(Self.rest + [.file("one/a", bytes: 3)]) { lab in
      _ = try await lab.scanBoth()
      try lab.tree.rename("one/a", to: "../a")
      try await lab.scan([["one"]])
      try lab.tree.rename("../a", to: "one/b")
      try await lab.scan([["one"]])
      let last = try #require(try lab.lastScan())
      let before = try lab.ids()
      try lab.tree.rename("one/b", to: "two/c")
      try await lab.scan([["two"], ["one"]])
      #expect(try await lab.moves(since: last) == ["> one/b -> two/c"])
      #expect(try lab.ids()["two/c"] == before["one/b"])
    }
  }

  @Test("is not lost: a root may be emptied into another that was scanned since")
  func emptied() async throws {
    let pieces = (0..<40).map { Piece.file(FilePath("one/d/f\($0)"), bytes: $0) }
    try await withLaboratory(Self.rest + pieces) { lab in
      let last = try await lab.scanBoth()
      try lab.tree.rename("one/d", to: "two/d")
      try await expectError(.tooManyRemoved) {
        _ = try await lab.catalog.scan([lab.tree("one"), lab.tree("two")])
      }
      try await expectSound(lab.catalog)
      #expect(try await lab.catalog.scan([lab.tree("one")]).map(\.moved) == [1])
      try await expectSound(lab.catalog)
      #expect(try await lab.moves(since: last) == ["> one/d -> two/d"])
      try await lab.expectAsNew()
    }
  }

  @Test("is no move where the root is new, and all of it with it")
  func newRoot() async throws {
    try await withLaboratory(Self.rest + [.file("one/a", bytes: 3)]) { lab in
      try await lab.scan([["one"]])
      try lab.tree.rename("one/a", to: "two/a")
      try await lab.scan([["one"]])
      let summary = try await lab.scan([["two"]]).first
      #expect(summary?.isFirst == true && summary?.moved == 0)
      #expect(try lab.catalog.texts("SELECT kind FROM changes") == ["removed"])
    }
  }

  @Test("is told to whoever follows the catalog", arguments: Order.allCases)
  func followers(_ order: Order) async throws {
    let pieces: [Piece] = [.file("one/d/f", bytes: 3), .file("one/a", bytes: 5)]
    try await withLaboratory(Self.rest + pieces) { lab in
      let last = try await lab.scanBoth()
      let before = try lab.ids()
      try await withTemporaryDirectory { directory in
        let lake = Lake(directory("lake"))
        _ = try await published(lab.catalog, to: lake)
        try lab.apply([.move("one/d", "two/d"), .move("one/a", "two/a")])
        // By ids alone one comes to what there is.
        var known = Set(before.values)
        var point = last
        for scan in order.scans {
          try await lab.scan([scan])
          _ = try await published(lab.catalog, to: lake)
          for try await set in lab.catalog.changeSets(since: point) {
            known.subtract(set.withdrawnIDs.map(\.rawValue))
            known.subtract(
              set.changes.filter { $0.kind == .removed }.compactMap(\.entryID?.rawValue))
            known.formUnion(
              set.changes.filter { $0.kind != .removed }.compactMap(\.entryID?.rawValue))
            // The directory, the file in it, and the other file.
            let isGivenUp = set.changes.contains { $0.kind == .moved } && order.isBackwards
            #expect(set.withdrawnIDs.count == (isGivenUp ? 3 : 0))
            point = set.scan
            break
          }
        }
        #expect(known.isSubset(of: try lab.ids().values))
        let imported = try Catalog(at: directory("imported.sqlite"))
        _ = try await imported.importRoots(from: lake)
        try await expectSound(imported)
        let paths = "SELECT ifnull(path_bytes, path) FROM files ORDER BY 1"
        #expect(try imported.texts(paths) == lab.catalog.texts(paths))
        try imported.close()
      }
    }
  }

  // MARK: - Anything

  @Test(
    "is where it is, whatever was moved and in whichever order roots are scanned",
    arguments: (0..<3).map { _ in UInt64.random(in: 0 ... .max) }, [false, true])
  func anything(_ seed: UInt64, isScannedMeanwhile: Bool) async throws {
    let roots: [FilePath] = ["one", "two", "three"]
    let pieces = (0..<60).map {
      Piece.file(FilePath("\(roots[$0 % 3])/\($0 % 4)/\($0 % 5)/f\($0)"), bytes: $0)
    }
    try await withLaboratory(pieces) { lab in
      var random = SeededRandom(seed: seed)
      var last = try await lab.scanEach(roots)
      for round in 0..<8 {
        let before = try CatalogState(lab.catalog)
        for step in 0..<6 {
          try lab.moveSomething(to: "n\(round)-\(step)", among: roots, &random)
          if isScannedMeanwhile, random.below(3) == 0 {
            try await lab.scan([[roots[random.below(3)]]])
          }
        }
        let order = roots.shuffled(using: &random)
        try await lab.scan(random.below(2) == 0 ? [order] : order.map { [$0] })
        try await lab.expectAsNew(roots, "seed \(seed), round \(round)")
        // What was seen where it was for a while is another entry to those who have seen it come back.
        if !isScannedMeanwhile {
          let after = try CatalogState(lab.catalog)
          let ids = Dictionary(
            before.byID.values.map { ($0.identity, $0.id) }, uniquingKeysWith: { first, _ in first }
          )
          for item in after.byID.values {
            #expect(ids[item.identity] == item.id, "seed \(seed), round \(round)")
          }
          let others = try await lab.moves(since: last).filter { !$0.hasPrefix(">") }
          #expect(others == [], "seed \(seed), round \(round)")
        }
        last = try #require(try lab.lastScan())
      }
    }
  }
}

// MARK: - Several roots in one tree

extension Laboratory {
  /// Scans roots by one call after the other, and proves each time that the catalog is sound.
  @discardableResult
  fileprivate func scan(
    _ scans: [[FilePath]], _ request: ScanRequest = ScanRequest(), within time: Duration? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [ScanSummary] {
    var request = request
    request.loss = .accepted
    if let time { request.movesWithin = time }
    var summaries: [ScanSummary] = []
    for roots in scans {
      summaries += try await catalog.scan(roots.map { tree($0) }, request: request)
      try await expectSound(catalog, sourceLocation: sourceLocation)
    }
    return summaries
  }

  /// Scans roots for the first time.
  ///
  /// - Returns: the last scan.
  fileprivate func scanEach(_ roots: [FilePath]) async throws -> ScanID {
    try await scan([roots])
    return try #require(try lastScan())
  }

  fileprivate func scanBoth() async throws -> ScanID { try await scanEach(["one", "two"]) }

  fileprivate func lastScan() throws -> ScanID? {
    try catalog.number("SELECT max(id) FROM scans").map { ScanID(rawValue: $0) }
  }

  /// What has come, gone and moved since a scan, by the signs of the command line, sorted.
  fileprivate func moves(since scan: ScanID) async throws -> [String] {
    var filter = ChangeFilter()
    filter.kinds = [.added, .removed, .moved]
    filter.directories = .included
    return try await catalog.changes(since: .scan(scan), filter: filter).map { change in
      let path = relative(change.path.bytes) ?? ""
      switch change.kind {
      case .added: return "+ \(path)"
      case .removed: return "- \(path)"
      default:
        let fields = change.fields.map(\.rawValue).filter { $0 != "changed" }.sorted()
        let old = change.oldPath.flatMap { relative($0.bytes) } ?? ""
        return "> \(old) -> \(path)" + (fields.isEmpty ? "" : " \(fields.joined(separator: ","))")
      }
    }.sorted()
  }

  /// The paths that a query finds, below the tree.
  fileprivate func found(_ text: String) async throws -> [String] {
    try await catalog.entries(matching: Query(parsing: text)).map {
      relative($0.path.bytes) ?? ""
    }.sorted()
  }

  /// All that `files` says but for the numbers that a catalog gives.
  private static var columns: String {
    EntryColumn.allCases.map(\.rawValue).filter {
      ![
        "id", "root_id", "parent_id", "first_seen_scan", "last_changed_scan", "accessed",
        "accessed_ns",
      ].contains($0)
    }.joined(separator: ", ")
  }

  /// Expects that the catalog holds what a new one would.
  fileprivate func expectAsNew(
    _ roots: [FilePath] = ["one", "two"], _ place: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await withTemporaryCatalog { fresh in
      _ = try await fresh.scan(roots.map { tree($0) })
      let files = "SELECT \(Self.columns) FROM files ORDER BY path, path_bytes"
      #expect(
        try catalog.rows(files) == fresh.rows(files), "\(place)", sourceLocation: sourceLocation)
      let sums = """
        SELECT path, path_bytes, \(CatalogState.sumColumns.joined(separator: ", ")) FROM directories
        ORDER BY path, path_bytes
        """
      #expect(
        try catalog.rows(sums) == fresh.rows(sums), "\(place)", sourceLocation: sourceLocation)
    }
  }

  /// Moves a file or a directory, wherever it is, to a directory that is not in it, with a name that nothing
  /// had.
  fileprivate func moveSomething(
    to name: String, among roots: [FilePath], _ random: inout SeededRandom
  ) throws {
    var entries: [FilePath] = []
    var directories: [FilePath] = []
    func collect(_ path: FilePath) throws {
      directories.append(path)
      for child in try tree.names(in: path).sorted() {
        let inner = path.appending(child)
        entries.append(inner)
        // A directory can be opened as one.
        if (try? tree.names(in: inner)) != nil { try collect(inner) }
      }
    }
    for root in roots { try collect(root) }
    let entry = entries[random.below(entries.count)]
    let outside = directories.filter { !$0.starts(with: entry) }
    let place = outside[random.below(outside.count)]
    try tree.rename(entry, to: place.appending(name))
  }
}

extension CatalogState {
  /// The entries by their paths below the tree.
  fileprivate func items(_ lab: Laboratory) -> [String: Item] {
    let pairs = byPath.values.compactMap { item in lab.relative(item.path).map { ($0, item) } }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }
}
