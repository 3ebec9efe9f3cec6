public import SystemPackage

/// The directories that must be read again because something in them changed, as it happens.
///
///     let watcher = try await DirectoryWatcher.start(roots: ["/srv/photos"])
///     await readEverything()  // what changed before the start is nobody's news
///     for await dirty in watcher {
///       for (directory, extent) in dirty.directories { await read(directory, extent) }
///     }
///
/// The order matters: start, then read everything, then follow. From the moment ``start(roots:options:)``
/// returns, no change goes by without its directory being reported; what comes while everything is
/// read is kept, and merged, until it is asked for.
///
/// Silence is never trusted. When the kernel dropped events, watches ran out or something was mounted,
/// the part concerned is reported deep. A directory that appears, by being made or moved, is reported
/// deep, because things may have happened in it before it could be watched.
///
/// Reports come when a root has been quiet for ``DirectoryWatcher/Options/quiet``, and after
/// ``DirectoryWatcher/Options/longestDelay`` even if it is not. Each root is watched by one thread that sleeps
/// in the kernel: while nothing happens, nothing runs, except where polling is needed.
///
/// The sequence is for one reader. It ends with ``stop()``, when the reading task is cancelled, or,
/// for whoever still waits, when the watcher is let go; then all descriptors are closed.
public final class DirectoryWatcher: AsyncSequence, Sendable {
  /// The directories of one root that must be read again.
  public typealias Element = DirectoryWatcher.DirtyDirectories
  /// Never: what cannot be watched is polled or reported as lost.
  public typealias Failure = Never

  private let hub: WatchHub

  /// Watches directories with all below them. Returns when every change from now on is noticed, which
  /// takes, with inotify, as long as listing all directories.
  ///
  /// A root that does not exist is reported as lost, and watched when it appears.
  ///
  /// - Parameters:
  ///   - roots: paths of directories; a root may lie in another one. A symbolic link in the last
  ///     component is not followed.
  ///   - options: what is watched, and how.
  /// - Throws: ``DirectoryWatcher/WatchError`` if the method asked for is not to be had; `CancellationError` if the
  ///   task was cancelled meanwhile; `Errno` if there are too many open files or threads.
  public static func start(
    roots: [FilePath], options: DirectoryWatcher.Options = DirectoryWatcher.Options()
  ) async throws -> DirectoryWatcher {
    let hub = try WatchHub(roots: roots, directoryLimit: options.directoryLimit)
    let watcher = DirectoryWatcher(hub: hub)
    do {
      for (number, root) in roots.enumerated() {
        try hub.startThread(named: "watch \(number)") {
          Self.watch(root, number: number, options: options, hub: hub)
        }
      }
      try await withTaskCancellationHandler {
        try await hub.waitForStart()
      } onCancel: {
        hub.stop()
      }
      try Task.checkCancellation()
    } catch {
      await watcher.stop()
      throw error
    }
    return watcher
  }

  /// Returns when everything the watching of the root had open is closed.
  private static func watch(
    _ root: FilePath, number: Int, options: DirectoryWatcher.Options, hub: WatchHub
  ) {
    RootWatch(root: root, number: number, options: options, hub: hub).run()
  }

  private init(hub: WatchHub) {
    self.hub = hub
  }

  deinit {
    hub.stop()
  }

  /// How well each root is watched at the moment, in the order of the roots.
  public var coverage: [DirectoryWatcher.Coverage] { hub.coverage }

  /// Ends the sequence; nothing more is reported. Returns when all threads have ended and all
  /// descriptors are closed.
  public func stop() async {
    hub.stop()
    await hub.waitForEnd()
  }

  /// The reports, as they come.
  public func makeAsyncIterator() -> Iterator {
    Iterator(watcher: self)
  }

  /// Hands out the reports of a ``DirectoryWatcher``.
  public struct Iterator: AsyncIteratorProtocol {
    let watcher: DirectoryWatcher

    /// The next report; `nil` when the watcher was stopped or this task cancelled.
    public mutating func next() async -> DirectoryWatcher.DirtyDirectories? {
      await watcher.hub.next()
    }

    /// The next report; `nil` when the watcher was stopped or this task cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> DirectoryWatcher
      .DirtyDirectories?
    {
      await watcher.hub.next()
    }
  }
}

extension DirectoryWatcher {
  /// How well a root is watched at the moment.
  public struct Coverage: Sendable, Hashable {
    /// The root, as it was given to the watcher.
    public let root: FilePath
    /// How changes are learned of, never ``DirectoryWatcher/Method/automatic``; `nil` while the root is lost.
    public let method: DirectoryWatcher.Method?
    /// The directories of which nothing is learned, because watches ran out or because of the file
    /// system they are on. They are reported with everything below them at each polling interval.
    public let polled: [FilePath]

    /// How well a root is watched.
    public init(root: FilePath, method: DirectoryWatcher.Method?, polled: [FilePath]) {
      self.root = root
      self.method = method
      self.polled = polled
    }
  }
}

extension DirectoryWatcher {
  /// A root that cannot be watched by the method that was asked for.
  public struct WatchError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The root.
    public var root: FilePath
    /// The method.
    public var method: DirectoryWatcher.Method
    /// The system's reason.
    public var errno: Errno

    /// A failure to watch a root.
    public init(root: FilePath, method: DirectoryWatcher.Method, errno: Errno) {
      self.root = root
      self.method = method
      self.errno = errno
    }

    /// One line that names the root, the method and the reason.
    public var description: String {
      "\(root.string): cannot be watched by \(method.rawValue): \(errno)"
    }
  }
}
