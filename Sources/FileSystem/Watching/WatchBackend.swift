internal import SystemPackage

/// One way of learning what changes in one root. Used by one thread.
protocol WatchBackend: AnyObject {
  var method: WatchMethod { get }
  /// Readable when there is something for ``drain(into:)``; -1 if there never is.
  var descriptor: Int32 { get }
  /// The directories of which nothing is learned, with all below them.
  var blindSpots: Set<TreePath> { get }

  /// Takes what the kernel has, without waiting, and marks what is to be read again.
  func drain(into dirty: inout DirtySet) -> WatchOutcome

  /// Looks at a directory anew: a blind spot, or a place where something was mounted or unmounted.
  func rewatch(_ path: TreePath)
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
  let boundary: WatchOptions.Boundary
  let watchLimit: Int
  let alarm: Alarm
}

/// Looks at the root again at regular times, by having nothing but a blind spot.
final class PollingBackend: WatchBackend {
  let method = WatchMethod.polling
  let descriptor: Int32 = -1
  let blindSpots: Set<TreePath> = [.root]

  func drain(into dirty: inout DirtySet) -> WatchOutcome { .current }
  func rewatch(_ path: TreePath) {}
}
