public import FileCoordination
internal import FileSystem
public import StandardDirectories
public import SystemPackage

extension DirectoryTable {
  /// Opens a directory of a container as a table: that of a role, or one inside it.
  ///
  /// ```swift
  /// let pictures = try DirectoryTable(.documents, "Pictures", of: Container.home(), ifMissing: .create)
  /// ```
  ///
  /// - Parameters:
  ///   - role: what the directory is for.
  ///   - component: a path relative to the directory of the role; `nil` for that directory.
  ///   - parameters: the values that the name of a declared role's directory takes.
  /// - Throws: `DirectoryError` when the container has no directory for the role, the
  ///   path does not stay inside, or the directory is missing where files are only read; and as
  ///   ``init(at:ifMissing:order:filters:hiddenItems:)``.
  public init(
    _ role: Role, _ component: FilePath? = nil, of container: Container,
    parameters: DirectoryPattern.Values = [:], ifMissing missing: Missing = .refuse,
    order: DirectoryTable.Order = .nameAFirst,
    filters: [ItemFilter] = [], hiddenItems: HiddenItems = .skipped
  ) throws {
    let path = try container.resolve(role, component, parameters: parameters)
    let isReadOnly = role.policy.isReadOnly
    do throws(DirectoryTable.Failure) {
      try self.init(
        at: path, ifMissing: isReadOnly ? .refuse : missing, order: order, filters: filters,
        hiddenItems: hiddenItems)
    } catch {
      if isReadOnly, missing == .create, error.code == .notFound {
        throw DirectoryError.readOnly(role)
      }
      throw error
    }
    self.role = role
  }
}

extension DirectoryTable {
  /// Whether a directory is held while it is read.
  public enum Coordination: Sendable {
    /// It is not. What somebody is writing is there already or not yet.
    case uncoordinated
    /// It is held for reading before anything of it is read. So nobody who uses a coordinator writes in it
    /// meanwhile, and whoever does is waited for.
    case claimed(by: FileCoordinator)
  }

  /// The items in order, read on a thread that may block.
  ///
  /// - Throws: as ``items()``, and `CoordinationError` when the directory cannot be had.
  public func items(_ coordination: DirectoryTable.Coordination) async throws
    -> [DirectoryTable.Item]
  {
    guard case .claimed(let coordinator) = coordination else {
      return try await Blocking.run { () throws(any Error) in try items() }
    }
    do {
      return try await coordinator.withCoordinatedAccess(reading: [path]) { _ in
        try await items(.uncoordinated)
      }
    } catch let error as CoordinationError where error.path == path && error.code.saysGone {
      throw DirectoryTable.Failure(gone: path, error.errno ?? .noSuchFileOrDirectory)
    }
  }
}

extension CoordinationError.Code {
  fileprivate var saysGone: Bool { self == .notFound || self == .parentNotFound }
}
