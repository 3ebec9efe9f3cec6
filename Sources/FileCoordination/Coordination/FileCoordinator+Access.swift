internal import FileSystem
public import SystemPackage

/// Items that are held for a block of code; see
/// ``FileCoordinator/withCoordinatedAccess(reading:writing:_:)``.
public struct CoordinatedAccess: Sendable {
  fileprivate let held: HeldAccess
  fileprivate let coordinator: FileCoordinator
  fileprivate let changes = Monitor<[CoordinatedChange]>([])

  /// Reads one of the files that are held.
  ///
  /// - Parameter path: as it was given when access was asked for.
  /// - Throws: ``CoordinationError``; `noPermission` for a path that is not held.
  public func read(_ path: FilePath) async throws(CoordinationError) -> [UInt8] {
    let item = try item(path, for: .read)
    return try await Blocking.run { () throws(CoordinationError) in
      // Opened anew: the position of the locked file belongs to all readers of this access.
      try item.reopened(for: .read).read(for: .read)
    }
  }

  /// Replaces the content of one of the files that are held for writing, or makes it.
  ///
  /// The new file is held as the old one was. A file that was replaced by other means is not: others
  /// get at it before the block has ended.
  ///
  /// - Parameter path: as it was given when access was asked for.
  /// - Throws: ``CoordinationError``; then the file is as it was before. `noPermission` for a path
  ///   that is not held for writing.
  public func write(_ bytes: [UInt8], to path: FilePath) async throws(CoordinationError) {
    let item = try item(path, for: .write)
    let concern = coordinator.writeConcern
    let locks = held.locks
    let change = try await Blocking.run { () throws(CoordinationError) in
      let current = try item.reopened(for: .write)
      guard let change = try locks.replace(current, with: bytes, concern, for: .write) else {
        throw CoordinationError(.write, path, .fileExists)
      }
      return change
    }
    changes.withLock { $0.append(change) }
    try change.expectFlushed(for: .write)
  }

  private func item(
    _ path: FilePath, for operation: CoordinationError.Operation
  ) throws(CoordinationError) -> HeldItem {
    let needed: LockMode = operation == .write ? .exclusive : .shared
    let item = held.locks.items.first { $0.request.path == path && $0.request.mode >= needed }
    guard let item else { throw CoordinationError(.noPermission, operation, path) }
    return item
  }
}

extension FileCoordinator {
  /// Holds items while a block of code runs, which may use any means to read and write them.
  ///
  /// Several accesses may hold an item for reading; one that holds it for writing is alone with it.
  /// All items are taken at once. A directory is held with all that is in it. Items for writing need
  /// not exist: their names are held then, and with them their directories, so that nobody makes
  /// anything there meanwhile.
  ///
  /// ```swift
  /// try await coordinator.withCoordinatedAccess(reading: ["a"], writing: ["b"]) { access in
  ///   try await access.write(try await access.read("a"), to: "b")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - reading: files and directories that must exist. Links are followed.
  ///   - writing: files and directories. Links are followed.
  ///   - body: runs once everything is held. The observer hears of what it writes through the access
  ///     when it has ended, also by an error.
  /// - Returns: what `body` returns.
  /// - Throws: ``CoordinationError``, and whatever `body` throws.
  public func withCoordinatedAccess<Result: Sendable>(
    reading: [FilePath] = [], writing: [FilePath] = [],
    _ body: @Sendable (CoordinatedAccess) async throws -> Result
  ) async throws -> Result {
    let requests =
      writing.map { AccessRequest(.claiming, $0) } + reading.map { AccessRequest(.reading, $0) }
    let (_, held) = try await begin(.access, requests) { _ in true }
    let access = CoordinatedAccess(held: held, coordinator: self)
    do {
      let result = try await held.holding { try await body(access) }
      await report(access.changes.withLock { $0 }, held)
      return result
    } catch {
      await report(access.changes.withLock { $0 }, held)
      throw error
    }
  }
}

/// The items of one operation, from the moment they are locked until ``end()``.
final class HeldAccess: Sendable {
  /// What the accesses around the current task hold: asking for it again would wait for ever.
  @TaskLocal static var claims: [AccessQueue.Claim] = []

  private let queue: AccessQueue
  private let ticket: AccessQueue.Ticket
  private let claims: [AccessQueue.Claim]
  let locks: ItemLocks
  private let announcements: Announcements

  init(
    locks: ItemLocks, queue: AccessQueue, ticket: AccessQueue.Ticket,
    claims: [AccessQueue.Claim], announcements: Announcements
  ) {
    self.locks = locks
    self.announcements = announcements
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
    announcements.end()
    queue.leave(ticket)
  }
}

/// Tells the observer what an operation is about to change, and keeps what the observer wants kept until
/// the operation has ended, and no longer.
final class Announcements: Sendable {
  private let observer: (any CoordinationObserver)?
  private let coordinator: FileCoordinator
  private let kept = Monitor<[any AnyObject & Sendable]>([])

  init(of coordinator: FileCoordinator, to observer: (any CoordinationObserver)?) {
    self.coordinator = coordinator
    self.observer = observer
  }

  /// Announces those of the held items that the operation may change.
  ///
  /// - Throws: `readOnly` for one that must not be changed.
  func announce(
    _ items: [HeldItem], by operation: CoordinationError.Operation
  ) throws(CoordinationError) {
    guard let observer else { return }
    let changing = items.filter { $0.request.intent != .reading }.map(\.place.realPath)
    if changing.isEmpty { return }
    if let item = observer.coordinator(coordinator, readOnlyAmong: changing) {
      throw CoordinationError(.readOnly, operation, item)
    }
    announce(changing)
  }

  /// Announces items that nobody holds because they are only made now.
  func announce(_ items: [FilePath]) {
    guard let memo = observer?.coordinator(coordinator, willChange: items) else { return }
    kept.withLock { $0.append(memo) }
  }

  /// Lets go of what is kept.
  func end() {
    kept.withLock { $0 = [] }
  }
}
