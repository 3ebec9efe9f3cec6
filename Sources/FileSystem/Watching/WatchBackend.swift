internal import CPlatform
internal import SystemPackage

/// One way of learning what changes in one root. Used by one thread.
protocol WatchBackend: AnyObject {
  var method: DirectoryWatcher.Method { get }
  /// Readable when there is something for ``drain(into:)``; -1 if there never is.
  var descriptor: Int32 { get }
  /// The directories of which nothing is learned, with all below them.
  var blindSpots: Set<TreePath> { get }

  /// Takes what the kernel has, without waiting, and marks what is to be read again.
  func drain(into dirty: inout DirtySet) -> WatchOutcome

  /// Looks at a directory anew: a blind spot, or a place where something was mounted or unmounted.
  func rewatch(_ path: TreePath)

  /// Watches below a directory what is left out no more.
  func reconsider(_ path: TreePath)
}

enum WatchOutcome {
  /// All is well.
  case current
  /// Something happened to the root itself or above it.
  case rootInDoubt
  /// Changes were missed: the backend must be made anew, and the whole root read again.
  case stale
}

/// What a backend has to know of its root.
struct WatchedRoot {
  let path: FilePath
  /// Without symbolic links; `nil` if the system does not tell.
  let canonical: [UInt8]?
  let identity: RootIdentity
  let filter: WatchFilter
  let boundary: DirectoryWatcher.Options.Boundary
  let watchLimit: Int
  let alarm: Alarm
}

/// What tells the directory at a root's path from another that took its place.
struct RootIdentity: Hashable {
  let device: UInt64
  let inode: UInt64
  let volume: VolumeIdentity

  init(of directory: OpenFile) throws(Errno) {
    let status = try directory.status()
    device = status.device
    inode = status.inode
    volume = try VolumeIdentity(descriptor: directory.descriptor, device: status.device)
  }
}

/// Looks at the root again at regular times, by having nothing but a blind spot.
final class PollingBackend: WatchBackend {
  let method = DirectoryWatcher.Method.polling
  let descriptor: Int32 = -1
  let blindSpots: Set<TreePath> = [.root]

  func drain(into dirty: inout DirtySet) -> WatchOutcome { .current }
  func rewatch(_ path: TreePath) {}
  func reconsider(_ path: TreePath) {}
}

/// Where the file systems are mounted that are not watched for what they are. Used by one thread.
final class SkippedMounts {
  private(set) var points: Set<TreePath> = []
  private let types: FileSystemTypes

  init(_ types: FileSystemTypes) { self.types = types }

  /// - Parameter root: without symbolic links.
  func update(_ mounts: Set<MountTable.Mount>, in root: [UInt8]?) {
    points = []
    guard let root, !types.isEmpty else { return }
    // Of several at one place, the last is to be seen.
    for mount in mounts.sorted(by: { $0.number < $1.number }) {
      guard let point = TreePath(mount.point, in: root) else { continue }
      if types.contains(mount.type) { points.insert(point) } else { points.remove(point) }
    }
  }
}

/// What of a root is not watched.
struct WatchFilter {
  private let root: FilePath
  private let isExcluded: (@Sendable (FilePath) -> Bool)?
  private var ignored: [TreePath: Set<[UInt8]>] = [:]
  private let skipped: SkippedMounts
  private let rules: WatchedRules

  /// - Parameter canonical: the root's path without symbolic links, if known: files to ignore may be
  ///   given either way.
  init(
    root: FilePath, canonical: [UInt8]?, options: DirectoryWatcher.Options, skipped: SkippedMounts,
    rules: WatchedRules
  ) {
    self.root = root
    self.skipped = skipped
    self.rules = rules
    isExcluded = options.isExcluded
    for path in options.ignoredPaths {
      let bytes = path.bytes
      let given = TreePath(bytes, in: root.bytes)
      guard let place = given ?? canonical.flatMap({ TreePath(bytes, in: $0) }),
        let parent = place.parent
      else { continue }
      ignored[parent, default: []].insert(Array(place.name))
    }
  }

  /// Whether this directory itself is left out.
  func excludes(_ directory: TreePath) -> Bool {
    guard directory != .root else { return false }
    return skipped.points.contains(directory)
      || isExcluded?(directory.absolute(in: root)) ?? false || rules.excludes(directory)
  }

  /// Whether this directory or one above it is left out.
  func excludesTree(at directory: TreePath) -> Bool {
    guard isExcluded != nil || !skipped.points.isEmpty || !rules.isEmpty else { return false }
    var current = TreePath.root
    for name in directory.names {
      current = current.appending(name)
      if excludes(current) { return true }
    }
    return false
  }

  /// Takes note of an event: it may be about a file that says what is left out.
  func note(_ name: UnsafeBufferPointer<UInt8>, in directory: TreePath) {
    rules.note(name, in: directory)
  }

  func ignores(_ name: UnsafeBufferPointer<UInt8>, in directory: TreePath) -> Bool {
    guard !ignored.isEmpty, !name.isEmpty, let names = ignored[directory] else { return false }
    return names.contains(Array(name))
  }
}

/// What was read from a descriptor of the kernel's notifications.
final class EventBuffer {
  private static let size = 64 * 1024
  private let bytes = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    .assumingMemoryBound(to: CChar.self)

  typealias Parser = (
    UnsafePointer<CChar>?, Int, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<cplatform_event>?
  ) -> Int32

  deinit {
    bytes.deallocate()
  }

  /// Reads once and hands over the events that came, in order.
  func read(
    _ descriptor: Int32, with parse: Parser, _ body: (cplatform_event) -> Void
  ) throws(Errno) {
    let filled = cplatform_read_events(descriptor, bytes, Self.size)
    guard filled >= 0 else { throw Errno(rawValue: Int32(-filled)) }
    var position = 0
    var event = cplatform_event()
    while parse(bytes, filled, &position, &event) == 1 { body(event) }
  }
}

extension cplatform_event {
  func has(_ change: cplatform_change) -> Bool { changes & change.rawValue != 0 }

  var nameBytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      start: UnsafeRawPointer(name)?.assumingMemoryBound(to: UInt8.self), count: name_length)
  }
}
