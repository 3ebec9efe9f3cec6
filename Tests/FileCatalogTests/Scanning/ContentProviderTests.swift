import CPlatform
import FileCatalog
import FileSystem
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import TestTraits
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Values that are read in files", .timeLimit(.minutes(20)))
struct ContentProviderTests {
  /// Counts lines, and notes what it was asked about.
  final class LineCount: ContentProvider {
    let key = "lines"
    let types: [String]
    let version: Int
    private let names = Mutex<[String]>([])

    init(types: [String] = [], version: Int = 1) {
      self.types = types
      self.version = version
    }

    func values(of file: ContentFile) throws -> [String: ResourceValue] {
      let bytes = try file.bytes(0..<file.status.size)
      names.withLock { $0.append(String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)) }
      return ["line_count": .integer(Int64(bytes.count { $0 == 10 }))]
    }

    /// The first lines of the files that it was asked about since the last time.
    func asked() -> [String] {
      names.withLock { names in
        defer { names = [] }
        return names.sorted()
      }
    }
  }

  private static func options(_ keys: String...) -> ScanOptions {
    var options = ScanOptions()
    options.contentValues = keys
    return options
  }

  private func write(_ text: String, to path: FilePath, in lab: Laboratory) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: lab.tree.path.pushing(path).string))
  }

  private func values(_ lab: Laboratory, _ key: String) async throws -> [String: String] {
    var values: [String: String] = [:]
    for row in try lab.catalog.rows(
      "SELECT path, CAST(value AS TEXT) AS value FROM resource_values WHERE key = '\(key)'"
    ) {
      values[lab.relative(Array((row["path"]?.string ?? "").utf8)) ?? ""] = row["value"]?.string
    }
    return values
  }

  @Test("are read once, and again only when the file has changed", .feature("FS-16"))
  func caching() async throws {
    let lines = LineCount()
    try await withLaboratory(contentProviders: [lines]) { lab in
      try lab.tree.make([.directory("d")])
      try write("one\ntwo\n", to: "a.txt", in: lab)
      try write("three\n", to: "d/b.txt", in: lab)
      let first = try await lab.scan(Self.options("lines"))
      #expect(first.errors == 0 && first.state == .complete)
      #expect(lines.asked() == ["one", "three"])
      #expect(try await values(lab, "line_count") == ["a.txt": "2", "d/b.txt": "1"])

      try await lab.scan()
      #expect(lines.asked() == [])

      try write("one\ntwo\nfour\n", to: "a.txt", in: lab)
      try write("new\n", to: "c", in: lab)
      try FileManager.default.moveItem(
        atPath: lab.tree.path.appending("d").string, toPath: lab.tree.path.appending("e").string)
      try await lab.scan()
      #expect(lines.asked() == ["new", "one"])
      #expect(
        try await values(lab, "line_count") == ["a.txt": "3", "c": "1", "e/b.txt": "1"])

      try FileManager.default.removeItem(atPath: lab.tree.path.appending("c").string)
      try await lab.scan()
      #expect(try await values(lab, "line_count") == ["a.txt": "3", "e/b.txt": "1"])

      // Permissions and names are none of the content.
      #expect(chmod(lab.tree.path.appending("a.txt").string, 0o600) == 0)
      try await lab.scan()
      #expect(lines.asked() == [])

      // Taken off, nothing of it stays.
      try await lab.scan(ScanOptions())
      #expect(try await values(lab, "line_count") == [:])
      #expect(try lab.catalog.number("SELECT count(*) FROM _content_readings") == 0)
    }
  }

  @Test("are read anew by another version of the provider, and by types only where it wants them")
  func versions() async throws {
    try await withTree { tree in
      try await withTemporaryDirectory { place in
        func scan(_ lines: LineCount) async throws -> [String] {
          let catalog = try Catalog(at: place("c.sqlite"), contentProviders: [lines])
          defer { try? catalog.close() }
          _ = try await catalog.scan([tree.path], options: Self.options("lines"))
          try await expectSound(catalog)
          return lines.asked()
        }
        try Data("text\n".utf8).write(to: URL(fileURLWithPath: tree.path.appending("a.txt").string))
        try Data("image\n".utf8).write(
          to: URL(fileURLWithPath: tree.path.appending("a.png").string))
        #expect(try await scan(LineCount(types: ["public.text"])) == ["text"])
        #expect(try await scan(LineCount(types: ["public.text"])) == [])
        #expect(try await scan(LineCount(types: ["public.text"], version: 2)) == ["text"])
        #expect(try await scan(LineCount(types: ["public.item"], version: 2)) == ["image"])
      }
    }
  }

  /// Does all that a provider should not.
  struct Unruly: ContentProvider {
    let key = "unruly"
    // Enough for a busy machine to read the other files.
    let timeLimit: Duration? = .seconds(3)
    struct Nonsense: Error, CustomStringConvertible {
      let description = "it says that it is longer than it is"
    }

    func values(of file: ContentFile) throws -> [String: ResourceValue] {
      switch String(decoding: try file.bytes(0..<20), as: UTF8.self) {
      case "hang":
        while !file.isCancelled() { usleep(1000) }
        return [:]
      case "throw": throw Nonsense()
      case "errno": throw Errno.ioError
      case "long": return ["x": .bytes([UInt8](repeating: 0, count: 9_000_000))]
      case "tags": return ["tags": .text("mine")]
      case "many":
        return Dictionary(uniqueKeysWithValues: (0..<1000).map { ("k\($0)", .integer($0)) })
      default: return ["x": .text("fine")]
      }
    }
  }

  @Test("whatever a provider does, every entry has its row, and what went wrong is told")
  func failures() async throws {
    try await withLaboratory(contentProviders: [Unruly()]) { lab in
      for name in ["hang", "throw", "errno", "long", "tags", "many", "good"] {
        try write(name, to: FilePath(name), in: lab)
      }
      let summary = try await lab.scan(Self.options("unruly"))
      #expect(summary.errors == 5 && summary.state == .complete && summary.entries == 8)
      let failures = try await lab.catalog.failures(ofScan: summary.scanID)
      let told = Dictionary(
        uniqueKeysWithValues: failures.map { ($0.path.lastComponent?.string ?? "", $0.message) })
      #expect(
        told == [
          "hang": "unruly: it took too long",
          "throw": "unruly: it says that it is longer than it is",
          "errno": "unruly: \(Errno.ioError)",
          "long": "unruly: a value is longer than a catalog holds, or has a key of its own",
          "tags": "unruly: a value is longer than a catalog holds, or has a key of its own",
        ])
      #expect(failures.allSatisfy { $0.operation == "content" })
      #expect(try lab.catalog.number("SELECT errors FROM scans") == 5)
      #expect(try lab.catalog.number("SELECT count(*) FROM resource_values") == 1001)

      // What is so for good is told once; what may pass is tried again.
      let again = try await lab.scan()
      #expect(again.errors == 1)
      #expect(
        try await lab.catalog.failures(ofScan: again.scanID).map(\.path.lastComponent) == ["errno"])
    }
  }

  @Test("a provider that nothing here has is refused before anything is scanned")
  func unknown() async throws {
    try await withLaboratory([.file("a")]) { lab in
      try await expectError(.valuesNotProvided) { try await lab.scan(Self.options("hsah")) }
    }
  }

  /// Where a provider waits until it is let through.
  final class Gate: Sendable {
    private let state = Mutex((isReached: false, isOpen: false))
    var isReached: Bool { state.withLock { $0.isReached } }
    var isOpen: Bool { state.withLock { $0.isOpen } }
    func reach() { state.withLock { $0.isReached = true } }
    func open() { state.withLock { $0.isOpen = true } }
  }

  @Test("what stops the reading leaves the scan, and the next one reads the rest")
  func cancellation() async throws {
    struct Slow: ContentProvider {
      let key = "slow"
      let gate: Gate
      func values(of file: ContentFile) throws -> [String: ResourceValue] {
        if gate.isOpen { return ["slow": .integer(1)] }
        gate.reach()
        while !file.isCancelled() { usleep(1000) }
        throw CancellationError()
      }
    }
    let gate = Gate()
    try await withLaboratory(
      [.file("a"), .file("b"), .file("c")], contentProviders: [Slow(gate: gate)]
    ) { lab in
      let scan = Task { try await lab.catalog.scan([lab.tree.path], options: Self.options("slow")) }
      while !gate.isReached { try await Task.sleep(for: .milliseconds(1)) }
      scan.cancel()
      let error = await #expect(throws: CatalogError.self) { try await scan.value }
      #expect(error?.code == .interrupted)
      #expect(try lab.paths() == ["a", "b", "c"])
      try await expectSound(lab.catalog)
      gate.open()
      try await lab.scan()
      #expect(try lab.catalog.number("SELECT count(*) FROM resource_values") == 3)
    }
  }

  @Test("hashes are those of sha256sum, and silent changes are found", .feature("P-24"))
  func hashes() async throws {
    try await withLaboratory { lab in
      let texts = ["": "", "a": "hello\n", "b": String(repeating: "x", count: 3_000_000)]
      for (name, text) in texts { try write(text, to: FilePath("f\(name)"), in: lab) }
      try await lab.scan(Self.options("hash"))
      let stored = try await values(lab, "sha256")
      let sums = try CommandRunner("sha256sum", directory: lab.tree.path.string).run([
        "f", "fa", "fb",
      ])
      for line in sums.text.split(separator: "\n") {
        let words = line.split(separator: " ").map(String.init)
        #expect(stored[words[1]] == words[0])
      }
      #expect(stored.count == 3)
      #expect(
        try lab.catalog.number("SELECT count(*) FROM values_hash WHERE sha256 LIKE '5891b5b%'") == 1
      )

      let differences = Mutex<[ContentDifference]>([])
      func verify() async throws -> ContentVerification {
        try await lab.catalog.verifyContent { difference in
          differences.withLock { $0.append(difference) }
        }
      }
      let sound = try await verify()
      #expect(sound.files == 3 && sound.failures.isEmpty)
      #expect(differences.withLock { $0.isEmpty })

      // One byte, and the time set back.
      let path = lab.tree.path.appending("fb")
      let before = try FileStatus(ofPath: path)
      let file = try FileDescriptor.open(path, .writeOnly)
      try file.writeAll(toAbsoluteOffset: 1_500_000, "y".utf8)
      try file.close()
      let times = [
        timespec(tv_sec: 0, tv_nsec: 0),
        timespec(
          tv_sec: Int(before.modified / 1_000_000_000),
          tv_nsec: Int(before.modified % 1_000_000_000)),
      ]
      #expect(utimensat(AT_FDCWD, path.string, times, 0) == 0)
      _ = try await verify()
      let found = differences.withLock { $0 }
      #expect(found.map(\.path) == [path])
      #expect(found.first?.storedHash == stored["fb"])

      // A file that has changed in the usual way is none of these.
      try write("other", to: "fa", in: lab)
      differences.withLock { $0 = [] }
      #expect(try await verify().files == 2)
      #expect(differences.withLock { $0.map(\.path) } == [path])
    }
  }

  @Test("what a file grants and where it has come from are what the tools of the system say")
  func attributes() async throws {
    try await withLaboratory([.file("plain"), .file("granted"), .file("loaded"), .directory("d")]) {
      lab in
      func path(_ name: String) -> String { lab.tree.path.appending(name).string }
      // user::rw-, user:1000:r--, group::r--, mask::r--, other::---
      var list: [UInt8] = [2, 0, 0, 0]
      for (tag, rights, id) in [
        (1, 6, UInt32.max), (2, 4, 1000), (4, 4, .max), (16, 4, .max), (32, 0, .max),
      ] as [(UInt8, UInt8, UInt32)] {
        list += [tag, 0, rights, 0]
        list += (0..<4).map { UInt8(truncatingIfNeeded: id >> ($0 * 8)) }
      }
      guard lsetxattr(path("granted"), "system.posix_acl_access", list, list.count, 0) == 0 else {
        return  // A file system without such lists.
      }
      #expect(lsetxattr(path("d"), "system.posix_acl_default", list, list.count, 0) == 0)
      let url = Array("https://example.org/a?b".utf8)
      #expect(lsetxattr(path("loaded"), "user.xdg.origin.url", url, url.count, 0) == 0)
      try await lab.scan(Self.options("acl", "origin"))
      let text = "user::rw-,user:1000:r--,group::r--,mask::r--,other::---"
      #expect(try await values(lab, "acl") == ["granted": text])
      #expect(try await values(lab, "default_acl") == ["d": text])
      #expect(try await values(lab, "origin_url") == ["loaded": "https://example.org/a?b"])
      #expect(try lab.catalog.number("SELECT count(*) FROM values_acl") == 2)
      #expect(try lab.catalog.number("SELECT count(*) FROM values_origin") == 1)

      // Another attribute is another change than one of the content.
      let other = Array("https://example.org/c".utf8)
      #expect(lsetxattr(path("loaded"), "user.xdg.origin.url", other, other.count, 0) == 0)
      try await lab.scan()
      #expect(try await values(lab, "origin_url") == ["loaded": "https://example.org/c"])
    }
  }

  // MARK: - Another process

  /// A provider whose answers another program gives.
  struct Elsewhere: ContentProvider {
    let key = "elsewhere"
    var timeLimit: Duration? = .seconds(900)
    func values(of file: ContentFile) throws -> [String: ResourceValue] { [:] }
  }

  @Test(
    "a reader in a process of its own may crash, hang or lie: the entry keeps its row",
    arguments: [
      ("kill -SEGV $$", "the reader was ended by signal 11"),
      ("exit 3", "the reader ended with 3"),
      ("exec sleep 1000", "it took too long"),
      // Four gigabytes, and a word that is no answer.
      (
        "printf '\\377\\377\\377\\377' >&0; exec sleep 1000",
        "the answer of its reader makes no sense"
      ),
      ("printf '\\3\\0\\0\\0abc' >&0; exec sleep 1000", "the answer of its reader makes no sense"),
      // A billion values, of which none comes.
      (
        "printf '\\11\\0\\0\\0\\0\\0\\312\\232\\73\\0\\0\\0\\0' >&0; exec sleep 1000",
        "the answer of its reader makes no sense"
      ),
    ])
  func unrulyProcesses(_ script: String, _ message: String) async throws {
    let provider = Elsewhere(
      timeLimit: script == "exec sleep 1000" ? .milliseconds(500) : .seconds(900))
    try await withLaboratory(
      [.file("a"), .file("b")], contentProviders: [provider],
      contentHost: .program("/bin/sh", arguments: ["-c", script])
    ) { lab in
      let summary = try await lab.scan(Self.options("elsewhere"))
      #expect(summary.errors == 2 && summary.entries == 3)
      let failures = try await lab.catalog.failures(ofScan: summary.scanID)
      #expect(Set(failures.map(\.message)) == ["elsewhere: \(message)"])
      #expect(try lab.paths() == ["a", "b"])
    }
  }

  @Test("a program that is not there is told, and asked again by the next scan")
  func missingProgram() async throws {
    try await withLaboratory(
      [.file("a")], contentProviders: [Elsewhere()],
      contentHost: .program("/nowhere/reader", arguments: [])
    ) { lab in
      for _ in 0..<2 {
        let summary = try await lab.scan(Self.options("elsewhere"))
        let failures = try await lab.catalog.failures(ofScan: summary.scanID)
        #expect(failures.map(\.errno) == [ENOENT])
      }
    }
  }

  @Test("the command reads in a process of its own what the library reads in this one")
  func commandAsHost() async throws {
    let filecat = try #require(CommandRunner.built("filecat"))
    let host = ContentHost.program(FilePath(filecat.program), arguments: ["read-content"])
    try await withTree((0..<600).map { .file(FilePath("d\($0 % 5)/\($0)"), bytes: $0 * 7) }) {
      tree in
      var sums: [[String: String]] = []
      for host in [ContentHost.thisProcess, host] {
        try await withTemporaryCatalog(contentHost: host) { catalog in
          let lab = Laboratory(tree: tree, catalog: catalog)
          #expect(try await lab.scan(Self.options("hash", "acl")).errors == 0)
          sums.append(try await values(lab, "sha256"))
        }
      }
      #expect(sums[0].count == 600 && sums[0] == sums[1])
    }
  }
}
