import FileSystem
import SystemPackage
import TestTraits
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What happens in a tree, and which directories have to be reported for it.
struct ChangeVector: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var before: @Sendable (WatchedTree) throws -> Void = { _ in }
  let change: @Sendable (WatchedTree) throws -> Void
  /// Directories inside the root of which the entries changed.
  var shallow: [String] = []
  /// Directories inside the root that are new, with everything below them.
  var deep: [String] = []
}

private let vectors: [ChangeVector] = [
  ChangeVector(
    testDescription: "a file is made",
    change: { try $0.file("root/a") }, shallow: [""]),
  ChangeVector(
    testDescription: "a file is written",
    before: {
      try $0.directory("root/d")
      try $0.file("root/d/a")
    },
    change: { try $0.file("root/d/a", "longer") }, shallow: ["d"]),
  ChangeVector(
    testDescription: "a file is removed",
    before: {
      try $0.directory("root/d")
      try $0.file("root/d/a")
    },
    change: { try $0.remove("root/d/a") }, shallow: ["d"]),
  ChangeVector(
    testDescription: "permissions of a file change",
    before: {
      try $0.directory("root/d")
      try $0.file("root/d/a")
    },
    change: { try $0.mode("root/d/a", 0o400) }, shallow: ["d"]),
  ChangeVector(
    testDescription: "permissions of a directory change",
    before: { try $0.directory("root/d/e") },
    change: { try $0.mode("root/d/e", 0o700) }, shallow: ["d/e"]),
  ChangeVector(
    testDescription: "permissions of the root change",
    change: { try $0.mode("root", 0o700) }, shallow: [""]),
  ChangeVector(
    testDescription: "a file gets a further name",
    before: {
      try $0.directory("root/d")
      try $0.file("root/d/a")
    },
    change: { try $0.link("root/b", to: "root/d/a") }, shallow: [""]),
  ChangeVector(
    testDescription: "a file is renamed across directories",
    before: {
      try $0.directory("root/d")
      try $0.directory("root/e")
      try $0.file("root/d/a")
    },
    change: { try $0.move("root/d/a", to: "root/e/b") }, shallow: ["d", "e"]),
  ChangeVector(
    testDescription: "a file replaces another",
    before: {
      try $0.directory("root/d")
      try $0.file("root/d/a")
      try $0.file("root/d/b")
    },
    change: { try $0.move("root/d/a", to: "root/d/b") }, shallow: ["d"]),
  ChangeVector(
    testDescription: "a directory is made",
    change: { try $0.directory("root/d") }, shallow: [""], deep: ["d"]),
  ChangeVector(
    testDescription: "nested directories are made, with files at once",
    change: { tree in
      for i in 0..<40 {
        let name = "root/\(i)/b/c/d/e"
        try tree.directory(name)
        try tree.file("\(name)/file")
        try tree.file("root/\(i)/b/file")
      }
    }, shallow: [""], deep: (0..<40).map { "\($0)/b/c/d/e" }),
  ChangeVector(
    testDescription: "a directory is removed with what is in it",
    before: {
      try $0.directory("root/d/e/f")
      try $0.file("root/d/e/f/a")
    },
    change: { try $0.remove("root/d/e") }, shallow: ["d"]),
  ChangeVector(
    testDescription: "a directory is moved in",
    before: {
      try $0.directory("other/d/e")
      try $0.file("other/d/e/a")
    },
    change: { try $0.move("other/d", to: "root/d") }, shallow: [""], deep: ["d"]),
  ChangeVector(
    testDescription: "a directory is moved out",
    before: { try $0.directory("root/d/e") },
    change: { try $0.move("root/d/e", to: "other/e") }, shallow: ["d"]),
  ChangeVector(
    testDescription: "a directory is moved inside",
    before: {
      try $0.directory("root/d/e/f")
      try $0.directory("root/g")
    },
    change: { try $0.move("root/d/e", to: "root/g/h") }, shallow: ["d", "g"], deep: ["g/h"]),
  ChangeVector(
    testDescription: "directories change places",
    before: {
      try $0.directory("root/a/1")
      try $0.directory("root/b/2")
      try $0.directory("root/t")
    },
    change: {
      try $0.move("root/a", to: "root/t/x")
      try $0.move("root/b", to: "root/a")
      try $0.move("root/t/x", to: "root/b")
    }, shallow: ["", "t"], deep: ["a", "b"]),
]

@Suite("Watching: changes are reported with their directory")
struct ChangeTests {
  @Test("Each kind of change", .feature("P-35"), arguments: Permitted.methods, vectors)
  func change(method: DirectoryWatcher.Method, vector: ChangeVector) async throws {
    try await withWatchedTree { tree in
      try vector.before(tree)
      try await tree.watch(method) { reports, _ in
        try vector.change(tree)
        for name in vector.shallow {
          let place = tree.inside(name)
          try await reports.wait("\(name), changed,") { $0.cover(place) }
        }
        for name in vector.deep {
          let place = tree.inside(name)
          try await reports.wait("\(name), new,") { $0.coverTree(at: place) }
        }
      }
    }
  }

  @Test("Nothing but the directory concerned is reported", arguments: Permitted.methods)
  func nothingElse(method: DirectoryWatcher.Method) async throws {
    try await withSecludedTree { tree in
      for name in ["a/b", "c/d"] { try tree.directory("root/\(name)") }
      try await tree.watch(method) { reports, _ in
        try tree.file("root/a/b/file")
        try await reports.wait { $0.cover(tree.inside("a/b")) }
        #expect(await reports.directories == [tree.inside("a/b"): .shallow])
      }
    }
  }

  @Test("Below a moved directory, changes come with the new path", arguments: Permitted.methods)
  func newPath(method: DirectoryWatcher.Method) async throws {
    try await withSecludedTree { tree in
      try tree.directory("root/a/b/c")
      try tree.directory("root/d")
      try await tree.watch(method) { reports, _ in
        try tree.move("root/a", to: "root/d/e")
        try await tree.settle(reports)
        await reports.forget()
        try tree.file("root/d/e/b/c/file")
        try await reports.wait { $0.cover(tree.inside("d/e/b/c")) }
        #expect(await reports.directories == [tree.inside("d/e/b/c"): .shallow])
      }
    }
  }

  @Test("What was moved out is no longer reported", arguments: Permitted.methods)
  func movedOut(method: DirectoryWatcher.Method) async throws {
    try await withSecludedTree { tree in
      try tree.directory("root/a/b")
      try await tree.watch(method) { reports, _ in
        try tree.move("root/a", to: "other/a")
        try await tree.settle(reports)
        await reports.forget()
        try tree.file("other/a/b/file")
        try await tree.settle(reports, 1)
        let expected: Set = [tree.root, tree.inside("settle-1")]
        #expect(Set(await reports.directories.keys) == expected)
      }
    }
  }

  @Test("Names that are not UTF-8 come back byte for byte", arguments: Permitted.methods)
  func bytes(method: DirectoryWatcher.Method) async throws {
    try await withWatchedTree { tree in
      let name = FilePath(bytes: tree.root.bytes + Array("/d".utf8) + [0xFF, 0xC3])
      try await tree.watch(method) { reports, _ in
        #expect(name.withPlatformString { mkdir($0, 0o755) } == 0)
        try await reports.wait { $0.coverTree(at: name) }
      }
    }
  }

  @Test("A root inside another is reported for both")
  func nestedRoots() async throws {
    try await withWatchedTree { tree in
      try tree.directory("root/a")
      var options = DirectoryWatcher.Options()
      options.quiet = .milliseconds(30)
      let watcher = try await DirectoryWatcher.start(
        roots: [tree.root, tree.inside("a")], options: options)
      let reports = Reports()
      await reports.follow(watcher)
      try tree.file("root/a/file")
      try await reports.wait { Set($0.all.map(\.root)) == [tree.root, tree.inside("a")] }
      await watcher.stop()
    }
  }

  @Test("A root reached through a symbolic link is reported with the path it was given")
  func linkedRoot() async throws {
    try await withWatchedTree { tree in
      let link = tree.path.appending("link")
      #expect(symlink(tree.path.string, link.string) == 0)
      let root = link.appending("root")
      let watcher = try await DirectoryWatcher.start(roots: [root])
      let reports = Reports()
      await reports.follow(watcher)
      try tree.directory("root/a")
      try await reports.wait { $0.coverTree(at: root.appending("a")) }
      await watcher.stop()
    }
  }
}
