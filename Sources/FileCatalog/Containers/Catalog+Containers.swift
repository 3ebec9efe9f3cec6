internal import FileSystem
internal import SQLite
public import StandardDirectories
public import SystemPackage

extension Catalog {
  /// The registered containers, by path.
  public func containers() async throws -> [RegisteredContainer] {
    try await read { try ContainerTable($0).all().map { RegisteredContainer($0) } }
  }

  /// The roles that were declared beside the standard ones when the catalog was last scanned.
  public func roleRegistry() async throws -> RoleRegistry {
    try await read { try RoleTable($0).stored() }
  }

  /// Registers containers: directories of theirs that the catalog holds get their roles at once, those
  /// to come with the scans. A container at the same path is replaced.
  ///
  /// ```swift
  /// try await catalog.register([Container(.appleSandbox, root: "/data/app")])
  /// let caches = try await catalog.entries(matching: Query(parsing: "role:caches"))
  /// ```
  ///
  /// Roots must be free of symbolic links, as the paths of entries are; see
  /// `Container.init(at:style:environment:)`.
  /// - Returns: how many of them are new or have changed.
  @discardableResult
  public func register(_ containers: [Container]) async throws -> Int {
    try await write { db in
      let table = try ContainerTable(db)
      let changed = try containers.filter { try table.register($0) }.count
      if changed > 0 { try PlaceSettlement(try table.map(), in: db).run(.everything) }
      return changed
    }
  }

  /// Drops a container. Its entries stay and have no role any more, and nothing on the disk is touched.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/containerNotFound``.
  public func unregister(_ id: ContainerID) async throws {
    try await write { db in
      let table = try ContainerTable(db)
      guard try table.all().contains(where: { $0.id == id.rawValue }) else {
        throw CatalogError(
          .containerNotFound, "there is no container \(id.rawValue)")
      }
      try table.remove(id.rawValue)
      try PlaceSettlement(try table.map(), in: db).run(.everything)
    }
  }

  /// The container that a person means: by its name, its identifier or its path, which may lead through
  /// symbolic links.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/containerNotFound`` when there is none,
  ///   ``/CatalogStore/CatalogError/Code/ambiguousContainer`` when several have the identifier.
  public func container(named name: FilePath) async throws -> RegisteredContainer {
    let all = try await containers()
    let path = name.absolute
    let paths = [path, path.resolvedWhereItExists]
    if let found = all.first(where: { paths.contains($0.container.root) }) { return found }
    let text = name.string
    let found = all.filter { $0.name == text || $0.container.identifier == text }
    switch found.count {
    case 1: return found[0]
    case 0:
      throw CatalogError(
        .containerNotFound, named: text, among: all.map(\.name),
        "no container “\(text)” is registered")
    default:
      let paths = found.map(\.container.root.string)
      throw CatalogError(
        .ambiguousContainer, known: paths,
        "several containers are called “\(text)”: \(paths.joined(separator: ", "))")
    }
  }
}

/// A container that a catalog tells the roles of directories by.
public struct RegisteredContainer: Sendable, Hashable, Identifiable {
  /// The number of the container.
  public let id: ContainerID
  /// What the column `container` of the view `files` says: the identifier, or the path where there is
  /// none or another container has the same. What is not UTF-8 becomes U+FFFD.
  public let name: String
  /// How its directories are arranged.
  public let container: Container

  init(_ record: ContainerTable.Record) {
    id = ContainerID(rawValue: record.id)
    name = String(decoding: record.name, as: UTF8.self)
    container = record.container
  }
}
