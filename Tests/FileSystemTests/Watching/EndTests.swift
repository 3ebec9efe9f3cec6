import FileSystem
import Foundation
import SystemPackage
import TestTraits
import Testing

@Suite("Watching: the end")
struct EndTests {
  @Test("Cancelling the reader ends the sequence", arguments: Permitted.methods + [.polling])
  func cancel(method: DirectoryWatcher.Method) async throws {
    try await withWatchedTree { tree in
      var options = DirectoryWatcher.Options()
      options.method = method
      let watcher = try await DirectoryWatcher.start(roots: [tree.root], options: options)
      let reports = Reports()
      await reports.follow(watcher)
      await reports.cancel()
      try await reports.wait { $0.isFinished }
      var iterator = watcher.makeAsyncIterator()
      #expect(await iterator.next() == nil)
    }
  }

  @Test("Nothing is reported after the stop", arguments: Permitted.methods)
  func nothingAfterStop(method: DirectoryWatcher.Method) async throws {
    try await withWatchedTree { tree in
      try await tree.watch(method) { reports, watcher in
        try tree.directory("root/a")
        try await reports.wait { $0.cover(tree.inside("a")) }
        try tree.directory("root/b")
        await watcher.stop()
        let count = await reports.all.count
        try tree.directory("root/c")
        try await reports.wait { $0.isFinished }
        #expect(await reports.all.count == count)
      }
    }
  }

  @Test("A start that is cancelled throws, and watches nothing")
  func cancelledStart() async throws {
    try await withWatchedTree { tree in
      let start = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        _ = try await DirectoryWatcher.start(roots: [tree.root])
      }
      await #expect(throws: CancellationError.self) { try await start.value }
    }
  }

  #if os(Linux)
    @Test(
      "Watchers that are stopped, cancelled or let go leave no descriptor and no thread behind",
      .feature("JB-31"))
    func noLeak() async throws {
      // In a process of its own, where nobody else opens and closes.
      await #expect(processExitsWith: .success) {
        try await withWatchedTree { tree in
          for i in 0..<20 { try tree.directory("root/\(i)") }
          // Once before, because the run-time system opens things at their first use.
          try await tree.watch(.automatic) { reports, _ in try await tree.settle(reports) }
          while !WatchThread.all.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
          let resources = Resources()
          let probe = try await DirectoryWatcher.start(roots: [tree.root])
          guard !resources.areAsAtStart else { fatalError("what is open cannot be counted") }
          await probe.stop()
          for round in 0..<12 {
            for method in Permitted.methods + [.polling] {
              var options = DirectoryWatcher.Options()
              options.method = method
              options.quiet = .milliseconds(1)
              let watcher = try await DirectoryWatcher.start(
                roots: [tree.root, tree.inside("1")], options: options)
              switch round % 3 {
              case 0: await watcher.stop()
              case 1:
                let reader = Task { for await _ in watcher {} }
                try tree.directory("root/\(round)-\(method)")
                reader.cancel()
                await reader.value
              default: break
              }
            }
          }
          try await resources.wait()
        }
      }
    }

    /// What the process has open for watching.
    private struct Resources {
      private let start = Self.count()
      private let startAlarms = Self.count(of: "eventfd")

      var areAsAtStart: Bool {
        // The run-time system opens one now and then, but not one for each of dozens of watchers.
        Self.count() == start && Self.count(of: "eventfd") < startAlarms + 10
      }

      /// Waits until it is again what it was at the start.
      func wait() async throws {
        let end = ContinuousClock.now + .seconds(900)
        while !areAsAtStart {
          guard ContinuousClock.now < end else {
            fatalError("\(start) descriptors and threads became \(Self.count())")
          }
          try await Task.sleep(for: .milliseconds(10))
        }
      }

      private static func count() -> [Int] {
        ["inotify", "fanotify", "mountinfo", "filecat-watch"].map(count) + [WatchThread.all.count]
      }

      private static func count(of kind: String) -> Int {
        names(in: "/proc/self/fd").count { number in
          let link = "/proc/self/fd/\(number)"
          let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
          return target?.contains(kind) ?? false
        }
      }

      private static func names(in directory: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
      }
    }

    @Test("While nothing happens, no thread wakes up")
    func idle() async throws {
      await #expect(processExitsWith: .success) {
        try await withWatchedTree { tree in
          try tree.directory("root/a/b")
          // inotify, because the whole machine's writing may concern fanotify.
          try await tree.watch(.inotify) { reports, _ in
            try tree.file("root/a/b/file")
            try await reports.wait { $0.cover(tree.inside("a/b")) }
            // Any mounting on the machine wakes it, so not every second has to pass without.
            for _ in 0..<20 {
              try await WatchThread.waitUntilAsleep()
              let before = WatchThread.all
              try await Task.sleep(for: .seconds(1))
              if before.count == 1 && before == WatchThread.all { return }
            }
            fatalError("\(WatchThread.all) never slept for a second")
          }
        }
      }
    }
  #endif
}

#if os(Linux)
  /// A thread of a watcher, as the kernel sees it.
  struct WatchThread: Equatable {
    let number: String
    /// How often it was woken up so far.
    let wakeUps: String
    let isAsleep: Bool

    static var all: [WatchThread] {
      let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
      return numbers.sorted().compactMap { number in
        guard
          let status = try? String(
            contentsOfFile: "/proc/self/task/\(number)/status", encoding: .utf8),
          status.hasPrefix("Name:\twatch ")
        else { return nil }
        let lines = status.split(separator: "\n")
        return WatchThread(
          number: number,
          wakeUps: String(lines.first { $0.hasPrefix("voluntary") } ?? ""),
          isAsleep: lines.contains { $0.hasPrefix("State:\tS") })
      }
    }

    static func waitUntilAsleep() async throws {
      repeat {
        try await Task.sleep(for: .milliseconds(50))
      } while !all.allSatisfy(\.isAsleep)
    }
  }
#endif
