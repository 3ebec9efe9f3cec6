import SystemPackage
import TestSupport

/// A home of a test's own with a tree to scan, and the built command to run in it.
///
/// Paths are bytes: a name need not be UTF-8.
struct Sandbox {
  let directory: TemporaryDirectory

  var home: String { directory.path.string }
  /// The directory that tests scan. It is not there before something is made in it.
  var tree: String { home + "/tree" }
  /// The default place of the catalog, by the environment that the command gets.
  var catalog: String { home + "/data/filecat/catalog.sqlite" }

  init() throws { directory = try TemporaryDirectory() }

  /// Removes everything. To be called at the end of a test.
  func remove() { directory.remove() }

  // MARK: - Making a tree

  /// Makes a file below the tree, with all directories that it needs.
  func makeFile(_ name: String, _ content: String = "") throws {
    try directory.write(content, to: FilePath("tree/" + name))
  }

  /// Makes a file below the tree by a path of any bytes but NUL.
  func makeFile(bytes name: [UInt8], _ content: String = "") throws {
    try directory.write(content, to: path(Array("tree/".utf8) + name))
  }

  /// The path of these bytes.
  func path(_ bytes: [UInt8]) -> FilePath {
    FilePath(platformString: bytes.map { CChar(bitPattern: $0) } + [0])
  }

  func makeDirectory(_ name: String) throws {
    try directory.makeDirectory(FilePath("tree/" + name))
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
    try directory.makeLink("tree/link", to: "file2")
  }

  // MARK: - Running the command

  /// The command, which stands beside the tests.
  static let executable = CommandRunner.built("filecat")?.program ?? "filecat"

  @discardableResult
  func run(
    _ arguments: String..., environment: [String: String?] = [:]
  ) throws -> CommandResult {
    try run(arguments, environment: environment)
  }

  @discardableResult
  func run(_ arguments: [String], environment: [String: String?] = [:]) throws -> CommandResult {
    try run(program: Self.executable, arguments, environment: environment)
  }

  /// Runs the command with arguments of any bytes but NUL.
  @discardableResult
  func run(bytes arguments: [[UInt8]]) throws -> CommandResult {
    try runner(Self.executable).run(bytes: arguments)
  }

  /// Runs another program in the same surroundings.
  func run(
    program: String, _ arguments: [String], environment: [String: String?] = [:]
  ) throws -> CommandResult {
    try runner(program, environment).run(arguments)
  }

  /// Starts the command and goes on.
  func start(_ arguments: String...) throws -> RunningCommand {
    try start(arguments)
  }

  func start(_ arguments: [String]) throws -> RunningCommand {
    try runner(Self.executable).start(arguments)
  }

  /// A program in the surroundings of this home.
  func runner(
    _ program: String, _ environment: [String: String?] = [:]
  ) -> CommandRunner {
    var variables: [String: String] = [
      "HOME": home, "XDG_CONFIG_HOME": home + "/config", "XDG_DATA_HOME": home + "/data",
      // No layer of the system's: tests say the same everywhere.
      "XDG_DATA_DIRS": home + "/none",
      "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "TERM": "xterm",
    ]
    for (key, value) in environment { variables[key] = value }
    return CommandRunner(program, environment: variables, directory: home)
  }
}
