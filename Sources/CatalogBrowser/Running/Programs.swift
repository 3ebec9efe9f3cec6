internal import CPlatform
internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Programs that a browser starts for whoever looks at it.
enum Programs {
  /// Opens an entry in the program that is meant for it, and goes on.
  ///
  /// - Throws: why no program was started.
  static func open(_ path: FilePath) throws(Errno) {
    #if canImport(Darwin)
      let program = "open"
    #else
      let program = "xdg-open"
    #endif
    let process = try start([Array(program.utf8), path.bytes], in: nil, silently: true)
    // Somebody has to take its end, whenever that is.
    Task.detached {
      while !collected(process) { try? await Task.sleep(for: .milliseconds(200)) }
    }
  }

  /// Runs the shell of the user in a directory, on the terminal, to its end.
  static func runShell(in directory: FilePath) throws(Errno) {
    let shell = getenv("SHELL").map { String(cString: $0) } ?? ""
    let process = try start(
      [Array((shell.isEmpty ? "/bin/sh" : shell).utf8)], in: directory, silently: false)
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
  }

  private static func collected(_ process: pid_t) -> Bool {
    var status: Int32 = 0
    return waitpid(process, &status, WNOHANG) != 0
  }

  private static func start(
    _ words: [[UInt8]], in directory: FilePath?, silently: Bool
  ) throws(Errno) -> pid_t {
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
    if silently {
      for descriptor in STDIN_FILENO...STDERR_FILENO {
        posix_spawn_file_actions_addopen(
          &actions, descriptor, "/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0)
      }
    }
    if let directory {
      directory.withPlatformString { _ = cplatform_spawn_in(&actions, $0) }
    }
    var arguments = words.map { strdup(FilePath(bytes: $0)) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    guard let program = arguments[0] else { throw .noMemory }
    let code = posix_spawnp(&process, program, &actions, &attributes, &arguments, environ)
    guard code == 0 else { throw Errno(rawValue: code) }
    return process
  }

  private static func strdup(_ text: FilePath) -> UnsafeMutablePointer<CChar>? {
    text.withPlatformString {
      #if canImport(Darwin)
        Darwin.strdup($0)
      #else
        Glibc.strdup($0)
      #endif
    }
  }
}

/// Text for the clipboard of the terminal, wherever that runs (the control sequence OSC 52 of xterm).
enum Clipboard {
  static func sequence(for bytes: [UInt8]) -> [UInt8] {
    Array("\u{1b}]52;c;".utf8) + base64(bytes) + [0x07]
  }

  private static func base64(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var result: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits = 0
      for index in 0..<3 {
        bits = bits << 8 | (index < group.count ? Int(group[start + index]) : 0)
      }
      for index in 0..<4 {
        result.append(
          index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
      }
    }
    return result
  }
}
