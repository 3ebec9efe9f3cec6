import FileCatalog
import FileSystem
import SystemPackage
import UniformTypes

/// The names of the files below a directory, packed as a scan sees them.
private struct Names {
  private(set) var bytes: [UInt8] = []
  private(set) var ranges: [Range<Int>] = []

  init(below directory: String) throws {
    let walker = try TreeWalker(root: FilePath(directory), options: WalkOptions(jobs: 2)) {
      { _, _, _ in }
    }
    try walker.start()
    while let batch = walker.next() {
      for index in batch.sections.flatMap(\.records) where batch.records[index].kind == .file {
        let start = bytes.count
        bytes.append(contentsOf: batch.name(of: batch.records[index]))
        ranges.append(start..<bytes.count)
      }
      walker.recycle(batch)
    }
    guard !ranges.isEmpty else { throw BenchmarkError("\(directory) holds no files") }
  }

  /// Whether a name has an extension: not a leading dot, not a trailing one, no space behind it.
  func hasExtension(_ range: Range<Int>) -> Bool {
    let name = bytes[range]
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return false }
    let rest = name[(dot + 1)...]
    return dot > name.startIndex && !rest.isEmpty && !rest.contains(UInt8(ascii: " "))
  }
}

/// Nanoseconds a name, and the share of names with an extension that get a declared type.
@Sendable func measureTypes(_ directory: String) async throws {
  let names = try Names(below: directory)
  let matcher = TypeMatcher(.builtIn)
  var dynamic = 0
  let time = names.bytes.withUnsafeBufferPointer { bytes in
    Duration.best(of: 20) {
      dynamic = 0
      for range in names.ranges {
        let name = UnsafeBufferPointer(rebasing: bytes[range])
        if matcher.match(name, as: .file).type == .none { dynamic += 1 }
      }
    }
  }
  let count = names.ranges.count
  func report(_ time: Duration, _ what: String) {
    print(
      "types: \(Int((time.nanoseconds / Double(count)).rounded())) ns a name over "
        + "\(grouped(count)) names\(what)")
  }
  report(time, "")
  let mimeDirectories = TypeSources.standard.mimeDirectories
  let system = SharedMimeNames(directories: mimeDirectories)
  report(
    names.bytes.withUnsafeBufferPointer { bytes in
      Duration.best(of: 20) {
        for range in names.ranges {
          let name = UnsafeBufferPointer(rebasing: bytes[range])
          if matcher.match(name, as: .file).flags.contains(.isUndeclared) {
            _ = system.match(name, as: .file)
          }
        }
      }
    }, ", with the names of the system")
  let withExtension = names.ranges.count { names.hasExtension($0) }
  let share = 1 - Double(dynamic) / Double(max(withExtension, 1))
  print(
    "types: \(rounded(share * 100)) % of \(grouped(withExtension)) names with an extension "
      + "are declared")
  let table = Duration.best(of: 5) {
    _ = TypeRegistry(declarationDirectories: []).count
  }
  let layer = Duration.best(of: 5) { _ = TypeSources.standard.allTypes().count }
  let list = Duration.best(of: 5) { _ = SharedMimeNames(directories: mimeDirectories) }
  print(
    "types: \(rounded(table.nanoseconds / 1e6)) ms to read the table, "
      + "\(rounded(layer.nanoseconds / 1e6)) ms with the system's layer, "
      + "\(rounded(list.nanoseconds / 1e6)) ms for the names of that alone")
}
