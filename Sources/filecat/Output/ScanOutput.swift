import Console
import FileCatalog
import FileSystem
import Synchronization
import SystemPackage

/// What is said about scans when they are done: a sentence a root for people, rows for programs.
struct SummaryOutput: ~Copyable {
  private static let columns: [Column] = [
    .path("root"), .number("scan_id"), .text("state"), .number("entries"), .number("added"),
    .number("removed"), .number("modified"), .number("moved"), .number("errors"),
    .number("seconds"),
  ]

  private let sizes: SizeStyle
  /// A scan is an act, not a table: rows are printed only when a format is asked for.
  private let isSentence: Bool
  private var printer: RowPrinter

  /// Where it is said: on standard error when standard output is for something else.
  private let stream: StandardStream

  init(_ output: OutputOptions, to stream: StandardStream = .output) {
    self.stream = stream
    isSentence = output.format == nil && !output.null
    sizes = output.bytes ? .exact : .human
    // One object a root, whether there is one or many.
    printer = output.printer(Self.columns, piped: .tsv, objects: .lines, to: stream)
  }

  mutating func print(_ summary: ScanSummary) throws {
    guard !isSentence else {
      return try stream.print(Self.sentence(summary, sizes: sizes))
    }
    try printer.print([
      .text(bytes: summary.root.bytes), .integer(summary.scanID.rawValue),
      .text(summary.state.rawValue), .count(Int64(summary.entries)), .count(Int64(summary.added)),
      .count(Int64(summary.removed)), .count(Int64(summary.modified)),
      .count(Int64(summary.moved)), .count(Int64(summary.errors)), .real(summary.seconds),
    ])
    try printer.flush()
  }

  mutating func finish() throws {
    if !isSentence { try printer.finish() }
  }

  private static func sentence(_ summary: ScanSummary, sizes: SizeStyle) -> DisplayText {
    var parts = [
      "\(CountText(summary.entries, "entry", "entries"))",
      "\(ByteCountText(summary.size, style: sizes)) in files",
      "\(ByteCountText(summary.allocated, style: sizes)) on disk",
    ]
    let changes = [
      (summary.added, "added"), (summary.removed, "removed"), (summary.modified, "modified"),
      (summary.moved, "moved"),
    ].filter { $0.0 > 0 && $0.0 != summary.entries }
    parts += changes.map { "\(CountText(Int64($0.0))) \($0.1)" }
    if summary.errors > 0 { parts.append("\(CountText(Int64(summary.errors))) not readable") }
    let hundredths = Int64((summary.seconds * 100).rounded())
    let fraction = hundredths % 100
    parts.append("\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) s")
    return "\(summary.root.string): \(parts.joined(separator: ", "))"
  }

  /// Says what a root leaves out, on standard error.
  static func printExclusion(of summary: ScanSummary, in catalog: Catalog) async throws {
    guard let root = try await catalog.roots().first(where: { $0.path == summary.root }) else {
      return
    }
    let options = root.options
    var parts = options.excludes
    if options.gitIgnore == .followed { parts.append("what Git ignores") }
    if options.skippedFileSystems != .none {
      parts.append("file systems of type \(options.skippedFileSystems)")
    }
    let list = parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    Message.print("\(root.path.string) leaves out: \(list)")
  }

  /// Lists what could not be read, on standard error.
  static func printFailures(of summary: ScanSummary, in catalog: Catalog) async throws {
    let shown = 20
    let failures = try await catalog.failures(ofScan: summary.scanID, limit: shown)
    for failure in failures {
      Message.print(failure)
    }
    if summary.errors > failures.count {
      let statement = "SELECT * FROM scan_errors WHERE scan_id = \(summary.scanID.rawValue)"
      let more = summary.errors - failures.count
      Message.print("… and \(more) more; see them all with: filecat sql '\(statement)'")
    }
  }
}

/// The progress of a scan as one line on the terminal.
final class ProgressDisplay: Sendable {
  // The scan reports from its own thread, the command clears from another.
  private let line: Mutex<ProgressLine>

  init(isEnabled: Bool) {
    line = Mutex(isEnabled ? ProgressLine(on: .error) : .disabled)
  }

  func show(_ progress: ScanProgress) {
    line.withLock { $0.show(Self.segments(progress)) }
  }

  func clear() {
    line.withLock { $0.clear() }
  }

  private static func segments(_ progress: ScanProgress) -> [DisplayText] {
    if let files = progress.filesRead {
      return ["\(CountText(files, "file", "files")) read", "\(progress.directory.string)"]
    }
    let rate = Double(progress.entries) / max(progress.seconds, 0.001)
    var segments: [DisplayText] = [
      "\(CountText(progress.entries, "entry", "entries"))", "\(CountText(Int64(rate)))/s",
    ]
    if let fraction = progress.fraction {
      segments.append("\(Int(fraction * 100)) %")
      if fraction > 0.01, fraction < 1 {
        let left = progress.seconds / fraction - progress.seconds
        segments.append("\(DurationText(.seconds(left), style: .clock)) left")
      }
    }
    if progress.errors > 0 {
      segments.append("\(CountText(progress.errors, "error", "errors"))")
    }
    segments.append("\(progress.directory.string)")
    return segments
  }
}
