internal import CPlatform
package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// With whom a program is ended.
package enum ProcessGroup: Sendable {
  /// By itself, with what it has started.
  case own
  /// With this process, where that is ended with its group: nobody else looks after it.
  case shared
}

/// How another program is started: its words, its variables, where it works, and what it has open.
package struct ProgramStart: Sendable {
  /// The program, which is looked for in `PATH`, and its arguments. Others can see them.
  private let command: [[UInt8]]
  /// What is added to the variables of this process.
  private let environment: [String: String]
  private let directory: FilePath?
  private let group: ProcessGroup

  /// The program of the desktop that opens a file, or an address, in what is meant for it.
  #if canImport(Darwin)
    package static let opener = "open"
  #else
    package static let opener = "xdg-open"
  #endif

  /// - Parameter directory: where it works; `nil` stands for where this process does.
  package init(
    _ command: [[UInt8]], environment: [String: String] = [:], in directory: FilePath? = nil,
    group: ProcessGroup = .own
  ) {
    self.command = command
    self.environment = environment
    self.directory = directory
    self.group = group
  }

  init(_ command: [String], environment: [String: String] = [:], group: ProcessGroup = .own) {
    self.init(command.map { Array($0.utf8) }, environment: environment, group: group)
  }

  /// Starts the program with signals as they are for others.
  ///
  /// - Parameter files: what it has open, with the numbers from 0 on.
  package func run(with files: [CInt]) throws(Errno) -> CInt {
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
    for (number, file) in zip(CInt(0)..., files) {
      posix_spawn_file_actions_adddup2(&actions, file, number)
    }
    if let directory {
      try Errno.check(directory.withPlatformString { cplatform_spawn_in(&actions, $0) })
    }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var flags = POSIX_SPAWN_SETSIGDEF | Int32(POSIX_SPAWN_SETSIGMASK)
    if group == .own {
      posix_spawnattr_setpgroup(&attributes, 0)
      flags |= POSIX_SPAWN_SETPGROUP
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var arguments = command.map { Self.copy($0) } + [nil]
    var variables = variables() + [nil]
    defer { for text in arguments + variables { free(text) } }
    guard let program = arguments[0] else { throw .noMemory }
    var process: pid_t = 0
    try Errno.check(
      posix_spawnp(&process, program, &actions, &attributes, &arguments, &variables))
    return process
  }

  private static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
    strdup(bytes.map { CChar(bitPattern: $0) } + [0])
  }

  /// Those of this process, byte for byte, and those that are added.
  private func variables() -> [UnsafeMutablePointer<CChar>?] {
    var variables: [UnsafeMutablePointer<CChar>?] = []
    var place = environ
    while let variable = place.pointee {
      let name = String(cString: variable).prefix { $0 != "=" }
      if environment[String(name)] == nil { variables.append(strdup(variable)) }
      place += 1
    }
    return variables + environment.map { strdup("\($0)=\($1)") }
  }

  /// Waits for the end of a program.
  ///
  /// - Parameter body: calls what it gets, after which its number is not its own any more.
  /// - Returns: what it ended with; 128 and the number of the signal that ended it.
  package static func end(
    of process: CInt, collecting body: (() -> Int32) -> Int32 = { $0() }
  ) -> Int32 {
    // Its number is its own until it is collected, and nobody may end another's.
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    return body {
      var status: Int32 = 0
      while waitpid(process, &status, 0) == -1, errno == EINTR {}
      let signal = status & 0x7f
      return signal == 0 ? status >> 8 & 0xff : 128 + signal
    }
  }
}
