internal import FileCatalog

/// The tables that clients have open.
actor TableShelf {
  /// How many there may be, and how long.
  struct Limits: Sendable {
    var tables = 1024
    var tablesOfClient = 256
    var idleTime = Duration.seconds(600)
    /// A table that nobody uses for so long makes room for another.
    var spareTime = Duration.seconds(60)
  }

  private struct Shown {
    let table: Task<LiveTable, any Error>
    var uses = 0
    /// How many wait for it and have not given up.
    var waiting = 0
  }

  private let catalog: Catalog
  private let limits: Limits
  private var sessions: [String: TableSession] = [:]
  /// What is being shown, each once, by the key of the question.
  private var shown: [String: Shown] = [:]
  /// Numbers of tables that were closed because nobody used them.
  private var expired: [String] = []
  private var number = 0

  init(_ catalog: Catalog, _ limits: Limits) {
    self.catalog = catalog
    self.limits = limits
  }

  var count: Int { sessions.count }
  var distinctCount: Int { shown.count }

  // MARK: - Tables of clients

  func open(_ question: TableQuestion, peer: String) async throws -> TableSession {
    try await makeRoom(for: peer)
    let live = try await take(question)
    let reading = await live.reading
    number += 1
    // Who does not know it cannot guess it.
    let id = "\(number)-" + String(UInt64.random(in: 0 ... .max), radix: 36)
    let session = TableSession(id: id, peer: peer, question, live, reading)
    sessions[id] = session
    return session
  }

  /// - Throws: the statuses 404 and 410.
  func session(_ id: String) throws(Problem) -> TableSession {
    if let session = sessions[id] { return session }
    guard expired.contains(id) else {
      throw Problem(404, "table_not_found", "there is no table \(id)")
    }
    throw Problem(410, "table_gone", "the table \(id) was closed, as nobody used it")
  }

  func change(_ session: TableSession, to question: TableQuestion) async throws {
    let live = try await take(question)
    let old = await session.question.key
    _ = await session.show(question, live, await live.reading)
    leave(old)
  }

  func close(_ id: String) async throws(Problem) {
    let session = try session(id)
    sessions[id] = nil
    leave(await session.question.key)
  }

  private func makeRoom(for peer: String) async throws {
    let isFull = sessions.count >= limits.tables
    let ofClient = sessions.values.filter { $0.peer == peer }
    guard isFull || ofClient.count >= limits.tablesOfClient else { return }
    var oldest: (id: String, since: ContinuousClock.Instant)?
    for session in isFull ? Array(sessions.values) : ofClient {
      guard let since = await session.idleSince else { continue }
      if oldest.map({ since < $0.since }) ?? true { oldest = (session.id, since) }
    }
    guard let oldest, ContinuousClock.now - oldest.since > limits.spareTime else {
      throw Problem(
        429, "too_many_tables",
        "there are \(isFull ? sessions.count : ofClient.count) tables open already; close one")
    }
    await expire(oldest.id)
  }

  private func expire(_ id: String) async {
    guard let session = sessions.removeValue(forKey: id) else { return }
    expired = [id] + expired.prefix(999)
    leave(await session.question.key)
  }

  /// Closes what nobody has used for long.
  func closeIdle() async {
    for (id, session) in sessions {
      guard let since = await session.idleSince, ContinuousClock.now - since > limits.idleTime
      else {
        continue
      }
      await expire(id)
    }
  }

  // MARK: - What they show

  private func take(_ question: TableQuestion) async throws -> LiveTable {
    let key = question.key
    // One that everybody has given up is made anew.
    if shown[key]?.table.isCancelled ?? true {
      let (catalog, request) = (catalog, question.request)
      shown[key] = Shown(table: Task { try await LiveTable(catalog, request) })
    }
    shown[key]?.uses += 1
    guard let task = shown[key]?.table else { throw CancellationError() }
    shown[key]?.waiting += 1
    do {
      let live = try await withTaskCancellationHandler {
        try await task.valueUnlessCancelled
      } onCancel: {
        Task { await giveUp(key, task) }
      }
      // It may have been made before the last change that others were told of.
      try await live.refresh()
      return live
    } catch {
      if shown[key]?.table == task { leave(key) }
      throw error
    }
  }

  /// One fewer waits for a table that is being made; without anybody it is not made.
  private func giveUp(_ key: String, _ table: Task<LiveTable, any Error>) {
    guard shown[key]?.table == table else { return }
    shown[key]?.waiting -= 1
    if shown[key]?.waiting == 0 { table.cancel() }
  }

  private func leave(_ key: String) {
    shown[key]?.uses -= 1
    guard let left = shown[key], left.uses <= 0 else { return }
    shown[key] = nil
    left.table.cancel()
  }

  /// Reads all tables again, as the catalog has changed: one after the other, so that who asks for rows
  /// meanwhile has connections.
  ///
  /// - Parameter done: called after each.
  func refresh(_ done: @Sendable () -> Void) async {
    for table in shown.values.map(\.table) {
      try? await table.value.refresh()
      done()
    }
  }
}
