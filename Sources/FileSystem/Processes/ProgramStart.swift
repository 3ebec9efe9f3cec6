internal import CPlatform
internal import SystemPackage

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

/// How another program is started: its words, its variables, and what it has open.
struct ProgramStart: Sendable {
  /// The program, which is looked for in `PATH`, and its arguments. Others can see them.
  let command: [String]
  /// What is added to the variables of this process.
  var environment: [String: String] = [:]
  var group = ProcessGroup.own

  /// Starts the program with signals as they are for others.
  ///
  /// - Parameter files: what it has open, with the numbers from 0 on.
  func run(with files: [CInt]) throws(Errno) -> pid_t {
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

    var arguments = command.map { strdup($0) } + [nil]
    var variables = variables().map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    try Errno.check(
      posix_spawnp(&process, command[0], &actions, &attributes, &arguments, &variables))
    return process
  }

  /// Those of this process, and those that are added.
  private func variables() -> [String] {
    var variables: [String] = []
    var place = environ
    while let variable = place.pointee {
      let text = String(cString: variable)
      if environment[String(text.prefix { $0 != "=" })] == nil { variables.append(text) }
      place += 1
    }
    return variables + environment.map { "\($0)=\($1)" }
  }

  /// Waits for the end of a program.
  ///
  /// - Parameter body: calls what it gets, after which its number is not its own any more.
  /// - Returns: what it ended with; 128 and the number of the signal that ended it.
  static func end(of process: pid_t, collecting body: (() -> Int32) -> Int32 = { $0() }) -> Int32 {
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
