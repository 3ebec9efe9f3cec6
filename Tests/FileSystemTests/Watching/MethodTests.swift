import FileSystem
import SystemPackage
import Testing

@Suite("Watching: the method")
struct MethodTests {
  @Test("Polling asks for the whole root again and again")
  func polling() async throws {
    try await withWatchedTree { tree in
      let often = { (options: inout DirectoryWatcher.Options) in
        options.pollingInterval = .milliseconds(20)
      }
      try await tree.watch(.polling, often) { reports, watcher in
        try await reports.wait { $0.all.count >= 3 }
        #expect(await reports.directories == [tree.root: .deep])
        #expect(
          watcher.coverage
            == [
              DirectoryWatcher.Coverage(root: tree.root, method: .polling, polled: [tree.root])
            ])
      }
    }
  }

  @Test("Automatic takes the best that is permitted")
  func automatic() async throws {
    try await withWatchedTree { tree in
      try await tree.watch(.automatic) { _, watcher in
        #expect(watcher.coverage.first?.method == (Permitted.methods.first ?? .polling))
        #expect(watcher.coverage.first?.polled == (Permitted.methods.isEmpty ? [tree.root] : []))
      }
    }
  }

  @Test(
    "A method that is not to be had is refused",
    .enabled(if: !Permitted.fanotify))
  func refused() async throws {
    try await withWatchedTree { tree in
      var options = DirectoryWatcher.Options()
      options.method = .fanotify
      await #expect(throws: DirectoryWatcher.WatchError.self) {
        _ = try await DirectoryWatcher.start(roots: [tree.root], options: options)
      }
    }
  }

  @Test("The error is one line that names the root, the method and the reason")
  func message() {
    let error = DirectoryWatcher.WatchError(
      root: "/srv/photos", method: .fanotify, errno: .notPermitted)
    #expect(
      error.description
        == "/srv/photos: cannot be watched by fanotify: Operation not permitted")
  }
}
