internal import FileSystem
public import SystemPackage

/// How items are got rid of: the one place where it is decided whether they can come back.
public protocol ItemRemoval: Sendable {
  /// Removes an item with all that is in it. A link is removed itself, never what it leads to.
  ///
  /// - Throws: the system's reason; what is left then is still there.
  func remove(_ item: FilePath) throws(Errno)
}

/// Removes items for good.
public struct PermanentRemoval: ItemRemoval {
  /// Makes one; all are the same.
  public init() {}

  /// Removes an item with all that is in it, however deep it is.
  public func remove(_ item: FilePath) throws(Errno) {
    try TreeRemoval.remove(item)
  }
}

extension ItemRemoval where Self == PermanentRemoval {
  /// Removes items for good.
  public static var permanent: PermanentRemoval { PermanentRemoval() }
}

/// What became of an item that was to be deleted.
public struct ItemDeletion: Sendable, Hashable {
  /// How it went.
  public enum Outcome: Sendable, Hashable {
    /// It would be deleted; nothing was done.
    case wouldBeDeleted
    /// It is gone from where it was.
    case deleted
    /// It could not be deleted.
    case failed(Errno)
    /// It was not tried, because one before it failed.
    case skipped
  }

  /// The item.
  public let item: DirectoryItem
  /// How it went.
  public let outcome: Outcome
}

extension DirectoryTable {
  /// Whether to delete, or only to say what would be deleted.
  public enum DeletionMode: Sendable, Hashable {
    /// Changes nothing.
    case dryRun
    /// Deletes, and ends with the first item that cannot be.
    case untilFailure
    /// Deletes all that can be.
    case everythingPossible
  }

  /// Deletes the items that the table shows: those that pass its filters, and no hidden ones unless
  /// they are shown.
  ///
  /// - Parameters:
  ///   - mode: whether to delete, and what to do about failures.
  ///   - removal: how.
  /// - Returns: what became of each item, in the order of the table.
  /// - Throws: as ``items()``; a failure of one item is in its result.
  public func deleteContents(
    _ mode: DeletionMode, by removal: some ItemRemoval
  ) throws -> [ItemDeletion] {
    var hasFailed = false
    return try items().map { item in
      ItemDeletion(item: item, outcome: delete(item, mode, removal, &hasFailed))
    }
  }

  private func delete(
    _ item: DirectoryItem, _ mode: DeletionMode, _ removal: some ItemRemoval,
    _ hasFailed: inout Bool
  ) -> ItemDeletion.Outcome {
    switch mode {
    case .dryRun: return .wouldBeDeleted
    case .untilFailure where hasFailed: return .skipped
    case .untilFailure, .everythingPossible:
      do throws(Errno) {
        try removal.remove(item.path)
        return .deleted
      } catch {
        hasFailed = true
        return .failed(error)
      }
    }
  }
}
