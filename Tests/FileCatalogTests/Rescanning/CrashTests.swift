import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

/// `FILECAT_CRASH_ROUNDS` says how often a scan is killed.
@Suite("A scan that ends at any moment", .serialized, .enabled(if: CommandRunner.filecat != nil))
struct CrashTests {
  static let rounds =
    ProcessInfo.processInfo.environment["FILECAT_CRASH_ROUNDS"].flatMap { Int($0) } ?? 30

  static let pieces = (0..<1200).map { number in
    Piece.file(FilePath("d\(number % 30)/e\(number % 3)/f\(number)"), bytes: number)
  }

  /// A tree, and the place of a catalog that nothing has open between the steps of a test.
  private struct Bench {
    let tree: TemporaryDirectory
    let catalog: FilePath
    var editor: TreeEditor
    var random: SeededRandom

    func open<Result>(_ body: (Laboratory) async throws -> Result) async throws -> Result {
      let catalog = try Catalog(at: catalog)
      let result = try await body(Laboratory(tree: tree, catalog: catalog))
      try catalog.close()
      return result
    }

    /// How long a scan takes that nothing ends.
    func measure() throws -> Duration {
      let start = ContinuousClock.now
      _ = try CommandRunner.scan(tree.path, into: catalog).finish()
      return ContinuousClock.now - start
    }

    /// Waits for a random part of a time, and a little longer.
    mutating func wait(within time: Duration) throws {
      let microseconds =
        Int(time.components.attoseconds / 1_000_000_000_000)
        + Int(time.components.seconds) * 1_000_000
      usleep(UInt32(random.below(microseconds * 12 / 10 + 1)))
    }
  }

  private func withBench(_ body: (inout Bench) async throws -> Void) async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    try await withTree(Self.pieces) { tree in
      try await withTemporaryDirectory { directory in
        var bench = Bench(
          tree: tree, catalog: directory("catalog.sqlite"),
          editor: TreeEditor(tree, random: SeededRandom(seed: random.next()), isWide: false),
          random: random)
        try await body(&bench)
      }
    }
  }

  @Test(
    "by kill -9 leaves a sound catalog: the one before it, or the one after it", .feature("X-09"))
  func kills() async throws {
    try await withBench { bench in
      try await bench.open { _ = try await $0.scan() }
      for _ in 0..<200 { bench.editor.edit() }
      let time = try bench.measure()
      var outcomes = [0, 0]
      for round in 0..<Self.rounds {
        let before = try await bench.open { try $0.catalog.content() }
        for _ in 0..<(1 + bench.random.below(30)) { bench.editor.edit() }
        let scan = try CommandRunner.scan(bench.tree.path, into: bench.catalog)
        try bench.wait(within: time)
        scan.crash()
        let isFinishing = bench.random.below(4) == 0
        let isOld = try await bench.open { lab in
          try await expectSound(lab.catalog)
          let isOld = try lab.catalog.content() == before
          if !isOld || isFinishing {
            let lines = try await lab.difference()
            #expect(isOld || lines.isEmpty, "round \(round): neither old nor new")
            #expect(try await lab.differencesFromDisk() == [])
          }
          return isOld
        }
        outcomes[isOld ? 0 : 1] += 1
      }
      #expect(outcomes[0] > 0, "no scan was killed before its end")
    }
  }

  @Test("by kill -9 before there is a catalog leaves none, or a whole one", .feature("P-65"))
  func killsOfTheFirstScan() async throws {
    try await withBench { bench in
      let directory = bench.catalog.removingLastComponent()
      let time = try bench.measure()
      for _ in 0..<(Self.rounds / 4) {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.string)
        where name.hasPrefix("catalog.sqlite") {
          try TemporaryDirectory.remove(directory.appending(name))
        }
        let scan = try CommandRunner.scan(bench.tree.path, into: bench.catalog)
        try bench.wait(within: time)
        scan.crash()
        if FileManager.default.fileExists(atPath: bench.catalog.string) {
          try await bench.open { lab in
            try await expectSound(lab.catalog)
            #expect(try await lab.difference() == [])
          }
        }
      }
      // What the killed ones left behind goes with the next first scan.
      for name in try FileManager.default.contentsOfDirectory(atPath: directory.string)
      where name.hasPrefix("catalog.sqlite") {
        try TemporaryDirectory.remove(directory.appending(name))
      }
      _ = try bench.measure()
      let left = try FileManager.default.contentsOfDirectory(atPath: directory.string)
      #expect(left.allSatisfy { $0.hasPrefix("catalog.sqlite") }, "\(left)")
    }
  }

  @Test("by a power cut leaves a sound catalog: the one before it, or the one after it")
  func powerCuts() async throws {
    try await withBench { bench in
      try await bench.open { _ = try await $0.scan() }
      for _ in 0..<100 { bench.editor.edit() }
      let time = try bench.measure()
      for round in 0..<(Self.rounds / 4) {
        let before = try await bench.open { try $0.catalog.content() }
        for _ in 0..<(1 + bench.random.below(60)) { bench.editor.edit() }
        let main = try Data(contentsOf: URL(fileURLWithPath: bench.catalog.string))
        let scan = try CommandRunner.scan(bench.tree.path, into: bench.catalog)
        try bench.wait(within: time)
        let cut = try await scan.pausing { try Remains(of: bench.catalog) }
        #expect(try scan.finish().status == 0)
        let after = try await bench.open { try $0.catalog.content() }
        // The end of the log may not have reached the disk while the file is untouched.
        let lengths =
          cut.log.isEmpty || cut.file != main
          ? [cut.log.count]
          : [cut.log.count, bench.random.below(cut.log.count), cut.log.count / 2]
        for length in lengths {
          try await withTemporaryDirectory { directory in
            let copy = directory("catalog.sqlite")
            try cut.write(to: copy, logLength: length)
            let catalog = try Catalog(at: copy, access: .existing)
            try await expectSound(catalog)
            let content = try catalog.content()
            #expect(content == before || content == after, "round \(round), \(length) of log")
            try catalog.close()
          }
        }
      }
    }
  }

  /// The files of a catalog as they stand at one moment.
  private struct Remains {
    let file: Data
    let log: Data

    init(of catalog: FilePath) throws {
      file = try Data(contentsOf: URL(fileURLWithPath: catalog.string))
      let log = URL(fileURLWithPath: catalog.string + "-wal")
      self.log = (try? Data(contentsOf: log)) ?? Data()
    }

    func write(to path: FilePath, logLength: Int) throws {
      try file.write(to: URL(fileURLWithPath: path.string))
      guard logLength > 0 else { return }
      try log.prefix(logLength).write(to: URL(fileURLWithPath: path.string + "-wal"))
    }
  }

  // MARK: - Others at the same time

  @Test("several processes that scan one root take turns")
  func severalProcesses() async throws {
    try await withBench { bench in
      try await bench.open { _ = try await $0.scan() }
      for _ in 0..<6 {
        for _ in 0..<20 { bench.editor.edit() }
        let scans = try (0..<3).map { _ in
          try CommandRunner.scan(bench.tree.path, into: bench.catalog)
        }
        #expect(try scans.map { try $0.finish().status } == [0, 0, 0])
        try await bench.open { lab in
          try await expectSound(lab.catalog)
          #expect(try await lab.difference() == [])
          #expect(try await lab.differencesFromDisk() == [])
        }
      }
    }
  }

  @Test("those who read meanwhile see the state before, then the state after", .feature("X-09"))
  func readers() async throws {
    try await withBench { bench in
      try await bench.open { lab in
        try await lab.scan()
        let count = try lab.paths().count
        for round in 0..<12 {
          let names = ["d3", "moved/d3"]
          if round == 0 { try lab.tree.make(.directory("moved")) }
          let (from, to) = (names[round % 2], names[1 - round % 2])
          try lab.tree.rename(FilePath(from), to: FilePath(to))
          let scan = try CommandRunner.scan(lab.tree.path, into: lab.catalog.path)
          var last = from
          while scan.isRunning {
            let paths = try lab.paths()
            #expect(paths.count - count == (paths.contains("moved") ? 1 : 0))
            let place = paths.contains("moved/d3") ? "moved/d3" : "d3"
            #expect(paths.contains(place + "/e0/f3"))
            #expect(!paths.contains((place == "d3" ? "moved/d3" : "d3") + "/e0/f3"))
            #expect(last == from || place == to, "the state before comes back")
            last = place
          }
          #expect(try scan.finish().status == 0)
          #expect(try lab.paths().contains(to + "/e0/f3"))
        }
      }
    }
  }

  @Test(
    "because the disk is full leaves the catalog as it was",
    .enabled(if: MountedFileSystem.isPermitted))
  func fullDisk() async throws {
    try await withTree(Self.pieces) { tree in
      try await withTemporaryDirectory { directory in
        try await withMountedFileSystem(at: directory.path, kilobytes: 6000) {
          let catalog = try Catalog(at: directory("catalog.sqlite"))
          let lab = Laboratory(tree: tree, catalog: catalog)
          try await lab.scan()
          let before = try catalog.content()
          let ballast = directory("ballast").string
          try CommandRunner("dd").run(["if=/dev/zero", "of=\(ballast)", "bs=64k"])
          try tree.make((0..<3000).map { .file(FilePath("new/with a long name \($0)")) })
          try await expectError(.diskFull) { try await lab.scan() }
          #expect(try catalog.content() == before)
          try await expectSound(catalog)
          try TemporaryDirectory.remove(FilePath(ballast))
          #expect(try await lab.difference().count == 3001)
          #expect(try await lab.differencesFromDisk() == [])
          try catalog.close()
        }
      }
    }
  }
}
