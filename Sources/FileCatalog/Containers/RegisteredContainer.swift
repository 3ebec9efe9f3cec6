public import StandardDirectories

/// The number of a registered container. It stays the same as long as the container is registered.
public struct ContainerID: RawRepresentable, Hashable, Sendable, Codable {
  /// The number itself.
  public let rawValue: Int64
  /// Wraps a number that was read from a catalog.
  public init(rawValue: Int64) { self.rawValue = rawValue }
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
