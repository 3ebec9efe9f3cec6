import TestSupport
import Testing

@Suite("Scans side by side")
struct ScansAtOnceTests {
  /// What is known when they begin.
  enum Known: String, CaseIterable {
    case nothing, inner, outer, anotherRoot

    var arguments: [String]? {
      switch self {
      case .nothing: nil
      case .inner: ["scan", "tree/A/d1"]
      case .outer: ["scan", "tree/A"]
      case .anotherRoot: ["scan", "tree/other"]
      }
    }
  }

  @Test(
    "of a root and of one inside it leave each entry once",
    arguments: Known.allCases, [["tree/A", "tree/A/d1"], ["tree/A/d1", "tree/A"]])
  func nested(_ known: Known, _ order: [String]) throws {
    for attempt in 0..<3 {
      let sandbox = try Sandbox()
      defer { sandbox.remove() }
      for number in 0..<40 {
        try sandbox.makeFile("A/d1/\(number % 7)/f\(number)", "x")
        try sandbox.makeFile("A/d2/f\(number)", "x")
      }
      try sandbox.makeFile("other/x")
      if let arguments = known.arguments { #expect(try sandbox.run(arguments).status == 0) }
      let started = try order.map { try sandbox.start("scan", $0) }
      for run in try started.map({ try $0.finish() }) {
        #expect(run.status == 0, "\(run.errors)")
      }
      let query = "SELECT count(*), count(DISTINCT path) FROM files WHERE path LIKE '%/tree/A%'"
      let counts = Rows.lines(try sandbox.run("sql", query)).last
      #expect(counts == "90\t90", "attempt \(attempt)")
      let roots = try sandbox.run("sql", "SELECT path FROM _roots WHERE path LIKE '%/A%'")
      #expect(Rows.lines(roots).dropFirst() == ["\(sandbox.tree)/A"])
      #expect(try sandbox.run("check", "--verify").status == 0)
    }
  }
}
