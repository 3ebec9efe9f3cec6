internal import CPlatform
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// One inotify watch for each directory of the tree.
///
/// A directory is first watched, then read, so nothing in it is missed; what happened before the
/// watch is covered by reporting new directories deep. Directories that are moved lose their watches
/// and get new ones at their new place. So no event has to be trusted to describe the tree as it is
/// now: whatever order they come in, the last one about a place makes it right.
final class InotifyBackend: WatchBackend {
  let method = DirectoryWatcher.Method.inotify
  let descriptor: Int32
  private(set) var blindSpots: Set<TreePath> = []

  private let root: WatchedRoot
  private var tree = WatchTree()
  private var rootIndex: WatchTree.Index = -1
  private let events = EventBuffer()
  /// With more, the whole root counts as one.
  private static let blindSpotLimit = 64

  init(_ root: WatchedRoot) throws(Errno) {
    self.root = root
    var opened: Int32 = -1
    let code = cplatform_inotify_open(&opened)
    descriptor = opened
    try Errno.check(code)
    watchPlace()
    let directory = try OpenFile(root.path, for: .listing)
    let watch = try addWatch(directory, at: .root)
    rootIndex = tree.insert([], watch: watch, in: nil)
    watchSubdirectories(of: rootIndex, opened: directory, top: directory)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Above the root, only the directories' own moves matter: they change what the root's path means.
  private func watchPlace() {
    guard let canonical = root.canonical else { return }
    var ancestor = FilePath(bytes: canonical)
    while ancestor.removeLastComponent() {
      _ = ancestor.withPlatformString {
        cplatform_inotify_add(descriptor, $0, cplatform_watch_place)
      }
    }
  }

  // MARK: - Events

  func drain(into dirty: inout DirtySet) -> WatchOutcome {
    var outcome = WatchOutcome.current
    do throws(Errno) {
      try events.read(descriptor, with: cplatform_inotify_next) { event in
        if event.has(cplatform_change_overflow) { outcome = .stale }
        guard outcome != .stale, !root.alarm.isRung else { return }
        if !take(event, into: &dirty) { outcome = .rootInDoubt }
      }
    } catch {
      return .stale
    }
    return outcome
  }

  /// Returns false if the event is about the root itself.
  private func take(_ event: cplatform_event, into dirty: inout DirtySet) -> Bool {
    let places = tree.places(of: event.watch)
    // No place, but a watch: a directory above the root.
    guard !places.isEmpty else { return !event.has(cplatform_change_self_gone) }
    if event.has(cplatform_change_self_gone) || event.has(cplatform_change_unwatched) {
      let concernsRoot = places.contains(where: tree.isRoot)
      // Removal and moves are told by the parent as well; the end of a watch is told here only.
      if event.has(cplatform_change_unwatched), !concernsRoot { places.forEach(forget) }
      return !concernsRoot
    }
    for place in places { take(event, at: place, into: &dirty) }
    return true
  }

  private func take(
    _ event: cplatform_event, at place: WatchTree.Index, into dirty: inout DirtySet
  ) {
    let path = tree.path(of: place)
    guard !root.filter.ignores(event.nameBytes, in: path) else { return }
    dirty.mark(path, .shallow)
    root.filter.note(event.nameBytes, in: path)
    guard event.has(cplatform_change_of_directory), event.name_length > 0 else { return }
    let name = Array(event.nameBytes)
    if event.has(cplatform_change_vanished), let child = tree.child(name, of: place) {
      forget(child)
    }
    // A directory that could not be opened before may have got other permissions.
    let mayBeNew =
      event.has(cplatform_change_appeared)
      || (event.has(cplatform_change_altered) && tree.child(name, of: place) == nil)
    guard mayBeNew, !root.filter.excludes(path.appending(name)) else { return }
    watch(name, in: place)
    dirty.mark(path.appending(name), .deep)
  }

  func rewatch(_ path: TreePath) {
    guard let parent = path.parent else { return }
    blindSpots.remove(path)
    // The parent may be gone, or be in a blind spot itself.
    guard let index = tree.find(parent, from: rootIndex) else { return }
    let name = Array(path.name)
    if let child = tree.child(name, of: index) { forget(child) }
    watch(name, in: index)
  }

  func reconsider(_ path: TreePath) {
    guard path == .root else { return rewatch(path) }
    guard !blindSpots.contains(.root), let top = try? OpenFile(root.path, for: .listing) else {
      return
    }
    for child in tree.children(of: rootIndex) { forget(child) }
    watchSubdirectories(of: rootIndex, opened: top, top: top)
  }

  // MARK: - Watches

  private func forget(_ index: WatchTree.Index) {
    for watch in tree.remove(index) { cplatform_inotify_remove(descriptor, watch) }
  }

  private func addWatch(_ directory: OpenFile, at path: TreePath) throws(Errno) -> Int32 {
    let link = "/proc/self/fd/\(directory.descriptor)"
    var result = cplatform_inotify_add(descriptor, link, cplatform_watch_content)
    if result == -ENOENT {
      // There is no /proc.
      result = path.absolute(in: root.path).withPlatformString {
        cplatform_inotify_add(descriptor, $0, cplatform_watch_content)
      }
    }
    guard result >= 0 else { throw Errno(rawValue: -result) }
    return result
  }

  /// Watches a directory and everything below it.
  private func watch(_ name: [UInt8], in parent: WatchTree.Index) {
    // If the root cannot be opened it is in doubt, and its own watch says so.
    guard let top = try? OpenFile(root.path, for: .listing) else { return }
    watch([(parent, name)], top: top)
  }

  private func watchSubdirectories(
    of index: WatchTree.Index, opened directory: OpenFile, top: OpenFile
  ) {
    guard let names = list(directory, at: tree.path(of: index)) else { return }
    watch(names.map { (index, $0) }, top: top)
  }

  private func watch(_ start: [(WatchTree.Index, [UInt8])], top: OpenFile) {
    var waiting = start
    while let (parent, name) = waiting.popLast(), !root.alarm.isRung {
      let path = tree.path(of: parent).appending(name)
      guard !root.filter.excludes(path), let directory = open(path, top: top, parent: parent),
        let index = enter(directory, named: name, in: parent, at: path),
        let names = list(directory, at: path)
      else { continue }
      waiting += names.map { (index, $0) }
    }
  }

  /// Opens a directory that is to be watched; `nil` if it is not to be, or cannot be.
  private func open(
    _ path: TreePath, top: OpenFile, parent: WatchTree.Index
  ) -> OpenFile? {
    do throws(Errno) {
      let base = DirectoryHandle(rawValue: top.descriptor)
      let handle = try opener.open(below: base, path: path.bytes)
      let directory = OpenFile(taking: handle.rawValue)
      guard try directory.status().device != root.identity.device else { return directory }
      guard root.boundary == .crossDevices else { return nil }
      if directory.isRemote {
        addBlindSpot(path)
        return nil
      }
      return directory
    } catch {
      switch error {
      case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels:
        if let former = tree.child(Array(path.name), of: parent) { forget(former) }
      // It is told when the permissions change, and until then nobody can read it anyway.
      case .permissionDenied, .notPermitted: break
      default: addBlindSpot(path)
      }
      return nil
    }
  }

  private let opener = DirectoryReader()

  /// Adds the watch of a directory; `nil` if there is nothing to be done below it.
  private func enter(
    _ directory: OpenFile, named name: [UInt8], in parent: WatchTree.Index, at path: TreePath
  ) -> WatchTree.Index? {
    guard tree.watchCount < root.watchLimit else {
      addBlindSpot(path)
      return nil
    }
    let watch: Int32
    do throws(Errno) {
      watch = try addWatch(directory, at: path)
    } catch {
      addBlindSpot(path)
      return nil
    }
    let former = tree.child(name, of: parent)
    // Watched here already, so it was read after that and all since then is told by events.
    if let former, tree.watch(of: former) == watch { return nil }
    // A directory that is mounted inside itself.
    guard !tree.isInside(parent, watch: watch) else { return nil }
    let index = tree.insert(name, watch: watch, in: parent)
    // Last, because what was in the former directory may be in the new one.
    if let former { forget(former) }
    return index
  }

  /// The names of sub-directories, without asking for the values of a single entry.
  private func list(_ directory: OpenFile, at path: TreePath) -> [[UInt8]]? {
    do throws(Errno) {
      var names: [[UInt8]] = []
      try directory.forEachEntry { name, length, kind in
        // Where the file system does not tell kinds, opening it as a directory does.
        guard kind == .directory || kind == nil else { return }
        names.append(Array(UnsafeRawBufferPointer(start: name, count: length)))
      }
      return names
    } catch {
      if error != .noSuchFileOrDirectory { addBlindSpot(path) }
      return nil
    }
  }

  private func addBlindSpot(_ path: TreePath) {
    guard !blindSpots.contains(.root) else { return }
    blindSpots.insert(path)
    if blindSpots.count > Self.blindSpotLimit { blindSpots = [.root] }
  }
}
