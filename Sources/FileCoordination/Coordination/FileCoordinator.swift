internal import FileSystem
public import SystemPackage

/// Reads and writes files so that nobody sees half of one: neither another task, nor another process
/// that uses a coordinator too, nor whoever looks after a crash.
///
/// ```swift
/// let coordinator = FileCoordinator()
/// try await coordinator.write(Array("1".utf8), to: "counter")
/// try await coordinator.update(at: "counter") { bytes in
///   let count = Int(String(decoding: bytes, as: UTF8.self)) ?? 0
///   return Array(String(count + 1).utf8)
/// }
/// ```
///
/// **Replacing.** New content is written to a file without a name, or with a hidden one, in the same
/// directory, and takes the place of the old in one step. Permissions, owner, group and extended
/// attributes are kept, and with owner and group the set-user-id and set-group-id bits, unlike by
/// `write(2)`: whoever replaces a file as its owner could set them as well. An owner that this process
/// may not give is not kept, and these bits are not either. A symbolic link is written through: what it
/// leads to is replaced, or made; but not one of somebody else in a directory like `/tmp`, as the kernel
/// has it (`fs.protected_symlinks`). Of a file with several names (hard links) the named one gets the new content,
/// and the others keep the old. Where something fails, the old content stays and nothing else is
/// left.
///
/// **Keeping others out.** The items themselves are locked (`flock(2)`), so there are no lock files,
/// and a process that dies holds nothing. The locks are advisory: they concern those who use a
/// coordinator, of whatever process and user. Programs that do not see whole files all the same.
/// Items are waited for by looking again, at most a hundredth of a second later; within one
/// coordinator tasks get at an item in the order in which they asked.
///
/// A directory that is held is held with all that is in it, however deep: whoever writes a package
/// waits for those who use a part of it, and they for it. This works up to the top of a volume.
///
/// An operation that needs several items takes all of them at once or none. An item can be asked for
/// again inside ``withCoordinatedAccess(reading:writing:_:)`` only through the access given there, and
/// so can what is in a directory that is held for writing.
///
/// Relative paths start at the directory in which the process runs.
public final class FileCoordinator: Sendable {
  /// What has to be true when a write returns.
  public let writeConcern: WriteConcern
  /// How long to wait for items that others hold.
  public let timeout: Duration
  /// Where deleted items go.
  public let trash: Trash

  /// How the names of an old and a new package are swapped.
  let packageSwap: NameSwap.Way
  private let observer: (any CoordinationObserver)?
  let deletionGuard: (any DeletionGuard)?
  private let queue = AccessQueue()
  private let quick = QuickReading()

  /// A coordinator with its own rules. Coordinators share nothing and respect each other.
  ///
  /// - Parameters:
  ///   - writeConcern: what has to be true when a write returns.
  ///   - timeout: how long to wait for items that others hold; then operations throw
  ///     ``CoordinationError/Code/timedOut``.
  ///   - trash: where deleted items go.
  ///   - observer: hears of every change before the operation that made it returns.
  ///   - deletionGuard: says what may be deleted; everything where there is none.
  public init(
    writeConcern: WriteConcern = .durable, timeout: Duration = .seconds(60),
    trash: Trash = Trash(), observer: (any CoordinationObserver)? = nil,
    deletionGuard: (any DeletionGuard)? = nil
  ) {
    self.writeConcern = writeConcern
    self.timeout = timeout
    self.trash = trash
    self.observer = observer
    self.deletionGuard = deletionGuard
    self.packageSwap = .exchange
  }

  /// A coordinator that swaps packages as on a file system that cannot do it in one step.
  package init(puttingPackagesAside concern: WriteConcern) {
    self.writeConcern = concern
    self.timeout = .seconds(60)
    self.trash = Trash()
    self.observer = nil
    self.deletionGuard = nil
    self.packageSwap = .aside
  }

  /// How many accesses of this coordinator are under way or wait for their turn.
  package var accessCount: Int { queue.count }

  /// Reads a file. Links are followed.
  ///
  /// - Throws: ``CoordinationError``, `notFound` if there is nothing to read.
  public func read(_ path: FilePath) async throws(CoordinationError) -> [UInt8] {
    if let bytes = readAtOnce(path) { return bytes }
    let (bytes, access) = try await begin(.read, [AccessRequest(.reading, path)]) {
      [quick] (locks) throws(CoordinationError) in
      quick.learnVolume(of: locks.items[0].place.directory)
      return try locks.items[0].read(for: .read)
    }
    access.end()
    return bytes
  }

  /// How a file is written.
  public struct WriteOptions: Sendable, Hashable {
    /// What is done with a symbolic link at the path.
    public enum Links: Sendable, Hashable {
      /// What it leads to is replaced, or made.
      case followed
      /// Nothing is written; the call throws `unsupported`.
      case refused
    }

    /// What is done with a symbolic link at the path.
    public var links = Links.followed
    /// Who may use a file that is made, less what the process's mask takes away. One that is replaced
    /// keeps its own.
    public var permissions: FilePermissions = [.ownerReadWrite, .groupReadWrite, .otherReadWrite]

    /// The usual way: links are followed, and the process's mask says who may use a new file.
    public init() {}
  }

  /// Replaces the content of a file, or makes the file. Its directory must exist.
  ///
  /// - Throws: ``CoordinationError``; then the file is as it was before.
  public func write(
    _ bytes: [UInt8], to path: FilePath, options: WriteOptions = WriteOptions()
  ) async throws(CoordinationError) {
    let concern = writeConcern
    let links: Place.Links = options.links == .followed ? .followed : .kept
    let (change, access) = try await begin(.write, [AccessRequest(.writing, path, links: links)]) {
      (locks) throws(CoordinationError) in
      try locks.replace(
        locks.items[0], with: bytes, concern, permissions: options.permissions, for: .write)
    }
    try await commit([change], access, for: .write)
  }

  /// Reads a file and replaces its content by what becomes of it, while nobody else gets at it.
  ///
  /// - Parameter transform: makes the new content from the old. Not called when the file cannot be
  ///   read.
  /// - Throws: ``CoordinationError``, `notFound` if there is no file, and whatever `transform`
  ///   throws. Then the file is as it was before.
  public func update(
    at path: FilePath, _ transform: @Sendable ([UInt8]) async throws -> [UInt8]
  ) async throws {
    let concern = writeConcern
    let (bytes, access) = try await begin(.update, [AccessRequest(.updating, path)]) {
      (locks) throws(CoordinationError) in
      try locks.items[0].read(for: .update)
    }
    do {
      let new = try await access.holding { try await transform(bytes) }
      let locks = access.locks
      let change = try await Blocking.run { () throws(CoordinationError) in
        try locks.replace(locks.items[0], with: new, concern, for: .update)
      }
      try await commit(change.map { [$0] } ?? [], access, for: .update)
    } catch {
      access.end()
      throw error
    }
  }

  /// The content of a file that can be had without waiting for anything.
  private func readAtOnce(_ path: FilePath) -> [UInt8]? {
    // What this task holds, and who is first, is for the long way to tell.
    guard !Task.isCancelled, HeldAccess.claims.isEmpty, queue.isFreeForReading(path) else {
      return nil
    }
    return quick.read(path)
  }

  /// Tells the observer of changes, then lets go of the items.
  ///
  /// - Throws: `notFlushed` for a change that may not be on the disk.
  func commit(
    _ changes: [CoordinatedChange], _ access: HeldAccess,
    for operation: CoordinationError.Operation
  ) async throws(CoordinationError) {
    await report(changes, access)
    for change in changes { try change.expectFlushed(for: operation) }
  }

  /// Tells the observer of changes, then lets go of the items.
  func report(_ changes: [CoordinatedChange], _ access: HeldAccess) async {
    if let observer, !changes.isEmpty {
      await access.holding { await observer.coordinator(self, didCommit: changes) }
    }
    access.end()
  }

  /// Waits until all requested items are free, locks them and runs `body` with them on a thread that
  /// may block.
  ///
  /// - Parameter body: returns `nil` to let go of everything and try again.
  /// - Returns: what `body` returned, and the access, which must be ended.
  func begin<Result: Sendable>(
    _ operation: CoordinationError.Operation, _ requests: [AccessRequest],
    _ body: @escaping @Sendable (ItemLocks) throws(CoordinationError) -> Result?
  ) async throws(CoordinationError) -> (Result, HeldAccess) {
    try await begin(operation, requests) { (locks, _) throws(CoordinationError) in try body(locks) }
  }

  /// The same, with a `body` that announces what it changes beside the requested items.
  func begin<Result: Sendable>(
    _ operation: CoordinationError.Operation, _ requests: [AccessRequest],
    _ body: @escaping @Sendable (ItemLocks, Announcements) throws(CoordinationError) -> Result?
  ) async throws(CoordinationError) -> (Result, HeldAccess) {
    let deadline = ContinuousClock.now + timeout
    let claims = try claims(of: requests, for: operation)
    let first = requests.first?.path ?? FilePath()
    let ticket: AccessQueue.Ticket
    do throws(AccessQueue.Refusal) {
      ticket = try await queue.enter(claims, until: deadline)
    } catch {
      throw CoordinationError(error == .cancelled ? .cancelled : .timedOut, operation, first)
    }
    // Not handed over with the result: the thread may let go of that later than the access ends.
    let announcements = Announcements(of: self, to: observer)
    do throws(CoordinationError) {
      var pause = Pause()
      while true {
        if Task.isCancelled { throw CoordinationError(.cancelled, operation, first) }
        let outcome = try await Blocking.run {
          () throws(CoordinationError) -> (Result, ItemLocks)? in
          guard let locks = try ItemLocks.attempt(requests, for: operation) else { return nil }
          try announcements.announce(locks.items, by: operation)
          guard let result = try body(locks, announcements) else {
            announcements.end()
            return nil
          }
          return (result, locks)
        }
        if let (result, locks) = outcome {
          let access = HeldAccess(
            locks: locks, queue: queue, ticket: ticket, claims: claims,
            announcements: announcements)
          return (result, access)
        }
        if ContinuousClock.now >= deadline {
          throw CoordinationError(.timedOut, operation, first)
        }
        await pause.wait()
      }
    } catch {
      announcements.end()
      queue.leave(ticket)
      throw error
    }
  }

  /// One claim for each path, by which tasks of this coordinator queue up.
  private func claims(
    of requests: [AccessRequest], for operation: CoordinationError.Operation
  ) throws(CoordinationError) -> [AccessQueue.Claim] {
    var claims: [AccessQueue.Claim] = []
    for request in requests {
      if let known = claims.firstIndex(where: { $0.path == request.path }) {
        claims[known].mode = max(claims[known].mode, request.mode)
      } else {
        claims.append(AccessQueue.Claim(path: request.path, mode: request.mode))
      }
    }
    for claim in claims {
      for held in HeldAccess.claims where held.excludes(claim) {
        throw CoordinationError(.wouldDeadlock, operation, claim.path)
      }
    }
    return claims
  }
}

/// How long to wait before looking again: longer each time, and never the same for two, so that
/// those who got into each other's way do not do so again.
private struct Pause {
  private var longest = Duration.microseconds(200)

  mutating func wait() async {
    let time = Duration.nanoseconds(Int64.random(in: 50_000...nanoseconds))
    // Ends early when the task is cancelled, which the caller notices.
    try? await Task.sleep(for: time, clock: .continuous)
    longest = min(longest * 2, .milliseconds(10))
  }

  private var nanoseconds: Int64 { longest.components.attoseconds / 1_000_000_000 }
}
