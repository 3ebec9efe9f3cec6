import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@testable import FileCatalog

@Suite("Counting entries")
struct CountingTests {
  /// What is answered from rows, from sums, from names, and from the view.
  static let queries = [
    "size:>10", "size:<=10", "modified:today", "modified:>2100-01-01", "kind:file size:>5",
    "links:1", "ext:txt", "ext:TXT,png size:>7", "NOT ext:png", "ext:tar.gz", "case:yes ext:TXT",
    "kind:file", "owner:root", "f1", "f1 size:>3", "path:d1", "NOT size:>10", "",
  ]

  private static let tree = (0..<200).map {
    Piece.file(
      FilePath("d\($0 % 7)/f\($0)\(["", ".txt", ".TXT", ".tar.gz", ".png"][$0 % 5])"), bytes: $0)
  }

  @Test(
    "ranges of ids, however many, hold together what one count finds", .feature("FS-29"),
    arguments: queries)
  func parts(_ text: String) async throws {
    try await withLaboratory(Self.tree) { lab in
      try await lab.scan()
      let request = TableRequest(try Query(parsing: text))
      let whole = try await lab.catalog.count(request, idsAtOnce: .max / 4)
      #expect(whole == (try await lab.catalog.entries(matching: request.query).count))
      for part: Int64 in [1, 10, 60, 100, 200, 300] {
        let count = try await lab.catalog.count(request, idsAtOnce: part, atMost: 3)
        #expect(count == whole, "\(part) at once")
      }
      // With the connections of one that has never written.
      let other = try Catalog(at: lab.catalog.path, access: .existing)
      #expect(try await other.count(request, idsAtOnce: 20, atMost: 3) == whole)
      try other.close()
    }
  }

  @Test("what is counted at the same time is of one state, while others write")
  func oneState() async throws {
    try await withLaboratory(Self.tree) { lab in
      try await lab.scan()
      let request = TableRequest(try Query(parsing: "size:>=0 kind:file"))
      let few = try await lab.catalog.count(request, idsAtOnce: 1, atMost: 3)
      let writer = try Catalog(at: lab.catalog.path)
      let writing = Task {
        // Each time, many files come in one scan, or go.
        for round in 0..<30 {
          if round.isMultiple(of: 2) {
            for number in 0..<50 { try lab.tree.make(.file(FilePath("more/\(number)"), bytes: 1)) }
          } else {
            try lab.tree.remove("more")
          }
          _ = try await writer.scan([lab.tree.path])
        }
      }
      let isOver = Monitor(false)
      let ending = Task {
        defer { isOver.withLock { $0 = true } }
        try await writing.value
      }
      var seen: Set<Int> = []
      repeat {
        seen.insert(try await lab.catalog.count(request, idsAtOnce: 1, atMost: 3))
      } while !isOver.withLock { $0 }
      try await ending.value
      #expect(seen.isSubset(of: [few, few + 50]) && seen.contains(few))
      try writer.close()
    }
  }
}
