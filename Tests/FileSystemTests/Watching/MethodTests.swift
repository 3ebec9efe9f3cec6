import FileSystem
import SystemPackage
import Testing

@Suite("Watching: the method")
struct MethodTests {
  @Test("Polling asks for the whole root again and again")
  func polling() async throws {
    try await withWatchedFolder { folder in
      let often = { (options: inout DirectoryWatcher.Options) in
        options.pollingInterval = .milliseconds(20)
      }
      try await folder.watch(.polling, often) { reports, watcher in
        try await reports.wait { $0.all.count >= 3 }
        #expect(await reports.directories == [folder.root: .deep])
        #expect(
          watcher.coverage
            == [
              DirectoryWatcher.Coverage(root: folder.root, method: .polling, polled: [folder.root])
            ])
      }
    }
  }

  @Test("Automatic takes the best that is permitted")
  func automatic() async throws {
    try await withWatchedFolder { folder in
      try await folder.watch(.automatic) { _, watcher in
        #expect(watcher.coverage.first?.method == (Permitted.methods.first ?? .polling))
        #expect(watcher.coverage.first?.polled == (Permitted.methods.isEmpty ? [folder.root] : []))
      }
    }
  }

  @Test(
    "A method that is not to be had is refused with what to do",
    .enabled(if: !Permitted.fanotify))
  func refused() async throws {
    try await withWatchedFolder { folder in
      var options = DirectoryWatcher.Options()
      options.method = .fanotify
      await #expect(throws: DirectoryWatcher.WatchError.self) {
        _ = try await DirectoryWatcher.start(roots: [folder.root], options: options)
      }
    }
  }

  @Test("The error is one line that names the root and says what helps")
  func message() {
    let error = DirectoryWatcher.WatchError(
      root: "/srv/photos", method: .fanotify, errno: .notPermitted)
    #expect(
      error.description
        == "/srv/photos: cannot be watched by fanotify: Operation not permitted; run with "
        + "CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH, or choose the method automatic")
  }
}
