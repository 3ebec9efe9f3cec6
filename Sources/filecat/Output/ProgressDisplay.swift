import Console
import FileCatalog
import FileSystem
import Synchronization

/// The progress of a scan as one line on the terminal.
final class ProgressDisplay: Sendable {
  // The scan reports from its own thread, the command clears from another.
  private let line: Mutex<ProgressLine>

  init(isEnabled: Bool) {
    line = Mutex(
      isEnabled
        ? ProgressLine(sink: .standardError, terminal: Terminal(descriptor: 2)) : .disabled)
  }

  func show(_ progress: ScanProgress) {
    line.withLock { $0.show(Self.segments(progress)) }
  }

  func clear() {
    line.withLock { $0.clear() }
  }

  private static func segments(_ progress: ScanProgress) -> [DisplayText] {
    let rate = Double(progress.entries) / max(progress.seconds, 0.001)
    var segments: [DisplayText] = [
      DisplayText("\(CountText(Int64(progress.entries))) entries"),
      DisplayText("\(CountText(Int64(rate)))/s"),
    ]
    if let fraction = progress.fraction {
      segments.append(DisplayText("\(Int(fraction * 100)) %"))
      if fraction > 0.01, fraction < 1 {
        let left = progress.seconds / fraction - progress.seconds
        segments.append(DisplayText("\(DurationText(.seconds(left), style: .clock)) left"))
      }
    }
    if progress.errors > 0 {
      segments.append(DisplayText("\(CountText(Int64(progress.errors))) errors"))
    }
    segments.append(DisplayText(escaping: progress.directory.bytes))
    return segments
  }
}
