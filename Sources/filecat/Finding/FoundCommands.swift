import Console
import FileSystem
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The commands that `find` runs for what it has found, with the placeholders of fd.
struct FoundCommands {
  /// How often a command is run.
  enum Mode {
    /// For each path by itself.
    case each
    /// For as many paths together as the system takes.
    case all
  }

  private let commands: [[Word]]
  private let mode: Mode

  /// - Parameters:
  ///   - words: the commands, each with a `;` behind it.
  ///   - mode: how often each is run.
  /// - Returns: `nil` if there are none.
  init?(_ words: [String], _ mode: Mode) {
    guard !words.isEmpty else { return nil }
    self.mode = mode
    commands = words.split(separator: ";").map { command in
      var words = command.map { Word(RawArguments.bytes(of: $0)) }
      if !words.dropFirst().contains(where: \.hasPlaceholder) { words.append(Word([.path])) }
      return words
    }
  }

  /// Whether a command could take paths at several places, or for its own name; fd refuses that as well.
  var isAmbiguous: Bool {
    mode == .all
      && commands.contains {
        $0.filter(\.hasPlaceholder).count > 1 || $0.first?.hasPlaceholder == true
      }
  }

  /// Runs the commands one after the other.
  ///
  /// - Returns: whether all of them have ended with 0.
  func run(for paths: [FilePath]) -> Bool {
    switch mode {
    case .each:
      // As in fd, what fails does not keep the rest from being done.
      return paths.reduce(true) { isDone, path in
        commands.reduce(isDone) { Self.run($1.map { $0.bytes(for: path) }) && $0 }
      }
    case .all:
      return commands.reduce(true) { isDone, command in
        batches(of: paths, command).reduce(isDone) { Self.run($1) && $0 }
      }
    }
  }

  /// The command with as many paths at a time as fit.
  private func batches(of paths: [FilePath], _ command: [Word]) -> [[[UInt8]]] {
    // The other half is for the environment, and for what the system adds.
    let room = max(4096, sysconf(Int32(_SC_ARG_MAX)) / 2)
    guard let place = command.firstIndex(where: \.hasPlaceholder) else { return [] }
    let before = command[..<place].map { $0.bytes(for: "") }
    let after = command[(place + 1)...].map { $0.bytes(for: "") }
    func size(_ word: [UInt8]) -> Int { word.count + 1 + MemoryLayout<Int>.size }
    let start = (before + after).reduce(0) { $0 + size($1) }
    var batches: [[[UInt8]]] = []
    var batch: [[UInt8]] = []
    var used = start
    for path in paths {
      let word = command[place].bytes(for: path)
      if !batch.isEmpty, used + size(word) > room {
        batches.append(before + batch + after)
        (batch, used) = ([], start)
      }
      batch.append(word)
      used += size(word)
    }
    return batch.isEmpty ? batches : batches + [before + batch + after]
  }

  /// Runs a program to its end, with the streams of this process.
  ///
  /// - Returns: whether it ended with 0.
  private static func run(_ words: [[UInt8]]) -> Bool {
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { word in
      (word + [0]).withUnsafeBufferPointer { bytes in
        bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.flatMap { strdup($0) } }
      }
    }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    guard let name = arguments[0] else { return false }

    #if canImport(Darwin)
      var attributes: posix_spawnattr_t?
    #else
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A closed pipe is an error to this process, and the end of most others.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    var process: pid_t = 0
    let code = posix_spawnp(&process, name, nil, &attributes, arguments, environ)
    guard code == 0 else {
      let reason = String(cString: strerror(code))
      Message.print("\(String(decoding: words[0], as: UTF8.self)): cannot be run: \(reason)")
      return false
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1 {
      guard errno == EINTR else { return false }
    }
    return status == 0
  }
}

/// A word of a command, with places for parts of a path.
private struct Word {
  enum Piece: Equatable {
    case text([UInt8])
    case path, name, directory, pathWithoutExtension, nameWithoutExtension
  }

  private let pieces: [Piece]

  var hasPlaceholder: Bool { pieces.contains { if case .text = $0 { false } else { true } } }

  init(_ pieces: [Piece]) {
    self.pieces = pieces
  }

  private static let placeholders: [([UInt8], Piece)] = [
    (Array("{}".utf8), .path), (Array("{/}".utf8), .name), (Array("{//}".utf8), .directory),
    (Array("{.}".utf8), .pathWithoutExtension), (Array("{/.}".utf8), .nameWithoutExtension),
  ]

  init(_ bytes: [UInt8]) {
    var pieces: [Piece] = []
    var text: [UInt8] = []
    var rest = bytes[...]
    while let first = rest.first {
      if let (written, piece) = Self.placeholders.first(where: { rest.starts(with: $0.0) }) {
        if !text.isEmpty { pieces.append(.text(text)) }
        text = []
        pieces.append(piece)
        rest = rest.dropFirst(written.count)
      } else {
        text.append(first)
        rest = rest.dropFirst()
      }
    }
    self.pieces = text.isEmpty ? pieces : pieces + [.text(text)]
  }

  func bytes(for path: FilePath) -> [UInt8] {
    pieces.flatMap { piece in
      switch piece {
      case .text(let bytes): bytes
      case .path: path.bytes
      case .name: path.lastComponent?.bytes ?? path.bytes
      case .directory: path.removingLastComponent().bytes
      case .pathWithoutExtension: Self.withoutExtension(path.bytes)
      case .nameWithoutExtension: Self.withoutExtension(path.lastComponent?.bytes ?? path.bytes)
      }
    }
  }

  /// The bytes up to the last dot of a name that neither begins nor ends with it.
  private static func withoutExtension(_ bytes: [UInt8]) -> [UInt8] {
    let slash = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    guard let dot = bytes[slash...].lastIndex(of: UInt8(ascii: ".")), dot > slash else {
      return bytes
    }
    return Array(bytes[..<dot])
  }
}
