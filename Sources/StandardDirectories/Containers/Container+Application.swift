public import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

extension Container {
  /// An application among those that share a home.
  public struct Application: Hashable, Sendable {
    /// What people call it: `My App`.
    public var name: String
    /// What the system calls it: `com.example.myapp`.
    public var identifier: String
    /// Where what was installed with it can be, the first being the one to use; empty where nobody has said it.
    public var resources: [FilePath]

    /// An application of these names.
    public init(name: String, identifier: String, resources: [FilePath] = []) {
      self.name = name
      self.identifier = identifier
      self.resources = resources
    }

    /// The application whose program is at a path, called as that is.
    ///
    /// Its resources are, by where the program lies:
    ///
    /// - in `NAME.app/Contents/MacOS`: in `Contents/Resources`;
    /// - in `PREFIX/bin`, `sbin`, `libexec`, or a directory in the latter: in `PREFIX/share/NAME`,
    ///   else beside it as everywhere;
    /// - everywhere: in `NAME.resources` beside it, the ending of resources that SwiftPM builds.
    ///
    /// Nothing is looked at; ``ofThisProcess()`` does look.
    /// - Throws: ``DirectoryError/refusedPath(_:)`` for a path that is not absolute or names no file.
    public init(executable path: FilePath) throws(DirectoryError) {
      let path = path.lexicallyNormalized()
      guard path.isAbsolute, let name = path.lastComponent else { throw .refusedPath(path) }
      self.init(
        name: name.string, identifier: name.string,
        resources: Self.resources(of: name, in: path.removingLastComponent()))
    }

    private static func resources(
      of name: FilePath.Component, in directory: FilePath
    ) -> [FilePath] {
      let outer = directory.removingLastComponent()
      if directory.ends(with: "Contents/MacOS") { return [outer.appending("Resources")] }
      let ending = Array(".resources".utf8)
      let beside = directory.pushing(FilePath(pathBytes: name.bytes + ending))
      guard let prefix = prefix(of: directory) else { return [beside] }
      return [prefix.appending("share").appending(name), beside]
    }

    /// The prefix under which a program in a directory was installed, by the usual names of such directories.
    private static func prefix(of directory: FilePath) -> FilePath? {
      let outer = directory.removingLastComponent()
      if ["bin", "sbin", "libexec"].contains(directory.lastComponent?.string) { return outer }
      return outer.lastComponent == "libexec" ? outer.removingLastComponent() : nil
    }

    /// The application that this process runs. Of its ``resources`` that which is a directory on the disk comes first.
    ///
    /// - Throws: ``DirectoryError/unknownExecutable`` where the system does not say what runs.
    public static func ofThisProcess() throws(DirectoryError) -> Application {
      guard let path = ownExecutable else { throw .unknownExecutable }
      return try Application(executable: path).withFoundResources()
    }

    /// The same with that of its ``resources`` first which is a directory on the disk, if any is.
    public func withFoundResources() -> Application {
      guard let found = resources.firstIndex(where: { (try? $0.stat().type) == .directory }) else {
        return self
      }
      var application = self
      application.resources.insert(application.resources.remove(at: found), at: 0)
      return application
    }

    private static var ownExecutable: FilePath? {
      #if canImport(Darwin)
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        var size = UInt32(buffer.count)
        guard _NSGetExecutablePath(&buffer, &size) == 0 else { return nil }
        return FilePath(platformString: buffer)
      #else
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard readlink("/proc/self/exe", &buffer, buffer.count - 1) > 0 else { return nil }
        return FilePath(platformString: buffer)
      #endif
    }
  }

  /// The part of a home that belongs to one application.
  ///
  /// As programs do on macOS, its support files are in a directory called by its name, its caches
  /// in one called by its identifier. With XDG directories settings and state are in directories
  /// of its name as well. Its resources are where it says. Other containers belong to one application anyway and are
  /// not changed.
  /// - Throws: ``DirectoryError/refusedName(_:)`` for names that no directory can have.
  public func narrowed(to application: Application) throws(DirectoryError) -> Container {
    guard style.isHome else { return self }
    var names: [Role: String] = [
      .applicationSupport: application.name, .caches: application.identifier,
    ]
    if style == .xdg {
      names[.preferences] = application.name
      names[.state] = application.name
    }
    var container = self
    for (role, name) in names {
      try DirectoryName.check(name)
      guard let component = FilePath.Component(name) else { throw .refusedName(name) }
      container = container.setting(role, to: answers(for: role).map { $0.appending(component) })
    }
    if !application.resources.isEmpty {
      container = container.setting(.resources, to: application.resources)
    }
    return container
  }
}
