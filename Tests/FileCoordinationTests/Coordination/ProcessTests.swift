import FileCoordination
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

@Suite("Several processes and tasks")
struct ProcessTests {
  @Test("lose no increment of a number", .feature("JB-42"), .timeLimit(.minutes(20)))
  func increments() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("0", to: "number")
      let probes = try (0..<4).map { _ in try Probe("increment", directory("number"), "250") }
      for probe in probes { #expect(try await probe.wait() == 0) }
      #expect(try directory.text(of: "number") == "1000")
      #expect(try directory.names() == ["number"])
    }
  }

  @Test("lose no increment when each task has a coordinator of its own", .timeLimit(.minutes(20)))
  func coordinators() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("0", to: "number")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            let coordinator = FileCoordinator.fast
            for _ in 0..<20 {
              try await coordinator.update(at: directory("number")) { bytes("\(number($0) + 1)") }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try directory.text(of: "number") == "160")
    }
  }

  @Test(
    "see whole files while they are replaced a thousand times", .feature("JB-40", "LX-01"),
    .timeLimit(.minutes(20)))
  func wholeFiles() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory("file")
      try await FileCoordinator.fast.write([UInt8](repeating: 0, count: 1000), to: path)
      let reader = FileCoordinator.fast
      var seen: Set<UInt8> = []
      var rounds = 0
      // Once is enough, unless the writer was through before the reader had its turn.
      while seen.count < 3 {
        let probe = try Probe("replace", path, "1000")
        while probe.isRunning {
          // Half of the readers know nothing of coordinators.
          let content =
            rounds % 2 == 0 ? try await reader.read(path) : try plain(path)
          let first = try #require(content.first)
          #expect(content.allSatisfy { $0 == first })
          #expect(content.count == 1000 + 300 * Int(first))
          seen.insert(first)
          rounds += 1
        }
        #expect(try await probe.wait() == 0)
      }
      #expect(try directory.names() == ["file"])
    }
  }

  private func plain(_ path: FilePath) throws -> [UInt8] {
    let file = try FileDescriptor.open(path, .readOnly)
    return try file.closeAfter {
      try [UInt8](unsafeUninitializedCapacity: 100_000) { buffer, count in
        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
    }
  }

  @Test("do not block each other with two files in opposite orders", .timeLimit(.minutes(20)))
  func oppositeOrders() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("500", to: "one")
      try directory.write("500", to: "other")
      let probes = try (0..<4).map { number in
        number % 2 == 0
          ? try Probe("pairs", directory("one"), directory("other").string)
          : try Probe("pairs", directory("other"), directory("one").string)
      }
      for probe in probes { #expect(try await probe.wait() == 0) }
      let values = [try directory.text(of: "one"), try directory.text(of: "other")].compactMap {
        Int($0)
      }
      #expect(values.reduce(0, +) == 1000)
    }
  }

  @Test("get at a file whose holder was killed")
  func crashedHolder() async throws {
    try await withTemporaryDirectory { directory in
      for name: FilePath in ["file", "free"] {
        if name == "file" { try directory.write("old", to: "file") }
        let probe = try Probe("hold", directory(name))
        try await probe.waitForOutput()
        let hasty = FileCoordinator(writeConcern: .fast, timeout: .milliseconds(100))
        await expectError(.timedOut, cocoa: 255) { try await hasty.write([], to: directory(name)) }
        try await probe.crash()
        try await hasty.write(bytes("new"), to: directory(name))
        #expect(try directory.text(of: name) == "new")
      }
    }
  }

  @Test("hundred tasks on ten files in random order come to an end", .timeLimit(.minutes(20)))
  func manyTasks() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    try await withTemporaryDirectory { directory in
      let files = (0..<10).map { directory(FilePath("file-\($0)")) }
      for file in files { try await FileCoordinator.fast.write(bytes("0"), to: file) }
      let coordinators = (0..<3).map { _ in FileCoordinator.fast }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<100 {
          var random = SeededRandom(seed: seed &+ UInt64(task))
          let chosen = Array(
            files.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)))
          let coordinator = coordinators[task % 3]
          group.addTask {
            try await coordinator.withCoordinatedAccess(writing: chosen) { access in
              for file in chosen {
                let value = number(try await access.read(file))
                await Task.yield()
                try await access.write(bytes("\(value + 6 / chosen.count)"), to: file)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      var sum = 0
      for file in files { sum += number(try await FileCoordinator.fast.read(file)) }
      #expect(sum == 600, "seed \(seed)")
      #expect(try directory.names().count == 10)
    }
  }

  @Test(
    "work below a directory that they may pass but not open", .enabled(if: Tool.canBeOrdinary))
  func closedDirectories() async throws {
    try await withTemporaryDirectory { directory in
      try directory.makeDirectory("closed/own/sub")
      try directory.write("0", to: "closed/own/sub/number")
      try check(chmod(directory.path.string, 0o755))
      for name: FilePath in ["closed/own", "closed/own/sub", "closed/own/sub/number"] {
        try check(chown(directory(name).string, Probe.User.id, gid_t.max))
      }
      try check(chmod(directory("closed").string, 0o311))
      defer { chmod(directory("closed").string, 0o755) }
      let probe = try Probe("increment", directory("closed/own/sub/number"), "3", as: .ordinary)
      #expect(try await probe.wait() == 0)
      #expect(try directory.text(of: "closed/own/sub/number") == "3")
      let reader = try Probe("read", directory("closed/own/sub/number"), "3", as: .ordinary)
      #expect(try await reader.wait() == 0)
    }
  }
}
