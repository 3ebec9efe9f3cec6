import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("A directory tree as a value")
struct DirectoryTreeTests {
  private typealias Value = DirectoryTree.Difference.Value

  private func paths(_ tree: DirectoryTree) -> [String] { tree.entries.map(\.path.string) }

  private static let mixed: [Piece] = [
    .file("b.txt", bytes: 5), .file("a/z", bytes: 1), .file("a/B.png", bytes: 2),
    .file("a/deep/er/leaf", bytes: 3), .file(".hidden"), .directory("empty"),
    .symlink("link", to: "a"), .symlink("broken", to: "nowhere"), .fifo("pipe"),
    .file("Notes.rtfd/TXT.rtf", bytes: 7), .file("Notes.rtfd/inner/x", bytes: 11),
  ]

  // MARK: - Reading

  @Test("has everything below it by the bytes of names, and follows no links")
  func wholeTree() async throws {
    try await withTree(Self.mixed) { directory in
      let tree = try DirectoryTree(of: directory.path, types: .builtIn)
      #expect(tree.path == directory.path)
      #expect(
        paths(tree) == [
          ".hidden", "Notes.rtfd", "a", "a/B.png", "a/deep", "a/deep/er", "a/deep/er/leaf", "a/z",
          "b.txt", "broken", "empty", "link", "pipe",
        ])
      #expect(tree.count == 13 && tree.failures.isEmpty)
      #expect(
        tree.root.children.map(\.name) == [
          ".hidden", "Notes.rtfd", "a", "b.txt", "broken", "empty", "link", "pipe",
        ])
      #expect(tree.root.kind == .directory && tree.root.content == .read)
      #expect(tree["b.txt"]?.type?.identifier == "public.plain-text")
      #expect(tree["a/B.png"]?.type?.identifier == "public.png")
      #expect(tree["b.txt"]?.status?.size == 5)
      #expect(
        try tree["a/z"]?.status?.inode == FileStatus(ofPath: directory("a/z")).inode)
      #expect(tree["link"]?.kind == .symlink && tree["link"]?.target == "a")
      #expect(tree["link"]?.children.isEmpty == true && tree["link"]?.content == nil)
      #expect(tree["broken"]?.target == "nowhere")
      #expect(tree["pipe"]?.kind == .fifo)
      #expect(tree["empty"]?.content == .read && tree["empty"]?.children.isEmpty == true)
    }
  }

  @Test("a package is one node with the sums of its content, unless it is asked for")
  func packages() async throws {
    try await withTree(Self.mixed) { directory in
      let closed = try DirectoryTree(of: directory.path, types: .builtIn)
      let package = try #require(closed["Notes.rtfd"])
      #expect(package.kind == .package && package.isPackage && package.content == .notEntered)
      #expect(package.status?.size == 18 && package.children.isEmpty)
      #expect(closed["Notes.rtfd/TXT.rtf"] == nil)
      let open = try DirectoryTree(of: directory.path, packages: .descend, types: .builtIn)
      #expect(open["Notes.rtfd"]?.kind == .directory && open["Notes.rtfd"]?.isPackage == true)
      #expect(open["Notes.rtfd/inner/x"]?.status?.size == 11)
      #expect(open.sums.size == closed.sums.size && open.sums.allocated == closed.sums.allocated)
      // A package itself is entered, as any root is.
      let inside = try DirectoryTree(of: directory("Notes.rtfd"), types: .builtIn)
      #expect(paths(inside) == ["TXT.rtf", "inner", "inner/x"])
    }
  }

  @Test(
    "goes down as far as it is asked to, and says what it did not enter",
    arguments: [
      (0, 0, []), (1, 8, ["a", "empty"]), (2, 11, ["a/deep"]), (3, 12, ["a/deep/er"]),
      (4, 13, []), (99, 13, []),
    ])
  func depths(_ depth: Int, _ count: Int, _ closed: [String]) async throws {
    try await withTree(Self.mixed) { directory in
      let tree = try DirectoryTree(of: directory.path, depth: depth, types: .builtIn)
      #expect(tree.count == count)
      #expect(tree.root.content == (depth == 0 ? .notEntered : .read))
      let left = tree.entries.filter { $0.node.kind == .directory && $0.node.content != .read }
      #expect(left.map(\.path.string) == closed)
      #expect(left.allSatisfy { $0.node.content == .notEntered && $0.node.children.isEmpty })
    }
  }

  @Test("leaves out hidden items with all that they hold when asked to")
  func hidden() async throws {
    try await withTree([.file(".h/a"), .file("d/.x"), .file("d/y")]) { directory in
      let shown = try DirectoryTree(of: directory.path)
      #expect(paths(shown) == [".h", ".h/a", "d", "d/.x", "d/y"])
      let skipped = try DirectoryTree(of: directory.path, hiddenItems: .skipped)
      #expect(paths(skipped) == ["d", "d/y"])
    }
  }

  @Test(
    "the path of a link to a directory is resolved once, and never empty silently",
    .feature("FS-06"))
  func linkedRoot() async throws {
    try await withTree([.file("real/x"), .symlink("link", to: "real")]) { directory in
      let tree = try DirectoryTree(of: directory("link"))
      #expect(tree.path == directory("real"))
      #expect(paths(tree) == ["x"])
    }
  }

  @Test("what is missing or is no directory is a typed error", .feature("FS-02", "FS-03"))
  func errors() async throws {
    try await withTree([.file("file"), .symlink("link", to: "nowhere")]) { directory in
      for (name, code): (FilePath, DirectoryTable.Failure.Code) in [
        ("missing", .notFound), ("file", .notADirectory), ("link", .notADirectory),
        ("file/below", .notADirectory),
      ] {
        let error = #expect(throws: DirectoryTable.Failure.self) {
          _ = try DirectoryTree(of: directory(name))
        }
        #expect(error?.code == code)
      }
    }
  }

  @Test(
    "a directory that cannot be read is a node that says so, and the rest is there",
    .feature("FS-04", "FS-14"))
  func unreadable() async throws {
    try await withTree([.file("closed/x"), .file("open/y"), .file("z")]) { directory in
      let plan = FaultPlan()
      plan.close(["closed"])
      let tree = try DirectoryTree(of: directory.path, types: .builtIn) { PlannedFaults(plan) }
      #expect(paths(tree) == ["closed", "open", "open/y", "z"])
      let node = try #require(tree["closed"])
      #expect(node.content == .unreadable && node.kind == .directory && node.status != nil)
      #expect(node.failures == [FileError(.open, directory("closed"), .permissionDenied)])
      #expect(tree.failures == node.failures)
      #expect(tree["open"]?.failures == [])
      let healed = try DirectoryTree(of: directory.path, types: .builtIn)
      let difference = healed.difference(from: tree)
      #expect(difference.added == ["closed/x"] && difference.removed.isEmpty)
      #expect(difference.modified.first { $0.to == "closed" }?.values.contains(.content) == true)
    }
  }

  @Test("whichever call fails, the tree says what it does not know, or the error is typed")
  func everyFault() async throws {
    try await withTree([.file("a/b/c"), .symlink("a/l", to: "b"), .file("P.rtfd/x")]) { directory in
      let plan = FaultPlan()
      func read() throws -> DirectoryTree {
        try DirectoryTree(of: directory.path, types: .builtIn) { PlannedFaults(plan) }
      }
      plan.heal()
      let whole = try read()
      let calls = plan.calls
      #expect(calls > 5)
      for call in 0..<calls {
        plan.fail(at: call, with: .ioError)
        do throws(DirectoryTable.Failure) {
          let tree = try DirectoryTree(of: directory.path, types: .builtIn) { PlannedFaults(plan) }
          // Not every walk takes as many calls.
          #expect(!tree.failures.isEmpty || plan.calls <= call, "call \(call)")
        } catch {
          #expect(error.code == .system && error.errno == .ioError, "call \(call)")
        }
      }
      plan.heal()
      #expect(try paths(read()) == paths(whole))
    }
  }

  @Test("names that are not UTF-8 are nodes as all others")
  func bytes() async throws {
    try await withTree { directory in
      let name = FilePath(bytes: [0x6e, 0xff])
      try directory.write("x", to: name)
      try directory.write("y", to: FilePath("d").pushing(name))
      let tree = try DirectoryTree(of: directory.path)
      #expect(tree[name]?.nameBytes == [0x6e, 0xff] && tree[name]?.name == "n\u{FFFD}")
      #expect(tree[FilePath("d").pushing(name)]?.status?.size == 1)
    }
  }

  @Test("a tree of any depth is read, compared and let go of")
  func deep() async throws {
    try await withTree { directory in
      try directory.makeChain(names: (0..<3000).map { "level\($0)" })
      let tree = try DirectoryTree(of: directory.path)
      #expect(tree.count == 3000 && tree.sums.directories == 3000)
      #expect(tree.entries.reduce(0) { max($0, $1.path.length) } > 20_000)
      #expect(tree.difference(from: tree).isEmpty)
      #expect(tree.map { _, children in 1 + (children.first ?? 0) } == 3001)
      #expect(tree.filter { $0.name == "level2999" }.count == 3000)
    }
  }

  // MARK: - Values

  @Test("entries are found by their paths, and by no others")
  func lookup() async throws {
    try await withTree(Self.mixed) { directory in
      let tree = try DirectoryTree(of: directory.path)
      for (path, node) in tree.entries {
        #expect(tree[path] == node && node.name == path.lastComponent?.string)
      }
      #expect(tree[""] == tree.root)
      #expect(tree["a"]?["deep/er"] == tree["a/deep/er"])
      for path: FilePath in ["A", "a/deep/x", "a/../b.txt", "b.txt/x", "/a", "link/z"] {
        #expect(tree[path] == nil, "\(path)")
      }
    }
  }

  @Test("a filter keeps what passes, and the directories on the way", .feature("FS-31"))
  func filter() async throws {
    try await withTree(Self.mixed) { directory in
      let tree = try DirectoryTree(of: directory.path)
      #expect(
        paths(tree.filter { $0.name == "leaf" }) == [
          "a", "a/deep", "a/deep/er", "a/deep/er/leaf",
        ])
      #expect(
        paths(tree.filter { $0.kind == .directory }) == ["a", "a/deep", "a/deep/er", "empty"])
      #expect(
        paths(tree.filter { ($0.status?.size ?? 0) == 1 && $0.kind == .file }) == ["a", "a/z"])
      #expect(tree.filter { _ in false }.count == 0)
      #expect(tree.filter { _ in true } == tree)
      #expect(tree.filter { $0.name == "leaf" }.sums.size == 3)
    }
  }

  @Test(
    "another order is another order in each directory, and ties stay as they are", .feature("FS-32")
  )
  func sorted() async throws {
    try await withTree(Self.mixed) { directory in
      let tree = try DirectoryTree(of: directory.path)
      let turned = tree.sorted { $1.nameBytes.lexicographicallyPrecedes($0.nameBytes) }
      #expect(
        paths(turned) == [
          "pipe", "link", "empty", "broken", "b.txt", "a", "a/z", "a/deep", "a/deep/er",
          "a/deep/er/leaf", "a/B.png", "Notes.rtfd", ".hidden",
        ])
      #expect(turned.sorted { $0.nameBytes.lexicographicallyPrecedes($1.nameBytes) } == tree)
      let directoriesFirst = tree.sorted { $0.kind == .directory && $1.kind != .directory }
      #expect(
        directoriesFirst.root.children.map(\.name) == [
          "a", "empty", ".hidden", "Notes.rtfd", "b.txt", "broken", "link", "pipe",
        ])
      #expect(turned.sums == tree.sums && turned.difference(from: tree).isEmpty)
    }
  }

  @Test(
    "a map makes values from the bottom up, each with those of its children in order",
    .feature("FS-30"))
  func map() async throws {
    indirect enum Outline: Equatable { case item(String, [Outline]) }
    try await withTree([.file("a/b/c"), .file("a/d"), .file("e")]) { directory in
      let tree = try DirectoryTree(of: directory.path)
      let outline = tree.map { node, children in Outline.item(node.name, children) }
      #expect(
        outline
          == .item(
            "tree",
            [
              .item("a", [.item("b", [.item("c", [])]), .item("d", [])]), .item("e", []),
            ]))
    }
  }

  @Test("trees and nodes are equal when all that they hold is, wherever a node is")
  func equality() async throws {
    try await withTree([.file("a/x", bytes: 1), .file("b")]) { directory in
      let whole = try DirectoryTree(of: directory.path)
      let part = try DirectoryTree(of: directory("a"))
      #expect(whole["a/x"] == part["x"])
      #expect(Set([whole, whole.filter { _ in true }]).count == 1)
      #expect(whole != whole.filter { $0.name == "x" })
    }
  }

  // MARK: - Sums

  @Test("a file with several names takes its place once, also where one is in a package")
  func hardLinks() async throws {
    let pieces: [Piece] = [
      .file("one", bytes: 9000), .hardLink("d/two", to: "one"),
      .hardLink("N.rtfd/three", to: "one"), .hardLink("N.rtfd/four", to: "one"),
    ]
    try await withTree(pieces) { directory in
      let tree = try DirectoryTree(of: directory.path, types: .builtIn)
      let file = try FileStatus(ofPath: directory("one")).allocated
      let blocks = try ["", "d", "N.rtfd"].reduce(0) {
        try $0 + FileStatus(ofPath: directory(FilePath($1))).allocated
      }
      #expect(tree.sums.allocated == file + blocks)
      #expect(tree.sums.size == 4 * 9000)
      #expect(tree.sums.files == 3 && tree.sums.directories == 1)
      #expect(try tree["d"]?.sums.allocated == file + FileStatus(ofPath: directory("d")).allocated)
    }
  }

  // MARK: - Differences

  /// The difference that an edit makes.
  private func difference(
    _ pieces: [Piece], _ edit: (TemporaryDirectory) throws -> Void
  ) async throws -> DirectoryTree.Difference {
    try await withTree(pieces) { directory in
      let old = try DirectoryTree(of: directory.path, types: .builtIn)
      try edit(directory)
      return try DirectoryTree(of: directory.path, types: .builtIn).difference(from: old)
    }
  }

  @Test("what came, went, changed and moved is told apart")
  func fourWays() async throws {
    let pieces: [Piece] = [
      .file("same"), .file("d/gone"), .file("d/moves"), .file("d/grows"), .directory("e"),
    ]
    let told = try await difference(pieces) { directory in
      try directory.remove("d/gone")
      try directory.rename("d/moves", to: "e/moved")
      try directory.write("more", to: "d/grows")
      try directory.write("new", to: "f/new")
    }
    #expect(told.added == ["f", "f/new"])
    #expect(told.removed == ["d/gone"])
    #expect(told.moved.map(\.from) == ["d/moves"] && told.moved.map(\.to) == ["e/moved"])
    #expect(told.modified.map(\.to).filter { $0 == "same" }.isEmpty)
    let grown = try #require(told.modified.first { $0.to == "d/grows" })
    #expect(grown.from == grown.to && grown.values.contains(.size))
    #expect(!grown.values.contains(.identity) && !grown.values.contains(.type))
  }

  @Test("what is in a directory that was moved has not moved itself")
  func movedDirectory() async throws {
    let pieces: [Piece] = [
      .file("a/x"), .file("a/b/y"), .file("a/b/leaves"), .file("a/b/saved"), .directory("c"),
    ]
    let told = try await difference(pieces) { directory in
      try directory.rename("a", to: "c/d")
      try directory.rename("c/d/b/leaves", to: "left")
      try directory.write("other", to: "tmp")
      try directory.rename("tmp", to: "c/d/b/saved")
    }
    #expect(told.added.isEmpty && told.removed.isEmpty)
    #expect(told.moved.map(\.from) == ["a", "a/b/leaves"])
    #expect(told.moved.map(\.to) == ["c/d", "left"])
    let saved = try #require(told.modified.first { $0.to == "c/d/b/saved" })
    #expect(saved.from == "a/b/saved" && saved.values.contains(.identity))
  }

  @Test("what was replaced in one step is the same entry with another identity", .feature("LX-07"))
  func replaced() async throws {
    let told = try await difference([.file("f")]) { directory in
      try directory.write("new content", to: "f.tmp")
      try directory.rename("f.tmp", to: "f")
    }
    #expect(told.added.isEmpty && told.removed.isEmpty && told.moved.isEmpty)
    let change = try #require(told.modified.first { $0.to == "f" })
    #expect(change.values.isSuperset(of: [.identity, .size]))
  }

  @Test("two that have changed places have moved, and what took a name of another kind is new")
  func swapped() async throws {
    let pieces: [Piece] = [.file("a", bytes: 1), .file("b", bytes: 2), .file("k")]
    let told = try await difference(pieces) { directory in
      try directory.rename("a", to: "c")
      try directory.rename("b", to: "a")
      try directory.rename("c", to: "b")
      try directory.remove("k")
      try directory.makeDirectory("k")
    }
    #expect(told.moved.map(\.from) == ["b", "a"] && told.moved.map(\.to) == ["a", "b"])
    #expect(told.added == ["k"] && told.removed == ["k"])
  }

  @Test("names of one file come, go and move by themselves")
  func linkedNames() async throws {
    let pieces: [Piece] = [.file("a"), .hardLink("b", to: "a"), .hardLink("d/c", to: "a")]
    let told = try await difference(pieces) { directory in
      try directory.rename("b", to: "z")
      try directory.make(.hardLink("e", to: "a"))
      try directory.rename("d", to: "dd")
    }
    #expect(told.removed.isEmpty && told.added == ["z"])
    #expect(told.moved.map(\.from) == ["d", "b"] && told.moved.map(\.to) == ["dd", "e"])
    #expect(told.modified.contains { $0.from == "d/c" && $0.to == "dd/c" })
  }

  @Test("links that say something else, and permissions, are values that differ")
  func otherValues() async throws {
    let pieces: [Piece] = [.symlink("l", to: "a"), .file("f"), .file("note.txt")]
    let told = try await difference(pieces) { directory in
      try directory.remove("l")
      try directory.make([.symlink("l", to: "elsewhere"), .mode("f", 0o600)])
      try directory.rename("note.txt", to: "note.png")
    }
    #expect(told.modified.first { $0.to == "l" }?.values.contains(.target) == true)
    #expect(told.modified.first { $0.to == "f" }?.values.contains(.permissions) == true)
    #expect(told.moved.first?.values.contains(.type) == true)
  }

  // MARK: - Any trees

  /// The paths of the new tree, made from those of the old one by what a difference says.
  private func apply(
    _ told: DirectoryTree.Difference, to old: DirectoryTree
  ) -> Set<FilePath> {
    let moved = Dictionary(uniqueKeysWithValues: told.moved.map { ($0.from, $0.to) })
    let removed = Set(told.removed)
    var places: [FilePath: FilePath] = ["": ""]
    for (path, node) in old.entries {
      // What was in a directory that is gone and is there all the same has moved.
      let around = places[path.removingLastComponent()]
      guard !removed.contains(path) else { continue }
      places[path] = moved[path] ?? around?.pushing(FilePath(bytes: node.nameBytes))
    }
    places[""] = nil
    return Set(places.values).union(told.added)
  }

  @Test(
    "after any edits the difference makes the new paths of the old ones, and sums are those of a walk",
    arguments: (0..<4).map { _ in UInt64.random(in: 0 ... .max) })
  func anyTrees(_ seed: UInt64) async throws {
    try await withTree { directory in
      var random = SeededRandom(seed: seed)
      var editor = TreeEditor(
        directory, random: SeededRandom(seed: random.next()), isWide: false)
      for _ in 0..<60 { editor.edit() }
      var old = try DirectoryTree(of: directory.path, packages: .descend, types: .builtIn)
      for round in 0..<12 {
        for _ in 0..<[1, 3, 10, 40][random.below(4)] { editor.edit() }
        let place: Comment = "round \(round) of seed \(seed)"
        let new = try DirectoryTree(of: directory.path, packages: .descend, types: .builtIn)
        let walked = try IndependentWalk.entries(of: directory.path)
        let prefix = directory.path.bytes.count + 1
        let inside = walked.values.filter { $0.depth > 0 }
        #expect(
          Set(new.entries.map(\.path.bytes))
            == Set(inside.map { Array($0.path.dropFirst(prefix)) }),
          place)
        expectSums(new.sums, of: Array(walked.values), place)

        let told = new.difference(from: old)
        #expect(apply(told, to: old) == Set(new.entries.map(\.path)), place)
        #expect(Set(told.added).isSubset(of: new.entries.map(\.path)), place)
        #expect(Set(told.removed).isSubset(of: old.entries.map(\.path)), place)
        for change in told.modified + told.moved {
          let (before, after) = (old[change.from], new[change.to])
          #expect(before?.kind == after?.kind, place)
          let isSame = before?.status?.inode == after?.status?.inode
          #expect(isSame || change.values.contains(.identity), place)
        }
        #expect(new.difference(from: new).isEmpty, place)
        old = new
      }
    }
  }

  private func expectSums(
    _ sums: DirectoryTree.Sums, of walked: [WalkedEntry], _ place: Comment
  ) {
    let inside = walked.filter { $0.depth > 0 }
    #expect(sums.directories == inside.filter(\.isDirectory).count, place)
    #expect(sums.files == inside.filter { !$0.isDirectory }.count, place)
    let size = inside.filter { !$0.isDirectory }.reduce(0) { $0 + Int64($1.status.st_size) }
    #expect(sums.size == size, place)
    var seen: Set<UInt64> = []
    let allocated = walked.reduce(Int64(0)) { sum, entry in
      !entry.isDirectory && entry.status.st_nlink > 1 && !seen.insert(entry.inode).inserted
        ? sum : sum + entry.allocated
    }
    #expect(sums.allocated == allocated, place)
  }
}
