public import FileSystem

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

  /// What decides the type of a file.
  public enum Typing: String, Sendable, Hashable, Codable {
    /// Its name. No file is opened.
    case byName
    /// Its first bytes where the name does not settle it: no extension, an unknown one, or one that
    /// several formats share. A file is read once and again when it has changed.
    case byContent
  }

  /// Whether a scan goes by the ignore files of Git.
  public enum GitIgnore: String, Sendable, Hashable, Codable {
    /// No. Files named `.filecatignore` go all the same.
    case disregarded
    /// Inside work trees it goes by `.gitignore`, `.git/info/exclude` and the file of the user.
    case followed
  }

  /// Whether entries are taken in whose names begin with a dot.
  public enum Hidden: String, Sendable, Hashable, Codable {
    case included
    /// They are left out, with all that hidden directories hold.
    case leftOut
  }

  /// How far down; all the way by default.
  public var depth = Depth.deep
  /// How many steps below the root entries are taken in, from 1 on: directories there are entries and are
  /// not entered. `nil`, which is the default, for any.
  public var maxDepth: Int?
  /// Whether hidden entries are taken in; they are by default.
  public var hidden = Hidden.included
  /// What happens at mount points; they are crossed by default.
  public var boundary = Boundary.crossDevices
  /// What happens to packages; each is one entry by default.
  public var packages = Packages.asOneEntry
  /// How types are found; by the name alone by default.
  public var typing = Typing.byName
  /// Globs of entries to leave out, matched with case: on the name, or with a `/` inside on the path
  /// below the root. What a left-out directory holds is left out with it.
  public var excludes: [String] = []
  /// Whether a scan goes by the ignore files of Git; it does not by default.
  public var gitIgnore = GitIgnore.disregarded
  /// The types of mounted file systems inside a root that are entries and are not entered; those that the
  /// system makes up by default. A root on one of them is scanned all the same.
  public var skippedFileSystems = FileSystemTypes.pseudo
  /// Keys of the `ResourceValueProvider`s whose values are stored.
  public var resourceValues: [String] = []
  /// Keys of the `ContentProvider`s that read files after the walk.
  public var contentValues: [String] = []

  /// The defaults.
  public init() {}
}

extension ScanOptions {
  /// Reads settings as any version has kept them: what it did not know has its default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    depth = try values.decodeIfPresent(Depth.self, forKey: .depth) ?? depth
    maxDepth = try values.decodeIfPresent(Int.self, forKey: .maxDepth) ?? maxDepth
    hidden = try values.decodeIfPresent(Hidden.self, forKey: .hidden) ?? hidden
    boundary = try values.decodeIfPresent(Boundary.self, forKey: .boundary) ?? boundary
    packages = try values.decodeIfPresent(Packages.self, forKey: .packages) ?? packages
    typing = try values.decodeIfPresent(Typing.self, forKey: .typing) ?? typing
    excludes = try values.decodeIfPresent([String].self, forKey: .excludes) ?? excludes
    gitIgnore = try values.decodeIfPresent(GitIgnore.self, forKey: .gitIgnore) ?? gitIgnore
    skippedFileSystems =
      try values.decodeIfPresent(FileSystemTypes.self, forKey: .skippedFileSystems)
      ?? skippedFileSystems
    resourceValues =
      try values.decodeIfPresent([String].self, forKey: .resourceValues) ?? resourceValues
    contentValues =
      try values.decodeIfPresent([String].self, forKey: .contentValues) ?? contentValues
  }
}
