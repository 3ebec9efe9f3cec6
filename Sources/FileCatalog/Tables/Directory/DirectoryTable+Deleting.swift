public import FileCoordination
internal import FileSystem
internal import StandardDirectories

extension DirectoryTable {
  /// What became of an item that was to be deleted.
  public struct DeletedItem: Sendable, Hashable {
    /// How it went.
    public enum Outcome: Sendable, Hashable {
      /// It would be deleted; nothing was done.
      case wouldBeDeleted
      /// Deleting was tried, or left be because of a failure before it.
      case tried(Deletion.Result.Outcome)
    }

    /// The item.
    public let item: DirectoryTable.Item
    /// How it went.
    public let outcome: Outcome
  }
}

extension DirectoryTable {
  /// Whether something is done, or only said what would be.
  public enum Rehearsal: Sendable, Hashable {
    /// It is done.
    case no
    /// Nothing is changed.
    case dryRun
  }

  /// Deletes the items that the table shows: those that pass its filters, and no hidden ones unless
  /// they are shown. Links are deleted themselves, never what they lead to.
  ///
  /// - Parameters:
  ///   - deletion: to the trash, or for good.
  ///   - rehearsal: whether to delete at all.
  ///   - policy: whether to go on after an item that cannot be deleted.
  ///   - coordinator: what deletes, in turn with everybody else who coordinates.
  /// - Returns: what became of each item, in the order of the table.
  /// - Throws: as ``items()``, and `DirectoryError.readOnly` where files are only read by the
  ///   ``DirectoryTable/role``; a failure of one item is in its result.
  public func deleteContents(
    _ deletion: Deletion = .toTrash, rehearsal: Rehearsal = .no,
    onFailure policy: Deletion.FailurePolicy = .stop,
    coordinator: FileCoordinator = FileCoordinator()
  ) async throws -> [DirectoryTable.DeletedItem] {
    if let role, role.policy.isReadOnly { throw DirectoryError.readOnly(role) }
    let items = try items()
    guard rehearsal == .no else {
      return items.map { DirectoryTable.DeletedItem(item: $0, outcome: .wouldBeDeleted) }
    }
    let results = await coordinator.delete(items.map(\.path), deletion, onFailure: policy)
    return zip(items, results).map {
      DirectoryTable.DeletedItem(item: $0, outcome: .tried($1.outcome))
    }
  }
}
