import FileSystem
import Foundation
import SystemPackage
import TestTraits
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Watching: when not everything is told")
struct TroubleTests {
  /// Holds up the watching thread, which asks whether a directory is excluded, until it is let go.
  private final class Gate: Sendable {
    private let reached = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    func passThrough() {
      reached.signal()
      opened.wait()
      opened.signal()
    }

    func waitUntilReached() -> Bool { reached.wait(timeout: .now() + 900) == .success }
    func open() { opened.signal() }
  }

  @Test(
    "An overflow of the kernel's queue makes the whole root deep", .feature("LX-17"),
    arguments: Permitted.methods)
  func overflow(method: DirectoryWatcher.Method) async throws {
    let limit = try String(
      contentsOfFile: "/proc/sys/fs/\(method.rawValue)/max_queued_events", encoding: .utf8)
    let size = try #require(Int(limit.trimmingCharacters(in: .whitespacesAndNewlines)))
    // Not where the other tests are, whose queues would overflow as well: fanotify tells everyone of
    // the whole file system.
    try await withWatchedTree(at: "/dev/shm") { tree in
      try tree.directory("root/flood")
      let gate = Gate()
      let held = tree.inside("held")
      try await tree.watch(
        method,
        {
          $0.isExcluded = {
            if $0 == held { gate.passThrough() }
            return false
          }
        }
      ) { reports, _ in
        try tree.directory("root/held")
        #expect(gate.waitUntilReached())
        let flood = tree.inside("flood").string
        for i in 0...size { #expect(mkfifo("\(flood)/\(i)", 0o600) == 0) }
        // Its event is one of those that are dropped.
        try tree.directory("root/late/below")
        gate.open()
        try await reports.wait { $0.directories[tree.root] == .deep }
        await reports.forget()
        try tree.file("root/late/below/file")
        try await reports.wait { $0.cover(tree.inside("late/below")) }
      }
    }
  }

  @Test(
    "Where watches run out, the rest is polled", .feature("LX-17"),
    .enabled(if: !Permitted.methods.isEmpty))
  func watchLimit() async throws {
    try await withWatchedTree { tree in
      for i in 0..<10 { try tree.directory("root/\(i)/below") }
      let few = { (options: inout DirectoryWatcher.Options) in
        options.watchLimit = 7
        options.pollingInterval = .milliseconds(50)
      }
      try await tree.watch(.inotify, few) { reports, watcher in
        let coverage = try #require(watcher.coverage.first)
        #expect(coverage.method == .inotify)
        // The root and six others are watched: three of ten with what is in them.
        #expect(coverage.polled.count == 7)
        for part in coverage.polled {
          try await reports.wait { $0.directories[part] == .deep }
        }
        // Room is made by removing what was watched, and used at the next look.
        for i in 0..<10 where !coverage.polled.contains(tree.inside("\(i)")) {
          try tree.remove("root/\(i)")
        }
        for part in coverage.polled.dropFirst(3) {
          try FileManager.default.removeItem(atPath: part.string)
        }
        while watcher.coverage.first?.polled.isEmpty != true {
          try await Task.sleep(for: .milliseconds(5))
        }
        await reports.forget()
        let part = try #require(coverage.polled.first).appending("below")
        #expect(
          FileManager.default.createFile(atPath: part.appending("file").string, contents: nil))
        try await reports.wait { $0.cover(part) }
      }
    }
  }

  @Test(
    "Too many parts without watches count as the whole root",
    .enabled(if: !Permitted.methods.isEmpty))
  func manyBlindSpots() async throws {
    try await withWatchedTree { tree in
      for i in 0..<200 { try tree.directory("root/\(i)") }
      try await tree.watch(.inotify, { $0.watchLimit = 10 }) { _, watcher in
        #expect(watcher.coverage.first?.polled == [tree.root])
      }
    }
  }

  @Test(
    "More changed directories than the limit count as the whole root", arguments: Permitted.methods)
  func directoryLimit(method: DirectoryWatcher.Method) async throws {
    try await withWatchedTree { tree in
      for i in 0..<100 { try tree.directory("root/\(i)") }
      try await tree.watch(method, { $0.directoryLimit = 20 }) { reports, _ in
        for i in 0..<100 { try tree.file("root/\(i)/file") }
        try await reports.wait { $0.directories[tree.root] == .deep }
      }
    }
  }

  @Test("Constant writing is reported before it ends", arguments: Permitted.methods)
  func constantWriting(method: DirectoryWatcher.Method) async throws {
    try await withWatchedTree { tree in
      let patient = { (options: inout DirectoryWatcher.Options) in
        // Longer than the test waits for anything: only the bound can bring a report.
        options.quiet = .seconds(600)
        options.longestDelay = .milliseconds(300)
      }
      try await tree.watch(method, patient) { reports, _ in
        let writing = Task {
          while !Task.isCancelled {
            try tree.file("root/log", "line\n", appending: true)
            try await Task.sleep(for: .milliseconds(2))
          }
        }
        try await reports.wait { $0.all.count >= 3 }
        writing.cancel()
        _ = await writing.result
      }
    }
  }

  @Test("Ignored files are not reported, their neighbours are", arguments: Permitted.methods)
  func ignored(method: DirectoryWatcher.Method) async throws {
    try await withSecludedTree { tree in
      try tree.directory("root/d")
      try tree.directory("root/e")
      let own = { (options: inout DirectoryWatcher.Options) in
        options.ignoredPaths = [
          tree.inside("d/catalog.sqlite"), tree.inside("d/catalog.sqlite-wal"),
        ]
      }
      try await tree.watch(method, own) { reports, _ in
        for _ in 0..<3 {
          try tree.file("root/d/catalog.sqlite", "x", appending: true)
          try tree.file("root/d/catalog.sqlite-wal")
          try tree.remove("root/d/catalog.sqlite-wal")
        }
        try tree.file("root/e/catalog.sqlite")
        try await tree.settle(reports)
        let expected: Set = [tree.root, tree.inside("e"), tree.inside("settle-0")]
        #expect(Set(await reports.directories.keys) == expected)
        await reports.forget()
        try tree.file("root/d/other")
        try await reports.wait { $0.cover(tree.inside("d")) }
      }
    }
  }

  @Test("Excluded directories are left out with all below them", arguments: Permitted.methods)
  func excluded(method: DirectoryWatcher.Method) async throws {
    try await withSecludedTree { tree in
      try tree.directory("root/build/a/b")
      let without = { (options: inout DirectoryWatcher.Options) in
        options.isExcluded = { $0.lastComponent?.string == "build" }
      }
      try await tree.watch(method, without) { reports, _ in
        try tree.file("root/build/a/b/file")
        try tree.directory("root/build/c")
        try tree.directory("root/d/build/e")
        try tree.file("root/d/build/e/file")
        try await tree.settle(reports)
        let expected: Set = [
          tree.root, tree.inside("d"), tree.inside("settle-0"),
        ]
        #expect(Set(await reports.directories.keys).subtracting(expected) == [])
        #expect(await reports.directories[tree.inside("d")] == .deep)
      }
    }
  }

  @Test("A directory that becomes readable is watched from then on", arguments: Permitted.methods)
  func permissions(method: DirectoryWatcher.Method) async throws {
    try await withWatchedTree { tree in
      try tree.directory("root/d/e")
      try tree.mode("root/d", 0o000)
      try await tree.watch(method) { reports, _ in
        try tree.mode("root/d", 0o755)
        try await reports.wait { $0.cover(tree.inside("d")) }
        try await tree.settle(reports)
        await reports.forget()
        try tree.file("root/d/e/file")
        try await reports.wait { $0.cover(tree.inside("d/e")) }
      }
    }
  }
}
