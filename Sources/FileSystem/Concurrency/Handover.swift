/// The one value that a thread, or another task, hands to a task that waits for it.
///
/// The value goes through a lock beside the continuation, which alone would do: the thread sanitizer does not
/// see that what was done before a continuation is resumed comes before what its task does then.
package struct Handover<Value: Sendable>: Sendable {
  private let place: Monitor<Value?>
  private let continuation: CheckedContinuation<Void, Never>

  /// Waits for a value.
  ///
  /// - Parameter begin: sees to it that the handover is called with the value, once.
  package static func value(
    isolation: isolated (any Actor)? = #isolation, _ begin: (Handover) -> Void
  ) async -> Value {
    let place = Monitor<Value?>(nil)
    await withCheckedContinuation(isolation: isolation) { continuation in
      begin(Handover(place: place, continuation: continuation))
    }
    return place.wait { $0 }
  }

  package func callAsFunction(_ value: Value) {
    place.withLock { $0 = value }
    continuation.resume()
  }
}

extension Handover where Value == Void {
  package func callAsFunction() { self(()) }
}
