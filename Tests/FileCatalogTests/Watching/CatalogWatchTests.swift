import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("A watched root")
struct CatalogWatchTests {
  /// Watches the tree of a laboratory and runs `edit` once its first scan is there; returns when
  /// `isDone` says so, and fails when it never does.
  private func watch(
    _ lab: Laboratory, _ method: DirectoryWatcher.Method, edit: () async throws -> Void,
    until isDone: () async throws -> Bool
  ) async throws {
    var options = DirectoryWatcher.Options()
    options.method = method
    options.pollingInterval = .milliseconds(300)
    let (started, start) = AsyncStream<Void>.makeStream()
    let watching = Task {
      for try await event in lab.catalog.watch([lab.tree.path], options: options) {
        if case .failed(_, let error) = event { Issue.record(error) }
        start.yield()
      }
    }
    for await _ in started { break }
    try await edit()
    let clock = ContinuousClock()
    let deadline = clock.now.advanced(by: .seconds(900))
    while try await !isDone(), clock.now < deadline {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(try await isDone())
    watching.cancel()
    _ = await watching.result
    try await expectSound(lab.catalog)
  }

  @Test(
    "is current soon after whatever happens", .feature("P-35"),
    arguments: [DirectoryWatcher.Method.automatic, .inotify, .polling])
  func changes(_ method: DirectoryWatcher.Method) async throws {
    try await withLaboratory([.file("a"), .file("d/b"), .file("Notes.rtfd/TXT.rtf")]) { lab in
      try await watch(lab, method) {
        try lab.tree.make([.file("new/deep/er/file", bytes: 3), .file("a", bytes: 7)])
        try lab.tree.rename("d", to: "new/e")
        try lab.tree.make(.file("Notes.rtfd/image.png", bytes: 100))
      } until: {
        let sizes = try FilesView(lab.catalog).rows.reduce(into: [String: Int64]()) {
          $0[lab.relative($1.path) ?? ""] = $1["size"].integer
        }
        return try lab.paths() == [
          "a", "Notes.rtfd", "new", "new/deep", "new/deep/er", "new/deep/er/file", "new/e",
          "new/e/b",
        ] && sizes["Notes.rtfd"] == 100 && sizes["a"] == 7
      }
      #expect(try await lab.scan().added == 0)
    }
  }

  @Test("finds what changed while nobody watched")
  func betweenRuns() async throws {
    try await withLaboratory([.file("a")]) { lab in
      try await lab.scan()
      try lab.tree.make(.file("meanwhile"))
      try await watch(lab, .automatic) {
      } until: {
        try lab.paths() == ["a", "meanwhile"]
      }
    }
  }

  @Test(
    "does not wake up for its own catalog, nor for what is left out", .timeLimit(.minutes(20)))
  func ownFiles() async throws {
    try await withTree([.file("a"), .directory("build")]) { tree in
      let catalog = try Catalog(at: tree.path.appending("catalog.sqlite"))
      var request = ScanRequest()
      request.excludes = ["build"]
      let events = Task {
        var count = 0
        for try await _ in catalog.watch([tree.path], request: request) { count += 1 }
        return count
      }
      // Making the catalog is a change of the directory that it is in, once, and on a busy machine that
      // comes late. Who woke up for the catalog or for the edits would never be quiet.
      var scans: Int64?
      repeat {
        scans = try catalog.number("SELECT count(*) FROM scans")
        for round in 0..<4 {
          try tree.make(.file(FilePath("build/\(round)")))
          try tree.remove(FilePath("build/\(round)"))
          try await Task.sleep(for: .milliseconds(400))
        }
      } while try scans == 0 || catalog.number("SELECT count(*) FROM scans") != scans
      events.cancel()
      _ = await events.result
      try catalog.close()
    }
  }
}
