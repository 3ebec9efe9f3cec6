import Synchronization
import SystemPackage
import TestSupport

/// System calls that fail: one of those that a command makes, once or from then on.
///
/// The command runs once with nothing failing, and one of its calls is chosen. Memory and locks of threads are
/// left out, and what the libraries under Swift have for themselves: where these fail, the system ends the
/// program, or waits for ever.
final class SystemFaults: Part {
  static let name = "faults"
  static let tries = 3000
  static let weight = 4.0

  static func obstacle() -> String? {
    guard CommandRunner.exists("strace") else { return "strace is not installed" }
    let run = try? CommandRunner("strace").run(
      ["-f", "-qq", "-o", "/dev/null", "-e", "inject=fsync:error=EIO", "true"])
    return run?.status == 0 ? nil : "strace may not trace"
  }

  private static let errors = ["EIO", "ENOSPC", "EMFILE", "ENOMEM", "EINTR", "EACCES"]

  /// The calls that may fail.
  private static let calls: Set<String> = [
    "access", "chdir", "close", "copy_file_range", "dup", "faccessat", "faccessat2", "fallocate",
    "fchdir", "fchmod", "fchmodat", "fchown", "fcntl", "fdatasync", "fgetxattr", "flistxattr",
    "flock", "fstat", "fstatfs", "fsync", "ftruncate", "getcwd", "getdents64", "getxattr",
    "inotify_add_watch", "inotify_init1", "lgetxattr", "link", "linkat", "listxattr", "llistxattr",
    "lseek", "lstat", "mkdir", "mkdirat", "name_to_handle_at", "newfstatat", "open", "openat",
    "openat2", "pread64", "pwrite64", "pwritev", "read", "readlink", "readlinkat", "readv",
    "rename",
    "renameat", "renameat2", "rmdir", "stat", "statfs", "statx", "symlink", "symlinkat",
    "unlink", "unlinkat", "utimensat", "write", "writev",
  ]

  /// Those by which threads wake each other as well: these are for what the command prints alone.
  private static let output: Set<String> = ["write", "writev"]

  /// A command, the catalog it begins with, and what it does when nothing fails.
  private struct Target: Sendable {
    let scene: Scene
    let isReading: Bool
  }

  /// A call that a command has made, counted for each thread as `strace` does.
  private struct Call: Sendable {
    let name: String
    let number: Int
  }

  private struct Plain: Sendable {
    let result: CommandResult
    /// What it prints; `nil` where that is not the same each time.
    let output: String?
    let calls: [String: [Call]]
  }

  private let targets: [Target]
  private let plain: [Kept<Plain>]

  init(_ campaign: Campaign) throws {
    let scenery = try campaign.scenery()
    let rows = try CatalogRows.all(in: scenery.current)
    let first = scenery.first
    let questions: [[String]] = [
      ["roots"], ["ls", first], ["ls", first, "--format", "json", "--sort", "-size"],
      ["find", "--format", "json"], ["find", "size:>1k OR ext:txt"], ["find", "-c"],
      ["show", first + "/same.txt"], ["du", "--format", "json"], ["du", "-s", first],
      ["sql", "SELECT path, size FROM files ORDER BY path"],
      ["sql", "--timeout", "30", "SELECT count(*) FROM files a, files b"],
      ["report"], ["report", "usage_by_type"], ["report", "hard_links", "--in", first],
      ["report", "--html", "-"], ["report", "--html", "page.html"],
      ["changes"], ["changes", "--since", "1", "--format", "json"], ["duplicates"],
      ["duplicates", "--hash"], ["containers", "list"], ["containers", "policy"],
      ["containers", "resolve", "caches"], ["containers", "discover", first],
      ["types", "list"], ["types", "of", first + "/same.txt"], ["types", "check"],
      ["types", "conforms", "public.jpeg", "public.image"], ["lookup", "icon", "--scale", "2"],
      ["schema"], ["schema", "files"], ["check"], ["check", "--verify"],
    ]
    targets =
      scenery.scenes.flatMap { scene in
        // What writes is worth more tries.
        Array(repeating: Target(scene: scene, isReading: false), count: scene.isScan ? 4 : 1)
      }
      + questions.map { arguments in
        Target(
          scene: Scene(
            name: arguments[0], arguments: arguments, base: scenery.current, before: rows,
            after: rows, duration: .zero),
          isReading: true)
      }
    plain = targets.map { _ in Kept<Plain>() }
  }

  func attempt(_ attempt: Attempt) throws {
    let place = attempt.random.below(targets.count)
    let target = targets[place]
    let scene = target.scene
    guard let plain = try plain(place, attempt) else { return }
    let names = plain.calls.keys.sorted()
    guard !names.isEmpty else {
      throw CommandError(description: "no call is known of \(scene.arguments)")
    }
    let of = plain.calls[names[attempt.random.below(names.count)]] ?? []
    let call = of[attempt.random.below(of.count)]
    let error = Self.errors[attempt.random.below(Self.errors.count)]
    // Who is interrupted tries again. And what wakes threads goes by calls of the same names.
    let isForEver =
      error != "EINTR" && !["read", "close"].contains(call.name)
      && attempt.random.below(2) == 0
    let rule = "inject=\(call.name):error=\(error):when=\(call.number)\(isForEver ? "+" : "")"
    let arguments = scene.arguments + ["--catalog", attempt.catalog]
    try scene.begin(at: attempt.catalog)
    var tracer = [
      "strace", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=" + call.name, "-e",
      rule,
    ]
    if Self.output.contains(call.name) {
      // Of these only the output fails.
      let script =
        "strace -P \"$HOME/output\" \"$@\" >\"$HOME/output\"; s=$?; cat \"$HOME/output\"; exit $s"
      tracer = ["bash", "-c", script, "bash"] + tracer.dropFirst()
    }
    let words = tracer + ["filecat"] + arguments
    guard
      let result = try attempt.run(
        arguments, within: tracer, allowing: [0, 1, 3, 4, plain.result.status],
        mayBeSilent: call.name.hasPrefix("write"))
    else { return }
    if result.status == plain.result.status {
      let output = Self.text(of: result, attempt)
      if target.isReading, let expected = plain.output, output != expected,
        result.errorLines.isEmpty
      {
        let place = zip(output.utf8, expected.utf8).prefix { $0 == $1 }.count
        attempt.note(
          .dishonest,
          "status \(result.status) with another output: \(output.utf8.count) instead of "
            + "\(expected.utf8.count) bytes, from \(place) on: "
            + String(decoding: output.utf8.dropFirst(place).prefix(200), as: UTF8.self), of: words)
      }
    } else if result.status < 3 {
      attempt.note(
        .dishonest,
        "status \(result.status) instead of \(plain.result.status): \(result.errors.suffix(300))",
        of: words)
    }
    try expectOldOrNew(attempt, scene, result.status, plain.result.status, words)
  }

  /// Looks whether the status tells what has become of the catalog, and whether the next time it works.
  private func expectOldOrNew(
    _ attempt: Attempt, _ scene: Scene, _ status: Int32, _ plain: Int32, _ words: [String]
  ) throws {
    try attempt.expectSound()
    let rows = try CatalogRows.all(in: attempt.catalog)
    switch status {
    case plain:
      if let fault = Scene.difference(of: rows, from: scene.after) {
        attempt.note(.dishonest, "status \(status), but not done: \(fault)", of: words)
      }
    case 4:
      if let fault = Scene.difference(of: rows, from: scene.before) {
        attempt.note(.dishonest, "status 4, but not as before: \(fault)", of: words)
      }
    default:
      if let fault = partialFault(of: rows, scene) {
        attempt.note(.difference, "status \(status): \(fault)", of: words)
      }
    }
    guard scene.isScan,
      let again = try attempt.run(scene.arguments + ["--catalog", attempt.catalog])
    else { return }
    let healed = try CatalogRows.all(in: attempt.catalog)
    if again.status != 0 {
      attempt.note(
        .difference, "the next scan: status \(again.status): \(again.errors)", of: words)
    } else if let fault = Scene.difference(of: healed, from: scene.after) {
      attempt.note(.difference, "after the next scan: \(fault)", of: words)
    }
  }

  /// What of an incomplete scan is neither as before nor as it is.
  private func partialFault(of rows: [String: Rows], _ scene: Scene) -> String? {
    for (root, found) in rows {
      for (path, values) in found
      where values != scene.before[root]?[path] && values != scene.after[root]?[path] {
        // What could not be asked of an entry is unknown, and said to be.
        let name = String(decoding: path, as: UTF8.self)
        if isIncomplete(values, scene.after[root]?[path]) { continue }
        // What is in a directory that was moved, and could not be read, has moved with it.
        if scene.before[root]?.contains(where: {
          $0.value == values
            && $0.key.split(separator: 0x2F).last == path.split(separator: 0x2F).last
        }) ?? false {
          continue
        }
        return "\(name) is \(values), was \(scene.before[root]?[path] ?? "not there")"
          + ", is on the disk \(scene.after[root]?[path] ?? "not there")"
      }
    }
    return nil
  }

  /// Whether a row is of an entry that is there, but could not be asked about.
  private func isIncomplete(_ values: String, _ actual: String?) -> Bool {
    guard let actual else { return false }
    let kinds = [values, actual].map { $0.prefix { $0 != " " } }
    return values.contains(" mode 0 ") || actual.hasPrefix(values)
      || kinds[0] == kinds[1] && kinds[0] == "package"
  }

  // MARK: - The calls of a command

  /// Runs a command with nothing failing, the first time that it is asked for.
  private func plain(_ place: Int, _ attempt: Attempt) throws -> Plain? {
    try plain[place].value.withLock { kept in
      if let known = kept { return known }
      let scene = targets[place].scene
      let catalog = attempt.catalog
      let trace = attempt.directory("trace").string
      var results: [CommandResult] = []
      for wrapper in [
        ["strace", "-f", "-y", "-qq", "-o", trace, "-e", "trace=all"], [],
      ] {
        Scenery.remove(catalog)
        try scene.begin(at: catalog)
        let runner = attempt.runner(within: wrapper)
        results.append(try runner.run(scene.arguments + ["--catalog", catalog]))
      }
      Scenery.remove(catalog)
      let outputs = results.map { Self.text(of: $0, attempt) }
      let made = Plain(
        result: results[1], output: outputs[0] == outputs[1] ? outputs[0] : nil,
        calls: Self.calls(in: try attempt.directory.text(of: "trace")))
      kept = made
      return made
    }
  }

  /// The output, with one name for the directory of each try.
  private static func text(of result: CommandResult, _ attempt: Attempt) -> String {
    let parts = Array(result.output).split(
      separator: Array(attempt.directory.path.string.utf8), omittingEmptySubsequences: false)
    let text = parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "~")
    // A page tells the minute in which it was made.
    return text.replacing(/As of [-0-9: ]+ [-+][0-9:]+\./.asciiOnlyDigits(), with: "As of.")
  }

  /// The calls of a trace that may fail, by name, without those of the loader.
  private static func calls(in trace: String) -> [String: [Call]] {
    var counts: [Substring: [String: Int]] = [:]
    var calls: [String: [Call]] = [:]
    var latest: [String: Int] = [:]
    var printed = 0
    let lines = trace.split(separator: "\n")
    let begin = lines.firstIndex { $0.contains("clone") } ?? lines.count
    let loaded = lines[..<begin].lastIndex { $0.contains(".so") } ?? 0
    for (place, line) in lines.enumerated() {
      // Numbers of processes are filled up with spaces.
      let process = line.prefix { $0 != " " }
      let call = line.dropFirst(process.count).drop { $0 == " " }
      guard let end = call.firstIndex(of: "(") else { continue }
      let name = String(call[..<end])
      guard Self.calls.contains(name) else { continue }
      counts[process, default: [:]][name, default: 0] += 1
      let number = counts[process]?[name] ?? 1
      if line.contains("anon_inode") { latest[name] = max(latest[name] ?? 0, number) }
      guard place > loaded, !line.contains("anon_inode"), !line.contains("\"/proc/"),
        !line.contains("</sys/"), !line.contains("\"/sys/"), !line.contains("urandom")
      else { continue }
      guard !output.contains(name) else {
        guard line.contains("\(name)(1<") else { continue }
        printed += 1
        calls[name, default: []].append(Call(name: name, number: printed))
        continue
      }
      calls[name, default: []].append(Call(name: name, number: number))
    }
    // Calls of one number fail in all threads: also there where a library waits for them.
    for (name, number) in latest where !output.contains(name) {
      calls[name]?.removeAll { $0.number <= number + 3 }
    }
    return calls.filter { !$0.value.isEmpty }
  }
}

/// A place for what is found out once.
private final class Kept<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}
