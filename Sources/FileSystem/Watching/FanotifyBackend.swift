internal import CPlatform
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// One fanotify mark for each file system of the tree.
///
/// The kernel names the directory of an event by a handle, which is asked for its path when the event
/// is read: so paths are those of now, also of what was moved since. A handle that leads nowhere
/// belongs to a directory that was removed, which its parent tells.
final class FanotifyBackend: WatchBackend {
  let method = DirectoryWatcher.Method.fanotify
  let descriptor: Int32
  private(set) var blindSpots: Set<TreePath> = []

  private let root: WatchedRoot
  private let mountTable: MountTable
  /// Where file systems are, by the id they have in events. One may be mounted several times.
  private var volumes: [UInt64: Set<TreePath>] = [:]
  private var known: [[UInt8]: [TreePath]] = [:]
  private static let knownLimit = 8192
  private let events = EventBuffer()

  init(_ root: WatchedRoot, mounts: MountTable) throws(Errno) {
    self.root = root
    mountTable = mounts
    var opened: Int32 = -1
    let code = cplatform_fanotify_open(&opened)
    descriptor = opened
    try Errno.check(code)
    // Without the path, events could not be placed.
    guard let canonical = root.canonical else { throw .notSupported }
    let directory = try OpenFile(root.path, for: .listing)
    try mark(directory, at: .root)
    try proveHandles(of: directory)
    watchPlace(canonical)
    guard root.boundary == .crossDevices else { return }
    for mount in mounts.mounts(below: canonical) {
      if let path = TreePath(mount.point, in: canonical) { rewatch(path) }
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  private func mark(_ directory: OpenFile, at path: TreePath) throws(Errno) {
    var volume = cplatform_volume()
    var code = cplatform_volume_of(directory.descriptor, &volume)
    if code == 0 { code = cplatform_fanotify_mark_volume(descriptor, directory.descriptor) }
    try Errno.check(code)
    volumes[volume.identity, default: []].insert(path)
  }

  /// Opening by handle takes a capability of its own.
  private func proveHandles(of directory: OpenFile) throws(Errno) {
    var handle = [CChar](repeating: 0, count: Int(CPLATFORM_HANDLE_SIZE))
    var length = 0
    let code = cplatform_handle_of(directory.descriptor, &handle, &length)
    try Errno.check(code)
    let opened = cplatform_open_handle(directory.descriptor, handle)
    guard opened >= 0 else { throw Errno(rawValue: -opened) }
    close(opened)
  }

  /// Above the root, only the directories' own moves matter: they change what the root's path means.
  private func watchPlace(_ canonical: [UInt8]) {
    var place = FilePath(bytes: canonical)
    repeat {
      _ = place.withPlatformString { cplatform_fanotify_mark_place(descriptor, $0) }
    } while place.removeLastComponent()
  }

  func rewatch(_ path: TreePath) {
    blindSpots.remove(path)
    for volume in volumes.keys { volumes[volume]?.remove(path) }
    known = [:]
    guard root.boundary == .crossDevices, !root.filter.excludesTree(at: path) else { return }
    do throws(Errno) {
      let directory = try OpenFile(path.absolute(in: root.path), for: .listing)
      // Unmounted: it is an ordinary directory of the file system around it.
      guard try directory.status().isMountRoot else { return }
      guard !directory.isRemote else { throw .notSupported }
      try mark(directory, at: path)
    } catch {
      let vanished: Set<Errno> = [.noSuchFileOrDirectory, .notDirectory, .permissionDenied]
      if !vanished.contains(error) { blindSpots.insert(path) }
    }
  }

  func reconsider(_ path: TreePath) {
    known = [:]
  }

  // MARK: - Events

  /// The places of the root and of its file systems, as they are while one read is worked off. Not
  /// kept open longer, because an open directory keeps a file system from being unmounted.
  private struct Moment {
    let canonical: [UInt8]
    var opened: [TreePath: OpenFile]
  }

  func drain(into dirty: inout DirtySet) -> WatchOutcome {
    guard let directory = try? OpenFile(root.path, for: .listing),
      let identity = try? RootIdentity(of: directory), identity == root.identity,
      let canonical = try? directory.path().bytes
    else { return .rootInDoubt }
    var moment = Moment(canonical: canonical, opened: [.root: directory])
    var outcome = WatchOutcome.current
    do throws(Errno) {
      try events.read(descriptor, with: cplatform_fanotify_next) { event in
        if event.has(cplatform_change_overflow) {
          dirty.mark(.root, .deep)
          known = [:]
        } else if event.has(cplatform_change_self_gone) {
          // The path of the root was another one while some of the events came.
          dirty.mark(.root, .deep)
          outcome = .rootInDoubt
          known = [:]
        } else {
          take(event, at: &moment, into: &dirty)
        }
      }
    } catch {
      return .stale
    }
    return outcome
  }

  private func take(
    _ event: cplatform_event, at moment: inout Moment, into dirty: inout DirtySet
  ) {
    let isDirectory = event.has(cplatform_change_of_directory)
    let places = places(of: event, at: &moment, into: &dirty)
    if isDirectory, event.has(cplatform_change_moved) { known.removeAll(keepingCapacity: true) }
    for place in places where !root.filter.ignores(event.nameBytes, in: place) {
      dirty.mark(place, .shallow)
      root.filter.note(event.nameBytes, in: place)
      guard isDirectory, event.has(cplatform_change_appeared), event.name_length > 0
      else { continue }
      let child = place.appending(event.nameBytes)
      if !root.filter.excludes(child) { dirty.mark(child, .deep) }
    }
  }

  /// Where the directory of an event is in the tree: nowhere, once, or several times if its file
  /// system is mounted several times.
  private func places(
    of event: cplatform_event, at moment: inout Moment, into dirty: inout DirtySet
  ) -> [TreePath] {
    guard let handle = event.handle else {
      dirty.mark(.root, .deep)
      return []
    }
    var key = Array(UnsafeRawBufferPointer(start: handle, count: event.handle_length))
    withUnsafeBytes(of: event.volume) { key += $0 }
    if let places = known[key] { return places }

    var found: [TreePath] = []
    for mountPoint in volumes[event.volume] ?? [] {
      guard let mount = open(mountPoint, at: &moment) else { continue }
      do throws(Errno) {
        let absolute = try path(of: handle, on: mount)
        guard let place = TreePath(absolute, in: moment.canonical), !isRemoved(absolute),
          !root.filter.excludesTree(at: place)
        else { continue }
        found.append(place)
      } catch {
        // Removed, or not reachable from this mount.
        if error == .staleNFSFileHandle || error == .noSuchFileOrDirectory { continue }
        dirty.mark(.root, .deep)
        return []
      }
    }
    if known.count >= Self.knownLimit { known.removeAll(keepingCapacity: true) }
    known[key] = found
    return found
  }

  private func path(
    of handle: UnsafePointer<CChar>, on mount: OpenFile
  ) throws(Errno) -> [UInt8] {
    let opened = cplatform_open_handle(mount.descriptor, handle)
    guard opened >= 0 else { throw Errno(rawValue: -opened) }
    return try OpenFile(taking: opened).path().bytes
  }

  private func open(_ mountPoint: TreePath, at moment: inout Moment) -> OpenFile? {
    if let opened = moment.opened[mountPoint] { return opened }
    let opened = try? OpenFile(mountPoint.absolute(in: root.path), for: .listing)
    moment.opened[mountPoint] = opened
    return opened
  }

  /// Whether a path is that of a removed directory, to which the kernel adds a mark that could also be
  /// the end of a name.
  private func isRemoved(_ path: [UInt8]) -> Bool {
    path.suffix(10).elementsEqual(" (deleted)".utf8)
      && (try? FileStatus(ofPath: FilePath(bytes: path))) == nil
  }
}
