public import SystemPackage

/// How well a root is watched at the moment.
public struct WatchCoverage: Sendable, Hashable {
  /// The root, as it was given to the watcher.
  public let root: FilePath
  /// How changes are learned of, never ``WatchMethod/automatic``; `nil` while the root is lost.
  public let method: WatchMethod?
  /// The directories of which nothing is learned, because watches ran out or because of the file
  /// system they are on. They are reported with everything below them at each polling interval.
  public let polled: [FilePath]

  /// How well a root is watched.
  public init(root: FilePath, method: WatchMethod?, polled: [FilePath]) {
    self.root = root
    self.method = method
    self.polled = polled
  }
}
