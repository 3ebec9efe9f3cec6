import FileCatalog
import SystemPackage
import Testing

/// Indexes a folder and tells what takes the most room in it.
func reportLargeFiles(in folder: String, catalog file: String) async throws -> [String] {
  let catalog = try Catalog(at: FilePath(file))
  for summary in try await catalog.scan([FilePath(folder)]) {
    print("\(summary.root): \(summary.entries) entries, \(summary.errors) could not be read")
  }

  let large = try await catalog.entries(
    matching: Query(parsing: "kind:file size:>10k"), order: SortOrder(parsing: "-size"), limit: 10)
  for entry in large {
    print(entry.size ?? 0, entry.type, entry.path)
  }

  let totals = try await catalog.totals(of: FilePath(folder))
  print("\(totals.totalFiles) files with \(totals.totalSize) bytes")
  return large.map(\.name)
}

@Suite("The example in the README")
struct ReadmeExampleTests {
  @Test("it compiles and does what it says")
  func exampleWorks() async throws {
    let pieces: [Piece] = [
      .file("small", bytes: 10), .file("large.png", bytes: 50_000), .file("b/c", bytes: 20_000),
    ]
    try await withTree(pieces) { tree in
      let names = try await reportLargeFiles(
        in: "\(tree.path)", catalog: "\(tree.path)/catalog.sqlite")
      #expect(names == ["large.png", "c"])
    }
  }
}
