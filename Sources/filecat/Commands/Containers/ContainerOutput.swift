import ArgumentParser
import Console
import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage

/// Finds the container that a person means.
enum ContainerChoice {
  /// The word for the home of whoever runs the command, registered or not.
  static let home = "home"

  /// A registered container, or the home.
  static func container(
    _ name: String, in catalog: Catalog?, options: CatalogOptions
  ) async throws -> (container: Container, registered: RegisteredContainer?) {
    if name == home {
      let container = try Container.home().resolvingLinks()
      let registered = try await catalog?.containers()
        .first { $0.container.root == container.root }
      return (registered?.container ?? container, registered)
    }
    // Where there is no catalog, opening it says so.
    let catalog = try catalog ?? options.open()
    let registered = try await catalog.container(named: name)
    return (registered.container, registered)
  }
}

/// What is printed of a container in lists.
struct ContainerRow {
  static let columns: [Column] = [
    .text("container"), .text("style"), .path("path"), .text("identifier"), Column("registered"),
    .text("system", title: "THE SYSTEM"),
  ]

  let container: Container
  let registered: RegisteredContainer?
  /// What the system says; `nil` for containers that it has no answers about.
  let answers: [SystemAnswer]?

  var cells: [Cell] {
    [
      .text(registered?.name ?? container.identifier ?? container.root.string),
      .text(container.style.rawValue), .text(bytes: container.root.bytes),
      container.identifier.map { .text($0) } ?? .null, .boolean(registered != nil),
      answers.map { .text(Self.comparison($0)) } ?? .null,
    ]
  }

  private static func comparison(_ answers: [SystemAnswer]) -> String {
    let different = answers.filter { !$0.agrees }.map(\.role.rawValue)
    return different.isEmpty ? "agrees" : "differs: \(different.joined(separator: ", "))"
  }
}

/// The words for what marks on disk say of backups.
enum BackupMarkText {
  static func word(for mark: BackupMark) -> String {
    switch mark {
    case .excluded: "excluded"
    case .unmarked: "unmarked"
    }
  }
}

extension CatalogOptions {
  /// The catalog, or `nil` where nobody has named one and there is none in the usual place.
  func openIfPresent() throws -> Catalog? {
    guard file == nil, (try? Catalog.defaultPath.stat()) == nil else { return try open() }
    return nil
  }
}
