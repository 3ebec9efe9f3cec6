internal import SystemPackage

/// An application among those that share a home.
public struct ApplicationNames: Hashable, Sendable {
  /// What people call it: `My App`.
  public var name: String
  /// What the system calls it: `com.example.myapp`.
  public var identifier: String

  /// An application of these names.
  public init(name: String, identifier: String) {
    self.name = name
    self.identifier = identifier
  }
}

extension Container {
  /// The part of a home that belongs to one application.
  ///
  /// As programs do on macOS, its support files are in a folder called by its name, its caches in
  /// one called by its identifier. With XDG directories settings and state are in folders of its
  /// name as well. Other containers belong to one application anyway and are not changed.
  /// - Throws: ``DirectoryError/refusedName(_:)`` for names that no folder can have.
  public func narrowed(to application: ApplicationNames) throws(DirectoryError) -> Container {
    guard style.isHome else { return self }
    var folders: [Role: String] = [
      .applicationSupport: application.name, .caches: application.identifier,
    ]
    if style == .xdg {
      folders[.preferences] = application.name
      folders[.state] = application.name
    }
    var container = self
    for (role, name) in folders {
      try FolderName.check(name)
      guard let component = FilePath.Component(name) else { throw .refusedName(name) }
      container = container.setting(role, to: answers(for: role).map { $0.appending(component) })
    }
    return container
  }
}
