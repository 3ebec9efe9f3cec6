internal import FileSystem
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
  /// Where it is now, if it was moved to the trash.
  public var trashedItem: Trash.Item?
  /// Why it may not be on the disk yet, if it should.
  var unflushed: Errno?

  init(
    _ kind: Kind, _ path: FilePath, previousPath: FilePath? = nil, trashedItem: Trash.Item? = nil
  ) {
    self.kind = kind
    self.path = path
    self.previousPath = previousPath
    self.trashedItem = trashedItem
  }
}

/// Hears of every change that a ``FileCoordinator`` makes, so that what is derived from files can
/// follow in the same call.
public protocol CoordinationObserver: Sendable {
  /// An operation wants to change these items, which it holds.
  ///
  /// Called on a thread that may block, before anything is changed. By default all may be changed.
  ///
  /// - Parameter items: absolute and without symbolic links, as in ``CoordinatedChange/path``.
  /// - Returns: one that must not be changed, so that the operation fails with
  ///   ``CoordinationError/Code/readOnly``; `nil` if there is none.
  func coordinator(_ coordinator: FileCoordinator, readOnlyAmong items: [FilePath]) -> FilePath?

  /// An operation is about to change these items, unless it fails.
  ///
  /// Called on a thread that may block, once for the items that the operation holds, and for the places in
  /// the trash as soon as they are chosen. By default it does nothing.
  ///
  /// - Parameter items: absolute and without symbolic links, as in ``CoordinatedChange/path``.
  /// - Returns: anything; it is kept until the operation has ended.
  func coordinator(
    _ coordinator: FileCoordinator, willChange items: [FilePath]
  ) -> (any AnyObject & Sendable)?

  /// The changes of one operation stand.
  ///
  /// Called before the operation returns and while its items are still held: the changes of an item
  /// are heard of in the order in which they were made. Do not ask a coordinator for the same items
  /// here. A package is one item: what is in it is not mentioned.
  func coordinator(_ coordinator: FileCoordinator, didCommit changes: [CoordinatedChange]) async
}

extension CoordinationObserver {
  /// Lets everything be changed.
  public func coordinator(
    _ coordinator: FileCoordinator, readOnlyAmong items: [FilePath]
  ) -> FilePath? { nil }

  /// Does nothing.
  public func coordinator(
    _ coordinator: FileCoordinator, willChange items: [FilePath]
  ) -> (any AnyObject & Sendable)? { nil }
}

extension CoordinatedChange {
  /// Throws `notFlushed` if the change may not be on the disk although it should.
  func expectFlushed(
    for operation: CoordinationError.Operation
  ) throws(CoordinationError) {
    guard let unflushed else { return }
    throw CoordinationError(.notFlushed, operation, path, errno: unflushed)
  }
}
