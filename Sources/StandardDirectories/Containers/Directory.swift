public import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A directory of a container, together with those around it.
///
/// Naming one never touches the disk; ``create(permissions:)`` does.
public struct Directory<Kind: DirectoryKind>: Sendable {
  /// The container it belongs to.
  public let container: Container
  /// The directories around it, the outermost first.
  public let ancestors: [any DirectoryKind]
  /// The kind of the directory itself.
  public let kind: Kind

  init(_ kind: Kind, in ancestors: [any DirectoryKind] = [], of container: Container) {
    self.container = container
    self.ancestors = ancestors
    self.kind = kind
  }

  /// The name of the directory itself.
  public var name: String { kind.directoryName }

  /// The directory of this kind inside this one.
  public func appending<Inner: DirectoryKind>(_ kind: Inner) -> Directory<Inner> {
    Directory<Inner>(kind, in: ancestors + [self.kind], of: container)
  }

  /// The directory of this kind inside this one.
  public func appending<Inner: ParameterlessDirectoryKind>(_ type: Inner.Type) -> Directory<Inner> {
    appending(Inner())
  }

  /// The directory of this name inside this one.
  public func appending(_ name: String) -> Directory<Container.Subdirectory> {
    appending(Container.Subdirectory(name))
  }

  /// The role of the innermost standard directory, which the directory's files have; `nil` when
  /// there is none.
  public var role: Role? { anchor?.role }

  /// All directories on the way, the outermost first.
  private var way: [any DirectoryKind] { ancestors + [kind] }

  /// The innermost directory whose place the container's style decides. What is around it does not
  /// matter: with XDG directories caches are in no library.
  private var anchor: (index: Int, role: Role)? {
    for (index, kind) in way.enumerated().reversed() {
      if let role = type(of: kind).role { return (index, role) }
    }
    return nil
  }
}

extension Directory {
  /// All places that answer for this directory, the first of which is to be used; never empty.
  ///
  /// Only the style of the container is asked, not the disk.
  /// - Throws: ``DirectoryError/unavailable(_:_:)`` when the style has no such directory,
  ///   ``DirectoryError/refusedName(_:)`` when a directory has a name that none can have.
  public func paths() throws(DirectoryError) -> [FilePath] {
    var bases = [container.root]
    var own = way[...]
    if let anchor {
      bases = try container.paths(for: anchor.role)
      own = way[(anchor.index + 1)...]
    }
    var components: [FilePath.Component] = []
    for kind in own {
      let name = kind.directoryName
      try DirectoryName.check(name)
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
  public func resolving(_ relative: FilePath) throws(DirectoryError) -> FilePath {
    try path.appending(inside: relative)
  }

  /// Makes the directory and those around it that are missing.
  ///
  /// A directory that exists, also by way of a symbolic link, is left as it is.
  /// - Parameter permissions: For the directories made, less the process's mask; by default they
  ///   are for the owner only, as the XDG specification asks.
  /// - Returns: The path of the directory.
  /// - Throws: ``DirectoryError/cannotCreate(_:_:)`` with the system's reason, ``DirectoryError/readOnly(_:)`` in
  ///   what was installed, and as ``paths()``.
  @discardableResult
  public func create(
    permissions: FilePermissions = .ownerReadWriteExecute
  ) throws(DirectoryError) -> FilePath {
    if let role, role.policy.isReadOnly { throw .readOnly(role) }
    let path = try path
    try path.createDirectories(permissions)
    return path
  }
}

extension FilePath {
  fileprivate func createDirectories(_ permissions: FilePermissions) throws(DirectoryError) {
    // Outwards to what exists, then inwards again: no directory that exists needs write access.
    var missing: [FilePath] = []
    var outer = self
    while !outer.isEmpty, !outer.isDirectory {
      missing.append(outer)
      outer.removeLastComponent()
    }
    for directory in missing.reversed() {
      let failure = directory.withPlatformString { path in
        mkdir(path, mode_t(permissions.rawValue)) == 0 ? nil : Errno(rawValue: errno)
      }
      // Somebody else may have made it in the meantime.
      if let failure, failure != .fileExists || !directory.isDirectory {
        throw .cannotCreate(directory, failure)
      }
    }
  }

  /// Whether the path leads to a directory.
  private var isDirectory: Bool {
    (try? stat().type) == .directory
  }

  /// The path of something inside this directory.
  ///
  /// `.` components and double slashes are dropped, as the file system does.
  package func appending(inside relative: FilePath) throws(DirectoryError) -> FilePath {
    let components = relative.components.filter { $0.kind != .currentDirectory }
    guard relative.isRelative, !components.isEmpty,
      !components.contains(where: { $0.kind == .parentDirectory }), !relative.pathBytes.contains(0)
    else { throw .refusedPath(relative) }
    return appending(components)
  }

  /// The path as a `file` URL of a directory. Every byte that is not unreserved is escaped, so that
  /// names which are not UTF-8 are kept.
  var directoryURL: String {
    let digits = Array("0123456789ABCDEF".unicodeScalars)
    var url = "file://"
    for byte in pathBytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), NameByte.dash, NameByte.dot, UInt8(ascii: "_"),
        NameByte.tilde, NameByte.slash:
        url.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        url.unicodeScalars.append("%")
        url.unicodeScalars.append(digits[Int(byte >> 4)])
        url.unicodeScalars.append(digits[Int(byte & 15)])
      }
    }
    return url.hasSuffix("/") ? url : url + "/"
  }
}
