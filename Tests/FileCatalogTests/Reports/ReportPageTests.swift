import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("The page of reports")
struct ReportPageTests {
  /// Names that want to be markup, code, or the end of the data.
  static let hostile: [Piece] = [
    .file("</script><script>alert(1)</script>/x.txt", bytes: 20_000),
    .file("<img src=x onerror=alert(2)>/y.txt", bytes: 20_000),
    .file("<!--style--><!--data-->.<b>bold", bytes: 300),
    .file("quote\"'&amp;\\u0022.txt", bytes: 9),
    .file(FilePath(bytes: [0x3C, 0xFF, 0x2F, 0xFE, 0x3E]), bytes: 10),
    .file("line\nbreak", bytes: 3), .file("\" onmouseover='alert(3)' x=\"/z", bytes: 20_000),
    .file("]]>\u{1B}]0;x\u{7}\u{2029}`${alert(4)}`/z", bytes: 20_000),
    .file("\u{2028}\u{202E}gpj.exe", bytes: 4), .symlink("</script>", to: "<script>"),
    .file("one", bytes: 1000), .hardLink("two", to: "one"),
  ]

  private func page(_ lab: Laboratory, in directory: FilePath? = nil) async throws -> String {
    let bytes = try await lab.catalog.reportPage(in: directory)
    return try #require(String(validating: bytes, as: UTF8.self))
  }

  /// The data that the page carries, found as a browser finds it.
  private func data(of page: String) throws -> [String: Any] {
    let opening = #"<script type="application/json" id="data">"#
    let start = try #require(page.range(of: opening)).upperBound
    let end = try #require(page.range(of: "</script", range: start..<page.endIndex)).lowerBound
    let object = try JSONSerialization.jsonObject(with: Data(page[start..<end].utf8))
    return try #require(object as? [String: Any])
  }

  @Test("whatever names say, the page has its own markup and no other")
  func markup() async throws {
    try await withLaboratory(Self.hostile) { lab in
      try await lab.scan()
      let page = try await page(lab)
      try await withLaboratory { other in
        try await other.scan()
        let plain = try await self.page(other)
        for mark in ["<", ">", "&"] {
          #expect(
            page.components(separatedBy: mark).count == plain.components(separatedBy: mark).count,
            "\(mark)")
        }
      }
      let directories = try #require(try data(of: page)["directories"] as? [[Any]])
      let names = directories.compactMap { $0[1] as? String }
      #expect(
        Set(names).isSuperset(of: ["<img src=x onerror=alert(2)>", "<", "script><script>alert(1)<"])
      )
      #expect(names.contains("<\u{FFFD}"))
    }
  }

  @Test("the page loads nothing, and says so to the browser")
  func loadsNothing() async throws {
    try await withLaboratory(Fixture.pieces) { lab in
      try await lab.scan()
      let page = try await page(lab)
      #expect(page.contains("default-src 'none'"))
      for word in ["http:", "https:", "src=", "@import", "url(", "fetch(", "<link", "import("] {
        #expect(!page.contains(word), "\(word)")
      }
      #expect(page.hasPrefix("<!DOCTYPE html>"))
      #expect(!page.contains("<!--"))
      #expect(page.contains("prefers-color-scheme: dark"))
    }
  }

  @Test("the data are those of the catalog, for all roots and for one directory")
  func dataAreTrue() async throws {
    try await withReportLaboratory { lab, roots in
      for place in [nil, roots[0], roots[0].appending("deep")] {
        let data = try data(of: try await page(lab, in: place))
        let directories = try #require(data["directories"] as? [[Any]])
        let totals = try await lab.catalog.totals(below: place, depth: 100)
        #expect(directories.count == totals.count)
        #expect(
          directories.compactMap { $0[4] as? Int64 }.sorted()
            == totals.map(\.totalAllocated).sorted())
        // A parent comes before its children.
        for (position, directory) in directories.enumerated() {
          #expect(try #require(directory[0] as? Int) < position)
        }
        let reports = try #require(data["reports"] as? [[String: Any]])
        for report in reports where report["name"] as? String == "usage_by_type" {
          let rows = try #require(report["rows"] as? [[Any]])
          let expected = try lab.catalog.rows(of: "usage_by_type", in: place)
          #expect(rows.compactMap { $0[1] as? String } == expected.map { $0["type"]?.string })
        }
        #expect((data["roots"] as? [Any])?.count == (place == nil ? 2 : 1))
      }
    }
  }

  @Test(
    "a browser shows the treemap and the tables, and no name becomes an element",
    .enabled(if: CommandRunner.exists("chromium")))
  func inBrowser() async throws {
    try await withLaboratory(Self.hostile) { lab in
      try await lab.scan()
      let file = lab.catalog.path.removingLastComponent().appending("page.html")
      try Data(try await lab.catalog.reportPage()).write(to: URL(fileURLWithPath: file.string))
      let outcome = try CommandRunner("chromium").run([
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--user-data-dir=\(lab.catalog.path.removingLastComponent().appending("browser").string)",
        "--virtual-time-budget=2000", "--dump-dom", "file://\(file.string)",
      ])
      let shown = outcome.text
      #expect(shown.contains(#"class="tile""#))
      #expect(shown.contains("<h2>Usage by type</h2>"))
      #expect(shown.contains("&lt;img src=x onerror=alert(2)&gt;"))
      #expect(!shown.contains("<img"))
      #expect(!shown.contains("<b>bold"))
    }
  }
}
