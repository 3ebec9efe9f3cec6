/// Why output could not be written.
public enum OutputError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reader of a pipe has gone, as in `filecat find | head`.
  ///
  /// Nobody is left to read what follows: a command stops here, quietly.
  case readerGone

  /// The system refused the bytes, for example because the disk is full.
  case failed(errno: Int32)

  /// One line for a terminal.
  public var description: String {
    switch self {
    case .readerGone: "the reader of the output has gone"
    case .failed(let code): "cannot write the output: \(SystemCalls.message(errno: code))"
    }
  }
}
