import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The command run as somebody who may read less than the tests may.
struct Unprivileged {
  private static let program = "/usr/bin/setpriv"
  private static let options = ["--reuid=65534", "--regid=65534", "--clear-groups"]

  /// Whether the tests run as root and can become somebody else who can start the command.
  static let isAvailable: Bool = {
    guard geteuid() == 0, let sandbox = try? Sandbox() else { return false }
    defer { sandbox.remove() }
    return (try? Unprivileged(in: sandbox).run("--version").status) == 0
  }()

  private let sandbox: Sandbox
  private let executable: String

  /// Gives the home of a test to the other user.
  init(in sandbox: Sandbox) throws {
    self.sandbox = sandbox
    // Where the command was built may be closed to others.
    executable = sandbox.home + "/filecat"
    try FileManager.default.copyItem(atPath: Sandbox.executable, toPath: executable)
    chmod(executable, 0o755)
    chown(sandbox.home, 65534, 65534)
  }

  func run(_ arguments: String...) throws -> Sandbox.Run {
    try sandbox.run(program: Self.program, Self.options + [executable] + arguments)
  }
}

/// A file system with little space.
struct SmallDisk {
  static let isAvailable: Bool = {
    guard geteuid() == 0, let sandbox = try? Sandbox() else { return false }
    defer { sandbox.remove() }
    guard let disk = try? SmallDisk(in: sandbox, kilobytes: 64) else { return false }
    disk.unmount()
    return true
  }()

  let path: String
  private let sandbox: Sandbox

  init(in sandbox: Sandbox, kilobytes: Int) throws {
    self.sandbox = sandbox
    path = sandbox.home + "/small"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let run = try sandbox.run(
      program: "/usr/bin/mount", ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", path])
    guard run.status == 0 else { throw SystemError(EPERM, path) }
  }

  func unmount() {
    _ = try? sandbox.run(program: "/usr/bin/umount", [path])
  }
}

/// The stock program, for which no catalog is special.
enum StockSQLite {
  static let program = "/usr/bin/sqlite3"
  static let isAvailable = FileManager.default.isExecutableFile(atPath: program)
}

extension Sandbox {
  /// Runs a statement with the stock program and returns what it printed.
  @discardableResult
  func sqlite(_ file: String, _ statement: String, _ options: String...) throws -> String {
    let run = try run(program: StockSQLite.program, ["-batch"] + options + [file, statement])
    guard run.status == 0 else { throw SystemError(EIO, "\(statement): \(run.errors)") }
    return run.text.trimmingCharacters(in: .newlines)
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
  static func run(_ command: String, in sandbox: Sandbox) throws -> Sandbox.Run {
    try sandbox.run(program: program, ["-qec", command, "/dev/null"])
  }
}

/// A tree that is there anyway, and takes a while to scan.
enum LargeTree {
  static let path = "/usr"

  static let isAvailable: Bool = {
    var count = 0
    let names = FileManager.default.enumerator(atPath: path)
    while count < 30_000, names?.nextObject() != nil { count += 1 }
    return count == 30_000
  }()
}
