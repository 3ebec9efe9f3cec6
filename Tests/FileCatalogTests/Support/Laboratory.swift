import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import Testing

/// A tree and a catalog for it, both in temporary places.
struct Laboratory {
  let tree: TemporaryDirectory
  let catalog: Catalog

  /// Scans the tree and proves that the catalog is sound.
  @discardableResult
  func scan(
    _ options: ScanOptions? = nil, loss: ScanRequest.Loss = .refused,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> ScanSummary {
    var request = options.map { ScanRequest($0) } ?? ScanRequest()
    request.loss = loss
    let summaries = try await catalog.scan([tree.path], request: request)
    try await expectSound(catalog, sourceLocation: sourceLocation)
    return try #require(summaries.first, sourceLocation: sourceLocation)
  }

  /// The paths of all entries below the root of the tree, relative to it.
  func paths() throws -> Set<String> {
    let rows = try FilesView(catalog).rows
    return Set(rows.compactMap { relative($0.path) })
  }

  /// A path below the tree as text, or `nil` for the tree itself.
  func relative(_ path: [UInt8]) -> String? {
    let prefix = tree.path.bytes
    guard path.count > prefix.count else { return nil }
    return String(decoding: path.dropFirst(prefix.count + 1), as: UTF8.self)
  }

  /// The entry at a path inside the tree.
  func entry(
    _ path: FilePath, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Entry {
    try #require(
      try await catalog.entry(at: tree.path.pushing(path)), "\(path) has no row",
      sourceLocation: sourceLocation)
  }
}

/// Makes a tree and an empty catalog beside it, runs `body` with both and removes them.
func withLaboratory(
  _ pieces: [Piece] = [], providers: [any ResourceValueProvider] = [],
  contentProviders: [any ContentProvider] = [], contentHost: ContentHost = .thisProcess,
  _ body: (Laboratory) async throws -> Void
) async throws {
  try await withTree(pieces) { tree in
    try await withTemporaryCatalog(
      providers: providers, contentProviders: contentProviders, contentHost: contentHost
    ) { catalog in
      try await body(Laboratory(tree: tree, catalog: catalog))
    }
  }
}

/// Makes an empty catalog, runs `body` with it and removes it.
func withTemporaryCatalog(
  providers: [any ResourceValueProvider] = [], contentProviders: [any ContentProvider] = [],
  contentHost: ContentHost = .thisProcess, _ body: (Catalog) async throws -> Void
) async throws {
  try await withTemporaryDirectory { directory in
    let catalog = try Catalog(
      at: directory("catalog.sqlite"), providers: providers, contentProviders: contentProviders,
      contentHost: contentHost)
    try await body(catalog)
    try catalog.close()
  }
}

/// Expects that a catalog finds nothing wrong with itself.
func expectSound(
  _ catalog: Catalog, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let problems = try await catalog.check()
  #expect(
    problems.isEmpty, "\(problems.prefix(5).map(\.description))", sourceLocation: sourceLocation)
}

/// Expects that `body` throws a ``CatalogError`` with this code.
func expectError(
  _ code: CatalogError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async throws {
  do {
    try await body()
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  } catch let error as CatalogError {
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
  }
}
