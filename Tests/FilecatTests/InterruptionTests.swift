import Foundation
import TestSupport
import Testing

@Suite("An interrupted scan", .serialized, .enabled(if: LargeTree.isAvailable))
struct InterruptionTests {
  /// Starts a scan and interrupts it when `isUnderWay`; `nil` where it was done before that.
  private func interrupt(
    _ arguments: [String], in sandbox: Sandbox, once isUnderWay: () -> Bool
  ) throws -> CommandResult? {
    let launch = try sandbox.start(arguments)
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(900)
    while launch.isRunning, !isUnderWay(), clock.now < deadline { usleep(5_000) }
    usleep(100_000)
    guard launch.isRunning else {
      _ = try launch.finish()
      return nil
    }
    launch.send(SIGINT)
    return try launch.finish()
  }

  private func files(in sandbox: Sandbox) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: sandbox.home + "/data/filecat")) ?? []
  }

  @Test("ends with 130 and leaves no catalog where none was")
  func firstScan() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let result = try interrupt(["scan", LargeTree.path], in: sandbox) {
      !files(in: sandbox).isEmpty
    }
    guard let run = result else { return }
    #expect(run.status == 130)
    #expect(run.output.isEmpty)
    #expect(run.errorLines.count == 1)
    #expect(run.errors.hasPrefix("filecat: interrupted"))
    #expect(files(in: sandbox).isEmpty)
  }

  @Test("leaves the rows and the settings of the scan before")
  func laterScan() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    #expect(try sandbox.run("scan", "--shallow", LargeTree.path).status == 0)
    let before = try sandbox.run("sql", "SELECT * FROM files ORDER BY id", "--format", "ndjson")
    let roots = try sandbox.run("roots")
    let result = try interrupt(["scan", "--no-shallow", LargeTree.path], in: sandbox) {
      files(in: sandbox).contains { $0.hasSuffix("-wal") }
    }
    guard let run = result else { return }
    #expect(run.status == 130)
    #expect(run.errorLines.count == 1)
    let after = try sandbox.run("sql", "SELECT * FROM files ORDER BY id", "--format", "ndjson")
    #expect(after.output == before.output)
    #expect(try sandbox.run("roots").output == roots.output)
    #expect(try sandbox.run("check").status == 0)
    // The next scan goes by the settings that were there before.
    let count = try sandbox.run("find", "-c").text
    #expect(try sandbox.run("scan").status == 0)
    #expect(try sandbox.run("find", "-c").text == count)
  }
}

@Suite("An interrupted statement")
struct InterruptedStatementTests {
  /// Statements that never end: one has no row, one has ever more.
  static let statements = [
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
  ]

  @Test(
    "ends with 130, on one processor and when nobody reads its rows", arguments: statements,
    ["", "taskset -c 0"])
  func interruption(_ statement: String, _ prefix: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    #expect(try sandbox.run("scan", "tree").status == 0)
    // The pipe has a reader, which never reads; what is printed tells that the statement has begun.
    let script = "mkfifo pipe && exec 3<>pipe && exec \(prefix) \"$@\" >pipe"
    let runner = sandbox.runner("bash")
    let launch = try runner.start(["-c", script, "sh", Sandbox.executable, "sql", statement])
    usleep(2_000_000)
    #expect(launch.isRunning)
    launch.send(SIGINT)
    let run = try launch.finish()
    #expect(run.status == 130, "\(run.errors)")
    #expect(run.errorLines.count == 1 && run.errors.contains("interrupted"), "\(run.errors)")
  }
}
