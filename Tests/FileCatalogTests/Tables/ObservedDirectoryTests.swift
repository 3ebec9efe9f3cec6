import FileCatalog
import FileCoordination
import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Observed directories", .timeLimit(.minutes(20)))
struct ObservedDirectoryTests {
  private typealias Event = ObservedDirectory.Event

  private static let quick = options()

  /// Tells nothing but by asking.
  private static let patient = ObservedDirectory.Options(
    delay: .seconds(3600), maximumDelay: .seconds(3600))

  private static func options(
    _ method: DirectoryWatcher.Method = .automatic, shape: TableDiff.Shape = .full
  ) -> ObservedDirectory.Options {
    ObservedDirectory.Options(
      shape: shape, delay: .milliseconds(40), maximumDelay: .milliseconds(400), method: method,
      pollingInterval: .milliseconds(100))
  }

  /// Has another process change a directory.
  private func run(_ script: String, in directory: FilePath) throws {
    let result = try CommandRunner("sh", directory: directory.string).run(["-ec", script])
    #expect(result.status == 0, "\(script): \(result.errors)")
  }

  /// A list that knows nothing of the disk but what diffs tell.
  private struct List {
    var items: [DirectoryTable.Item]
    var names: [String] { items.map(\.name) }

    mutating func apply(
      _ update: ObservedDirectory.Update, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      #expect(update.old.map(\.path) == items.map(\.path), sourceLocation: sourceLocation)
      items = update.diff.applied(to: items) { update.new[$0] }
      #expect(items.map(\.path) == update.new.map(\.path), sourceLocation: sourceLocation)
    }
  }

  /// Follows changes until the list is as it should be. Nothing but changes may come.
  private func follow(
    _ events: inout ObservedDirectory.Events.Iterator, _ list: inout List,
    until isDone: (List) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    while !isDone(list) {
      let event = await events.next()
      guard case .changed(let update) = event else {
        Issue.record("\(String(describing: event))", sourceLocation: sourceLocation)
        throw CancellationError()
      }
      #expect(!update.diff.isEmpty, sourceLocation: sourceLocation)
      list.apply(update, sourceLocation: sourceLocation)
    }
  }

  private func nextChange(
    _ events: inout ObservedDirectory.Events.Iterator,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> ObservedDirectory.Update {
    let event = await events.next()
    guard case .changed(let update) = event else {
      Issue.record("\(String(describing: event))", sourceLocation: sourceLocation)
      throw CancellationError()
    }
    return update
  }

  // MARK: - What others do

  @Test(
    "what another process makes, renames, changes and removes is told until the list is the directory",
    .feature("JB-21"), arguments: [DirectoryWatcher.Method.automatic, .inotify, .polling],
    TableDiff.Shape.allCases)
  func wholeChain(_ method: DirectoryWatcher.Method, _ shape: TableDiff.Shape) async throws {
    try await withTree([.file("b"), .file("d"), .file("sub/x")]) { tree in
      let directory = try await ObservedDirectory(
        at: tree.path, options: Self.options(method, shape: shape))
      var events = await directory.events.makeAsyncIterator()
      var list = List(items: await directory.items)
      #expect(list.names == ["b", "d", "sub"])

      try run("echo one > a; echo two > c; touch .hidden", in: tree.path)
      try await follow(&events, &list) {
        $0.names == ["a", "b", "c", "d", "sub"] && $0.items[2].status.size == 4
      }
      try run("mv a z; mv c cc", in: tree.path)
      try await follow(&events, &list) { $0.names == ["b", "cc", "d", "sub", "z"] }
      try run("printf 12345 > b; chmod 600 d", in: tree.path)
      try await follow(&events, &list) {
        $0.items[0].status.size == 5 && $0.items[2].status.mode & 0o777 == 0o600
      }
      // The values of a directory change with what is in it.
      let before = list.items[3].modified
      try run("echo > sub/y", in: tree.path)
      try await follow(&events, &list) { $0.items[3].modified != before }
      try run("rm -r b cc sub", in: tree.path)
      try await follow(&events, &list) { $0.names == ["d", "z"] }
      #expect(await directory.items.map(\.path) == list.items.map(\.path))
      #expect(await directory.state == .present)
      await directory.stop()
    }
  }

  @Test(
    "a catalog follows before a change is told, through removal and return", .feature("JB-21"),
    arguments: [DirectoryWatcher.Method.automatic, .polling])
  func withCatalog(_ method: DirectoryWatcher.Method) async throws {
    let pieces: [Piece] = [.file("top/d/b"), .file("top/d/sub/x"), .file("top/other")]
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      try run("echo before > top/d/a", in: lab.tree.path)
      var options = Self.options(method)
      options.catalog = lab.catalog
      let directory = try await ObservedDirectory(at: lab.tree("top/d"), options: options)
      /// What the catalog has right in the directory.
      func catalogued() async throws -> [String: Int64?] {
        try await Dictionary(
          lab.catalog.entries(matching: Query(parsing: "top/d/* depth:3")).map {
            ($0.path.lastComponent?.string ?? "", $0.size)
          }, uniquingKeysWith: { first, _ in first })
      }
      func expectSame(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let rows = await directory.items
        let known = try await catalogued()
        #expect(
          known.keys.sorted() == rows.map(\.name).sorted(), sourceLocation: sourceLocation)
        for row in rows where row.kind == .file {
          #expect(known[row.name] == row.status.size, sourceLocation: sourceLocation)
        }
      }
      try await expectSame()
      var events = await directory.events.makeAsyncIterator()
      var list = List(items: await directory.items)
      #expect(list.names == ["a", "b", "sub"])
      try run("echo one > c; mkdir new; echo deep > new/er; rm b", in: lab.tree("top/d"))
      try await follow(&events, &list) { $0.names == ["a", "c", "new", "sub"] }
      try await directory.update()
      try await expectSame()
      #expect(try await lab.catalog.entry(at: lab.tree("top/d/new/er")) != nil)

      try run("mv d gone", in: lab.tree("top"))
      while case .changed = await events.next() {}
      #expect(await directory.state == .gone)
      #expect(try await lab.catalog.entry(at: lab.tree("top/d")) == nil)
      #expect(try await lab.catalog.entry(at: lab.tree("top/other")) != nil)
      try run("mkdir d; echo back > d/z", in: lab.tree("top"))
      guard case .returned(let update) = await events.next() else {
        Issue.record("not back")
        return
      }
      #expect(update.new.map(\.name) == ["z"])
      try await directory.update()
      try await expectSame()
      try await expectSound(lab.catalog)
      await directory.stop()

      let outside = try TemporaryDirectory()
      defer { outside.remove() }
      try await expectError(.notARoot) {
        _ = try await ObservedDirectory(at: outside.path, options: options)
      }
    }
  }

  @Test(
    "each kind of change has its indexes in both shapes",
    .feature("JB-26", "JB-30", "JB-34", "JB-35", "JB-36", "JB-37"),
    arguments: TableDiff.Shape.allCases)
  func vectors(_ shape: TableDiff.Shape) async throws {
    var options = Self.patient
    options.shape = shape
    func diff(_ full: TableDiff, _ deletions: [Int], _ insertions: [Int]) -> TableDiff {
      shape == .full
        ? full : TableDiff(shape: .batch, deletions: deletions, insertions: insertions)
    }
    try await withTree([.file("a"), .file("b"), .file("c")]) { tree in
      let directory = try await ObservedDirectory(at: tree.path, options: options)
      #expect(try await directory.update().isEmpty)
      try run("mv a z", in: tree.path)
      let renamed = TableDiff(updates: [0], moves: [TableDiff.Move(from: 0, to: 2)])
      #expect(try await directory.update() == diff(renamed, [0], [2]))
      try run("mv b bb", in: tree.path)
      #expect(try await directory.update() == diff(TableDiff(updates: [0]), [0], [0]))
      // As whoever saves in one step does.
      try run("echo new > t; mv t c", in: tree.path)
      #expect(try await directory.update() == diff(TableDiff(updates: [1]), [1], [1]))
      try run("touch cc; rm z", in: tree.path)
      #expect(
        try await directory.update()
          == TableDiff(shape: shape, deletions: [2], insertions: [2]))
      try run("mv bb t; mv c bb; mv t c", in: tree.path)
      let swapped = try await directory.update()
      #expect(swapped.changeCount == (shape == .full ? 3 : 4))
      #expect(try await directory.update().isEmpty)
      #expect(await directory.items.map(\.name) == ["bb", "c", "cc"])
      await directory.stop()
    }
  }

  @Test(
    "while a directory is being changed on and on, changes are told all the same", .feature("JB-24")
  )
  func endlessChanges() async throws {
    try await withTree([.file("a")]) { tree in
      let options = ObservedDirectory.Options(
        delay: .seconds(3600), maximumDelay: .milliseconds(200))
      let directory = try await ObservedDirectory(at: tree.path, options: options)
      var events = await directory.events.makeAsyncIterator()
      let writer = try CommandRunner("sh", directory: tree.path.string)
        .start(["-c", "while :; do echo x >> a; done"])
      _ = try await nextChange(&events)
      _ = try await nextChange(&events)
      writer.crash()
      await directory.stop()
    }
  }

  @Test("an observer that is slow is told everything in one difference")
  func slowObserver() async throws {
    try await withTree([.file("k")]) { tree in
      let directory = try await ObservedDirectory(at: tree.path, options: Self.patient)
      for name in ["a", "b", "z"] {
        try run("touch \(name)", in: tree.path)
        try await directory.update()
      }
      try run("rm a", in: tree.path)
      try await directory.update()
      var events = await directory.events.makeAsyncIterator()
      let update = try await nextChange(&events)
      #expect(update.diff == TableDiff(insertions: [0, 2]))
      #expect(await directory.items.map(\.path) == update.new.map(\.path))
      await directory.stop()
    }
  }

  @Test("a batch of several changes is one difference", .feature("JB-27"))
  func batches() async throws {
    try await withTree([.file("k")]) { tree in
      let directory = try await ObservedDirectory(at: tree.path, options: Self.quick)
      var events = await directory.events.makeAsyncIterator()
      try await directory.performBatch {
        for number in 0..<10 {
          try run("touch \(number)", in: tree.path)
          try await directory.update()
        }
      }
      #expect(try await nextChange(&events).diff == TableDiff(insertions: Array(0..<10)))
      // An empty batch has no event: the next one is of what comes after.
      try await directory.performBatch {}
      try run("mv k l", in: tree.path)
      #expect(try await nextChange(&events).diff == TableDiff(updates: [10]))
      await directory.stop()
    }
  }

  // MARK: - Gone and back

  @Test(
    "a directory that is moved away is gone and not empty, and its return is told",
    .feature("JB-09"))
  func goneAndBack() async throws {
    try await withTree([.file("d/a"), .file("d/b")]) { tree in
      let directory = try await ObservedDirectory(at: tree("d"), options: Self.quick)
      var events = await directory.events.makeAsyncIterator()
      try run("mv d e", in: tree.path)
      guard case .gone = await events.next() else {
        Issue.record("not gone")
        return
      }
      #expect(await directory.state == .gone)
      #expect(await directory.items.map(\.name) == ["a", "b"])
      let error = await #expect(throws: DirectoryTable.Failure.self) {
        try await directory.update()
      }
      #expect(error?.code == .gone)

      try run("mv e d", in: tree.path)
      guard case .returned(let back) = await events.next() else {
        Issue.record("not back")
        return
      }
      #expect(back.diff.isEmpty && back.new.map(\.name) == ["a", "b"])
      #expect(await directory.state == .present)
      // It is watched as it was.
      var list = List(items: back.new)
      try run("touch d/c", in: tree.path)
      try await follow(&events, &list) { $0.names == ["a", "b", "c"] }
      await directory.stop()
    }
  }

  @Test(
    "what has another directory's place shows as the difference when it comes", .feature("JB-09"))
  func removedAndMade() async throws {
    try await withTree([.file("d/a"), .file("d/b")]) { tree in
      let directory = try await ObservedDirectory(at: tree("d"), options: Self.quick)
      var events = await directory.events.makeAsyncIterator()
      var list = List(items: await directory.items)
      try run("rm -r d", in: tree.path)
      // The files may be seen to go first.
      waiting: while let event = await events.next() {
        switch event {
        case .changed(let update): list.apply(update)
        case .gone: break waiting
        case .returned, .failed: Issue.record("\(event)")
        }
      }
      #expect(await directory.state == .gone)
      try run("mkdir n; touch n/b n/x; mv n d", in: tree.path)
      guard case .returned(let update) = await events.next() else {
        Issue.record("not back")
        return
      }
      list.apply(update)
      try await follow(&events, &list) { $0.names == ["b", "x"] }
      try run("rm d/b", in: tree.path)
      try await follow(&events, &list) { $0.names == ["x"] }
      await directory.stop()
    }
  }

  // MARK: - Starting and stopping

  @Test(
    "what changes between a stop and a start is no event, and the old events end", .feature("JB-21")
  )
  func stopAndStart() async throws {
    try await withTree([.file("a")]) { tree in
      let directory = try await ObservedDirectory(at: tree.path, options: Self.patient)
      var former = await directory.events.makeAsyncIterator()
      await directory.stop()
      #expect(await former.next() == nil)
      #expect(await directory.state == .stopped)
      try run("touch b; rm a", in: tree.path)
      #expect(try await directory.update().isEmpty)
      #expect(await directory.items.map(\.name) == ["a"])

      try await directory.start()
      try await directory.start()
      #expect(await directory.items.map(\.name) == ["b"])
      #expect(try await directory.update().isEmpty)
      var events = await directory.events.makeAsyncIterator()
      try run("touch c", in: tree.path)
      try await directory.update()
      // The first event of all is the first change after the start.
      #expect(try await nextChange(&events).diff == TableDiff(insertions: [1]))
      #expect(await former.next() == nil)
      await directory.stop()
    }
  }

  @Test("a directory that is gone at the start is a state, and its return is told")
  func startWhileGone() async throws {
    try await withTree([.file("d/a")]) { tree in
      let directory = try await ObservedDirectory(at: tree("d"), options: Self.quick)
      await directory.stop()
      try run("mv d e", in: tree.path)
      try await directory.start()
      #expect(await directory.state == .gone)
      var events = await directory.events.makeAsyncIterator()
      try run("touch e/b; mv e d", in: tree.path)
      guard case .returned(let update) = await events.next() else {
        Issue.record("not back")
        return
      }
      #expect(update.new.map(\.name) == ["a", "b"])
      await directory.stop()
    }
  }

  @Test("after stopping there is nothing, not even what was due", .feature("JB-23"))
  func stopping() async throws {
    try await withTree([.file("a")]) { tree in
      let directory = try await ObservedDirectory(at: tree.path, options: Self.quick)
      let events = await directory.events
      try run("touch b", in: tree.path)
      try await directory.update()
      await directory.stop()
      var iterator = events.makeAsyncIterator()
      #expect(await iterator.next() == nil)
    }
  }

  @Test("whoever listens does not keep the object alive", .feature("JB-31"))
  func noLeak() async throws {
    try await withTree([.file("a")]) { tree in
      weak var observed: ObservedDirectory?
      let waiting: Task<Int, Never>
      do {
        let directory = try await ObservedDirectory(at: tree.path, options: Self.quick)
        observed = directory
        let events = await directory.events
        waiting = Task {
          var count = 0
          for await _ in events { count += 1 }
          return count
        }
      }
      #expect(await waiting.value == 0)
      #expect(observed == nil)
    }
  }

  // MARK: - What is shown

  @Test(
    "another filter or order is told as a difference, and the items are those of the new state",
    .feature("JB-03", "JB-22", "JB-25"))
  func otherViews() async throws {
    let pieces: [Piece] = (0..<100).map { .file(FilePath("\($0).file")) } + [.file(".h")]
    try await withTree(pieces) { tree in
      let directory = try await ObservedDirectory(at: tree.path, options: Self.patient)
      var events = await directory.events.makeAsyncIterator()
      try await directory.setFilters([{ _ in false }])
      #expect(await directory.items.isEmpty)
      #expect(try await nextChange(&events).diff == TableDiff(deletions: Array(0..<100)))
      try await directory.setFilters([])
      #expect(try await nextChange(&events).diff == TableDiff(insertions: Array(0..<100)))
      try await directory.setFilters([{ (Int($0.name.dropLast(5)) ?? 1) % 2 == 0 }])
      #expect(
        try await nextChange(&events).diff
          == TableDiff(deletions: Array(stride(from: 1, to: 100, by: 2))))
      #expect(await directory.items.count == 50)
      try await directory.setOrder(.nameZFirst)
      let turned = try await nextChange(&events).diff
      #expect(turned.moves.count == 49 && turned.changeCount == 49)
      try await directory.setFilters([])
      _ = try await nextChange(&events)
      try await directory.setHiddenItems(.shown)
      #expect(try await nextChange(&events).diff.insertions.count == 1)
      await directory.stop()
    }
  }

  @Test("a reading that fails is told, and the rows stay what they were", .feature("JB-28"))
  func failures() async throws {
    struct Refused: Error {}
    try await withTree([.file("a"), .file("b")]) { tree in
      let directory = try await ObservedDirectory(
        at: tree.path,
        filters: [
          { item in
            if item.name == "bad" { throw Refused() }
            return true
          }
        ], options: Self.quick)
      var events = await directory.events.makeAsyncIterator()
      try run("touch bad", in: tree.path)
      guard case .failed(let error) = await events.next(), error is Refused else {
        Issue.record("not refused")
        return
      }
      #expect(await directory.items.map(\.name) == ["a", "b"])
      #expect(await directory.state == .present)
      await #expect(throws: Refused.self) { try await directory.update() }
      try run("mv bad good", in: tree.path)
      var list = List(items: await directory.items)
      try await follow(&events, &list) { $0.names == ["a", "b", "good"] }
      // What cannot be shown is not shown.
      await #expect(throws: Refused.self) {
        try await directory.setFilters([{ _ in throw Refused() }])
      }
      #expect(try await directory.update().isEmpty)
      await directory.stop()
    }
  }

  @Test(
    "a role that nobody knows or no container has is a typed error, and one that it has is observed",
    .feature("JB-02")
  )
  func roles() async throws {
    #expect(throws: DirectoryError.unknownRole("documnets", suggestion: .documents)) {
      _ = try Role(named: "documnets")
    }
    try await withTree([]) { tree in
      let container = Container(.xdg, root: tree.path)
      await #expect(throws: DirectoryError.unavailable(.library, .xdg)) {
        _ = try await ObservedDirectory(.library, of: container)
      }
      await #expect(throws: DirectoryError.refusedPath("../x")) {
        _ = try await ObservedDirectory(.caches, "../x", of: container)
      }
      let error = await #expect(throws: DirectoryTable.Failure.self) {
        _ = try await ObservedDirectory(.caches, "Thumbnails", of: container)
      }
      #expect(error?.code == .notFound)
      let directory = try await ObservedDirectory(
        .caches, "Thumbnails", of: container, ifMissing: .create, options: Self.patient)
      #expect(await directory.table.path == tree(".cache/Thumbnails"))
      try run("touch .cache/Thumbnails/a", in: tree.path)
      #expect(try await directory.update() == TableDiff(insertions: [0]))
      await directory.stop()
    }
  }

  // MARK: - Coordination

  @Test(
    "a directory that is claimed is not read before whoever writes in it has ended",
    .feature("JB-17"))
  func claimed() async throws {
    try await withTree([.directory("d")]) { tree in
      let table = try DirectoryTable(at: tree("d"))
      let writer = FileCoordinator()
      let reader = FileCoordinator()
      let listing = try await writer.withCoordinatedAccess(writing: [tree("d")]) { _ in
        try tree.write("1", to: "d/first")
        // Detached: what this task holds is nothing to it.
        let listing = Task.detached { try await table.items(.claimed(by: reader)).map(\.name) }
        #expect(try await table.items(.uncoordinated).map(\.name) == ["first"])
        while reader.accessCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
        try await Task.sleep(for: .milliseconds(50))
        try tree.write("2", to: "d/second")
        return listing
      }
      #expect(try await listing.value == ["first", "second"])
      try tree.remove("d")
      let error = await #expect(throws: DirectoryTable.Failure.self) {
        _ = try await table.items(.claimed(by: reader))
      }
      #expect(error?.code == .gone)
    }
  }

  @Test(
    "a directory that is read under a claim shows what a coordinator writes, whole",
    .feature("JB-17"))
  func claimedAndObserved() async throws {
    try await withTree([.file("a")]) { tree in
      var options = Self.quick
      options.coordination = .claimed(by: FileCoordinator())
      let directory = try await ObservedDirectory(at: tree.path, options: options)
      var events = await directory.events.makeAsyncIterator()
      var list = List(items: await directory.items)
      let writer = FileCoordinator()
      try await writer.write(Array("12345".utf8), to: tree("b"))
      try await follow(&events, &list) { list in
        // Not one state in which the file is there and not whole.
        #expect(list.items.dropFirst().allSatisfy { $0.status.size == 5 })
        return list.names == ["a", "b"]
      }
      try await writer.withCoordinatedAccess(writing: [tree.path]) { _ in
        try tree.write("x", to: "c")
        try tree.write("y", to: "d")
      }
      try await follow(&events, &list) { $0.names == ["a", "b", "c", "d"] }
      await directory.stop()
    }
  }
}
