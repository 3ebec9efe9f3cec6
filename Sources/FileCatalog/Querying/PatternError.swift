/// Why a glob or a regular expression is malformed, and where.
public struct PatternError: Error, Hashable, Sendable {
  /// What is wrong, without a full stop.
  public let message: String
  /// Where it is wrong, in UTF-8 bytes from the start of the pattern.
  public let range: Range<Int>
  /// What would have been right there.
  public let expected: String

  init(_ message: String, at range: Range<Int>, expected: String) {
    self.message = message
    self.range = range
    self.expected = expected
  }
}

extension PatternError: CustomStringConvertible {
  /// The message, the place and what was expected, on one line.
  public var description: String {
    "\(message) (at byte \(range.lowerBound)); expected \(expected)"
  }
}
