import SystemPackage
import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The command run as somebody who may read less than the tests may.
struct Unprivileged {
  /// Whether the tests run as root and can become somebody else who can start the command.
  static let isAvailable: Bool = {
    guard geteuid() == 0, let sandbox = try? Sandbox() else { return false }
    defer { sandbox.remove() }
    return (try? Unprivileged(in: sandbox).run("--version").status) == 0
  }()

  private let runner: CommandRunner

  /// Gives the home of a test to the other user.
  init(in sandbox: Sandbox, environment: [String: String?] = [:]) throws {
    // Where the command was built may be closed to others.
    let executable = sandbox.home + "/filecat"
    try CommandRunner("cp").run([Sandbox.executable, executable])
    chmod(executable, 0o755)
    chown(sandbox.home, 65534, 65534)
    runner = sandbox.runner(executable, environment).asNobody()
  }

  func run(_ arguments: String...) throws -> CommandResult { try runner.run(arguments) }

  /// Starts the command and goes on.
  func start(_ arguments: [String]) throws -> RunningCommand { try runner.start(arguments) }
}

/// The stock program, for which no catalog is special.
enum StockSQLite {
  static let program = "/usr/bin/sqlite3"
  static let isAvailable = access(program, X_OK) == 0
}

extension Sandbox {
  /// Runs a statement with the stock program and returns what it printed.
  @discardableResult
  func sqlite(_ file: String, _ statement: String, _ options: String...) throws -> String {
    let run = try run(program: StockSQLite.program, ["-batch"] + options + [file, statement])
    guard run.status == 0 else {
      throw CommandError(description: "\(statement): \(run.errors)")
    }
    return String(run.text.drop { $0 == "\n" }.reversed().drop { $0 == "\n" }.reversed())
  }
}

/// A terminal, made by the program `script`.
enum TerminalSession {
  private static let program = "/usr/bin/script"

  static let isAvailable: Bool = {
    guard let sandbox = try? Sandbox() else { return false }
    defer { sandbox.remove() }
    return (try? run("true", in: sandbox).status) == 0
  }()

  /// Runs a shell command in a terminal; output and errors come together.
  static func run(_ command: String, in sandbox: Sandbox) throws -> CommandResult {
    try sandbox.run(program: program, ["-qec", command, "/dev/null"])
  }
}

/// A tree that is there anyway, and takes a while to scan.
enum LargeTree {
  static let path = "/usr"

  static let isAvailable: Bool = {
    let count = "find \(path) 2>/dev/null | head -n 30000 | wc -l"
    return (try? CommandRunner("sh").run(["-c", count]).text.contains("30000")) ?? false
  }()
}
