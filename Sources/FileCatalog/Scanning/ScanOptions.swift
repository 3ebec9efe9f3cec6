/// How a root is scanned. The settings are kept with the root, so that later scans see the same
/// tree.
public struct ScanOptions: Sendable, Hashable, Codable {
  /// How far a scan goes down.
  public enum Depth: String, Sendable, Hashable, Codable {
    /// The children of the root only.
    case shallow
    case deep
  }

  /// What happens at mount points inside a root.
  public enum Boundary: String, Sendable, Hashable, Codable {
    case crossDevices
    /// Directories on other file systems are entries but are not entered.
    case oneFileSystem
  }

  /// What happens to packages such as `Notes.rtfd`.
  public enum Packages: String, Sendable, Hashable, Codable {
    /// A package is one entry with the sums of what it holds.
    case asOneEntry
    /// A package is a directory like any other, marked as a package.
    case descend
  }

  public var depth = Depth.deep
  public var boundary = Boundary.crossDevices
  public var packages = Packages.asOneEntry
  /// Globs of entries to leave out, matched with case: on the name, or with a `/` inside on the path
  /// below the root. What a left-out directory holds is left out with it.
  public var excludes: [String] = []
  /// Keys of the ``ResourceValueProvider``s whose values are stored.
  public var resourceValues: [String] = []

  public init() {}
}
