public import SystemPackage

/// A change that a ``FileCoordinator`` has made.
public struct CoordinatedChange: Sendable, Hashable {
  /// What has happened to the item.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// It was made: nothing had its name before.
    case created
    /// Its content was replaced.
    case written
    /// It has another path now; see ``CoordinatedChange/previousPath``.
    case moved
    /// It was deleted, or moved to the trash.
    case removed
  }

  /// What has happened to the item.
  public var kind: Kind
  /// The item: absolute and without symbolic links, whatever path the caller named.
  public var path: FilePath
  /// Where it was before, if it was moved.
  public var previousPath: FilePath?

  init(_ kind: Kind, _ path: FilePath, previousPath: FilePath? = nil) {
    self.kind = kind
    self.path = path
    self.previousPath = previousPath
  }
}

/// Hears of every change that a ``FileCoordinator`` makes, so that what is derived from files can
/// follow in the same call.
public protocol CoordinationObserver: Sendable {
  /// The changes of one operation stand.
  ///
  /// Called before the operation returns and while its items are still held: the changes of an item
  /// are heard of in the order in which they were made. Do not ask a coordinator for the same items
  /// here. A package is one item: what is in it is not mentioned.
  func coordinator(_ coordinator: FileCoordinator, didCommit changes: [CoordinatedChange]) async
}
