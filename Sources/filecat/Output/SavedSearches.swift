import Console
import FileCatalog
import FileSystem
import SystemPackage

/// The saved searches of a catalog, as `find` handles them.
enum SavedSearches {
  static func save(
    _ name: String, _ query: Query, in directory: FilePath?, sort: String?,
    _ options: CatalogOptions
  ) async throws -> Outcome {
    let search = try SavedSearch(
      name: name, query: query, directory: directory,
      order: try sort.map { try SortOrder(parsing: $0) })
    let catalog = try options.open()
    defer { catalog.closeQuietly() }
    try await catalog.save(search)
    return .done
  }

  static func delete(_ name: String, _ options: CatalogOptions) async throws -> Outcome {
    let catalog = try options.open()
    defer { catalog.closeQuietly() }
    try await catalog.deleteSavedSearch(named: name)
    return .done
  }

  static func list(_ options: CatalogOptions, _ output: OutputOptions) async throws -> Outcome {
    let catalog = try options.open()
    defer { catalog.closeQuietly() }
    let searches = try await catalog.savedSearches()
    var printer = output.printer(
      [Column("name"), Column("query"), .path("directory"), Column("sort")], piped: .tsv)
    for search in searches {
      try printer.print([
        .text(search.name), .text(search.query.description),
        search.directory.map { .text(bytes: $0.bytes) } ?? .null,
        search.order.map { .text($0.description) } ?? .null,
      ])
    }
    try printer.finish()
    return searches.isEmpty ? .nothing : .done
  }
}
