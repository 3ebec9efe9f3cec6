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

/// A coordinator that knows the volume reads what is at hand without a change of threads. Nothing else
/// may differ.
@Suite("A coordinator that has read before")
struct RepeatedReadingTests {
  private let coordinator = FileCoordinator(writeConcern: .fast, timeout: .milliseconds(80))

  /// A directory with a file of which the coordinator has read the content.
  private func withFile(_ body: (TemporaryDirectory, FilePath) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("old", to: "file")
      for _ in 1...2 { #expect(try await coordinator.read(directory("file")) == bytes("old")) }
      try await body(directory, directory("file"))
    }
  }

  @Test(
    "reads files of all sizes", .feature("JB-41"),
    arguments: [0, 1, 65_535, 65_536, 65_537, 1_000_000])
  func sizes(count: Int) async throws {
    try await withFile { directory, file in
      let content = [UInt8](repeating: 7, count: count)
      try await coordinator.write(content, to: file)
      for _ in 1...2 { #expect(try await coordinator.read(file) == content) }
    }
  }

  @Test("sees what has become of the file")
  func changes() async throws {
    try await withFile { directory, file in
      try directory.write("other", to: "other")
      try check(rename(directory("other").string, file.string))
      #expect(try await coordinator.read(file) == bytes("other"))

      try directory.write("target", to: "target")
      try check(unlink(file.string))
      try directory.makeLink("file", to: "target")
      #expect(try await coordinator.read(file) == bytes("target"))

      try check(unlink(file.string))
      await expectError(.notFound, cocoa: 260) { _ = try await coordinator.read(file) }
      try directory.makeDirectory("file")
      await expectError(.isADirectory) { _ = try await coordinator.read(file) }
      try check(rmdir(file.string))
      try check(mkfifo(file.string, 0o644))
      await expectError(.unsupported) { _ = try await coordinator.read(file) }
    }
  }

  @Test("finds files by all kinds of paths")
  func paths() async throws {
    try await withFile { directory, file in
      try directory.makeDirectory("sub")
      try directory.makeLink("to-directory", to: directory.path)
      for path: FilePath in ["sub/../file", "to-directory/file", "./file"] {
        #expect(try await coordinator.read(directory(path)) == bytes("old"))
      }
      for path: FilePath in ["sub/..", "to-directory", "sub/."] {
        await expectError(.isADirectory) { _ = try await coordinator.read(directory(path)) }
      }
      await expectError(.notADirectory) { _ = try await coordinator.read(directory("file/inside")) }
      for path in ["", "/"] {
        await expectError(.invalidName) { _ = try await coordinator.read(FilePath(path)) }
      }
      await expectError(.isADirectory) { _ = try await coordinator.read("/usr") }
    }
  }

  @Test("waits for whoever holds the file, or the package that it is in")
  func waiting() async throws {
    try await withFile { directory, file in
      let other = FileCoordinator.fast
      for held in [file, directory.path] {
        try await other.withCoordinatedAccess(writing: [held]) { _ in
          await Task.detached {
            await expectError(.timedOut) { _ = try await coordinator.read(file) }
          }.value
        }
        #expect(try await coordinator.read(file) == bytes("old"))
      }
      let probe = try Probe("hold", file)
      try await probe.waitForOutput()
      await expectError(.timedOut) { _ = try await coordinator.read(file) }
      try await probe.crash()
      #expect(try await coordinator.read(file) == bytes("old"))
    }
  }

  @Test("does not hold what it has read")
  func lettingGo() async throws {
    try await withFile { directory, file in
      let hasty = FileCoordinator(writeConcern: .fast, timeout: .zero)
      for round in 1...20 {
        _ = try await coordinator.read(file)
        try await hasty.write(bytes("\(round)"), to: file)
      }
      #expect(try await coordinator.read(file) == bytes("20"))
    }
  }

  @Test("does not overtake a task that waits to write")
  func order() async throws {
    try await withFile { directory, file in
      let patient = FileCoordinator.fast
      _ = try await patient.read(file)
      let (held, hold) = AsyncStream<Void>.makeStream()
      let (released, release) = AsyncStream<Void>.makeStream()
      let reader = Task {
        try await patient.withCoordinatedAccess(reading: [file]) { _ in
          hold.finish()
          for await _ in released {}
        }
      }
      for await _ in held {}
      let writer = Task { try await patient.write(bytes("new"), to: file) }
      while patient.accessCount < 2 { await Task.yield() }
      let late = Task { try await patient.read(file) }
      while patient.accessCount < 3 { await Task.yield() }
      release.finish()
      #expect(try await late.value == bytes("new"))
      try await writer.value
      try await reader.value
    }
  }

  @Test("reads nothing for a task that was cancelled, nor what the task holds")
  func cancellation() async throws {
    try await withFile { directory, file in
      let task = Task {
        while !Task.isCancelled { await Task.yield() }
        await expectError(.cancelled) { _ = try await coordinator.read(file) }
      }
      task.cancel()
      await task.value
      try await coordinator.withCoordinatedAccess(writing: [file]) { _ in
        await expectError(.wouldDeadlock) { _ = try await coordinator.read(file) }
      }
    }
  }
}
