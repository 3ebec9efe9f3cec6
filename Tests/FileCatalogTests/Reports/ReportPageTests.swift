import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import TestTraits
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

  /// The directories of the map, found as a browser finds them.
  private func directories(of page: String) throws -> [[Any]] {
    let opening = #"<script type="application/json" id="directories">"#
    let start = try #require(page.range(of: opening)).upperBound
    let end = try #require(page.range(of: "</script", range: start..<page.endIndex)).lowerBound
    let object = try JSONSerialization.jsonObject(with: Data(page[start..<end].utf8))
    return try #require(object as? [[Any]])
  }

  /// The rows of a table of the page, as it is written.
  private func rows(of report: String, on page: String) throws -> [[String]] {
    let start = try #require(page.range(of: "<section id=\(report) ")).upperBound
    let end = try #require(page.range(of: "</section>", range: start..<page.endIndex)).lowerBound
    return page[start..<end].components(separatedBy: "<tr>").dropFirst(2).map { row in
      row.components(separatedBy: "<td").dropFirst().map { cell in
        let text = cell[(cell.firstIndex(of: ">") ?? cell.startIndex)...].dropFirst()
        return text.components(separatedBy: "\n")[0].replacingOccurrences(
          of: "</?(div|span|b|tbody|table)>", with: "", options: .regularExpression)
      }
    }
  }

  /// What is between the style and the scripts.
  private func body(of page: String) throws -> Substring {
    let start = try #require(page.range(of: "</style>")).upperBound
    let end = try #require(page.range(of: #"<script type="application/json""#)).lowerBound
    return page[start..<end]
  }

  /// How often a browser sees each kind of element begin and end.
  private func elements(of page: String) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for part in try body(of: page).components(separatedBy: "<").dropFirst() {
      counts[String(part.prefix { $0.isLetter || $0.isNumber || "/!".contains($0) }), default: 0] +=
        1
    }
    return counts
  }

  @Test("whatever names say, the page has its own markup and no other")
  func markup() async throws {
    try await withLaboratory(Self.hostile) { lab in
      try await lab.scan()
      let page = try await page(lab)
      let elements = try elements(of: page)
      let own: Set = [
        "header", "p", "h1", "h2", "dl", "div", "dt", "dd", "nav", "details", "summary", "ul", "li",
        "a", "small", "main", "section", "table", "thead", "tbody", "tr", "th", "td", "span", "b",
        "code", "noscript", "footer", "body", "head",
      ]
      for name in elements.keys {
        #expect(own.contains(name.hasPrefix("/") ? String(name.dropFirst()) : name), "<\(name)")
      }
      // No quotation mark of a name ends an attribute.
      #expect(!(try body(of: page)).contains("\" onmouseover") && !page.contains("\u{1B}"))
      #expect(page.contains("&lt;img src=x onerror=alert(2)&gt;"))
      #expect(page.contains(#"\u{202e}gpj.exe"#))
      let names = try directories(of: page).compactMap { $0[1] as? String }
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
        let page = try await page(lab, in: place)
        let directories = try directories(of: page)
        let totals = try await lab.catalog.totals(below: place, depth: 100)
        #expect(directories.count == totals.count)
        #expect(
          directories.compactMap { $0[4] as? Int64 }.sorted()
            == totals.map(\.totalAllocated).sorted())
        // A parent comes before its children.
        for (position, directory) in directories.enumerated() {
          #expect(try #require(directory[0] as? Int) < position)
        }
        let kinds = try rows(of: "usage_by_kind", on: page)
        let expected = try lab.catalog.rows(of: "usage_by_kind", in: place)
        #expect(kinds.map { $0[0] } == expected.map { $0["kind"]?.string })
        #expect(kinds.map { $0[1] } == expected.map { "\($0["files"]?.integer ?? -1)" })
        #expect(try rows(of: "roots", on: page).count == (place == nil ? 2 : 1))
      }
    }
  }

  @Test("each report is on the page with its rows, or with the reason why there are none")
  func allReports() async throws {
    try await withReportLaboratory { lab, _ in
      let bytes = try await lab.catalog.reportPage { "rows of \($0.report.name) <&>" }
      let page = try #require(String(validating: bytes, as: UTF8.self))
      for report in Report.all where report.isView && report.name != "hard_link_names" {
        let count = try lab.catalog.rows(of: report.name).count
        let start = try #require(page.range(of: "<section id=\(report.name) "), "\(report.name)")
        let end = try #require(
          page.range(of: "</section>", range: start.upperBound..<page.endIndex))
        let section = page[start.upperBound..<end.lowerBound]
        #expect(
          try rows(of: report.name, on: page).count == min(count, 100) || report.isLoneRole(count))
        #expect(
          section.contains("<p class=empty>") == (try rows(of: report.name, on: page).isEmpty))
      }
      #expect(page.contains("<b>hard_link_names</b>"))
      #expect(page.contains("<code>rows of hard_link_names &lt;&amp;&gt;</code>"))
    }
  }

  @Test("a table that is cut says of how many rows it shows some, and where the rest is")
  func cutTables() async throws {
    let files = (1...130).map { Piece.file(FilePath("d\($0)/f.x\($0)"), bytes: $0 * 10) }
    try await withLaboratory(files) { lab in
      try await lab.scan()
      let bytes = try await lab.catalog.reportPage { request in
        "\(request.report.name) \(request.limit ?? -1)"
      }
      let page = try #require(String(validating: bytes, as: UTF8.self))
      #expect(page.contains("100 of 131 rows; the rest: <code>usage_by_directory 131</code>"))
      #expect(page.contains("100 of 131 rows; the rest: <code>usage_by_extension 131</code>"))
      #expect(page.contains("100 of 130 rows; the rest: <code>largest_files 130</code>"))
      #expect(try rows(of: "largest_files", on: page).count == 100)
      let plain = try await self.page(lab)
      #expect(plain.contains("<p class=cut>100 of 131 rows</p>"))
    }
  }

  @Test(
    "a browser shows the treemap and the tables, and no name becomes an element", .feature("P-39"),
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
      #expect(shown.contains(">Types</h2>"))
      #expect(shown.contains("&lt;img src=x onerror=alert(2)&gt;"))
      #expect(!shown.contains("<img"))
      #expect(!shown.contains("<b>bold"))
    }
  }
}

extension Report {
  /// Whether the only row says that nothing has a role.
  fileprivate func isLoneRole(_ count: Int) -> Bool { name == "usage_by_role" && count == 1 }
}
