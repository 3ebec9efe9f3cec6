import FileCatalog
import SystemPackage

/// Milliseconds to count the images of a catalog, and to list them.
@Sendable func measureImages(_ path: String) async throws {
  let catalog = try Catalog(at: FilePath(path), access: .existing)
  let query = try Query(parsing: "kind:image")
  let everything = try await catalog.count(of: Query())
  let images = try await catalog.count(of: query)
  var counting = Duration.seconds(1_000_000)
  let clock = ContinuousClock()
  for _ in 0..<20 {
    counting = min(counting, try await clock.measure { _ = try await catalog.count(of: query) })
  }
  let request = TableRequest(query, in: .everything, columns: [.name, .size])
  let listing = try Duration.best(of: 5) { try catalog.forEachRow(of: request) { _ in } }
  print(
    "images: \(rounded(counting.nanoseconds / 1e6)) ms to count \(grouped(images)) of "
      + "\(grouped(everything)) entries, \(rounded(listing.nanoseconds / 1e6)) ms to list them")
}
