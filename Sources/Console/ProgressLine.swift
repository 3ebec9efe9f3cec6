/// One line on a terminal that is drawn again and again while work goes on.
///
/// ```swift
/// var progress = ProgressLine(on: .error)
/// progress.show(["123,456 entries", "310,000/s", DisplayText(escaping: path)])
/// progress.clear()
/// ```
///
/// It shows nothing where there is no terminal, and it never fails: progress that cannot be
/// shown is no reason to stop the work. The line has to be cleared before anything else is
/// written to the same terminal.
package struct ProgressLine: ~Copyable, Sendable {
  /// The least time between two drawings: ten a second are enough for the eye.
  package static let interval = Duration.milliseconds(100)

  /// Whether anything is shown.
  package private(set) var isEnabled: Bool

  /// Where the line goes.
  private(set) var sink: ByteSink

  /// The terminal; set it anew when the window has changed.
  package var terminal: Terminal

  private var nextDrawing: ContinuousClock.Instant?
  private var isDrawn = false

  /// A line that has not been drawn, for the terminal behind a stream. Without one nothing is shown.
  package init(on stream: StandardStream) {
    self.init(sink: stream.sink, terminal: stream.terminal)
  }

  /// A line that goes into a sink, for the terminal behind it.
  init(sink: consuming ByteSink, terminal: Terminal) {
    self.sink = sink
    self.terminal = terminal
    isEnabled = terminal.isTerminal && terminal.control == .ansi
  }

  /// A line that shows nothing, for `--no-progress`.
  package static var disabled: ProgressLine {
    ProgressLine(sink: .memory, terminal: .absent)
  }

  /// Draws the line, unless it was drawn a moment ago.
  ///
  /// - Parameters:
  ///   - segments: What to show, joined by middle dots. They are asked for only when they are
  ///     drawn. The last one, such as a path, is shortened in the middle to fit the terminal.
  ///   - now: The current time.
  package mutating func show(
    _ segments: @autoclosure () -> [DisplayText],
    at now: ContinuousClock.Instant = .now
  ) {
    guard isEnabled, nextDrawing.map({ now >= $0 }) ?? true else { return }
    nextDrawing = now.advanced(by: Self.interval)
    // In the last column some terminals would wrap the line.
    let line = Self.line(segments(), width: (terminal.width ?? 80) - 1)
    sink.buffer.append(UInt8(ascii: "\r"))
    sink.buffer.append(contentsOf: line.bytes)
    sink.buffer.append(contentsOf: Self.eraseToEnd)
    isDrawn = true
    send()
  }

  /// Erases the line, if one is drawn; ``show(_:at:)`` draws it again when it is time.
  package mutating func clear() {
    guard isEnabled, isDrawn else { return }
    isDrawn = false
    sink.buffer.append(UInt8(ascii: "\r"))
    sink.buffer.append(contentsOf: Self.eraseToEnd)
    send()
  }

  /// The line for a number of columns.
  static func line(_ segments: [DisplayText], width: Int) -> DisplayText {
    var line = DisplayText(ascii: [])
    for (index, segment) in segments.dropLast().enumerated() {
      if index > 0 { line.append(separator) }
      line.append(segment)
    }
    if let last = segments.last {
      let left = segments.count > 1 ? width - line.width - separator.width : width
      // A path of which next to nothing would be seen is left out.
      if left >= min(last.width, leastLastWidth) {
        if segments.count > 1 { line.append(separator) }
        line.append(last.shortened(to: left, .inMiddle))
      }
    }
    return line.shortened(to: width, .atEnd)
  }

  private static let separator = DisplayText(" · ")
  private static let leastLastWidth = 8
  private static let eraseToEnd = Array("\u{1b}[K".utf8)

  private mutating func send() {
    do throws(OutputError) {
      try sink.flush()
    } catch {
      isEnabled = false
    }
  }
}
