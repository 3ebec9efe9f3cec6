/// Writes paths, one after the other, as the bytes that the file system has for them.
///
/// Only on a terminal, where a name could otherwise move the cursor or hide text, control
/// characters are escaped. Paths that end in NUL are always raw.
public struct PathLines: Sendable {
  /// What ends a path.
  public enum Ending: Sendable {
    /// A line feed.
    case newline
    /// The byte that no path contains.
    case null
  }

  private let ending: Ending
  private let escapes: Bool
  private let style: Style

  /// A writer of paths for a device.
  public init(ending: Ending, terminal: Terminal) {
    self.ending = ending
    escapes = ending == .newline && terminal.isTerminal
    style = ending == .newline ? terminal.style : .plain
  }

  /// Appends a path and its end.
  public func append(
    _ path: UnsafeRawBufferPointer,
    emphasis: Emphasis? = nil,
    to bytes: inout [UInt8]
  ) {
    if escapes {
      style.append(DisplayText(escaping: path).bytes, emphasis, to: &bytes)
    } else if style == .ansi, emphasis != nil {
      style.append(Array(path), emphasis, to: &bytes)
    } else {
      bytes.append(contentsOf: path)
    }
    bytes.append(ending == .newline ? UInt8(ascii: "\n") : 0)
  }
}
