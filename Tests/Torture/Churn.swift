import CPlatform
import Dispatch
import SQLite
import Synchronization
import SystemPackage
import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Trees that change while they are scanned: each row was true at some time, and once nothing changes any more
/// the next scan is exact.
struct Churn: Part {
  static let name = "churn"
  static let tries = 100
  static let weight = 1.5

  init(_ campaign: Campaign) throws {}

  func attempt(_ attempt: Attempt) throws {
    let tree = attempt.directory("tree")
    let editor = try ChurningTree(tree, SeededRandom(seed: attempt.random.next()))
    let catalog = ["--catalog", attempt.catalog]
    let isRescan = attempt.random.below(2) == 0
    if isRescan { try attempt.run(["scan", tree.string] + catalog) }
    let options = [[], ["-j", "1"], ["--changes"], ["--sniff"]][attempt.random.below(4)]
    let scans = 1 + attempt.random.below(3)
    let stop = Mutex(false)
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) let shared = editor
    let thread = DispatchQueue(label: "churn")
    thread.async {
      while !stop.withLock({ $0 }) { shared.edit() }
      done.signal()
    }
    var failure: (any Error)?
    var before: [String: Rows] = [:]
    do {
      for _ in 0..<scans {
        before = try CatalogRows.all(in: attempt.catalog)
        guard let run = try attempt.run(["scan", tree.string] + options + catalog) else { break }
        if run.status == 4, try CatalogRows.all(in: attempt.catalog) != before {
          attempt.note(.dishonest, "status 4, but not as before: \(run.errors)")
        }
      }
    } catch { failure = error }
    stop.withLock { $0 = true }
    done.wait()
    if let failure { throw failure }
    for line in try unexplained(in: attempt.catalog, editor).prefix(3) {
      attempt.note(.difference, "never true: \(line)")
    }
    try attempt.expectSound()

    guard let last = try attempt.run(["scan", tree.string, "--allow-empty"] + catalog) else {
      return
    }
    if last.status != 0 {
      attempt.note(.difference, "the scan of a quiet tree: \(last.status): \(last.errors)")
    }
    let rows = try CatalogRows.all(in: attempt.catalog)
    if let fault = Scene.difference(
      of: rows, from: [tree.string: try DiskRows.all(of: tree.string)])
    {
      attempt.note(.difference, "after the scan of a quiet tree: \(fault)")
    }
    try attempt.expectSound()
  }

  /// The rows that were not true at any time. A directory that is moved while it is read has its content below
  /// its old path: what counts is in which directory an entry was.
  private func unexplained(in catalog: String, _ editor: ChurningTree) throws -> [String] {
    guard access(catalog, F_OK) == 0 else { return [] }
    let db = try Connection(path: FilePath(catalog), .readOnly)
    defer { try? db.close() }
    var lines: [String] = []
    try db.forEach(
      SQL(
        """
        SELECT p.inode, f.name, f.inode, f.kind, f.size, f.path FROM files f
        JOIN files p ON p.id = f.parent_id
        """)
    ) { row in
      let place = "\(row.integer(0))/\(row.text(1)) \(row.integer(2)) \(row.text(3))"
      if !editor.places.contains(place) {
        lines.append("\(row.text(5)): \(place)")
      } else if row.text(3) == "file",
        !editor.sizes.contains("\(row.integer(2)) \(row.integer(4))")
      {
        lines.append("\(row.text(5)): size \(row.integer(4))")
      }
    }
    return lines
  }
}

/// A tree that somebody edits, with all that was ever true of it.
private final class ChurningTree {
  private let root: String
  private var random: SeededRandom
  private var files: [String] = []
  private var directories: [String]
  private var count = 0
  /// In which directory, by which name, which inode of which kind.
  private(set) var places: Set<String> = []
  /// Which inode had which size.
  private(set) var sizes: Set<String> = []

  init(_ tree: FilePath, _ random: SeededRandom) throws {
    root = tree.string
    self.random = random
    try TemporaryDirectory.makeDirectories(to: tree)
    directories = [root]
    for _ in 0..<40 { makeDirectory() }
    for _ in 0..<600 { makeFile() }
  }

  private func newName() -> String {
    count += 1
    return "n\(count)"
  }

  /// Notes what is true of an entry now.
  private func note(_ path: String) {
    guard let status = try? DiskRows.status(of: Array(path.utf8)) else { return }
    let parts = path.split(separator: "/")
    let above = "/" + parts.dropLast().joined(separator: "/")
    guard let parent = try? DiskRows.status(of: Array(above.utf8)), let name = parts.last
    else { return }
    places.insert("\(parent.st_ino)/\(name) \(status.st_ino) \(DiskRows.kind(of: status))")
    sizes.insert("\(status.st_ino) \(status.st_size)")
  }

  private func makeDirectory() {
    let path = directories[random.below(directories.count)] + "/" + newName()
    guard mkdir(path, 0o755) == 0 else { return }
    directories.append(path)
    note(path)
  }

  private func makeFile() {
    let path = directories[random.below(directories.count)] + "/" + newName()
    let file = open(path, O_CREAT | O_WRONLY | O_EXCL | O_CLOEXEC, 0o644)
    guard file >= 0 else { return }
    // Empty first: a scan may come in between.
    note(path)
    let size = random.below(2000)
    if size > 0 { write(file, [UInt8](repeating: 0x78, count: size), size) }
    close(file)
    files.append(path)
    note(path)
  }

  private func moved(_ path: String, from: String, to: String) -> String {
    path == from ? to : path.hasPrefix(from + "/") ? to + path.dropFirst(from.count) : path
  }

  /// Makes one change.
  func edit() {
    guard files.count > 50 else { return makeFile() }
    let place = random.below(files.count)
    switch random.below(10) {
    case 0: if directories.count < 80 { makeDirectory() } else { makeFile() }
    case 1, 2: if files.count < 900 { makeFile() } else { remove(place) }
    case 3, 4: remove(place)
    case 5:
      let path = directories[random.below(directories.count)] + "/" + newName()
      if rename(files[place], path) == 0 { files[place] = path }
      note(files[place])
    case 6:
      // One in the place of another.
      let other = random.below(files.count)
      guard place != other, rename(files[place], files[other]) == 0 else { return }
      note(files[other])
      files.remove(at: place)
    case 7: moveDirectory()
    case 8: exchange(place)
    default:
      let size = random.below(3000)
      // Both sizes may be seen: that of the empty file as well.
      let file = open(files[place], O_WRONLY | O_TRUNC | O_CLOEXEC)
      guard file >= 0 else { return }
      note(files[place])
      if size > 0 { write(file, [UInt8](repeating: 0x79, count: size), size) }
      close(file)
      note(files[place])
    }
  }

  private func remove(_ place: Int) {
    unlink(files.remove(at: place))
  }

  private func moveDirectory() {
    guard directories.count > 10 else { return makeDirectory() }
    let from = directories[1 + random.below(directories.count - 1)]
    let above = directories[random.below(directories.count)]
    guard above != from, !above.hasPrefix(from + "/") else { return }
    let to = above + "/" + newName()
    guard rename(from, to) == 0 else { return }
    directories = directories.map { moved($0, from: from, to: to) }
    files = files.map { moved($0, from: from, to: to) }
    note(to)
  }

  private func exchange(_ place: Int) {
    let other = files[random.below(files.count)]
    _ = cplatform_exchange(AT_FDCWD, files[place], AT_FDCWD, other)
    note(files[place])
    note(other)
  }
}
