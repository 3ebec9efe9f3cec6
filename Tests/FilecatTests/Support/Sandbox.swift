import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A home of a test's own with a tree to scan, and the built command to run in it.
///
/// Paths are bytes: a name need not be UTF-8.
struct Sandbox {
  /// What a run left behind.
  struct Run {
    let status: Int32
    let output: [UInt8]
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var errorLines: [Substring] { errors.split(separator: "\n") }
  }

  let home: String
  /// The directory that tests scan. It is not there before something is made in it.
  var tree: String { home + "/tree" }
  /// The default place of the catalog, by the environment that the command gets.
  var catalog: String { home + "/data/filecat/catalog.sqlite" }

  init() throws {
    let place = FileManager.default.temporaryDirectory
      .appendingPathComponent("filecat-process-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    guard let path = realpath(place.path, nil) else { throw SystemError(errno, place.path) }
    defer { free(path) }
    home = String(cString: path)
  }

  /// Removes everything. To be called at the end of a test.
  func remove() {
    try? FileManager.default.removeItem(atPath: home)
  }

  // MARK: - Making a tree

  /// Makes a file below the tree, with all directories that it needs.
  func makeFile(_ name: String, _ content: String = "") throws {
    try makeFile(bytes: Array(name.utf8), content)
  }

  /// Makes a file whose name is any bytes but NUL and slash.
  func makeFile(bytes name: [UInt8], _ content: String = "") throws {
    let path = Array(tree.utf8) + [UInt8(ascii: "/")] + name
    let parent = path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)]
    try FileManager.default.createDirectory(
      atPath: String(decoding: parent, as: UTF8.self), withIntermediateDirectories: true)
    let descriptor = open(path.map { CChar(bitPattern: $0) } + [0], O_CREAT | O_WRONLY, 0o644)
    guard descriptor >= 0 else { throw SystemError(errno, String(decoding: path, as: UTF8.self)) }
    defer { close(descriptor) }
    let count = write(descriptor, content, content.utf8.count)
    guard count == content.utf8.count else { throw SystemError(errno, content) }
  }

  func makeDirectory(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: tree + "/" + name, withIntermediateDirectories: true)
  }

  /// A tree with everything that makes printing hard.
  func makeAwkwardTree() throws {
    try makeFile("file2", "two")
    try makeFile("file10", String(repeating: "x", count: 2000))
    try makeFile("sp ace é.txt", "a")
    try makeFile("new\nline", "bc")
    try makeFile("tab\tquote\"back\\slash,comma.csv", "def")
    try makeFile("😀.png", "ghij")
    try makeFile("日本語.txt", "klmno")
    try makeFile(bytes: Array("bad".utf8) + [0xFF] + Array(".bin".utf8), "pqrstu")
    try makeFile("sub/deep/x", "vwxyz12")
    try makeFile("Notes.rtfd/TXT.rtf", "{\\rtf1}")
    try makeFile("Notes.rtfd/inner/picture.png", "12345678")
    try FileManager.default.createSymbolicLink(
      atPath: tree + "/link", withDestinationPath: "file2")
  }

  // MARK: - Running the command

  /// The command stands beside the bundle of the tests.
  static let executable: String = {
    var places = [URL(fileURLWithPath: CommandLine.arguments[0]), Bundle.main.bundleURL]
    places += Bundle.allBundles.map(\.bundleURL)
    let candidates = places.flatMap { place in
      [place.deletingLastPathComponent(), place].map { $0.appendingPathComponent("filecat").path }
    }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? candidates[0]
  }()

  @discardableResult
  func run(_ arguments: String..., environment: [String: String?] = [:]) throws -> Run {
    try run(arguments, environment: environment)
  }

  @discardableResult
  func run(_ arguments: [String], environment: [String: String?] = [:]) throws -> Run {
    try run(program: Self.executable, arguments, environment: environment)
  }

  /// Runs another program in the same surroundings.
  func run(
    program: String, _ arguments: [String], environment: [String: String?] = [:]
  ) throws -> Run {
    try Launch(program, arguments, in: self, environment: environment).finish()
  }
}

/// A process that has been started.
final class Launch {
  private let process = Process()
  private let output: String
  private let errors: String

  init(
    _ program: String, _ arguments: [String], in sandbox: Sandbox,
    environment: [String: String?] = [:]
  ) throws {
    let name = sandbox.home + "/run-\(UUID().uuidString)"
    output = name + ".out"
    errors = name + ".err"
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: sandbox.home)
    var variables: [String: String] = [
      "HOME": sandbox.home, "XDG_CONFIG_HOME": sandbox.home + "/config",
      "XDG_DATA_HOME": sandbox.home + "/data", "XDG_DATA_DIRS": sandbox.home + "/none",
      "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "TERM": "xterm",
    ]
    for (key, value) in environment { variables[key] = value }
    process.environment = variables
    for file in [output, errors] { try Data().write(to: URL(fileURLWithPath: file)) }
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  var isRunning: Bool { process.isRunning }

  /// What it has printed so far.
  func outputSoFar() throws -> String { try String(contentsOfFile: output, encoding: .utf8) }

  func interrupt() { kill(process.processIdentifier, SIGINT) }

  /// Runs `body` while the process stands still.
  func pausing<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    kill(process.processIdentifier, SIGSTOP)
    defer { kill(process.processIdentifier, SIGCONT) }
    return try await body()
  }

  /// Waits for the end of the process.
  func finish() throws -> Sandbox.Run {
    process.waitUntilExit()
    let died = process.terminationReason == .uncaughtSignal
    let run = Sandbox.Run(
      // No status that a command could end with by itself.
      status: process.terminationStatus + (died ? 1000 : 0),
      output: Array(try Data(contentsOf: URL(fileURLWithPath: output))),
      errors: String(
        decoding: try Data(contentsOf: URL(fileURLWithPath: errors)), as: UTF8.self))
    for file in [output, errors] { try FileManager.default.removeItem(atPath: file) }
    return run
  }
}

/// A system call that failed.
struct SystemError: Error, CustomStringConvertible {
  let description: String

  init(_ code: Int32, _ path: String) {
    description = "\(path): \(String(cString: strerror(code)))"
  }
}
