import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Surroundings in which the system refuses what it usually gives.
extension Sandbox {
  /// Runs the command with system calls that fail, by the rules of `strace -e inject`.
  ///
  /// - Parameter faults: such as `fsync:error=EIO:when=2+`.
  func run(failing faults: String..., arguments: [String]) throws -> CommandResult {
    let rules = faults.flatMap { ["-e", "inject=" + $0] }
    let runner = runner("strace")
    return try runner.run(
      ["-f", "-qq", "-o", "/dev/null"] + rules + [Self.executable] + arguments)
  }

  /// Runs the command from a shell, where `"$@"` stands for it.
  func run(inShell script: String, _ arguments: [String]) throws -> CommandResult {
    let runner = runner("bash")
    return try runner.run(["-c", script, "sh", Self.executable] + arguments)
  }
}

/// What tests of a failing system need from a system that does not fail.
enum FailingSystem {
  /// A beginning of scripts: closes what other tests have open and this process has inherited.
  static let closingInherited = """
    for file in /proc/self/fd/*; do
      number=${file##*/}
      if [ "$number" -gt 2 ]; then eval "exec $number>&-"; fi
    done

    """

  /// Whether system calls of other programs can be made to fail.
  static let canInject: Bool = {
    guard CommandRunner.exists("strace") else { return false }
    let run = try? CommandRunner("strace").run(
      ["-f", "-qq", "-o", "/dev/null", "-e", "inject=fsync:error=EIO", "true"])
    return run?.status == 0
  }()

  /// Whether a program can be run where there is no `/proc`.
  static let canHideProcesses: Bool = {
    // A sanitizer reads its own process there.
    guard !isSanitized else { return false }
    let script = "umount -l /proc && ! test -e /proc/self"
    return (try? CommandRunner("unshare").run(["-m", "sh", "-c", script]).status) == 0
  }()

  /// Whether limits on a program's address space are about what it needs: a sanitizer takes terabytes
  /// of it for its own accounts.
  static let canLimitMemory = !isSanitized

  private static let isSanitized =
    dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

  /// The system call by which a file is removed. A sanitizer calls the other one for itself.
  #if arch(x86_64)
    static let unlink = "unlink"
  #else
    static let unlink = "unlinkat"
  #endif

  /// Whether the tests may give files to others.
  static let isRoot = geteuid() == 0
}
