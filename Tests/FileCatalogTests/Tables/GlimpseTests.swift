import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import Testing

@Suite("The first rows that are found")
struct GlimpseTests {
  private static let pieces: [Piece] =
    ReadingFixture.pieces + (0..<40).map { .file(FilePath("many/note\($0 * 7).txt")) }

  @Test(
    "are rows of the table, as many as there are up to a limit",
    arguments: [
      "", "n", "note", "note NOT name:*7*", "name:note28.txt", "depth:0", "depth:1",
      "nowhere-at-all", "kind:directory m", "size:>0", "note txt", "note zzz", "ote 2 NOT 8",
      "size:>0 note txt", "size:>999G note", "n o depth:>1", "(note OR name:a) txt",
    ])
  func rows(text: String) async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      let request = TableRequest(try Query(parsing: text))
      let table = try await lab.catalog.snapshot(of: request)
      let all = try await table.values(of: [.path], in: 0..<table.count)
      for limit in [1, 3, 1000] {
        let found = try await lab.catalog.glimpse(of: request, columns: [.path], limit: limit)
        #expect(found.count == min(limit, all.count))
        #expect(Set(found).count == found.count)
        #expect(Set(all).isSuperset(of: found))
      }
    }
  }
}
