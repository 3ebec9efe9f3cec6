import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Stored sums")
struct TotalsTests {
  @Test(
    "they are told of as many levels as were asked for", .feature("P-11"),
    arguments: [-1, 0, 1, 2, 3, 100, Int.max])
  func levels(_ depth: Int) async throws {
    // Many files and few directories, and the other way round; and a name that is not UTF-8.
    let flat = (0..<30).map { Piece.file(FilePath("flat/\($0)")) }
    let wide = (0..<30).map { Piece.directory(FilePath("wide/\($0)/a/b")) }
    let odd = FilePath(bytes: Array("wide/".utf8) + [0xFF])
    try await withLaboratory(flat + wide + [.file("wide-x/y/z"), .file(odd.appending("a/f"))]) {
      lab in
      try await lab.scan()
      let everything = try lab.catalog.rows(
        "SELECT id, depth, ifnull(path_bytes, path) AS path FROM directories")
      func ids(below place: FilePath?, from top: Int) -> Set<Int64> {
        let prefix = place.map { lab.tree.path.pushing($0).bytes }
        return Set(
          everything.compactMap { row -> Int64? in
            guard case .text(let path)? = row["path"], let id = row["id"]?.integer,
              let level = row["depth"]?.integer
            else { return nil }
            let isInside =
              prefix.map { path == $0 || path.starts(with: $0 + [UInt8(ascii: "/")]) } ?? true
            return isInside && (Int(level) - top <= depth || Int(level) == top) ? id : nil
          })
      }
      for (place, top): (FilePath?, Int) in [
        (nil, 0), ("", 0), ("flat", 1), ("wide", 1), ("wide/7", 2), (odd, 2),
      ] {
        let totals = try await lab.catalog.totals(
          below: place.map { lab.tree.path.pushing($0) }, depth: depth)
        #expect(
          totals.map(\.id.rawValue).sorted() == ids(below: place, from: top).sorted(), "\(place)")
        #expect(totals.first?.depth == top)
      }
    }
  }
}
