/// Why a bucket did not do what it was asked.
struct ObjectError: Error, Sendable, Hashable {
  enum Code: Sendable, Hashable {
    /// There is no object of the key.
    case missing
    /// The condition for putting it is not met: somebody else has put one.
    case conflict
    /// Nobody says who asks.
    case noCredentials
    /// The program that speaks with servers is missing, or too old.
    case noClient
    /// The clock of this machine is wrong, so that no signature counts.
    case wrongClock
    /// It was not begun in time.
    case tooLate
    /// Anything else.
    case failed
  }

  let code: Code
  /// The reason, in one line for a person.
  let reason: String

  init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }
}
