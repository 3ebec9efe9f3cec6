import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Tables of filecat serve")
struct ServeTableTests {
  @Test("a table is opened, read by range, changed and closed")
  func table() throws {
    let served = try ServedCatalog()
    let response = try served.ask(
      "POST", "/api/v1/tables",
      body: #"{"q":"kind:file","sort":"-size","columns":["name","size"]}"#)
    #expect(response.status == 201)
    let table = try JSONValue(parsing: response.text)
    let id = try #require(table["id"].string)
    #expect(response.headers["location"] == "/api/v1/tables/\(id)")
    #expect(table["count"].integer == 6)
    #expect(table["generation"].integer == 1)
    let rows = try served.json("/tables/\(id)/rows?from=0&count=2&generation=1")
    #expect(rows["rows"].list.map { $0["name"].string } == ["b.swift", "icon@2x.png"])
    #expect(rows["rows"][0]["size"].integer == 3000)
    #expect(try served.json("/tables/\(id)/rows?from=5&count=500")["count"].integer == 1)
    #expect(try served.json("/tables/\(id)/rows?from=99")["count"].integer == 0)
    _ = try served.problem("/tables/\(id)/rows?count=501", status: 400)

    let entry = try #require(rows["rows"][1]["id"].integer)
    #expect(try served.json("/tables/\(id)/find?id=\(entry)")["index"].integer == 1)
    #expect(
      try served.json("/tables/\(id)/find?path=\(served.sandbox.tree)/sub/icon@2x.png")["index"]
        .integer == 1)
    #expect(try served.json("/tables/\(id)/find?path=/nowhere")["index"] == .null)

    let changed = try served.json("PATCH", "/tables/\(id)", body: #"{"sort":"name"}"#)
    #expect(changed["generation"].integer == 2)
    #expect(changed["q"].string == "kind:file")
    let past = try served.problem("/tables/\(id)/rows?generation=1", status: 409)
    #expect(past["generation"].integer == 2)
    #expect(try served.json("/tables/\(id)/rows?count=1")["rows"][0]["name"].string == "a.txt")
    _ = try served.problem("PATCH", "/tables/\(id)", body: #"{"q":"sise:1"}"#, status: 400)
    #expect(try served.json("/tables/\(id)")["generation"].integer == 2)

    #expect(try served.ask("DELETE", "/api/v1/tables/\(id)").status == 204)
    _ = try served.problem("/tables/\(id)", status: 404)
  }

  @Test("what another process scans arrives as a difference by index")
  func difference() throws {
    let served = try ServedCatalog()
    let id = try served.openTable(#"{"q":"kind:file","sort":"name"}"#)
    let events = try served.events(of: id)
    try served.sandbox.makeFile("aa.txt", "new")
    try served.rescan()
    let event = try #require(try events.next())
    #expect(event.name == "diff")
    #expect(event.id == 2)
    let diff = try JSONValue(parsing: event.data)
    #expect(diff["from_generation"].integer == 1)
    #expect(diff["generation"].integer == 2)
    #expect(diff["count"].integer == 7)
    #expect(diff["insertions"] == .array([.array([.integer(1), .integer(1)])]))
    #expect(diff["deletions"].list.isEmpty)
    #expect(
      try served.json("/tables/\(id)/rows?from=1&count=1&generation=2")["rows"][0]["name"].string
        == "aa.txt")
    // A scan that changes nothing of the table is told as a state.
    try served.sandbox.makeDirectory("empty")
    try served.rescan()
    let state = try #require(try events.next())
    #expect(state.name == "state")
    #expect(try JSONValue(parsing: state.data)["scan_id"].integer == 3)
  }

  @Test("who comes again hears what was missed, in one difference, or that all is to be read again")
  func resuming() throws {
    let served = try ServedCatalog()
    let id = try served.openTable(#"{"sort":"name"}"#)
    for name in ["c1", "c2", "c3"] {
      try served.sandbox.makeFile(name)
      try served.rescan()
    }
    // The client knows the generation that it was answered with, and hears all that leads on from there.
    var first: EventReader? = try served.events(of: id)
    var known = 1
    var count = 10
    while count < 13 {
      let event = try #require(try first?.next())
      let diff = try JSONValue(parsing: event.data)
      guard event.name == "diff" else { continue }
      #expect(diff["from_generation"].integer == known)
      known = try #require(diff["generation"].integer)
      count = try #require(diff["count"].integer)
    }
    first = nil
    try served.sandbox.makeFile("c4")
    try served.rescan()
    let second = try served.events(of: id, after: known)
    let next = try JSONValue(parsing: try #require(try second.next()).data)
    #expect(next["from_generation"].integer == known)
    #expect(next["count"].integer == 14)
    let third = try served.events(of: id, after: 999)
    let reset = try #require(try third.next())
    #expect(reset.name == "reset")
    #expect(try JSONValue(parsing: reset.data)["count"].integer == 14)
  }

  @Test("a difference with too many indexes is told as one thing: read again")
  func reset() throws {
    let served = try ServedCatalog {
      for index in 0..<10_050 { try $0.makeFile("many/\(index)") }
    }
    let id = try served.openTable(#"{"q":"kind:file"}"#)
    let events = try served.events(of: id)
    try served.sandbox.directory.remove("tree/many")
    try served.sandbox.makeFile("other")
    #expect(try served.sandbox.run("scan", "--allow-empty").status == 0)
    let event = try #require(try events.next())
    #expect(event.name == "reset")
    #expect(try JSONValue(parsing: event.data)["count"].integer == 1)
  }

  @Test("the catalog's own events tell each change and each scan")
  func catalogEvents() throws {
    let served = try ServedCatalog()
    let events = try EventReader(port: served.port, "/api/v1/events")
    try served.sandbox.makeFile("told")
    try served.rescan()
    let change = try #require(try events.next())
    #expect(change.name == "change")
    #expect(try JSONValue(parsing: change.data)["path"].string == served.sandbox.tree + "/told")
    let state = try #require(try events.next())
    #expect(state.name == "state")
    #expect(try JSONValue(parsing: state.data)["roots"] == .array([.string(served.sandbox.tree)]))
    // Who comes again hears what was missed.
    let again = try EventReader(port: served.port, "/api/v1/events", ["Last-Event-ID": "1"])
    #expect(try again.next()?.name == "change")
  }

  @Test("a listener who does not read costs nothing, and others hear everything")
  func slowReader() throws {
    let served = try ServedCatalog()
    let id = try served.openTable(#"{"sort":"name"}"#)
    let slow = try HTTPConnection(port: served.port, receiveBuffer: 2048)
    try slow.send("GET", "/api/v1/tables/\(id)/events")
    let quick = try served.events(of: id)
    for index in 0..<5 {
      try served.sandbox.makeFile("s\(index)")
      try served.rescan()
      #expect(try quick.next()?.name == "diff")
    }
    #expect(try served.json("/tables/\(id)")["count"].integer == 15)
    withExtendedLifetime(slow) {}
  }

  @Test("with --watch, a file made on disk arrives")
  func watch() throws {
    let served = try ServedCatalog("--watch")
    let id = try served.openTable(#"{"sort":"name"}"#)
    let events = try served.events(of: id)
    // Watching begins with a scan, which may come after the file.
    try served.sandbox.makeFile("watched")
    var event = try events.next()
    while event?.name == "state" { event = try events.next() }
    #expect(event?.name == "diff")
    served.process.send(SIGTERM)
    #expect(try served.process.finish().status == 0)
  }

  @Test(
    "a copy to which both shapes of differences are applied is what the server has",
    arguments: 0..<3)
  func copies(_ round: UInt64) throws {
    let seed = UInt64.random(in: 0...10_000) &* 3 &+ round
    var random = SeededRandom(seed: seed)
    let served = try ServedCatalog { sandbox in
      for index in 0..<60 {
        try sandbox.makeFile("f\(index)", String(repeating: "x", count: index))
      }
    }
    let order = ["name", "-size,name", "modified", "path"][Int(seed % 4)]
    let body = #"{"sort":"\#(order)","columns":["path","size","modified_ns"]}"#
    let shapes = ["full", "batch"]
    let tables = try shapes.map { _ in try served.openTable(body) }
    let events = try zip(tables, shapes).map { try served.events(of: $0, shape: $1) }
    func rows(_ table: String) throws -> [JSONValue] {
      try served.json("/tables/\(table)/rows?count=500")["rows"].list
    }
    var copies = try tables.map { try rows($0) }
    for _ in 0..<6 {
      try change(served.sandbox, &random)
      try served.rescan()
      for (index, table) in tables.enumerated() {
        let event = try #require(try events[index].next())
        guard event.name == "diff" else { continue }
        let diff = try JSONValue(parsing: event.data)
        // The server may be further on by now: then what is read is of later.
        let now = try served.json("/tables/\(table)/rows?count=500")
        #expect(now["generation"].integer == diff["generation"].integer, "seed \(seed)")
        copies[index] = Self.applied(diff, to: copies[index]) { now["rows"][$0] }
        #expect(copies[index] == now["rows"].list, "seed \(seed), \(shapes[index]), \(order)")
        #expect(now["rows"].list.count == diff["count"].integer)
      }
    }
  }

  private func change(_ sandbox: Sandbox, _ random: inout SeededRandom) throws {
    let names = try sandbox.directory.names(in: "tree").sorted()
    for _ in 0...random.below(8) {
      guard let name = names.randomElement(using: &random),
        sandbox.directory.holds(FilePath("tree/\(name)"))
      else { continue }
      switch random.below(4) {
      case 0: try sandbox.directory.remove(FilePath("tree/\(name)"))
      case 1: try sandbox.makeFile("n\(random.below(1000))", "new")
      case 2: try sandbox.makeFile(name, String(repeating: "y", count: random.below(200)))
      default:
        try sandbox.directory.rename(
          FilePath("tree/\(name)"), to: FilePath("tree/m\(random.below(1000))"))
      }
    }
    try sandbox.makeFile("always", String(repeating: "z", count: 300 + random.below(100_000)))
  }

  /// The copy of a client after a difference, as the documentation says that it is applied.
  private static func applied(
    _ diff: JSONValue, to old: [JSONValue], row: (Int) -> JSONValue
  ) -> [JSONValue] {
    func indexes(_ name: String) -> [Int] {
      diff[name].list.flatMap { Array(($0[0].integer ?? 0)...($0[1].integer ?? 0)) }
    }
    let moves = diff["moves"].list.map { (from: $0[0].integer ?? 0, to: $0[1].integer ?? 0) }
    let updates = Set(indexes("updates"))
    let taken = Set(indexes("deletions") + moves.map(\.from))
    var new = old.indices.filter { !taken.contains($0) }.map { (old: Optional($0), row: old[$0]) }
    let arrivals =
      indexes("insertions").map { (to: $0, from: Int?.none) }
      + moves.map { (to: $0.to, from: $0.from) }
    for (to, from) in arrivals.sorted(by: { $0.to < $1.to }) {
      new.insert((from, from.map { old[$0] } ?? row(to)), at: to)
    }
    return new.enumerated().map { index, element in
      element.old.map { updates.contains($0) } == true ? row(index) : element.row
    }
  }

  @Test("tables beyond the limit of a client are refused")
  func tooMany() throws {
    let served = try ServedCatalog()
    let connection = try HTTPConnection(port: served.port)
    var last = 201
    for _ in 0..<257 where last == 201 {
      last = try connection.ask("POST", "/api/v1/tables", body: #"{"q":"a"}"#).status
    }
    #expect(last == 429)
    #expect(try served.ask("GET", "/healthz").status == 200)
  }
}
