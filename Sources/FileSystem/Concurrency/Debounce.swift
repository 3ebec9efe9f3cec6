/// When to act on things that happen in bursts: some time after the last one, but never later than a
/// limit after the first, so that what never ends is acted on all the same.
///
/// A value without a clock: whoever uses it says what time it is.
package struct Debounce<Instant: InstantProtocol>: Sendable {
  /// How long it must have been quiet.
  package let delay: Instant.Duration
  /// The longest time from the first event of a burst.
  package let limit: Instant.Duration
  private var burst: (first: Instant, last: Instant)?

  /// Makes one that has seen nothing.
  package init(delay: Instant.Duration, limit: Instant.Duration) {
    self.delay = delay
    self.limit = limit
  }

  /// Notes that something happened.
  package mutating func note(at time: Instant) {
    burst = (burst?.first ?? time, time)
  }

  /// When to act on what was noted; `nil` when there is nothing.
  package var due: Instant? {
    burst.map { min($0.last.advanced(by: delay), $0.first.advanced(by: limit)) }
  }

  /// Forgets what was noted: it is acted on now.
  package mutating func clear() {
    burst = nil
  }
}
