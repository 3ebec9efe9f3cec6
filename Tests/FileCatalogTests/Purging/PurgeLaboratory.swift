import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import Testing

extension Laboratory {
  /// Scans the tree as the sandbox of an application.
  @discardableResult
  func scanSandbox() async throws -> ScanSummary {
    try await scan([Container(.appleSandbox, root: tree.path)])
  }

  /// What a purge tells of each item, such as `removed tmp/a`.
  func told(_ report: PurgeReport) -> [String] {
    report.results.map { result in
      let path = relative(result.item.path.bytes) ?? ""
      return switch result.outcome {
      case .wouldBeRemoved: "would remove \(path)"
      case .removed: "removed \(path)"
      case .left(.failed(let error)): "failed \(path): \(error)"
      case .left(let reason): "\(reason) \(path)"
      }
    }
  }

  /// What a purge tells of directories in which it has removed nothing.
  func refused(_ report: PurgeReport) -> [FilePath: PurgeRefusal.Reason] {
    Dictionary(
      report.refusals.map { ($0.path, $0.reason) }, uniquingKeysWith: { first, _ in first })
  }

  /// Expects that a purge removes nothing, neither from the disk nor from the catalog.
  func expectNothingRemoved(
    _ request: PurgeRequest = PurgeRequest(), sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> PurgeReport {
    let before = try (disk(), paths())
    let report = try await catalog.purge(request)
    #expect(
      !report.results.contains { $0.outcome == .removed }, "\(told(report))",
      sourceLocation: sourceLocation)
    #expect(try disk() == before.0, sourceLocation: sourceLocation)
    #expect(try paths() == before.1, sourceLocation: sourceLocation)
    #expect(report.freed == 0, sourceLocation: sourceLocation)
    return report
  }

  /// All that is in the tree, with what the files hold.
  func disk() throws -> [String: String] {
    var found: [String: String] = [:]
    var directories: [FilePath] = [""]
    while let directory = directories.popLast() {
      for name in try tree.names(in: directory) {
        let path = directory.pushing(FilePath(name))
        switch EntryKind(mode: try FileStatus(ofPath: tree(path)).mode) {
        case .directory:
          directories.append(path)
          found[path.string] = "directory"
        case .file: found[path.string] = try unread(tree(path))
        default: found[path.string] = "other"
        }
      }
    }
    return found
  }
}

/// What a file holds, without its time of reading being changed.
private func unread(_ path: FilePath) throws -> String {
  #if os(Linux)
    let options = FileDescriptor.OpenOptions(rawValue: 0o1_000_000)  // O_NOATIME
  #else
    let options = FileDescriptor.OpenOptions()
  #endif
  let descriptor = try FileDescriptor.open(path, .readOnly, options: options)
  return try descriptor.closeAfter {
    var content: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while case let count = try part.withUnsafeMutableBytes({ try descriptor.read(into: $0) }),
      count > 0
    {
      content += part[..<count]
    }
    return String(decoding: content, as: UTF8.self)
  }
}

extension Piece {
  /// A time of reading and writing, in days after 2020 began.
  static func used(_ path: FilePath, day: Int) -> Piece {
    let time = (1_577_836_800 + day * 86_400) * 1_000_000_000
    return .times(path, accessed: time, modified: time)
  }
}
