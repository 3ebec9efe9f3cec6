import FileSystem
import Foundation
import SQLite
import SystemPackage
import Testing

/// A directory with a database file that is not there yet.
final class TemporaryDatabase: Sendable {
  let path: String
  private let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    path = directory.appendingPathComponent("a name?#%.sqlite").path
  }

  deinit {
    try? FileManager.default.removeItem(at: directory)
  }

  func connection(
    _ mode: Connection.Mode = .create, busyTimeout: Duration = .seconds(900)
  ) throws -> Connection {
    try Connection(path: FilePath(path), mode, busyTimeout: busyTimeout)
  }

  /// Whether there is a file with this ending.
  func exists(_ ending: String = "") -> Bool {
    FileManager.default.fileExists(atPath: path + ending)
  }

  /// Puts bytes in the place of the file.
  func overwrite(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  /// Has another process run SQL: the stock `sqlite3`.
  func runElsewhere(_ sql: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", "-batch", "-bail", "-init", "/dev/null", path, sql]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }
}

/// A statement that ends when it is interrupted.
let endless =
  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

/// A statement that takes a while and gives 300,000.
let long = """
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000)
  SELECT count(*) FROM n
  """

/// Expects an error of SQLite with this code.
func expect(
  _ code: SQLiteError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) {
  do {
    try body()
    Issue.record("no error", sourceLocation: sourceLocation)
  } catch let error as SQLiteError {
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
  }
}

/// Lets one thread wait for another. Tasks wait suspended: they have few threads.
final class Signal: Sendable {
  private let given = Monitor(false)

  func give() { given.withLockNotifying { $0 = true } }

  func waited() async throws {
    try await WorkerThread.run(named: "waiting") { self.wait() }
  }

  func wait() { _ = given.wait { $0 ? true : nil } }
}
