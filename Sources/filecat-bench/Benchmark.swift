import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One mode of the command.
struct Benchmark: Sendable {
  /// What the argument of the mode is.
  let argument: String
  let purpose: String
  let run: @Sendable (String) async throws -> Void

  init(
    _ argument: String, _ purpose: String, _ run: @escaping @Sendable (String) async throws -> Void
  ) {
    self.argument = argument
    self.purpose = purpose
    self.run = run
  }
}

/// Why nothing was measured.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

extension Duration {
  var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }

  /// The shortest of several rounds: what the code takes when nothing disturbs it.
  static func best(of rounds: Int, _ body: () throws -> Void) rethrows -> Duration {
    let clock = ContinuousClock()
    var best = Duration.seconds(1_000_000)
    for _ in 0..<rounds { best = min(best, try clock.measure(body)) }
    return best
  }
}

/// A number with its digits in groups of three.
func grouped(_ number: Int) -> String {
  var digits = Array(String(number).reversed())
  for position in stride(from: 3, to: digits.count, by: 3).reversed() {
    digits.insert(",", at: position)
  }
  return String(digits.reversed())
}

/// A number with one decimal.
func rounded(_ number: Double) -> String {
  "\((number * 10).rounded() / 10)"
}

/// A directory for one measurement, which is gone with it.
final class ScratchDirectory {
  let path: FilePath

  init() throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var name = Array("\(parent)/filecat-bench-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw Errno(rawValue: errno) }
    path = name.withUnsafeBufferPointer { name in
      name.baseAddress.map { FilePath(platformString: $0) } ?? "/tmp"
    }
  }

  deinit {
    for name in ["catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-shm"] {
      unlink(path.appending(name).string)
    }
    rmdir(path.appending("tree").string)
    rmdir(path.string)
  }
}
