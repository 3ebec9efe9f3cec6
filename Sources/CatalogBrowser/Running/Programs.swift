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
  static func openOnDesktop(_ path: FilePath) throws(Errno) {
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard nothing >= 0 else { throw Errno(rawValue: errno) }
    defer { close(nothing) }
    let process = try ProgramStart(
      [Array(ProgramStart.opener.utf8), path.bytes], group: .shared
    ).run(with: [nothing, nothing, nothing])
    // Somebody has to take its end, whenever that is.
    Blocking.start { _ = ProgramStart.end(of: process) }
  }

  /// Runs the shell of the user in a directory, on the terminal, to its end.
  static func runShell(in directory: FilePath) throws(Errno) {
    let shell = getenv("SHELL").map { String(cString: $0) } ?? ""
    let process = try ProgramStart(
      [Array((shell.isEmpty ? "/bin/sh" : shell).utf8)], in: directory, group: .shared
    ).run(with: [])
    _ = ProgramStart.end(of: process)
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
