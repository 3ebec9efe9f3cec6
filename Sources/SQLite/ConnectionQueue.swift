internal import FileSystem

/// Some connections to one database, each used by one caller at a time. Who comes first is served
/// first; connections are opened when they are needed.
///
/// Both ways of using one may be mixed: threads wait blocked, tasks wait suspended. What a task does
/// with its connection runs on a thread that may block, and cancelling the task interrupts it.
package final class ConnectionQueue: Sendable {
  private let limit: Int
  private let open: @Sendable () throws -> Connection
  private let state = Monitor(State())

  private struct State {
    var idle: [Lent] = []
    /// How many connections are open or being opened.
    var count = 0
    var waiting: [Ticket] = []
    var isClosed = false
  }

  /// A connection that goes from one thread to another.
  private struct Lent: @unchecked Sendable {
    // Sendable: the queue gives it to one caller at a time.
    let connection: Connection
  }

  /// What a caller that waited gets.
  private enum Turn: Sendable {
    case use(Lent)
    /// There is room for one connection more.
    case open
    case cancelled
    case closed
  }

  /// One caller.
  private final class Ticket: @unchecked Sendable {
    // Sendable: the variables are used under the queue's lock only.
    var resume: (@Sendable (Turn) -> Void)?
    var isCancelled = false
    var running: Interrupter?

    /// What goes on when it is the caller's turn. It knows the ticket, so it must not stay in it.
    func takeResume() -> (@Sendable (Turn) -> Void)? {
      defer { resume = nil }
      return resume
    }
  }

  /// - Parameter limit: How many connections there may be.
  package init(limit: Int, open: @escaping @Sendable () throws -> Connection) {
    self.limit = limit
    self.open = open
  }

  /// Calls `body` with a connection, on the calling thread, which waits for one.
  package func use<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let ticket = Ticket()
    let given = Monitor<Turn?>(nil)
    queue(ticket) { turn in given.withLockNotifying { $0 = turn } }
    return try use(given.wait { $0 }, ticket, body)
  }

  /// Calls `body` with a connection, off the caller's thread.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before the end.
  package func use<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    let ticket = Ticket()
    return try await withTaskCancellationHandler {
      let outcome: Swift.Result<Result, any Error> = await Handover.value { outcome in
        // Whoever has got a connection needs none of the threads of tasks to get on: they may be blocked
        // by others that wait for one.
        queue(ticket) { [self] turn in
          Blocking.start {
            outcome(Swift.Result { try self.use(turn, ticket, body) })
          }
        }
      }
      return try outcome.get()
    } onCancel: {
      cancel(ticket)
    }
  }

  private func use<Result>(
    _ turn: Turn, _ ticket: Ticket, _ body: (Connection) throws -> Result
  ) throws -> Result {
    let connection: Connection
    switch turn {
    case .use(let lent): connection = lent.connection
    case .open:
      do {
        connection = try open()
      } catch {
        giveUpPlace()
        throw error
      }
    case .cancelled: throw CancellationError()
    case .closed: throw SQLiteError.closed()
    }
    defer { giveBack(connection, ticket) }
    let isCancelled = state.withLock { _ in
      ticket.running = connection.interrupter
      return ticket.isCancelled
    }
    if isCancelled { throw CancellationError() }
    do {
      return try body(connection)
    } catch let error as SQLiteError where error.endsCancelledWork {
      throw state.withLock { _ in ticket.isCancelled } ? CancellationError() : error
    }
  }

  // MARK: - Waiting

  private func queue(_ ticket: Ticket, _ resume: @escaping @Sendable (Turn) -> Void) {
    let turn = state.withLock { state -> Turn? in
      if state.isClosed { return .closed }
      if ticket.isCancelled { return .cancelled }
      if let lent = state.idle.popLast() { return .use(lent) }
      if state.count < limit {
        state.count += 1
        return .open
      }
      ticket.resume = resume
      state.waiting.append(ticket)
      return nil
    }
    if let turn { resume(turn) }
  }

  private func cancel(_ ticket: Ticket) {
    let resume = state.withLock { state -> (@Sendable (Turn) -> Void)? in
      ticket.isCancelled = true
      ticket.running?.cancel()
      guard let place = state.waiting.firstIndex(where: { $0 === ticket }) else { return nil }
      return state.waiting.remove(at: place).takeResume()
    }
    resume?(.cancelled)
  }

  private func giveBack(_ connection: Connection, _ ticket: Ticket) {
    let lent = Lent(connection: connection)
    let next = state.withLockNotifying { state -> (@Sendable (Turn) -> Void)? in
      ticket.running = nil
      connection.interrupter.allow()
      if state.waiting.isEmpty {
        state.idle.append(lent)
        return nil
      }
      return state.waiting.removeFirst().takeResume()
    }
    next?(.use(lent))
  }

  /// Lets somebody else try to open a connection.
  private func giveUpPlace() {
    let next = state.withLockNotifying { state -> (@Sendable (Turn) -> Void)? in
      if state.waiting.isEmpty {
        state.count -= 1
        return nil
      }
      return state.waiting.removeFirst().takeResume()
    }
    next?(.open)
  }

  // MARK: - The end

  /// Closes all connections, when those in use have been given back. Who waits for one, and whoever
  /// comes later, is told so by ``SQLiteError/Code/closed``.
  package func close() throws(SQLiteError) {
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return state.waiting.compactMap { $0.takeResume() }
    }
    for resume in waiting { resume(.closed) }
    let idle = state.wait { state -> [Lent]? in
      guard state.idle.count == state.count else { return nil }
      defer {
        state.idle = []
        state.count = 0
      }
      return state.idle
    }
    var failure: SQLiteError?
    for lent in idle {
      do throws(SQLiteError) {
        try lent.connection.close()
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }
}

extension SQLiteError {
  /// Whether this is what statements say when they were cancelled, or waited for a lock meanwhile.
  fileprivate var endsCancelledWork: Bool {
    [.interrupted, .aborted, .busy, .locked].contains(code)
  }
}
