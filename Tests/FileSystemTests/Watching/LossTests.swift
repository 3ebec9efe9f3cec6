import FileSystem
import Foundation
import SystemPackage
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

private let methods = Permitted.methods + [.polling]

private func soon(_ options: inout DirectoryWatcher.Options) {
  options.pollingInterval = .milliseconds(50)
}

@Suite("Watching: roots go and come")
struct LossTests {
  @Test("A removed root is lost, and found again", arguments: methods)
  func removed(method: DirectoryWatcher.Method) async throws {
    try await withWatchedTree { tree in
      try await tree.watch(method, soon) { reports, watcher in
        try tree.remove("root")
        try await reports.wait { $0.all.contains { $0.loss == .missing && $0.directories.isEmpty } }
        // The report may be there a moment before the watch is taken down.
        for _ in 0..<500 where watcher.coverage.first?.method != nil {
          try await Task.sleep(for: .milliseconds(10))
        }
        #expect(watcher.coverage.first?.method == nil)
        await reports.forget()
        try tree.directory("root")
        try await reports.wait { $0.directories[tree.root] == .deep }
        guard method != .polling else { return }
        await reports.forget()
        try tree.directory("root/new")
        try await reports.wait { $0.coverTree(at: tree.inside("new")) }
      }
    }
  }

  @Test("A root that is not there at the start is lost until it is", arguments: methods)
  func absent(method: DirectoryWatcher.Method) async throws {
    try await withWatchedTree { tree in
      try tree.remove("root")
      try await tree.watch(method, soon) { reports, _ in
        try await reports.wait { $0.all.contains { $0.loss == .missing } }
        try tree.directory("root")
        try await reports.wait { $0.directories[tree.root] == .deep }
      }
    }
  }

  @Test("A root is lost when it, or a directory above it, gets another name", arguments: methods)
  func renamed(method: DirectoryWatcher.Method) async throws {
    try await withWatchedTree { tree in
      try tree.directory("above/root")
      let outer = tree
      var options = DirectoryWatcher.Options()
      soon(&options)
      options.method = method
      let root = outer.path.pushing("above/root")
      let watcher = try await DirectoryWatcher.start(roots: [root], options: options)
      let reports = Reports()
      await reports.follow(watcher)
      try tree.move("above", to: "below")
      try await reports.wait { $0.all.contains { $0.loss == .missing } }
      try tree.move("below", to: "above")
      try await reports.wait { $0.directories[root] == .deep }
      try tree.move("above/root", to: "above/other")
      try await reports.wait { $0.all.last?.loss == .missing }
      await watcher.stop()
    }
  }

  @Test("Another directory in the root's place is read as a whole", arguments: Permitted.methods)
  func replaced(method: DirectoryWatcher.Method) async throws {
    try await withWatchedTree { tree in
      try tree.directory("other/inside")
      // Between the two steps the root may be seen as lost.
      try await tree.watch(method) { reports, _ in
        try tree.remove("root")
        try tree.move("other", to: "root")
        try await reports.wait { $0.directories[tree.root] == .deep }
        await reports.forget()
        try tree.file("root/inside/file")
        try await reports.wait { $0.cover(tree.inside("inside")) }
      }
    }
  }

  @Test(
    "An unmounted root is lost, the empty mount point is not taken for it",
    .enabled(if: Mount.isPermitted),
    arguments: methods)
  func unmounted(method: DirectoryWatcher.Method) async throws {
    try await withWatchedTree { tree in
      let mount = try Mount(at: tree.root)
      // Only the change of the mount table may wake the thread of those that need no polling.
      let change = { (options: inout DirectoryWatcher.Options) in
        if method == .polling { soon(&options) }
      }
      try await tree.watch(method, change) { reports, _ in
        try tree.directory("root/a")
        try await reports.wait { $0.cover(tree.root) }
        try mount.unmount()
        try await reports.wait { $0.all.contains { $0.loss == .otherVolume } }
        await reports.forget()
        let again = try Mount(at: tree.root)
        try await reports.wait { $0.directories[tree.root] == .deep }
        try again.unmount()
      }
    }
  }

  @Test(
    "What is mounted inside is watched, and its coming and going is reported",
    .enabled(if: Mount.isPermitted), arguments: Permitted.methods)
  func mountedInside(method: DirectoryWatcher.Method) async throws {
    try await withWatchedTree { tree in
      try tree.directory("root/early")
      try tree.directory("root/a/late b")
      let early = try Mount(at: tree.inside("early"))
      try tree.directory("root/early/x")
      try await tree.watch(method) { reports, _ in
        try tree.file("root/early/x/file")
        try await reports.wait { $0.cover(tree.inside("early/x")) }
        await reports.forget()
        let place = tree.inside("a/late b")
        let late = try Mount(at: place)
        try await reports.wait { $0.coverTree(at: place) }
        try tree.directory("root/a/late b/y")
        try await reports.wait { $0.coverTree(at: place.appending("y")) }
        await reports.forget()
        try tree.file("root/a/late b/y/file")
        try await reports.wait { $0.cover(place.appending("y")) }
        await reports.forget()
        try late.unmount()
        try await reports.wait { $0.coverTree(at: place) }
        await reports.forget()
        try tree.file("root/a/late b/file")
        try await reports.wait { $0.cover(place) }
      }
      try early.unmount()
    }
  }

  @Test(
    "With one file system only, what is mounted inside is not watched",
    .enabled(if: Mount.isPermitted), arguments: Permitted.methods)
  func oneFileSystem(method: DirectoryWatcher.Method) async throws {
    try await withSecludedTree { tree in
      try tree.directory("root/a")
      let mount = try Mount(at: tree.inside("a"))
      try await tree.watch(method, { $0.boundary = .oneFileSystem }) { reports, _ in
        try tree.file("root/a/file")
        try await tree.settle(reports)
        #expect(await !reports.cover(tree.inside("a")))
      }
      try mount.unmount()
    }
  }
}
