import Foundation
import SystemPackage
import TestSupport
import Testing

/// What the API answers, beside what the command prints.
@Suite("The API of filecat serve")
struct ServeAPITests {
  /// What a command prints as JSON.
  private func printed(_ served: ServedCatalog, _ words: String...) throws -> JSONValue {
    let run = try served.sandbox.run(words + ["--format", "json"])
    return try JSONValue(parsing: run.text)
  }

  @Test("entries are as find prints them, page by page")
  func entries() throws {
    let served = try ServedCatalog()
    let expected = try printed(served, "find", "--sort", "-size,name")
    var rows: [JSONValue] = []
    var cursor = ""
    repeat {
      let page = try served.json("/entries?sort=-size,name&limit=3\(cursor)")
      rows += page["rows"].list
      cursor = page["next"].string.map { "&cursor=\($0.replacing("+", with: "%2B"))" } ?? ""
    } while !cursor.isEmpty
    #expect(rows == expected.list)
    #expect(rows.count == 10)
    let narrow = try served.json("/entries?q=*.txt&columns=name,size")
    #expect(narrow["columns"] == .array([.string("id"), .string("name"), .string("size")]))
    #expect(narrow["rows"][0]["size"].integer == 3)
    let tree = served.sandbox.tree
    #expect(try served.json("/entries?in=\(tree)/sub&q=kind:file")["rows"].list.count == 3)
    #expect(
      try served.json("/entries?in=\(tree)/sub&in=\(tree)&q=kind:file")["rows"].list.count == 6)
  }

  @Test("a query that does not parse says where, in characters")
  func queryProblem() throws {
    let served = try ServedCatalog()
    let problem = try served.problem("/entries?q=%F0%9F%98%80%20sise:%3E10M", status: 400)
    #expect(problem["query"].string == "😀 sise:>10M")
    #expect(problem["position"] == .object(["offset": .integer(2), "length": .integer(5)]))
    #expect(problem["nearest"].string == "size:")
    #expect(problem["expected"].string?.isEmpty == false)
    #expect(try served.problem("/check?q=size:%3E10Q", status: 400)["code"].string == "query")
    let check = try served.json("/check?q=owner:nobody-at-all")
    #expect(check["ok"] == .truth(true))
    #expect(check["unknown"][0]["word"].string == "nobody-at-all")
  }

  @Test(
    "parameters that make no sense are refused, with the nearest that do",
    arguments: [
      ("/entries?limt=3", "limit"), ("/entries?sort=sice", "size"),
      ("/entries?columns=nam", "name"),
      ("/changes?kind=add", "added"),
    ])
  func parameters(_ path: String, _ nearest: String) throws {
    let served = try ServedCatalog()
    #expect(try served.problem(path, status: 400)["nearest"].string == nearest)
  }

  @Test(
    "numbers out of their range, and paths that are none, are refused",
    arguments: [
      "/entries?limit=0", "/entries?limit=1001", "/entries?limit=x", "/totals?depth=9",
      "/entry", "/entry?path=relative", "/entry?path_base64=%25", "/entries?cursor=abc", "/growth",
      "/types", "/types?extension=a&mime=b/c", "/lookup", "/lookup?name=a&scale=0",
      "/changes?since=x",
      "/reports/usage_by_type?since=1", "/entries?q=%ff", "/entries?q=a&q=b",
    ])
  func refused(_ path: String) throws {
    let served = try ServedCatalog()
    _ = try served.problem(path, status: 400)
  }

  @Test(
    "what is not there is 404",
    arguments: [
      "/entry?path=/nowhere", "/children?path=/nowhere", "/totals?path=/nowhere",
      "/reports/nothing",
      "/types/nothing.at.all", "/tables/1-x", "/nothing", "/growth?path=/nowhere",
      "/entries?in=/nowhere", "/scans?root=/nowhere",
    ])
  func notThere(_ path: String) throws {
    let served = try ServedCatalog()
    _ = try served.problem(path, status: 404)
  }

  @Test("one entry comes with all that is known of it, by its path or its bytes")
  func entry() throws {
    let served = try ServedCatalog()
    let tree = served.sandbox.tree
    let answer = try served.json("/entry?path=\(tree)/sub/icon@2x.png")
    let shown = try printed(served, "show", "tree/sub/icon@2x.png")
    guard case .object(let members) = answer["entry"] else {
      throw CommandError(description: "no entry")
    }
    for (name, value) in members { #expect(shown[name] == value, "\(name)") }
    #expect(answer["type_description"].string == "PNG image")
    #expect(answer["supertypes"].list.contains(.string("public.image")))
    #expect(answer["totals"] == .null)
    let directory = try served.json("/entry?path=\(tree)")
    #expect(directory["totals"]["total_files"].integer == 7)
    let odd = try served.json("/entries?q=odd*")["rows"][0]
    let base64 = try #require(odd["path_base64"].string)
    let found = try served.json("/entry?path_base64=\(base64.replacing("+", with: "%2B"))")
    #expect(found["entry"]["id"] == odd["id"])
  }

  @Test("children are as ls prints them, and roots without a path")
  func children() throws {
    let served = try ServedCatalog()
    let expected = try printed(served, "ls", "tree", "--sort", "name")
    #expect(try served.json("/children?path=\(served.sandbox.tree)&sort=name")["rows"] == expected)
    let roots = try served.json("/children")["rows"].list
    #expect(roots.map { $0["path"].string } == [served.sandbox.tree])
  }

  @Test("sums come with parents before what is in them, the largest first")
  func totals() throws {
    let served = try ServedCatalog()
    let tree = served.sandbox.tree
    let answer = try served.json("/totals?path=\(tree)&depth=2")
    #expect(
      answer["rows"].list.map { $0["path"].string } == [tree, tree + "/sub", tree + "/sub/deep"])
    #expect(answer["rows"][1]["total_files"].integer == 3)
    #expect(answer["rows"][1]["files"].integer == 1)
    #expect(try served.json("/totals?path=\(tree)&depth=0")["rows"].list.count == 1)
    #expect(try served.json("/totals")["rows"].list.map { $0["path"].string } == [tree])
  }

  @Test("each report has the rows that the command prints, and a statement with the same")
  func reports() throws {
    let served = try ServedCatalog("--allow-sql")
    let reports = try served.json("/reports")["reports"].list
    #expect(reports.count > 10)
    for report in reports {
      let name = try #require(report["name"].string)
      let answer = try served.json("/reports/\(name)?limit=1000")
      let expected = try served.sandbox.run("report", name, "--format", "json")
      #expect(answer["rows"] == (try JSONValue(parsing: expected.text)), "\(name)")
      guard let sql = answer["sql"].string else {
        #expect(name == "name_collisions")
        continue
      }
      let body = String(
        decoding: try JSONEncoder().encode(["statement": sql]), as: UTF8.self)
      let rows = try served.json("POST", "/sql", body: body)["rows"].list
      #expect(rows.count == answer["rows"].list.count, "\(name): \(sql)")
      let inside = try served.json("/reports/\(name)?in=\(served.sandbox.tree)/sub")
      #expect(inside["name"].string == name)
    }
  }

  @Test("changes are as the command prints them, the newest scan first, page by page")
  func changes() throws {
    let served = try ServedCatalog()
    for round in 0..<3 {
      try served.sandbox.makeFile("new\(round)", "new")
      try served.sandbox.makeFile("a.txt", String(repeating: "a", count: 10 + round))
      try served.rescan()
    }
    let expected = try printed(served, "changes", "--since", "1", "--sort", "-scan_id")
    var found: [JSONValue] = []
    var cursor = ""
    repeat {
      let page = try served.json("/changes?since=1&limit=2\(cursor)")
      found += page["changes"].list
      cursor = page["next"].string.map { "&cursor=\($0)" } ?? ""
      #expect(page["horizon"] == .null)
    } while !cursor.isEmpty
    #expect(found == expected.list)
    #expect(found.count == 6)
    #expect(try served.json("/changes?since=1&kind=added")["changes"].list.count == 3)
    let tree = served.sandbox.tree
    #expect(try served.json("/changes?in=\(tree)/sub")["changes"].list.isEmpty)
    #expect(try served.json("/changes?in=\(tree)/sub&in=\(tree)")["changes"].list.count == 6)
    _ = try served.problem("/changes?since=99", status: 404)
    let scans = try served.json("/scans?limit=2")["scans"].list
    #expect(scans.map { $0["id"].integer } == [4, 3])
    let roots = try served.json("/roots")["roots"].list
    #expect(roots[0]["last_scan"].integer == 4)
    let growth = try served.json("/growth?path=\(tree)")
    let sizes = growth["points"].list.compactMap { $0["total_files"].integer }
    #expect(sizes == [7, 8, 9, 10, 10])
    #expect(growth["children"].list.map { $0["path"].string } == [tree + "/sub"])
  }

  @Test("types and assets are as the command prints them")
  func types() throws {
    let served = try ServedCatalog()
    let jpeg = try JSONValue(
      parsing: try served.sandbox.run("types", "show", "public.jpeg", "--format", "json").text)
    #expect(try served.json("/types/public.jpeg") == jpeg)
    #expect(try served.json("/types?extension=jpg") == jpeg)
    #expect(try served.json("/types?mime=image/jpeg") == jpeg)
    #expect(try served.json("/types?conforms=public.jpeg,public.image")["conforms"] == .truth(true))
    #expect(try served.problem("/types/public.jpg", status: 404)["nearest"].string != nil)
    let assets = try served.json("/lookup?name=icon&scale=2")["assets"]
    #expect(assets == (try printed(served, "lookup", "icon", "--scale", "2", "--all")))
  }

  @Test(
    "a word of a query can be completed",
    arguments: [
      ("si", nil, "size:", 0), ("kind:im", nil, "image", 5), ("name:x ow", nil, "owner:", 7),
      ("ext:tx", nil, "txt", 4), ("é !hid", nil, "hidden:", 3),
      ("kind:file,di", nil, "directory", 10),
      ("size:>1 kin more", 11, "kind:", 8), ("hidden:y", nil, "yes", 7),
    ] as [(String, Int?, String, Int)])
  func complete(_ text: String, _ position: Int?, _ word: String, _ from: Int) throws {
    let served = try ServedCatalog()
    let encoded = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let answer = try served.json(
      "/complete?q=\(encoded)" + (position.map { "&position=\($0)" } ?? ""))
    #expect(answer["words"].list.contains { $0["text"].string == word }, "\(answer)")
    #expect(answer["from"].integer == from)
  }

  // MARK: - What is not sent again

  @Test("what has not changed is not sent again, until a scan has changed something")
  func entityTags() throws {
    let served = try ServedCatalog()
    for path in [
      "/entries", "/children", "/totals", "/reports", "/reports/usage_by_kind", "/changes",
      "/scans",
      "/roots", "/types/public.jpeg", "/entry?path=\(served.sandbox.tree)",
    ] {
      let first = try served.ask("GET", "/api/v1" + path)
      let tag = try #require(first.headers["etag"])
      #expect(tag.hasPrefix("W/\"state-"))
      let again = try served.ask("GET", "/api/v1" + path, ["If-None-Match": tag])
      #expect(again.status == 304)
      #expect(again.body.isEmpty)
      #expect(again.headers["etag"] == tag)
    }
    let tag = try #require(try served.ask("GET", "/api/v1/entries").headers["etag"])
    try served.sandbox.makeFile("another")
    try served.rescan()
    let changed = try served.ask("GET", "/api/v1/entries", ["If-None-Match": tag])
    #expect(changed.status == 200)
    #expect(changed.text.contains("another"))
  }

  @Test("what is long is compressed for who takes it")
  func compression() throws {
    let served = try ServedCatalog()
    for target in ["/page.js", "/api/v1/entries", "/api/v1/openapi.json"] {
      let plain = try served.ask("GET", target)
      #expect(plain.headers["content-encoding"] == nil)
      let packed = try served.ask("GET", target, ["Accept-Encoding": "br, gzip"])
      #expect(packed.headers["content-encoding"] == "gzip")
      #expect(packed.body.count < plain.body.count)
      try served.sandbox.directory.write(packed.body, to: "packed.gz")
      let unpacked = try served.sandbox.run(program: "gzip", ["-dc", "packed.gz"])
      #expect(unpacked.output == plain.body)
      let refused = try served.ask("GET", target, ["Accept-Encoding": "gzip;q=0"])
      #expect(refused.headers["content-encoding"] == nil)
    }
  }

  @Test("HEAD is as GET without the body")
  func head() throws {
    let served = try ServedCatalog()
    let connection = try HTTPConnection(port: served.port)
    for target in ["/", "/api/v1/roots", "/nothing"] {
      let get = try connection.ask("GET", target)
      let head = try connection.ask("HEAD", target)
      #expect(head.status == get.status)
      #expect(head.body.isEmpty)
      #expect(head.headers["content-length"] == get.headers["content-length"])
    }
  }

  @Test("numbers are there for a monitoring system")
  func metrics() throws {
    let served = try ServedCatalog()
    _ = try served.json("/roots")
    let response = try served.ask("GET", "/metrics")
    #expect(response.headers["content-type"]?.hasPrefix("application/openmetrics-text") == true)
    let tree = served.sandbox.tree
    #expect(response.text.contains("filecat_root_entries{root=\"\(tree)\"} 10\n"))
    #expect(response.text.contains("filecat_root_last_scan_errors{root=\"\(tree)\"} 0\n"))
    #expect(
      response.text.contains(
        "filecat_http_request_duration_seconds_count{method=\"GET\",route=\"/api/v1/roots\",status=\"200\"} 1\n"
      ))
    #expect(response.text.hasSuffix("# EOF\n"))
    // Each family is declared once, and its samples follow it.
    let families = response.text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }
    #expect(Set(families).count == families.count)
  }
}
