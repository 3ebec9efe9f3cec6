import FileCoordination
import FileSystem
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Replacements a second, durable and fast, against what a shell does for the same; and what a
/// coordinated read costs more than a plain one.
///
/// - Parameter directory: where to write; the file system is what is measured.
@Sendable func measureCoordination(_ directory: String) async throws {
  let file = FilePath(directory).appending("filecat-bench-\(getpid())")
  defer { _ = file.withPlatformString { unlink($0) } }
  for size in [4 * 1024, 256 * 1024] {
    try await measureReplacing(file, size: size)
  }
  try await measureReading(file, size: 4 * 1024)
}

private func measureReplacing(_ file: FilePath, size: Int) async throws {
  let bytes = [UInt8](repeating: 120, count: size)
  var rates: [String] = []
  for (name, concern, count) in [("durable", WriteConcern.durable, 200), ("fast", .fast, 2000)] {
    let coordinator = FileCoordinator(writeConcern: concern)
    try await coordinator.write(bytes, to: file)
    let time = try await ContinuousClock().measure {
      for _ in 0..<count { try await coordinator.write(bytes, to: file) }
    }
    rates.append("\(name) \(grouped(Int(Double(count) / time.nanoseconds * 1e9)))")
  }
  let shell = try shellRate(file, size: size)
  rates.append("cp+mv+sync \(grouped(Int(shell)))")
  print("replace: \(grouped(size)) bytes: \(rates.joined(separator: ", ")) a second")
}

/// How often a second a shell writes the same bytes to a file beside it, synchronises and renames it.
private func shellRate(_ file: FilePath, size: Int) throws -> Double {
  let source = file.string + ".source"
  defer { unlink(source) }
  try write([UInt8](repeating: 120, count: size), to: FilePath(source))
  let count = 50
  let script =
    "i=0; while [ $i -lt \(count) ]; do cp \"$0\" \"$1.new\" && sync \"$1.new\" && "
    + "mv -f \"$1.new\" \"$1\" && sync \"${1%/*}\" || exit 1; i=$((i+1)); done"
  let time = try ContinuousClock().measure {
    let arguments = ["sh", "-c", script, source, file.string]
    var child = pid_t()
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    guard posix_spawnp(&child, "sh", nil, nil, &pointers, environ) == 0 else {
      throw BenchmarkError("cannot run sh")
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    if status != 0 { throw BenchmarkError("cp, mv or sync failed in \(file.string)") }
  }
  return Double(count) / time.nanoseconds * 1e9
}

private func measureReading(_ file: FilePath, size: Int) async throws {
  let coordinator = FileCoordinator(writeConcern: .fast)
  try await coordinator.write([UInt8](repeating: 120, count: size), to: file)
  let rounds = 20_000
  var plain = Cost.worst
  var coordinated = Cost.worst
  for _ in 0..<5 {
    try await plain.lower {
      for _ in 0..<rounds { try read(file, size: size) }
    }
    try await coordinated.lower {
      for _ in 0..<rounds { _ = try await coordinator.read(file) }
    }
  }
  let (wall, cpu) = (coordinated.wall - plain.wall, coordinated.cpu - plain.cpu)
  print(
    "read: \(grouped(size)) bytes: plain \(rounded(plain.wall / Double(rounds))) µs, coordinated "
      + "\(rounded(coordinated.wall / Double(rounds))) µs, overhead "
      + "\(rounded(wall / Double(rounds))) µs, of processors \(rounded(cpu / Double(rounds))) µs")
}

/// What something takes, in microseconds: on the clock, which others on the machine disturb, and of
/// the processors.
private struct Cost {
  var wall: Double
  var cpu: Double

  static let worst = Cost(wall: .infinity, cpu: .infinity)

  mutating func lower(_ body: () async throws -> Void) async throws {
    let before = Self.processors
    let time = try await ContinuousClock().measure(body)
    wall = min(wall, time.nanoseconds / 1000)
    cpu = min(cpu, Self.processors - before)
  }

  private static var processors: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1000
  }
}

private func write(_ bytes: [UInt8], to path: FilePath) throws {
  let file = try FileDescriptor.open(
    path, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
  try file.closeAfter { _ = try file.writeAll(bytes) }
}

/// What reading a file costs at least: opening, reading to the end, closing.
private func read(_ path: FilePath, size: Int) throws {
  let file = try FileDescriptor.open(path, .readOnly)
  try file.closeAfter {
    let bytes = try [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, count in
      count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
    }
    if bytes.count != size { throw BenchmarkError("\(path.string) has changed") }
  }
}
