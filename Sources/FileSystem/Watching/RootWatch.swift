internal import CPlatform
internal import SystemPackage

/// The watching of one root, from a thread of its own: it sleeps in the kernel until there is
/// something to do, without timers as long as all of the root is watched.
final class RootWatch {
  private typealias Clock = ContinuousClock

  private let root: FilePath
  private let options: DirectoryWatcher.Options
  private let number: Int
  private let hub: WatchHub
  private let mountTable = MountTable()

  private var backend: (any WatchBackend)?
  private var identity: RootIdentity?
  private var canonical: [UInt8]?
  private var mounts: Set<MountTable.Mount> = []
  private let skipped: SkippedMounts
  private let rules: WatchedRules
  private var dirty: DirtySet
  private var debounce: Debounce<Clock.Instant>
  /// When blind spots are to be reported, or a lost root looked for.
  private var nextLook: Clock.Instant?
  /// How long a lost root is not looked for. What takes the place of a directory usually does so at once,
  /// so it is looked for soon at first, and ever less often, down to the interval of polling.
  private var patience = leastPatience
  private static let leastPatience = Duration.milliseconds(100)

  init(root: FilePath, number: Int, options: DirectoryWatcher.Options, hub: WatchHub) {
    self.root = root
    self.number = number
    self.options = options
    self.hub = hub
    skipped = SkippedMounts(options.skippedFileSystems)
    rules = WatchedRules(options.ignoreFiles, root: root)
    dirty = DirtySet(limit: options.directoryLimit)
    debounce = Debounce(delay: options.quiet, limit: options.longestDelay)
  }

  /// Watches until the hub's alarm rings.
  func run() {
    do throws(DirectoryWatcher.WatchError) {
      if try !attach() { lose() }
    } catch {
      hub.started(number, failure: error)
      return
    }
    planLook()
    hub.started(number, failure: nil)
    while true {
      let ready = cplatform_wait(
        hub.alarm.descriptor, backend?.descriptor ?? -1, mountTable.descriptor, waitingTime)
      if hub.alarm.isRung { return }
      work(ready < 0 ? 0 : UInt32(ready))
    }
  }

  private func work(_ ready: UInt32) {
    if ready & cplatform_ready_mounts.rawValue != 0 { mountsChanged() }
    if ready & cplatform_ready_events.rawValue != 0 { drain() }
    if let time = nextLook, Clock.now >= time { look() }
    if let time = debounce.due, Clock.now >= time { publish() }
    planLook()
  }

  /// Milliseconds until something has to be done without an event; -1 for never.
  private var waitingTime: Int32 {
    let deadlines = [nextLook, debounce.due].compactMap(\.self)
    guard let next = deadlines.min() else { return -1 }
    let (seconds, attoseconds) = max(.zero, next - Clock.now).components
    // Rounded up: a wait that ends too early would be followed by a busy one.
    return Int32(clamping: min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }

  // MARK: - The root comes and goes

  private func openRoot() throws(Errno) -> OpenFile {
    switch options.linkedRoots {
    case .followed: try OpenFile(root, for: .listing)
    case .missing: try OpenFile(unlinked: root, for: .listing)
    }
  }

  /// Starts to watch the directory that is at the root's path. Returns false if there is none.
  private func attach() throws(DirectoryWatcher.WatchError) -> Bool {
    guard let directory = try? openRoot(), let identity = try? RootIdentity(of: directory)
    else { return false }
    self.identity = identity
    patience = Self.leastPatience
    canonical = try? directory.path().bytes
    // Before the backend starts: what is mounted meanwhile is seen as a change of the table.
    mounts = currentMounts()
    skipped.update(mounts, in: canonical)
    rules.reset()
    let watched = WatchedRoot(
      path: root, canonical: canonical, identity: identity,
      filter: WatchFilter(
        root: root, canonical: canonical, options: options, skipped: skipped, rules: rules),
      boundary: options.boundary, watchLimit: options.watchLimit ?? .max, alarm: hub.alarm)
    backend = try makeBackend(watched, isRemote: directory.isRemote)
    return true
  }

  private func makeBackend(
    _ watched: WatchedRoot, isRemote: Bool
  ) throws(DirectoryWatcher.WatchError) -> any WatchBackend {
    do throws(Errno) {
      switch options.method {
      case .fanotify: return try FanotifyBackend(watched, mounts: mountTable)
      case .inotify: return try InotifyBackend(watched)
      case .polling: return PollingBackend()
      case .automatic: break
      }
    } catch {
      throw DirectoryWatcher.WatchError(root: root, method: options.method, errno: error)
    }
    guard !isRemote else { return PollingBackend() }
    if let backend = try? FanotifyBackend(watched, mounts: mountTable) { return backend }
    if let backend = try? InotifyBackend(watched) { return backend }
    return PollingBackend()
  }

  /// Starts anew after something was missed. Everything has to be read again.
  private func reattach() {
    backend = nil
    do throws(DirectoryWatcher.WatchError) {
      guard try attach() else { return lose() }
    } catch {
      // What could be watched at the start cannot be now; nothing may be missed for that.
      backend = PollingBackend()
    }
    markDirty(.root)
  }

  /// Whether the root is still what it was. If not, that is reported, or watched from now on.
  private func rootIsPresent() -> Bool {
    let present = try? RootIdentity(of: openRoot())
    if present != nil, present == identity { return true }
    if let present, let identity, present.device == identity.device,
      present.volume == identity.volume
    {
      // Another directory of the same file system took the place.
      reattach()
      return false
    }
    lose(for: present)
    return false
  }

  /// - Parameter other: what is at the root's path now, on another file system.
  private func lose(for other: RootIdentity? = nil) {
    backend = nil
    identity = other
    mounts = []
    _ = dirty.take()
    debounce.clear()
    hub.lose(number, for: other == nil ? .missing : .otherVolume)
  }

  // MARK: - What wakes the thread

  private func drain() {
    guard let backend else { return }
    let before = dirty.marks
    let outcome = backend.drain(into: &dirty)
    if dirty.marks != before { debounce.note(at: Clock.now) }
    switch outcome {
    case .current: break
    case .rootInDoubt: _ = rootIsPresent()
    case .stale: reattach()
    }
  }

  private func currentMounts() -> Set<MountTable.Mount> {
    canonical.map(mountTable.mounts(below:)) ?? []
  }

  private func mountsChanged() {
    guard backend != nil else { return look() }
    guard rootIsPresent(), let canonical else { return }
    let now = currentMounts()
    let changed = Set(now.symmetricDifference(mounts).map(\.point))
    mounts = now
    skipped.update(mounts, in: canonical)
    for point in changed {
      guard let path = TreePath(point, in: canonical) else { continue }
      backend?.rewatch(path)
      markDirty(path)
    }
  }

  /// Reports blind spots, or looks whether a lost root is there again.
  private func look() {
    nextLook = nil
    guard let backend else {
      let present = try? RootIdentity(of: openRoot())
      if let present, present != identity {
        reattach()
        publish()
      }
      return
    }
    for path in backend.blindSpots {
      // First, so that nothing is missed if it can be watched from now on.
      backend.rewatch(path)
      markDirty(path)
    }
    publish()
  }

  private func planLook() {
    if backend.map({ $0.blindSpots.isEmpty }) ?? false {
      nextLook = nil
    } else if nextLook == nil {
      let interval = options.pollingInterval
      nextLook = Clock.now + (backend == nil ? min(patience, interval) : interval)
      if backend == nil { patience = min(patience * 2, interval) }
    }
    hub.update(
      number, method: backend?.method, blindSpots: backend?.blindSpots ?? [])
  }

  private func markDirty(_ path: TreePath) {
    dirty.mark(path, .deep)
    debounce.note(at: Clock.now)
  }

  private func publish() {
    guard rootIsPresent() else { return }
    for path in rules.takeAffected() {
      // First, so that nothing is missed in what is left out no more.
      backend?.reconsider(path)
      dirty.mark(path, .deep)
    }
    debounce.clear()
    hub.publish(number, dirty.take())
  }
}
