internal import FileSystem
public import SystemPackage

/// A directory that people see as one document, as a value: names, contents, links, nested
/// directories.
///
/// ```swift
/// var document = DocumentPackage([
///   "payload.plist": .file(plist),
///   "image.png": .file(image),
/// ])
/// try await coordinator.write(document, to: "Holiday.card")
///
/// try await coordinator.updatePackage(at: "Holiday.card") { document in
///   document["payload.plist"] = .file(newPlist)
/// }
/// ```
///
/// Small files are read with the package, large ones when their bytes are asked for; see
/// ``DocumentPackage/Content``. Names are bytes, as in the file system; those that begin with a dot are
/// children like others.
public struct DocumentPackage: Sendable, Hashable {
  /// What is at the top of the package, by name.
  public var root: DocumentPackage.Directory

  /// A package with these children.
  public init(_ children: [FilePath.Component: DocumentPackage.Node] = [:]) {
    self.root = DocumentPackage.Directory(children)
  }

  /// The node at a relative path such as `Contents/image.png`, `nil` if there is none.
  ///
  /// Setting one makes the directories on the way, in the place of what else has their names;
  /// setting `nil` removes it. The empty path, and paths with `.` or `..`, lead nowhere.
  public subscript(path: FilePath) -> DocumentPackage.Node? {
    get { root[path.components[...]] }
    set { root[path.components[...]] = newValue }
  }

  /// The paths of all files and links, relative to the package, in no order.
  public var paths: [FilePath] { root.paths(below: FilePath()) }
}

extension DocumentPackage {
  /// One child of a package.
  public enum Node: Sendable, Hashable {
    /// A file with its content.
    case file(DocumentPackage.File)
    /// A directory with its children.
    case directory(DocumentPackage.Directory)
    /// A symbolic link and what it says. It is kept as it is, never followed.
    case symlink(FilePath)

    /// A file with this content.
    public static func file(_ bytes: [UInt8]) -> DocumentPackage.Node {
      .file(DocumentPackage.File(bytes))
    }
  }
}

extension DocumentPackage {
  /// A directory in a package.
  public struct Directory: Sendable, Hashable {
    /// What is in it, by name.
    public var children: [FilePath.Component: DocumentPackage.Node]
    /// The permissions it gets; `nil` for those of the directory it takes the place of, or the usual
    /// ones of a new directory.
    public var permissions: FilePermissions?

    /// A directory with these children.
    public init(
      _ children: [FilePath.Component: DocumentPackage.Node] = [:],
      permissions: FilePermissions? = nil
    ) {
      self.children = children
      self.permissions = permissions
    }
  }
}

extension DocumentPackage {
  /// A file in a package.
  public struct File: Sendable, Hashable {
    /// What is in it.
    public var content: DocumentPackage.Content
    /// The permissions it gets; `nil` for those of the file it takes the place of, or the usual ones of
    /// a new file.
    public var permissions: FilePermissions?

    /// A file with this content.
    public init(_ content: DocumentPackage.Content, permissions: FilePermissions? = nil) {
      self.content = content
      self.permissions = permissions
    }

    /// A file with these bytes.
    public init(_ bytes: [UInt8], permissions: FilePermissions? = nil) {
      self.init(.bytes(bytes), permissions: permissions)
    }

    /// Whether its owner may run it. Setting it gives the right to whoever may read the file, or takes
    /// it from all.
    public var isExecutable: Bool {
      get { permissions?.contains(.ownerExecute) ?? false }
      set {
        var permissions = permissions ?? [.ownerReadWrite, .groupRead, .otherRead]
        permissions.subtract([.ownerExecute, .groupExecute, .otherExecute])
        if newValue {
          let read = permissions.rawValue & 0o444
          permissions.formUnion(FilePermissions(rawValue: read >> 2))
        }
        self.permissions = permissions
      }
    }
  }
}

extension DocumentPackage.Directory {
  fileprivate subscript(path: Slice<FilePath.ComponentView>) -> DocumentPackage.Node? {
    get {
      guard let name = path.first, name.kind == .regular, let node = children[name] else {
        return nil
      }
      let rest = path.dropFirst()
      if rest.isEmpty { return node }
      guard case .directory(let directory) = node else { return nil }
      return directory[rest]
    }
    set {
      guard let name = path.first, name.kind == .regular else { return }
      let rest = path.dropFirst()
      if rest.isEmpty {
        children[name] = newValue
        return
      }
      var directory = DocumentPackage.Directory()
      if case .directory(let existing) = children[name] {
        directory = existing
      } else if newValue == nil {
        return
      }
      directory[rest] = newValue
      children[name] = .directory(directory)
    }
  }

  fileprivate func paths(below path: FilePath) -> [FilePath] {
    children.flatMap { name, node in
      let path = path.appending(name)
      if case .directory(let directory) = node { return directory.paths(below: path) }
      return [path]
    }
  }
}
