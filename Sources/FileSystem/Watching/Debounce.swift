/// Decides when changes are reported: after some quiet, and never later than a bound.
package struct Debounce: Sendable {
  package typealias Instant = ContinuousClock.Instant

  private let quiet: Duration
  private let longestDelay: Duration
  private var first: Instant?
  private var last: Instant?

  package init(quiet: Duration, longestDelay: Duration) {
    self.quiet = quiet
    self.longestDelay = longestDelay
  }

  /// Something happened.
  package mutating func note(at now: Instant) {
    if first == nil { first = now }
    last = now
  }

  /// When to report; `nil` if nothing happened since the last report.
  package var deadline: Instant? {
    guard let first, let last else { return nil }
    return min(last + quiet, first + longestDelay)
  }

  /// It was reported.
  package mutating func reset() {
    first = nil
    last = nil
  }
}
