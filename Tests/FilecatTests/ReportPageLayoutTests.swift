import Foundation
import SystemPackage
import TestSupport
import Testing

/// The page of `report --html`, as a browser shows it.
@Suite("The page of reports in a browser", .enabled(if: PageProbe.isAvailable), .serialized)
struct ReportPageLayoutTests {
  /// A tree whose names are long, foreign, or markup, with something for nearly every report, and two
  /// scans of it.
  private func withPage(
    _ body: (PageProbe, String) throws -> Void
  ) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeAwkwardTree()
    for number in 1...130 {
      try sandbox.makeFile(
        "many/\(number)/file-\(number).txt", String(repeating: "m", count: number * 700))
    }
    // Larger than the next, and than the smaller ones together, whatever blocks the file system has.
    try sandbox.makeFile("many/130/more.txt", String(repeating: "m", count: 600_000))
    let long = String(repeating: "a-rather-long-name-", count: 11)
    try sandbox.makeFile("\(long)/\(long)/\(long).txt", String(repeating: "l", count: 400_000))
    try sandbox.makeFile("<img src=x onerror=alert(1)>/y", String(repeating: "y", count: 90_000))
    try sandbox.makeFile("</script><b>bold/z", String(repeating: "z", count: 60_000))
    try sandbox.makeFile("twins/one/same.dat", String(repeating: "s", count: 50_000))
    try sandbox.makeFile("twins/two/same.dat", String(repeating: "s", count: 50_000))
    try sandbox.makeFile("twins/linked", String(repeating: "k", count: 30_000))
    try FileManager.default.linkItem(
      atPath: sandbox.tree + "/twins/linked", toPath: sandbox.tree + "/twins/\(long)")
    try sandbox.directory.makeLink(
      FilePath("tree/twins/\(long)-broken"), to: FilePath("\(long)/\(long)"))
    #expect(try sandbox.run("scan", "tree").status == 0)
    try sandbox.makeFile("many/new", String(repeating: "n", count: 700_000))
    #expect(try sandbox.run("scan", "tree").status == 0)
    let run = try sandbox.run("report", "--html", "-")
    #expect(run.status == 0)
    try body(PageProbe(sandbox: sandbox), run.text)
  }

  @Test(
    "nothing overflows, overlaps, fades or is too small to press",
    arguments: PageProbe.Scheme.allCases)
  func layout(_ scheme: PageProbe.Scheme) throws {
    try withPage { probe, page in
      for width in scheme == .light ? [1400, 1130, 890, 390] : [1400, 390] {
        let found = try probe.look(at: page, width: width, scheme)
        #expect(found.problems == [], "\(width)")
        #expect(found.facts["images"] == "0", "\(width)")
        #expect(found.facts["sizes"] == "12px", "\(width)")
        let narrow = "Path,On disk,Share"
        let wide = "Path,Last change,Files,Directories,Size,On disk,Share"
        #expect(found.facts["columns"] == (width == 390 ? narrow : wide), "\(width)")
      }
    }
  }

  @Test("the map is one stop of the Tab key, and keys go through it and into it")
  func keys() throws {
    try withPage { probe, page in
      let found = try probe.look(at: page, width: 1400, .light).facts
      #expect(found["stops"] == "1" && found["stopsAfter"] == "1")
      #expect(found["outline"] == "solid true")
      #expect(found["reached"] == "true")
      let walk = try #require(found["walk"]).split(separator: " ")
      #expect(walk.first == "many" && walk.last == "many")
      #expect(found["journey"] == "130 many many")
      #expect(found["trail"]?.contains("tree›many") == true)
    }
  }

  @Test("tables sort by their heads, and open")
  func tables() throws {
    try withPage { probe, page in
      let found = try probe.look(at: page, width: 1400, .dark).facts
      #expect(found["sorted"] == "descending true")
      #expect(found["sortedAgain"] == "ascending true")
      #expect(found["sortMarks"] == "1" && found["sortFocus"] == "true")
      #expect(found["rows"] == "12" && found["unfolded"] == "100")
    }
  }

  @Test("without a script all tables are there, and whoever wants no motion gets none")
  func withoutScript() throws {
    try withPage { probe, page in
      let found = try probe.look(
        at: page, width: 390, .light, .forbidden, options: ["--force-prefers-reduced-motion"])
      #expect(found.problems == [])
      #expect(found.facts["rows"] == "100")
      #expect(found.facts["moving"] == "false")
      let tables = try #require(found.facts["tables"]).split(separator: ",")
      let empty = try #require(found.facts["empty"]).split(separator: "\n")
      for report in [
        "usage_by_type", "usage_by_kind", "usage_by_extension", "usage_by_owner", "usage_by_age",
        "usage_by_directory", "usage_by_role", "largest_files", "growth_by_directory", "hard_links",
        "broken_links", "duplicate_candidates",
      ] {
        #expect(
          tables.contains(Substring(report)) || empty.contains { $0.hasPrefix("\(report): ") },
          "\(report)")
      }
      #expect(empty.contains { $0.hasPrefix("usage_by_role: Nothing is in a container") })
    }
  }
}
