import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import Testing

/// A tree of one style, and the role that every directory in it must have.
struct ContainerTree: Sendable, CustomStringConvertible {
  let style: Container.Style
  /// The directories below the container's root, with their roles.
  let roles: [(path: String, role: Role?)]

  var description: String { style.rawValue }

  /// A tree for each style, with names that only look like those of roles.
  static let all: [ContainerTree] = [
    ContainerTree(
      style: .appleSandbox,
      roles: [
        ("Documents", .documents), ("Documents/Inbox", .documents), ("Documents2", nil),
        ("documents", nil), ("Library", .library), ("Library/Caches", .caches),
        ("Library/Caches/com.example", .caches), ("Library/Caches2", .library),
        ("Library/Preferences", .preferences),
        ("Library/Application Support", .applicationSupport),
        ("Library/Application Support/Offline Data", .offlineData),
        ("Library/Application Support/Offline Data/maps", .offlineData),
        ("Library/Other", .library), ("tmp", .temporary), ("tmp/a/b", .temporary),
      ]),
    ContainerTree(
      style: .appleHome,
      roles: [
        ("Documents", .documents), ("Library", .library), ("Library/Caches/x", .caches),
        ("Library/Application Support/App/Offline Data", .offlineData),
        ("Library/Application Support/App/Data", .applicationSupport), ("Pictures", nil),
        ("tmp", nil),
      ]),
    ContainerTree(
      style: .appGroup,
      roles: [("Library/Caches", .caches), ("Shared", nil), ("Documents/x", .documents)]),
    ContainerTree(
      style: .xdg,
      roles: [
        (".cache", .caches), (".cache/app/deep", .caches),
        (".cache/app/Temporary Files", .temporary), (".config", .preferences),
        (".local", nil), (".local/share", .applicationSupport), (".local/state/x", .state),
        ("Documents", .documents), ("Library", nil),
      ]),
    ContainerTree(
      style: .flatpak,
      roles: [
        ("cache", .caches), ("cache/tmp", .temporary), ("config", .preferences),
        ("data/x", .applicationSupport), (".local/state", .state), ("other", nil),
      ]),
    ContainerTree(
      style: .snap,
      roles: [
        ("42", .applicationSupport), ("42/.cache", .caches), ("x1/.config", .preferences),
        ("current/Documents", .documents), ("common", .applicationSupport),
        ("common/.cache", .caches), ("notarevision", nil),
      ]),
  ]

  /// Every directory with a file, a link and a package in it.
  func pieces(at root: FilePath) -> [Piece] {
    roles.flatMap { path, _ -> [Piece] in
      let directory = root.pushing(FilePath(path))
      return [
        .file(directory.appending("file"), bytes: 10),
        .symlink(directory.appending("link"), to: "file"),
        .file(directory.appending("Notes.rtfd").appending("TXT.rtf"), bytes: 5),
      ]
    }
  }
}

extension Laboratory {
  /// Scans the tree, registering containers in it, and proves that the catalog is sound.
  @discardableResult
  func scan(_ containers: [Container], through: Writing = .pages) async throws -> ScanSummary {
    if through == .sql {
      // A catalog that exists, if only with another root, is not made of pages.
      try tree.make([.file("elsewhere/x")])
      _ = try await catalog.scan([tree.path.appending("elsewhere")])
      try await catalog.forget(tree.path.appending("elsewhere"))
    }
    var request = ScanRequest()
    request.containers = containers
    let summary = try await catalog.scan([tree.path], request: request)[0]
    try await expectSound(catalog)
    return summary
  }

  /// How the rows of a first scan are written.
  enum Writing: CaseIterable, Sendable {
    case pages, sql
  }

  /// What the view `files` says of each path below the tree.
  func column(_ name: String) throws -> [String: String?] {
    var values: [String: String?] = [:]
    for row in try FilesView(catalog).rows {
      guard let path = relative(row.path) else { continue }
      values[path] = .some(row[name].printed)
    }
    return values
  }
}

extension ColumnValue {
  /// The value as text, as the stock program prints it; `nil` for NULL.
  var printed: String? {
    switch self {
    case .null: nil
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let bytes): String(decoding: bytes, as: UTF8.self)
    }
  }
}
