import FileCatalog
import SystemPackage
import TestSupport
import Testing

/// Something done to a tree between two scans.
enum Edit: Sendable {
  case move(FilePath, FilePath)
  case make(Piece)
  case remove(FilePath)
}

extension Laboratory {
  func apply(_ edits: [Edit]) throws {
    for edit in edits {
      switch edit {
      case .move(let path, let other): try tree.rename(path, to: other)
      case .make(let piece): try tree.make(piece)
      case .remove(let path): try tree.remove(path)
      }
    }
  }

  /// Scans again, proves that what the scan reports leads from the old state to the new one, and gives
  /// the changes by the signs of the command line, sorted: `+ a`, `- a`, `~ a`, `> a -> b`. Fields
  /// follow a moved entry that is also modified.
  func difference(
    _ request: ScanRequest? = nil, of paths: [FilePath]? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    let before = try CatalogState(catalog)
    var accepting = ScanRequest()
    accepting.loss = .accepted
    let summary = try #require(
      try await catalog.scan(
        paths?.map { tree.path.pushing($0) } ?? [tree.path], request: request ?? accepting
      ).first, sourceLocation: sourceLocation)
    let model = try DifferenceModel(
      from: before, to: try CatalogState(catalog), by: summary.scanID, in: catalog)
    #expect(model.problems.isEmpty, "\(model.problems)", sourceLocation: sourceLocation)
    try await expectSound(catalog, sourceLocation: sourceLocation)
    return model.changes.map(line).sorted()
  }

  private func line(_ change: LoggedChange) -> String {
    let path = relative(change.path) ?? ""
    switch change.kind {
    case "added": return "+ \(path)"
    case "removed": return "- \(path)"
    case "modified": return "~ \(path)"
    default:
      let fields = change.fields.subtracting(["changed"]).sorted().joined(separator: ",")
      return "> \(change.oldPath.flatMap(relative) ?? "") -> \(path)"
        + (fields.isEmpty ? "" : " \(fields)")
    }
  }

  /// The ids of entries, by their paths below the root.
  func ids() throws -> [String: Int64] {
    let pairs = try CatalogState(catalog).byPath.values.compactMap { item in
      relative(item.path).map { ($0, item.id) }
    }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }
}
