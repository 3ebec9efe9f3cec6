import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Watching: whatever is done, reading what is reported finds it")
struct RandomTests {
  @Test("Random operations", arguments: Permitted.methods, 0..<6)
  func random(method: DirectoryWatcher.Method, run: Int) async throws {
    let seed = UInt64.random(in: 0 ..< .max)
    try await withWatchedTree { tree in
      var world = RandomWorld(tree: tree, seed: seed)
      for _ in 0..<60 { world.act() }
      var before = TreeState(tree.root)
      try await tree.watch(method) { reports, _ in
        for round in 0..<12 {
          for _ in 0..<world.count(upTo: 60) { world.act() }
          try await tree.settle(reports, round)
          let now = TreeState(tree.root)
          let reported = await reports.directories
          let missed = before.missed(in: now, by: reported, root: tree.root)
          #expect(missed == [], "seed \(seed), round \(round): not in \(reported)")
          guard missed.isEmpty else { return }
          await reports.forget()
          before = now
        }
      }
    }
  }
}

/// Does random things in a directory, many of which cannot be done. Hard links are not among them: what
/// changes a file through another of its names is nobody's news.
private struct RandomWorld {
  let tree: WatchedTree
  private var generator: SeededRandom

  init(tree: WatchedTree, seed: UInt64) {
    self.tree = tree
    generator = SeededRandom(seed: seed)
  }

  mutating func count(upTo limit: Int) -> Int { Int.random(in: 1...limit, using: &generator) }

  /// Few names, so that things meet: up to four levels of three names, mostly inside the root.
  private mutating func place() -> String {
    let top = Int.random(in: 0..<6, using: &generator) == 0 ? "other" : "root"
    let names = (0..<count(upTo: 4)).map { _ in
      ["a", "b", "c"].randomElement(using: &generator) ?? "a"
    }
    return ([top] + names).joined(separator: "/")
  }

  mutating func act() {
    let place = place()
    let other = self.place()
    switch Int.random(in: 0..<14, using: &generator) {
    case 0...2: try? tree.directory(place)
    case 3, 4: try? tree.file(place, String(repeating: "x", count: count(upTo: 99)))
    case 5: try? tree.file(place, "more", appending: true)
    case 6...9: try? tree.move(place, to: other)
    case 10, 11: try? tree.remove(place)
    case 12: try? tree.mode(place, count(upTo: 2) == 1 ? 0o755 : 0o700)
    default: _ = symlink(other, tree.path.pushing(FilePath(place)).string)
    }
  }
}

/// What a catalog would know of a tree.
private struct TreeState {
  private struct Entry: Equatable {
    let inode: UInt64
    let mode: UInt32
    let size: Int64
    let modified: Int64
    let links: UInt32

    init?(_ path: FilePath) {
      guard let status = try? FileStatus(ofPath: path) else { return nil }
      inode = status.inode
      mode = status.mode
      links = status.links
      size = status.size
      modified = status.modified
    }
  }

  private struct Directory {
    var own: Entry?
    /// What is in it, of directories only their identity: their values are their own.
    var entries: [String: Entry] = [:]
    var subdirectories: [String: UInt64] = [:]
  }

  private var directories: [FilePath: Directory] = [:]

  init(_ root: FilePath) {
    var waiting = [root]
    while let path = waiting.popLast() {
      var directory = Directory(own: Entry(path))
      for name in (try? FileManager.default.contentsOfDirectory(atPath: path.string)) ?? [] {
        let inside = path.appending(name)
        guard let entry = Entry(inside) else { continue }
        if EntryKind(mode: entry.mode) == .directory {
          directory.subdirectories[name] = entry.inode
          waiting.append(inside)
        } else {
          directory.entries[name] = entry
        }
      }
      directories[path] = directory
    }
  }

  /// The directories that differ in `later`, and would not be found to by reading what is reported.
  func missed(
    in later: TreeState, by reported: [FilePath: DirectoryWatcher.DirtyDirectories.Extent],
    root: FilePath
  ) -> [FilePath] {
    later.directories.compactMap { path, now in
      guard !Self.isBelowDeep(path, in: reported) else { return nil }
      // A directory that is new, or another, has to be read with all below it.
      guard let old = directories[path], old.own?.inode == now.own?.inode else { return path }
      let listing = old.entries == now.entries && old.subdirectories == now.subdirectories
      guard listing || reported[path] != nil else { return path }
      let parent = path == root ? path : path.removingLastComponent()
      guard old.own == now.own || reported[path] != nil || reported[parent] != nil
      else { return path }
      return nil
    }.sorted { $0.string < $1.string }
  }

  private static func isBelowDeep(
    _ path: FilePath, in reported: [FilePath: DirectoryWatcher.DirtyDirectories.Extent]
  ) -> Bool {
    var place = path
    repeat {
      if reported[place] == .deep { return true }
    } while place.removeLastComponent()
    return false
  }
}
