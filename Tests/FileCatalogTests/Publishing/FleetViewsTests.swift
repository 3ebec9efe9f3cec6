import SystemPackage
import TestSupport
import Testing

@testable import FileCatalog

@Suite("Views of a fleet")
struct FleetViewsTests {
  @Test("ages are those of a catalog, with the same limits and in the same order")
  func ages() async throws {
    try await withLaboratory([.file("a", bytes: 1)]) { lab in
      try await lab.scan()
      let rows = try lab.catalog.rows(
        "SELECT age, min_days, max_days FROM _ages ORDER BY position")
      func days(_ number: Int?) -> ColumnValue { number.map { .integer(Int64($0)) } ?? .null }
      #expect(rows.map { $0["age"] } == FleetViews.ages.map { .text(Array($0.name.utf8)) })
      #expect(rows.map { $0["min_days"] } == FleetViews.ages.map { days($0.minimum) })
      #expect(rows.map { $0["max_days"] } == FleetViews.ages.map { days($0.maximum) })
    }
  }
}
