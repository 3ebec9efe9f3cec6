import Console

/// What a command says of work that stands by then, whether that can be said or not.
///
/// Where the output takes no more, the rest is left unsaid, and the work goes on: only the end tells
/// that something is missing. Nothing is missing to a reader who has gone.
struct Account {
  private var failure: OutputError?

  /// Says something, unless something before it could not be said.
  mutating func say(_ words: () throws -> Void) throws {
    guard failure == nil else { return }
    do {
      try words()
    } catch let error as OutputError {
      failure = error
    }
  }

  /// How a command ends that would have ended as `outcome` had everything been said.
  ///
  /// - Parameter work: what stands, in words for a person.
  func outcome(_ outcome: Outcome, of work: String) -> Outcome {
    guard let failure, failure != .readerGone else { return outcome }
    Message.print("\(work); \(failure)")
    return outcome == .done || outcome == .nothing ? .incomplete : outcome
  }
}
