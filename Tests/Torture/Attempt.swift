import SystemPackage
import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One try: a directory of its own, the command in surroundings of its own, and what was found.
final class Attempt {
  let part: String
  let number: Int
  let program: String
  let directory: TemporaryDirectory
  var random: SeededRandom
  private(set) var findings: [Finding] = []

  /// After this the command hangs.
  static let limit: Duration = .seconds(120)

  init(
    _ part: String, _ number: Int, random: SeededRandom, program: String,
    in parent: TemporaryDirectory
  ) throws {
    self.part = part
    self.number = number
    self.random = random
    self.program = program
    directory = try TemporaryDirectory(in: parent.path.string)
  }

  var catalog: String { directory("catalog.sqlite").string }

  // MARK: - Running the command

  /// What the command sees of its user, whose home is a directory of the campaign's.
  static func environment(home: String) -> [String: String] {
    [
      "HOME": home, "XDG_CONFIG_HOME": home + "/config", "XDG_DATA_HOME": home + "/data",
      "XDG_DATA_DIRS": home + "/none", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
      "LANG": "C.UTF-8", "TERM": "xterm",
    ]
  }

  /// The command, or what stands before it: a shell, a tracer.
  func runner(
    within wrapper: [String] = [], environment: [String: String] = [:]
  ) -> CommandRunner {
    let words = wrapper + [program]
    var variables = Self.environment(home: directory.path.string)
    variables.merge(environment) { $1 }
    var runner = CommandRunner(
      words[0], Array(words.dropFirst()), environment: variables,
      directory: directory.path.string)
    runner.limit = Self.limit
    return runner
  }

  /// Runs the command to its end. That it is ended by a signal or hangs is a finding, and so is a status that
  /// the command does not promise, or an error of more or of less than a message of one line.
  ///
  /// - Returns: `nil` where there is nothing to look at any more.
  @discardableResult
  func run(
    _ arguments: [String], within wrapper: [String] = [], environment: [String: String] = [:],
    allowing statuses: Set<Int32> = [0, 1, 3, 4], mayBeSilent: Bool = false
  ) throws -> CommandResult? {
    try run(
      bytes: arguments.map { Array($0.utf8) }, within: wrapper, environment: environment,
      allowing: statuses, mayBeSilent: mayBeSilent)
  }

  @discardableResult
  func run(
    bytes arguments: [[UInt8]], within wrapper: [String] = [],
    environment: [String: String] = [:], allowing statuses: Set<Int32> = [0, 1, 3, 4],
    mayBeSilent: Bool = false
  ) throws -> CommandResult? {
    try run(
      runner(within: wrapper, environment: environment), bytes: arguments,
      of: wrapper + ["filecat"] + arguments.map { String(decoding: $0, as: UTF8.self) },
      allowing: statuses, mayBeSilent: mayBeSilent)
  }

  /// Runs a command that has been prepared, which is told of in these words.
  @discardableResult
  func run(
    _ runner: CommandRunner, bytes arguments: [[UInt8]], of words: [String],
    allowing statuses: Set<Int32>, mayBeSilent: Bool = false
  ) throws -> CommandResult? {
    let result: CommandResult
    do {
      result = try runner.run(bytes: arguments)
    } catch let error as CommandError where error.description.hasPrefix("a program hangs") {
      note(.hang, "it does not end", of: words)
      return nil
    }
    return judge(result, of: words, allowing: statuses, mayBeSilent: mayBeSilent)
      ? result : nil
  }

  /// - Returns: whether the result is worth a further look.
  private func judge(
    _ result: CommandResult, of words: [String], allowing statuses: Set<Int32>,
    mayBeSilent: Bool
  ) -> Bool {
    let errors = String(result.errors.suffix(600))
    // The system's loader has failed, before there was a program.
    if result.status == 127, errors.contains("shared librar") { return false }
    guard result.status < 1000 else {
      note(.signal, "signal \(result.status - 1000): \(errors)", of: words)
      return false
    }
    guard statuses.contains(result.status) else {
      note(.dishonest, "status \(result.status): \(errors)", of: words)
      return false
    }
    // With changes the summary goes to standard error.
    let hasSummary = words.contains("--changes")
    if let line = result.errorLines.first, !line.hasPrefix("filecat: "), !hasSummary {
      note(.dishonest, "a line of nobody's: \(errors)", of: words)
    }
    let isCheck = words.contains("check")
    // A scan of several roots may have a line for each, and an import one for each declaration.
    let mayHaveSeveral = words.contains("scan") || words.contains("import") || isCheck
    if result.status == 4, !mayHaveSeveral, result.errorLines.count > 1 {
      note(.dishonest, "more than a line: \(errors)", of: words)
    }
    if Set(result.errorLines).count < result.errorLines.count, result.status != 64 {
      note(.dishonest, "the same line twice: \(errors)", of: words)
    }
    if [3, 4, 64].contains(result.status), result.errorLines.isEmpty, !isCheck, !mayBeSilent {
      note(.dishonest, "status \(result.status) without a word", of: words)
    }
    return true
  }

  // MARK: - Findings

  func note(_ kind: Finding.Kind, _ text: String, of words: [String] = []) {
    let command = words.map { $0.count > 300 ? "\($0.prefix(300))…" : $0 }.map { word in
      word.allSatisfy { $0.isLetter || $0.isNumber || "-_/.,:=+@".contains($0) }
        ? word : "'\(word.debugDescription.dropFirst().dropLast())'"
    }.joined(separator: " ")
    findings.append(Finding(kind, command.isEmpty ? text : "\(command)\n  \(text)"))
  }

  /// Keeps the directory for somebody to look at.
  ///
  /// - Returns: where it is.
  func keep(seed: UInt64) -> String? {
    let place = "\(TemporaryDirectory.parent)/filecat-torture-\(getpid())"
    let path = "\(place)/\(part)-\(seed)-\(number)"
    mkdir(place, 0o755)
    let moved = try? CommandRunner("mv").run([directory.path.string, path])
    return moved?.status == 0 ? path : nil
  }

  // MARK: - What must hold of every catalog

  /// Looks whether the catalog is sound, for SQLite and for the command. A catalog that is not there is.
  func expectSound(_ catalog: String? = nil) throws {
    let catalog = catalog ?? self.catalog
    guard access(catalog, F_OK) == 0 else { return }
    if StockProgram.isAvailable {
      let run = try CommandRunner("sqlite3").run([catalog, "PRAGMA integrity_check"])
      if run.text != "ok\n" {
        note(.difference, "integrity_check: \(run.text.prefix(300)) \(run.errors.prefix(300))")
      }
    } else {
      let found = try CatalogRows.integrity(of: catalog)
      if found != ["ok"] { note(.difference, "integrity_check: \(found.prefix(3))") }
    }
    guard let run = try self.run(["check", "--catalog", catalog]) else { return }
    if run.status != 0 {
      note(.difference, "check: status \(run.status): \(run.text.prefix(300)) \(run.errors)")
    }
  }
}

/// The program of SQLite's own.
enum StockProgram {
  static let isAvailable = CommandRunner.exists("sqlite3")
}
