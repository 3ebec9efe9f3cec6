import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import Testing

@Suite("Reports as views")
struct ReportViewTests {
  @Test("the stock sqlite3 program says the same", .enabled(if: CommandRunner.exists("sqlite3")))
  func stockProgram() async throws {
    try await withReportLaboratory { lab, _ in
      for report in Report.all where report.isView {
        let columns = report.columns.map { "quote(\($0.name))" }.joined(separator: " || '|' || ")
        let sql = "SELECT \(columns) AS line FROM \(report.name) ORDER BY line"
        let outcome = try CommandRunner("sqlite3").run(["-readonly", lab.catalog.path.string, sql])
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(report.name): \(outcome.errors)")
        #expect(outcome.text == (try lab.catalog.texts(sql) + [""]).joined(separator: "\n"))
        let rows = try lab.catalog.rows(of: report.name)
        if !report.isAboutTime {
          #expect(rows.count == outcome.text.split(separator: "\n").count, "\(report.name)")
        }
      }
    }
  }

  @Test("every promised report is there, with bytes as files, size and allocated")
  func promisedReports() async throws {
    let promised = [
      "usage_by_type", "usage_by_kind", "usage_by_extension", "usage_by_owner", "usage_by_age",
      "usage_by_directory", "largest_files", "growth_by_directory", "hard_links", "broken_links",
      "duplicate_candidates",
    ]
    #expect(Set(Report.all.map(\.name)).isSuperset(of: promised))
    #expect(Set(Report.all.map(\.name)).count == Report.all.count)
    for report in Report.all where report.name.hasPrefix("usage_") {
      #expect(Set(report.columns.map(\.name)).isSuperset(of: ["files", "size", "allocated"]))
    }
  }

  @Test("a root says the same about itself as about everything")
  func wholeRoot() async throws {
    try await withLaboratory(ReportFixture.pieces) { lab in
      try await lab.scan()
      for report in Report.all {
        let all = try lab.catalog.rows(of: report.name)
        #expect(try lab.catalog.rows(of: report.name, in: lab.tree.path) == all, "\(report.name)")
      }
    }
  }

  @Test("an unknown report names the nearest")
  func unknownName() {
    #expect(throws: CatalogError.self) { try Report(named: "usage_by_tpye") }
    do throws(CatalogError) {
      _ = try Report(named: "usage_by_tpye")
    } catch {
      #expect(error.code == .reportNotFound)
      #expect(error.nearest == "usage_by_type")
    }
    #expect((try? Report(named: "usage-by-type"))?.name == "usage_by_type")
  }

  @Test("a directory that is not in the catalog, or is none, is an error")
  func wrongDirectory() async throws {
    try await withReportLaboratory { lab, roots in
      await #expect(throws: Never.self) {
        try await expectError(.notInCatalog) {
          _ = try lab.catalog.rows(of: "usage_by_type", in: "/nowhere/at/all")
        }
        try await expectError(.notADirectory) {
          _ = try lab.catalog.rows(of: "usage_by_type", in: roots[0].appending("noext"))
        }
      }
    }
  }
}
