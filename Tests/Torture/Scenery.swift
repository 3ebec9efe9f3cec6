import SystemPackage
import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A command that writes, what it finds, and what comes of it when nothing goes wrong.
struct Scene: Sendable {
  let name: String
  let arguments: [String]
  /// The catalog that it begins with, of which nothing is in a log.
  let base: String?
  /// The rows of each root before and after. Nothing in between may ever be seen of a root.
  let before: [String: Rows]
  let after: [String: Rows]
  /// How long it takes.
  let duration: Duration

  var isScan: Bool { arguments.first == "scan" }

  /// Makes the catalog that it begins with.
  func begin(at catalog: String) throws {
    guard let base else { return }
    try Scenery.copy(base, to: catalog)
  }

  /// How the rows of a catalog are neither those before nor those after; `nil` where they are.
  func fault(of rows: [String: Rows]) -> String? {
    for root in Set(before.keys).union(after.keys).union(rows.keys) {
      let found = rows[root] ?? [:]
      if found == before[root] ?? [:] || found == after[root] ?? [:] { continue }
      let fromOld = found.difference(from: before[root] ?? [:]) ?? ""
      let fromNew = found.difference(from: after[root] ?? [:]) ?? ""
      return "\(root) is neither old (\(fromOld)) nor new (\(fromNew))"
    }
    return nil
  }

  /// How rows are others than these.
  static func difference(of rows: [String: Rows], from expected: [String: Rows]) -> String? {
    for root in Set(expected.keys).union(rows.keys) {
      if let difference = (rows[root] ?? [:]).difference(from: expected[root] ?? [:]) {
        return "\(root): \(difference)"
      }
    }
    return nil
  }
}

/// Trees that have changed since they were scanned, catalogs of them at several times, and the commands that
/// bring these up to date. None of it changes while tries go on.
final class Scenery: Sendable {
  let scenes: [Scene]
  /// A catalog that says what the disk does.
  let current: String
  let first: String
  let second: String

  init(in directory: TemporaryDirectory, program: String, seed: UInt64) throws {
    try TemporaryDirectory.makeDirectories(to: directory.path)
    var random = SeededRandom(seed: seed)
    let home = directory.path.string
    let (first, second) = (home + "/trees/first", home + "/trees/second")
    let large = home + "/large"
    let (known, both, current) = (home + "/known", home + "/both", home + "/current")
    let trees = directory("trees")
    (self.first, self.second, self.current) = (first, second, current)
    var runner = CommandRunner(
      program, environment: Attempt.environment(home: home), directory: home)
    runner.limit = Attempt.limit
    func run(_ arguments: [String], _ catalog: String) throws {
      let result = try runner.run(arguments + ["--catalog", catalog])
      guard result.status <= 1 else {
        throw CommandError(
          description: "\(arguments): \(result.status) \(result.errors) \(result.text)")
      }
    }
    var editors = try ["first", "second"].map { name in
      try TreeMaker(
        TemporaryDirectory(at: trees.appending(name)), SeededRandom(seed: random.next()))
    }
    try Self.makeLargeTree(directory("large"))
    try run(["scan", first, second], both)
    for index in editors.indices { try editors[index].edit(12) }
    try run(["scan", first], known)
    try run(["scan"], both)
    for index in editors.indices { try editors[index].edit(25) }
    try Self.copy(both, to: current)
    try run(["scan"], current)
    let unhashed = home + "/unhashed"
    try Self.copy(current, to: unhashed)
    try run(["duplicates", "--hash"], current)

    // Where nothing goes wrong, the truth is what a walk of our own says.
    let disk = [first: try DiskRows.all(of: first), second: try DiskRows.all(of: second)]
    let largeRows = try DiskRows.all(of: large)
    func scene(
      _ name: String, _ arguments: [String], _ base: String?,
      _ after: ([String: Rows]) -> [String: Rows]
    ) throws -> Scene {
      let before = try base.map { try CatalogRows.all(in: $0) } ?? [:]
      let after = after(before)
      let trial = home + "/trial"
      defer { Self.remove(trial) }
      if let base { try Self.copy(base, to: trial) }
      let start = ContinuousClock.now
      try run(arguments, trial)
      let duration = ContinuousClock.now - start
      if let fault = Scene.difference(of: try CatalogRows.all(in: trial), from: after) {
        throw CommandError(description: "the scene “\(name)” does not hold: \(fault)")
      }
      return Scene(
        name: name, arguments: arguments, base: base, before: before, after: after,
        duration: duration)
    }
    scenes = [
      try scene("first scan", ["scan", first, second], nil) { _ in disk },
      try scene("added root", ["scan", second], known) {
        $0.merging([second: disk[second] ?? [:]]) { $1 }
      },
      try scene("added large root", ["scan", large], known) {
        $0.merging([large: largeRows]) { $1 }
      },
      try scene("rescan", ["scan"], known) { $0.merging([first: disk[first] ?? [:]]) { $1 } },
      try scene("rescan of two", ["scan"], both) { _ in disk },
      try scene("one thread", ["scan", "-j", "1"], both) { _ in disk },
      try scene("contents", ["scan", "--sniff", "--xattrs", first], known) {
        $0.merging([first: disk[first] ?? [:]]) { $1 }
      },
      try scene("nothing new", ["scan"], current) { $0 },
      try scene("hashes", ["duplicates", "--hash"], unhashed) { $0 },
      try scene("forgetting", ["forget", second], both) { $0.filter { $0.key == first } },
      try scene("pruning", ["history", "--keep-changes", "1", "--yes"], both) { $0 },
      try scene("containers", ["containers", "discover", "--register", home + "/trees"], both) {
        $0
      },
      try scene("saving", ["find", "--save", "texts", "ext:txt"], both) { $0 },
    ]
  }

  /// Makes a tree of so many entries that a catalog which has others gets it as pages.
  private static func makeLargeTree(_ tree: FilePath) throws {
    let tree = TemporaryDirectory(at: tree)
    for directory in 0..<30 {
      try tree.make(
        (0..<90).map { file in
          .file(FilePath("part \(directory)/\(file).\(["txt", "jpg", "c"][file % 3])"), bytes: file)
        })
    }
  }

  /// Copies a catalog of which nothing is in a log.
  static func copy(_ catalog: String, to copy: String) throws {
    let result = try CommandRunner("cp").run([catalog, copy])
    guard result.status == 0 else { throw CommandError(description: result.errors) }
  }

  static func remove(_ catalog: String) {
    for ending in ["", "-wal", "-shm", "-journal"] { unlink(catalog + ending) }
  }
}

/// Makes a tree and edits it, as a seed says.
struct TreeMaker {
  let tree: TemporaryDirectory
  private var random: SeededRandom
  private var files: [String] = []
  private var directories: [String] = ["."]
  private var count = 0

  private static let extensions = ["txt", "jpg", "swift", "json", "tar.gz", "", "md", "log"]

  init(_ tree: TemporaryDirectory, _ random: SeededRandom) throws {
    self.tree = tree
    self.random = random
    for _ in 0..<24 { try makeDirectory() }
    for _ in 0..<260 { try makeFile() }
    let text = String(repeating: "x", count: 900)
    for name in ["same", "same copy"] { try tree.write(text, to: FilePath("\(name).txt")) }
    try tree.write("{\\rtf1}", to: "Notes.rtfd/TXT.rtf")
    try tree.write("123", to: "Notes.rtfd/inner/picture.png")
    try tree.make([
      .symlink("link", to: "same.txt"), .symlink("broken", to: "nowhere"),
      .hardLink("linked.txt", to: "same.txt"), .fifo("pipe"), .directory("empty"),
    ])
    try tree.write("1", to: "Library/Caches/icon@2x.png")
    try tree.write("Signature: 8a477f597d28d172789f06886806bc55\n", to: "cache/CACHEDIR.TAG")
    try tree.write("bad", to: FilePath(platformString: [0x62, -1, 0x62, 0]))
  }

  private mutating func newName() -> String {
    count += 1
    let ending = Self.extensions[random.below(Self.extensions.count)]
    return "\(["report", "Photo", "é", "a b", "x"][random.below(5)]) \(count)"
      + (ending.isEmpty ? "" : ".\(ending)")
  }

  private mutating func makeDirectory() throws {
    let path = directories[random.below(directories.count)] + "/\(newName()).d"
    try tree.makeDirectory(FilePath(path))
    directories.append(path)
  }

  private mutating func makeFile() throws {
    let path = directories[random.below(directories.count)] + "/" + newName()
    try tree.write([UInt8](repeating: 0x78, count: random.below(3000)), to: FilePath(path))
    files.append(path)
  }

  /// Makes so many changes.
  mutating func edit(_ changes: Int) throws {
    for _ in 0..<changes {
      let place = random.below(files.count)
      switch random.below(8) {
      case 0: try makeDirectory()
      case 1, 2: try makeFile()
      case 3: try tree.remove(FilePath(files.remove(at: place)))
      case 4:
        let path = directories[random.below(directories.count)] + "/" + newName()
        try tree.rename(FilePath(files[place]), to: FilePath(path))
        files[place] = path
      case 5: try tree.make(.mode(FilePath(files[place]), 0o600))
      case 6:
        let from = directories.remove(at: 1 + random.below(directories.count - 1))
        let to = "./" + newName() + ".d"
        try tree.rename(FilePath(from), to: FilePath(to))
        func moved(_ path: String) -> String {
          path.hasPrefix(from + "/") ? to + path.dropFirst(from.count) : path
        }
        directories = directories.map(moved) + [to]
        files = files.map(moved)
      default:
        try tree.write(
          [UInt8](repeating: 0x79, count: random.below(5000)), to: FilePath(files[place]))
      }
    }
  }
}
