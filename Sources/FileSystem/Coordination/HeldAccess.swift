internal import SystemPackage

/// The items of one operation, from the moment they are locked until ``end()``.
final class HeldAccess: Sendable {
  /// What the accesses around the current task hold: asking for it again would wait for ever.
  @TaskLocal static var claims: [AccessQueue.Claim] = []

  private let queue: AccessQueue
  private let ticket: AccessQueue.Ticket
  private let claims: [AccessQueue.Claim]
  let locks: ItemLocks
  /// What the observer wants to be kept until the end.
  private let memo: Monitor<(any AnyObject & Sendable)?>

  init(
    locks: ItemLocks, queue: AccessQueue, ticket: AccessQueue.Ticket,
    claims: [AccessQueue.Claim], memo: (any AnyObject & Sendable)?
  ) {
    self.locks = locks
    self.memo = Monitor(memo)
    self.queue = queue
    self.ticket = ticket
    self.claims = claims
  }

  /// Runs code of others, which could ask a coordinator for these very items.
  func holding<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await Self.$claims.withValue(Self.claims + claims, operation: body)
  }

  /// Lets go of everything. The second time it does nothing.
  func end() {
    locks.release()
    memo.withLock { $0 = nil }
    queue.leave(ticket)
  }
}
