import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Runs a program, in surroundings of its own where that is wanted.
package struct CommandRunner: Sendable {
  /// A path, or a name that is looked up on the search path.
  package var program: String
  /// What stands before the arguments of each run.
  package var arguments: [String]
  /// All variables that the program gets; `nil` stands for those of this process.
  package var environment: [String: String]?
  /// Where the program works; `nil` stands for where this process does.
  package var directory: String?
  /// After this time the program hangs, and is ended. Time in which this process stands still as well, as all
  /// do on a virtual machine that is paused, does not count.
  package var limit: Duration = .seconds(900)

  package init(
    _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil,
    directory: String? = nil
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
  }

  /// Runs the program to its end. It reads `input`, and nothing else.
  @discardableResult
  package func run(_ arguments: [String] = [], input: String = "") throws -> CommandResult {
    try start(arguments, input: input).finish()
  }

  /// Runs the program to its end with arguments of any bytes but NUL.
  @discardableResult
  package func run(bytes arguments: [[UInt8]]) throws -> CommandResult {
    try RunningCommand(self, arguments, input: []).finish()
  }

  /// Starts the program and goes on.
  package func start(_ arguments: [String] = [], input: String = "") throws -> RunningCommand {
    try RunningCommand(self, arguments.map { Array($0.utf8) }, input: Array(input.utf8))
  }

  /// The same program, run by somebody who may do less than root.
  package func asNobody() -> CommandRunner {
    var runner = self
    runner.program = "setpriv"
    runner.arguments =
      ["--reuid=65534", "--regid=65534", "--clear-groups", program] + arguments
    return runner
  }

  // MARK: - Programs

  /// A program of this package, which lies beside the tests.
  ///
  /// The variable `TESTED_PROGRAMS` names another directory to look for it first.
  package static func built(_ name: String) -> CommandRunner? {
    let named = getenv("TESTED_PROGRAMS").map { String(cString: $0) }
    let places = [named, ownDirectory].compactMap { $0.map { "\($0)/\(name)" } }
    return places.first { access($0, X_OK) == 0 }.map { CommandRunner($0) }
  }

  /// Whether a program is on the search path.
  package static func exists(_ program: String) -> Bool {
    guard let path = getenv("PATH") else { return false }
    return String(cString: path).split(separator: ":").contains {
      access("\($0)/\(program)", X_OK) == 0
    }
  }

  /// The directory of the program, or of the bundle, that these tests are in.
  private static let ownDirectory: String? = {
    #if os(Linux)
      let name = "/proc/self/exe"
    #else
      let name = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
    #endif
    guard let path = realpath(name, nil) else { return nil }
    defer { free(path) }
    let parts = String(cString: path).split(separator: "/")
    let bundle = parts.firstIndex { $0.hasSuffix(".xctest") } ?? parts.count - 1
    return "/" + parts[..<bundle].joined(separator: "/")
  }()
}

/// What a program left behind.
package struct CommandResult: Sendable {
  /// The exit status; 1000 more than the signal of a program that was ended by one.
  package let status: Int32
  package let output: [UInt8]
  package let errorOutput: [UInt8]

  package var text: String { String(decoding: output, as: UTF8.self) }
  package var errors: String { String(decoding: errorOutput, as: UTF8.self) }
  package var errorLines: [Substring] { errors.split(separator: "\n") }
}

/// A program that could not be started, or would not end.
package struct CommandError: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}

/// A program that has been started. It is ended when nobody holds it any more.
package final class RunningCommand {
  private let limit: Duration
  private let process: pid_t
  // Files without names rather than pipes: nothing has to be read while the program runs.
  private let output: ScratchFile
  private let errors: ScratchFile
  private var status: Int32?

  fileprivate init(_ runner: CommandRunner, _ arguments: [[UInt8]], input: [UInt8]) throws {
    let input = try ScratchFile(holding: input)
    output = try ScratchFile()
    errors = try ScratchFile()
    limit = runner.limit
    process = try Self.spawn(runner, arguments, [input, output, errors])
  }

  /// The number that the system calls it by.
  package var id: Int32 { process }

  deinit {
    guard status == nil else { return }
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  private static func spawn(
    _ runner: CommandRunner, _ arguments: [[UInt8]], _ files: [ScratchFile]
  ) throws -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (number, file) in files.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, file.descriptor, Int32(number))
    }
    // What other tests have open is none of its business: a lock would live on in it.
    #if canImport(Darwin)
      var flags = POSIX_SPAWN_CLOEXEC_DEFAULT
    #else
      for descriptor in try openDescriptors() where descriptor > 2 {
        posix_spawn_file_actions_addclose(&actions, descriptor)
      }
      var flags: Int32 = 0
    #endif
    flags |= Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var command = [runner.program] + runner.arguments
    if let directory = runner.directory {
      command = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", directory] + command
    }
    var words = command.map { strdup($0) }
    words += arguments.map { argument in
      (argument.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
        $0.baseAddress.flatMap { strdup($0) }
      }
    }
    words.append(nil)
    // What a sanitizer is told holds for the programs that tests start as well.
    var environment = runner.environment ?? [:]
    for name: String in ["ASAN_OPTIONS", "TSAN_OPTIONS"] {
      if let value = getenv(name) { environment[name] = String(cString: value) }
    }
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var process: pid_t = 0
    let code =
      runner.environment == nil
      ? posix_spawnp(&process, command[0], &actions, &attributes, &words, environ)
      : posix_spawnp(&process, command[0], &actions, &attributes, &words, &variables)
    guard code == 0 else {
      throw CommandError(description: "\(runner.program): \(String(cString: strerror(code)))")
    }
    return process
  }

  #if !canImport(Darwin)
    private static func openDescriptors() throws -> [Int32] {
      try TemporaryDirectory(at: "/proc/self/fd").names().compactMap { Int32($0) }
    }
  #endif

  // MARK: - While it runs

  package var isRunning: Bool { !collect() }

  /// What it has printed so far.
  package var outputSoFar: String { String(decoding: output.content, as: UTF8.self) }

  /// Waits until it has printed something, or has ended.
  package func waitForOutput() throws {
    try wait { output.content.isEmpty == false || collect() }
  }

  /// Waits until it has printed an error, or has ended.
  package func waitForErrors() throws {
    try wait { errors.content.isEmpty == false || collect() }
  }

  package func send(_ signal: Int32) {
    if status == nil { kill(process, signal) }
  }

  /// Ends it as a crash would: it runs no further instruction.
  package func crash() {
    send(SIGKILL)
    _ = try? finish()
  }

  /// Runs `body` while it stands still.
  package func pausing<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    send(SIGSTOP)
    defer { send(SIGCONT) }
    return try await body()
  }

  // MARK: - Its end

  /// Waits for its end.
  package func finish() throws -> CommandResult {
    try wait { collect() }
    return CommandResult(
      status: status ?? -1, output: output.content, errorOutput: errors.content)
  }

  /// Whether it has ended, and how.
  private func collect() -> Bool {
    if status != nil { return true }
    var raw: Int32 = 0
    guard waitpid(process, &raw, WNOHANG) == process else { return false }
    let signal = raw & 0x7f
    status = signal == 0 ? raw >> 8 & 0xff : 1000 + signal
    return true
  }

  private func wait(until isDone: () -> Bool) throws {
    var waited = Duration.zero
    var pause: useconds_t = 100
    while !isDone() {
      guard waited < limit else {
        send(SIGKILL)
        throw CommandError(description: "a program hangs after: \(outputSoFar)")
      }
      usleep(pause)
      waited += .microseconds(Int64(pause))
      pause = min(pause + pause / 4, 4000)
    }
  }
}

/// An open file that has no name any more.
private final class ScratchFile {
  let descriptor: Int32

  init(holding bytes: [UInt8] = []) throws {
    var template = Array("\(TemporaryDirectory.parent)/filecat-run-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw CommandError(description: "no temporary file: \(errno)") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(template)
    guard !bytes.isEmpty else { return }
    write(descriptor, bytes, bytes.count)
    lseek(descriptor, 0, SEEK_SET)
  }

  deinit { close(descriptor) }

  var content: [UInt8] {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
      count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
    }
  }
}
