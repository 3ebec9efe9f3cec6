internal import FileSystem
internal import SystemPackage

/// The order in which the tasks of one coordinator get at items: first come, first served.
///
/// The locks of the kernel would be enough to keep tasks apart, but they know no order and wake
/// nobody. Here a waiting task costs nothing, and many readers cannot keep a writer out for ever.
/// Paths are compared as they were given; that two of them may lead to one file is for the kernel.
final class AccessQueue: Sendable {
  struct Claim: Sendable {
    var path: FilePath
    var mode: LockMode

    /// Whether two accesses cannot have these at the same time: one item, or one inside the other.
    func excludes(_ other: Claim) -> Bool {
      mode == .exclusive && other.path.starts(with: path)
        || other.mode == .exclusive && path.starts(with: other.path)
    }
  }

  /// A place in the queue.
  struct Ticket: Sendable, Hashable {
    fileprivate let number: Int
  }

  enum Refusal: Error, Sendable {
    case timedOut
    case cancelled
  }

  fileprivate struct Visitor {
    var claims: [Claim]
    /// On how many of its claims somebody is still before it.
    var blocked: Int
    /// The task that waits; `nil` while none does, or when it was let in.
    var waiter: Handover<Refusal?>?
    /// Why it was turned away before it began to wait.
    var refusal: Refusal?
  }

  fileprivate struct State {
    var next = 0
    var visitors: [Int: Visitor] = [:]
    /// For each path those who claim it, in order of arrival.
    var lanes: [FilePath: [(visitor: Int, mode: LockMode)]] = [:]
  }

  private let state = Monitor(State())

  /// Takes a place in the queue and returns it when it is at the front for all its claims.
  ///
  /// - Parameter claims: each path once.
  func enter(
    _ claims: [Claim], until deadline: ContinuousClock.Instant
  ) async throws(Refusal) -> Ticket {
    let (ticket, isFree) = state.withLock { $0.add(claims) }
    if isFree { return ticket }
    let refusal = await wait(ticket, until: deadline)
    if let refusal {
      leave(ticket)
      throw refusal
    }
    return ticket
  }

  /// Whether whoever only reads would be let in at once, without being in anybody's way.
  func isFreeForReading(_ path: FilePath) -> Bool {
    state.withLock { state in
      state.visitors.isEmpty || (state.lanes[path] ?? []).allSatisfy { $0.mode == .shared }
    }
  }

  /// How many accesses are under way or wait.
  var count: Int { state.withLock { $0.visitors.count } }

  /// Lets those in who waited for this one.
  func leave(_ ticket: Ticket) {
    for waiter in state.withLock({ $0.remove(ticket) }) { waiter(nil) }
  }

  private func wait(_ ticket: Ticket, until deadline: ContinuousClock.Instant) async -> Refusal? {
    let alarm = Task {
      // Cancelled when the wait is over: then nobody needs to be told.
      guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
      refuse(ticket, .timedOut)
    }
    defer { alarm.cancel() }
    return await withTaskCancellationHandler {
      await Handover.value { waiter in
        let answer: Refusal?? = state.withLock { state in
          guard var visitor = state.visitors[ticket.number] else { return .some(.cancelled) }
          if let refusal = visitor.refusal { return .some(refusal) }
          if visitor.blocked == 0 { return .some(nil) }
          visitor.waiter = waiter
          state.visitors[ticket.number] = visitor
          return nil
        }
        if let answer { waiter(answer) }
      }
    } onCancel: {
      refuse(ticket, .cancelled)
    }
  }

  private func refuse(_ ticket: Ticket, _ refusal: Refusal) {
    let waiter: Handover<Refusal?>? = state.withLock { state in
      guard var visitor = state.visitors[ticket.number], visitor.blocked > 0 else { return nil }
      let waiter = visitor.waiter
      visitor.waiter = nil
      visitor.refusal = refusal
      state.visitors[ticket.number] = visitor
      return waiter
    }
    waiter?(refusal)
  }
}

extension AccessQueue.State {
  fileprivate mutating func add(_ claims: [AccessQueue.Claim]) -> (AccessQueue.Ticket, Bool) {
    let number = next
    next += 1
    var blocked = 0
    for claim in claims {
      let lane = lanes[claim.path, default: []]
      if !lane.allSatisfy({ $0.mode == .shared && claim.mode == .shared }) { blocked += 1 }
      lanes[claim.path, default: []].append((number, claim.mode))
    }
    visitors[number] = AccessQueue.Visitor(claims: claims, blocked: blocked)
    return (AccessQueue.Ticket(number: number), blocked == 0)
  }

  /// Takes a visitor out and returns the tasks of those who are at the front now.
  fileprivate mutating func remove(
    _ ticket: AccessQueue.Ticket
  ) -> [Handover<AccessQueue.Refusal?>] {
    guard let leaving = visitors.removeValue(forKey: ticket.number) else { return [] }
    var released: [Handover<AccessQueue.Refusal?>] = []
    for claim in leaving.claims {
      let before = lanes[claim.path, default: []]
      let after = before.filter { $0.visitor != ticket.number }
      lanes[claim.path] = after.isEmpty ? nil : after
      let wasFree = Set(Self.front(of: before))
      for number in Self.front(of: after) where !wasFree.contains(number) {
        visitors[number]?.blocked -= 1
        guard let visitor = visitors[number], visitor.blocked == 0 else { continue }
        if let waiter = visitor.waiter { released.append(waiter) }
        visitors[number]?.waiter = nil
      }
    }
    return released
  }

  /// Those in a lane whom nobody before them keeps out.
  private static func front(of lane: [(visitor: Int, mode: LockMode)]) -> [Int] {
    guard let first = lane.first else { return [] }
    if first.mode == .exclusive { return [first.visitor] }
    return lane.prefix { $0.mode == .shared }.map(\.visitor)
  }
}
