import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A server of objects of a test's own, with the bucket `lake`: moto, which `Scripts/setup-tests` installs,
/// and `Tests/Clients/objects.py` before it. It is ended when nobody holds it any more.
package final class ObjectServer {
  package static let python = "\(Clients.root)/.build/objects/bin/python"
  package static let isInstalled = access(python, X_OK) == 0

  package let directory: TemporaryDirectory
  package let port: Int
  package let secret = "n0b0dy/Must+See0This"
  private let process: RunningCommand

  package init() throws {
    let directory = try TemporaryDirectory()
    try directory.write(secret, to: "secret")
    let process = try CommandRunner(Self.python)
      .start([Clients.script("objects.py"), directory.path.string])
    while !directory.holds("port") {
      guard process.isRunning else {
        throw CommandError(description: try process.finish().errors)
      }
      usleep(10_000)
    }
    guard let port = Int(try directory.text(of: "port")) else {
      throw CommandError(description: "the server of objects has no port")
    }
    self.directory = directory
    self.process = process
    self.port = port
  }

  deinit {
    process.crash()
    directory.remove()
  }

  package var endpoint: String { "http://127.0.0.1:\(port)" }

  /// What a process is told to ask this server.
  package var environment: [String: String] {
    [
      "AWS_ACCESS_KEY_ID": "tester", "AWS_SECRET_ACCESS_KEY": secret,
      "AWS_ENDPOINT_URL_S3": endpoint,
    ]
  }

  /// Has the next requests answered otherwise, see `Tests/Clients/objects.py`.
  package func plan(_ faults: String...) throws {
    try directory.write(faults.map { $0 + "\n" }.joined(), to: "faults")
  }

  /// Says from now on that it is so many seconds later.
  package func setDate(ahead seconds: Int) throws {
    try directory.write("\(seconds)", to: "date")
  }

  /// The requests so far: method, path, condition, status.
  package func log() throws -> [[Substring]] {
    guard directory.holds("log") else { return [] }
    return try directory.text(of: "log").split(separator: "\n").map { $0.split(separator: " ") }
  }

  /// Writes all objects into files.
  ///
  /// - Returns: where they are.
  package func save() throws -> TemporaryDirectory {
    if directory.holds("objects") { try directory.remove("objects") }
    try directory.makeDirectory("objects")
    let result = try CommandRunner("curl").run(["--silent", "--fail", "\(endpoint)/-/save"])
    guard result.status == 0 else { throw CommandError(description: result.errors) }
    return TemporaryDirectory(at: directory("objects"))
  }
}

extension TemporaryDirectory {
  /// The files below it with what they hold, by their paths from here.
  package func files() throws -> [String: [UInt8]] {
    let found = try CommandRunner("find").run([path.string, "-type", "f", "-printf", "%P\\n"])
    var files: [String: [UInt8]] = [:]
    for name in found.text.split(separator: "\n") {
      files[String(name)] = try bytes(of: FilePath(String(name)))
    }
    return files
  }
}
