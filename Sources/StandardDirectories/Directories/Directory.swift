public import SystemPackage

/// A directory of a container: folders inside folders, the last of which has a type.
///
/// Naming one never touches the disk; ``create(permissions:)`` does.
public struct Directory<Innermost: Folder>: Sendable {
  /// The container it belongs to.
  public let container: Container
  /// The folders around it, the outermost first.
  public let ancestors: [any Folder]
  /// The folder itself.
  public let folder: Innermost

  init(_ folder: Innermost, in ancestors: [any Folder] = [], of container: Container) {
    self.container = container
    self.ancestors = ancestors
    self.folder = folder
  }

  /// The name of the folder itself.
  public var folderName: String { folder.folderName }

  /// The folder inside this one.
  public func appending<Inner: Folder>(_ folder: Inner) -> Directory<Inner> {
    Directory<Inner>(folder, in: ancestors + [self.folder], of: container)
  }

  /// The folder of this type inside this one.
  public func appending<Inner: ParameterlessFolder>(_ type: Inner.Type) -> Directory<Inner> {
    appending(Inner())
  }

  /// The folder of this name inside this one.
  public func appending(_ name: String) -> Directory<NamedFolder> {
    appending(NamedFolder(name))
  }

  /// The role of the innermost standard folder, which the directory's files have; `nil` when
  /// there is none.
  public var role: Role? { anchor?.role }

  /// All folders, the outermost first.
  private var folders: [any Folder] { ancestors + [folder] }

  /// The innermost folder whose place the container's style decides. What is around it does not
  /// matter: with XDG directories caches are in no library.
  private var anchor: (index: Int, role: Role)? {
    for (index, folder) in folders.enumerated().reversed() {
      if let standard = folder as? any StandardFolder { return (index, type(of: standard).role) }
    }
    return nil
  }
}

extension Directory {
  /// All places that answer for this directory, the first of which is to be used; never empty.
  ///
  /// Only the style of the container is asked, not the disk.
  /// - Throws: ``DirectoryError/unavailable(_:_:)`` when the style has no such directory,
  ///   ``DirectoryError/refusedName(_:)`` when a folder has a name that no folder can have.
  public func paths() throws(DirectoryError) -> [FilePath] {
    var bases = [container.root]
    var own = folders[...]
    if let anchor {
      bases = try container.paths(for: anchor.role)
      own = folders[(anchor.index + 1)...]
    }
    var components: [FilePath.Component] = []
    for folder in own {
      let name = folder.folderName
      try FolderName.check(name)
      guard let component = FilePath.Component(name) else { throw .refusedName(name) }
      components.append(component)
    }
    return bases.map { $0.appending(components) }
  }

  /// Where the directory is, or would be.
  ///
  /// - Throws: As ``paths()``.
  public var path: FilePath {
    get throws(DirectoryError) {
      guard let first = try paths().first else {
        throw .unavailable(role ?? .resources, container.style)
      }
      return first
    }
  }

  /// The path relative to the container's root, without slashes at its ends; `nil` when the
  /// directory is elsewhere, as `XDG_CACHE_HOME` may demand.
  ///
  /// - Throws: As ``paths()``.
  public var subpath: String? {
    get throws(DirectoryError) { container.relative(try path)?.string }
  }

  /// The path as a URL, percent-encoded and with a final slash.
  ///
  /// - Throws: As ``paths()``.
  public var url: String {
    get throws(DirectoryError) { try path.directoryURL }
  }

  /// The path of something inside the directory.
  ///
  /// - Throws: ``DirectoryError/refusedPath(_:)`` for a path that does not stay inside, and as
  ///   ``paths()``.
  public func resolving(_ relative: String) throws(DirectoryError) -> FilePath {
    try path.appending(inside: relative)
  }
}
