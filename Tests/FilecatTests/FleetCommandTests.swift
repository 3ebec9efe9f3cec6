import FileCatalog
import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("filecat fleet report and sql")
struct FleetCommandTests {
  private static let engines: [FleetEngine.Name] =
    (Clients.areInstalled ? [.duckdb, .chdb] : []) + (Clients.hasSpark ? [.spark] : [])

  /// A lake with two machines.
  private struct Fleet {
    let sandbox: Sandbox
    var lake: String { sandbox.home + "/lake" }
    private var other: String { sandbox.home + "/other.sqlite" }

    init() throws {
      sandbox = try Sandbox()
      try sandbox.makeAwkwardTree()
      #expect(try sandbox.run("scan", sandbox.tree).status == 0)
      try publish()
      try sandbox.makeFile("more/one", "123")
      #expect(try sandbox.run("scan", "--catalog", other, sandbox.tree + "/more").status == 0)
      #expect(
        try sandbox.run("publish", "--catalog", other, "--to", lake, "--host", "berta").status == 0)
    }

    func publish() throws {
      #expect(try sandbox.run("publish", "--to", lake, "--host", "anna").status == 0)
    }

    /// Runs a question with the engines in its path that the tests have installed.
    func ask(_ arguments: String...) throws -> CommandResult { try ask(arguments) }

    func ask(_ arguments: [String]) throws -> CommandResult {
      try sandbox.run(self.arguments(arguments), environment: environment)
    }

    func start(_ arguments: String...) throws -> RunningCommand {
      try sandbox.runner(Sandbox.executable, environment).start(self.arguments(arguments))
    }

    private func arguments(_ arguments: [String]) -> [String] {
      ["fleet"] + arguments + ["--lake", lake, "--spark-home", Clients.spark]
    }

    private var environment: [String: String?] {
      ["PATH": "\(Clients.root)/.build/clients/bin:/usr/local/bin:/usr/bin:/bin"]
    }

    /// The number of the catalog of a machine.
    func catalog(of host: String) throws -> String {
      let status = try sandbox.run("fleet", "status", "--lake", lake, "--format", "ndjson")
      let member = try #require(
        try Rows.objects(status, "ndjson").first { $0["host"] == .string(host) })
      guard case .string(let catalog) = member["catalog"] else { return "" }
      return catalog
    }
  }

  private func withFleet(_ body: (Fleet) throws -> Void) throws {
    let fleet = try Fleet()
    defer { fleet.sandbox.remove() }
    try body(fleet)
  }

  @Test("any engine answers a statement, with the same rows", .feature("P-62"), arguments: engines)
  func questions(engine: FleetEngine.Name) throws {
    try withFleet { fleet in
      let engine = ["--engine", engine.rawValue]
      let statement = """
        SELECT host, name, size, NULL AS nothing FROM files
        WHERE name LIKE 'new%' OR name = 'one' ORDER BY host, name
        -- the end
        """
      let rows = try Rows.objects(
        fleet.ask(["sql", "--format", "ndjson", statement] + engine), "ndjson")
      #expect(rows.map { $0["host"] } == [.string("anna"), .string("berta")])
      #expect(rows.map { $0["name"] } == [.string("new\nline"), .string("one")])
      #expect(rows.map { $0["size"] } == [.integer(2), .integer(3)])
      #expect(rows.map { $0["nothing"] } == [.null, .null])
      let wrong = try fleet.ask(["sql", "SELECT host, no_such_column FROM files"] + engine)
      #expect(wrong.status == 4 && wrong.errorLines.count == 1, "\(wrong.errors)")
      #expect(wrong.errors.contains("no_such_column"), "\(wrong.errors)")
    }
  }

  @Test("what grew is told by host and owner, between two days", arguments: engines)
  func growth(engine: FleetEngine.Name) throws {
    try withFleet { fleet in
      try fleet.sandbox.makeFile("grown", String(repeating: "x", count: 5000))
      #expect(try fleet.sandbox.run("scan").status == 0)
      try fleet.publish()
      func rows(_ arguments: String...) throws -> [[String: JSONValue]] {
        let run = try fleet.ask(
          ["report", "growth_by_owner", "--format", "ndjson", "--engine", engine.rawValue]
            + arguments)
        #expect(run.status == 0 || run.status == 1 && run.output.isEmpty, "\(run.errors)")
        return try Rows.objects(run, "ndjson")
      }
      let week = try rows("--since", "7d")
      // With the file that was there before the second machine was scanned.
      #expect(week.count == 1 && week.first?["size"] == .integer(5003), "\(week)")
      #expect(week.first?["host"] == .string("anna"))
      guard engine == .duckdb else { return }
      // What is gone counts for whom it belonged to.
      try fleet.sandbox.directory.remove("tree/grown")
      #expect(try fleet.sandbox.run("scan").status == 0)
      try fleet.publish()
      let later = try rows()
      #expect(later.map { $0["size"] } == [.integer(3)], "\(later)")
      #expect(later.first?["owner"] == week.first?["owner"])
      #expect(week.first?["owner"] != .null)
      if engine != .spark { #expect(try rows("--until", "2020-01-01").isEmpty) }
    }
  }

  @Test(
    "a report has the columns of its kind, also where it has no rows",
    .enabled(if: Clients.areInstalled))
  func columns() throws {
    try withFleet { fleet in
      let report = try fleet.ask("report", "usage_by_host", "--format", "csv")
      let lines = report.text.split(separator: "\n")
      #expect(lines.count == 3 && lines.first == "host,entries,files,size,allocated")
      #expect(lines.contains { $0.hasPrefix("anna,14,") })
      #expect(lines.contains { $0.hasPrefix("berta,2,1,3,") })
      #expect(report.errors.contains("2 catalogs, as of "))
      let none = try fleet.ask("report", "duplicate_candidates", "--format", "csv")
      #expect(none.status == 1 && none.text.hasPrefix("host,path,name,size,copies,wasted,"))
      #expect(none.errors.contains("filecat: no two files have the same name and size\n"))
      let growth = try fleet.ask("report", "growth_by_owner", "--since", "7d", "--until", "6d")
      #expect(growth.status == 1)
      #expect(
        growth.errors.contains(
          "filecat: no files have grown or shrunk from one scan to another since 7d until 6d\n"))
      let statement = "SELECT host, path FROM files WHERE size < 0;"
      for engine in ["duckdb", "chdb"] {
        let rows = try fleet.ask("sql", "--format", "csv", "--engine", engine, statement)
        #expect(rows.status == 0 && rows.text == "host,path\n", "\(rows.errors)")
      }
    }
  }

  @Test("an answer says what is left out and what is missing", .enabled(if: Clients.areInstalled))
  func coverage() throws {
    try withFleet { fleet in
      func hosts(_ more: String...) throws -> (run: CommandResult, names: [String]) {
        let run = try fleet.ask(["report", "usage_by_extension", "--format", "ndjson"] + more)
        return (run, try Set(Rows.objects(run, "ndjson").compactMap { $0["host"]?.text }).sorted())
      }
      let skipped = try hosts("--skip-host", "berta")
      #expect(skipped.run.status == 0 && skipped.names == ["anna"])
      #expect(skipped.run.errors.contains("left out: berta"))
      #expect(skipped.run.errors.contains("1 catalog, as of"))
      let unknown = try fleet.ask("report", "usage_by_host", "--skip-host", "brta")
      #expect(
        unknown.status == 64 && unknown.errors.contains("there are: anna, berta"),
        "\(unknown.errors)")

      // A file that was cut off ends all questions, unless its machine is left out.
      let anna = try fleet.catalog(of: "anna")
      let file = "\(fleet.lake)/entries/catalog=\(anna)/publication=1/part-00000.parquet"
      let content = try Data(contentsOf: URL(filePath: file))
      #expect(truncate(file, 100) == 0)
      let broken = try fleet.ask("report", "usage_by_extension")
      #expect(broken.status == 4 && broken.errorLines.count == 1, "\(broken.errors)")
      #expect(try hosts("--skip-host", "anna").names == ["berta"])

      try content.write(to: URL(filePath: file))

      // A publication whose record is gone.
      try fleet.sandbox.makeFile("later")
      #expect(try fleet.sandbox.run("scan").status == 0)
      try fleet.publish()
      try fleet.sandbox.makeFile("still later")
      #expect(try fleet.sandbox.run("scan").status == 0)
      try fleet.publish()
      #expect(unlink("\(fleet.lake)/commits/catalog=\(anna)/000000000002.json") == 0)
      let gap = try fleet.ask("report", "usage_by_host", "--format", "ndjson")
      #expect(gap.status == 3, "\(gap.errors)")
      #expect(
        gap.errors.contains("anna: publication 2 is missing; its state is that of publication 1"))
      let row = try Rows.objects(gap, "ndjson").first { $0["host"] == .string("anna") }
      #expect(row?["entries"] == .integer(14))
      // Nor is a record read that is of a later version, whatever else it says.
      let record = "\(fleet.lake)/commits/catalog=\(anna)/000000000001.json"
      let text = try String(contentsOfFile: record, encoding: .utf8)
      try text.replacing("\"version\":1", with: "\"version\":2")
        .write(toFile: record, atomically: true, encoding: .utf8)
      let newer = try hosts()
      #expect(newer.run.status == 3 && newer.names == ["berta"], "\(newer.run.errors)")
    }
  }

  @Test("the last row counts also where its line has no end, and a report without rows says so")
  func lastLine() throws {
    try withFleet { fleet in
      let bin = fleet.sandbox.home + "/bin"
      func ask(_ answer: String, _ arguments: String...) throws -> CommandResult {
        try fleet.sandbox.directory.write(
          "#!/bin/sh\ncat > /dev/null\nprintf '\(answer)'\n", to: "bin/duckdb", mode: 0o755)
        return try fleet.sandbox.run(
          ["fleet"] + arguments + ["--lake", fleet.lake, "--engine", "duckdb"],
          environment: ["PATH": "\(bin):/usr/bin:/bin"])
      }
      let rows = try ask(
        #"["a"]\n{"a":1}\n{"a":2}"#, "sql", "SELECT a FROM b", "--format", "csv")
      #expect(rows.text == "a\n1\n2\n", "\(rows.errors)")
      let none = try ask(#"["host"]"#, "report", "growth_by_owner", "--since", "2d")
      #expect(none.status == 1)
      #expect(none.errors.contains("no files have grown"), "\(none.errors)")
      #expect(none.errors.contains("since 2d"), "\(none.errors)")
    }
  }

  @Test("where there is no engine, it is said how to get one")
  func noEngine() throws {
    try withFleet { fleet in
      for engine in ["auto", "duckdb", "chdb", "spark"] {
        let run = try fleet.sandbox.run(
          [
            "fleet", "report", "usage_by_host", "--lake", fleet.lake, "--engine", engine,
            "--spark-home", fleet.sandbox.home,
          ], environment: ["PATH": fleet.sandbox.home])
        #expect(run.status == 4 && run.errorLines.count == 1)
        #expect(run.errors.contains("pip install"), "\(run.errors)")
      }
    }
  }

  @Test(
    "what cannot be asked is refused with what can",
    arguments: [
      (["report", "usage_by_typ"], "usage_by_type"),
      (["report", "usage_by_type", "--since", "7d"], "growth"),
      (["report", "growth_by_owner", "--since", "3"], "no date"),
      (["report", "usage_by_type", "--engine", "duckdbb"], "duckdb"), (["sql", " ; "], "empty"),
    ])
  func usage(_ arguments: [String], _ advice: String) throws {
    try withFleet { fleet in
      let run = try fleet.ask(arguments)
      #expect(run.status == 64 || run.status == 4)
      #expect(run.errorLines.count == 1 && run.errors.contains(advice), "\(run.errors)")
    }
  }

  @Test(
    "an executor that is killed changes no answer",
    .enabled(if: Clients.hasSpark && Clients.areInstalled))
  func killedExecutor() throws {
    try withFleet { fleet in
      let question = ["report", "usage_by_extension", "--format", "csv"]
      let wanted = try fleet.ask(question + ["--engine", "duckdb"])
      #expect(wanted.status == 0)
      let asked = try fleet.start(
        "report", "usage_by_extension", "--format", "csv", "--engine", "spark", "--master",
        "local-cluster[2,1,1024]")
      var killed: Set<pid_t> = []
      while asked.isRunning, killed.isEmpty {
        usleep(100_000)
        for executor in executors(below: asked.id) where killed.isEmpty {
          // It has begun to work by then, or is about to.
          usleep(1_500_000)
          if kill(executor, SIGKILL) == 0 { killed.insert(executor) }
        }
      }
      let found = try asked.finish()
      #expect(killed.count == 1)
      #expect(found.status == 0 && found.text == wanted.text, "\(found.errors)")
    }
  }

  @Test("a question that is interrupted leaves nothing behind", arguments: [SIGTERM, SIGINT])
  func interruption(_ signal: Int32) throws {
    try withFleet { fleet in
      let (home, temporary) = (fleet.sandbox.home + "/spark", fleet.sandbox.home + "/temporary")
      for directory in [home + "/bin", temporary] {
        try FileManager.default.createDirectory(
          atPath: directory, withIntermediateDirectories: true)
      }
      // It has the question, and takes its time.
      let place = "'\(home)/begun'"
      try "#!/bin/sh\necho $$ > \(place).new; mv \(place).new \(place)\nsleep 600\n".write(
        toFile: home + "/bin/spark-sql", atomically: true, encoding: .utf8)
      #expect(chmod(home + "/bin/spark-sql", 0o755) == 0)
      let asked = try fleet.sandbox.runner(Sandbox.executable, ["TMPDIR": temporary]).start([
        "fleet", "sql", "--lake", fleet.lake, "--engine", "spark", "--spark-home", home, "SELECT 1",
      ])
      while asked.isRunning, !FileManager.default.fileExists(atPath: home + "/begun") {
        usleep(10_000)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).count == 1)
      asked.send(signal)
      let run = try asked.finish()
      #expect(run.status == 130 && run.errors == "filecat: interrupted\n", "\(run.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
      let engine = try String(contentsOfFile: home + "/begun", encoding: .utf8)
      let process = try #require(pid_t(engine.trimmingCharacters(in: .whitespacesAndNewlines)))
      #expect(kill(process, 0) == -1)
    }
  }

  /// The processes of Spark's executors that a process has started, or one that it has.
  private func executors(below process: pid_t) -> [pid_t] {
    guard let names = try? TemporaryDirectory(at: "/proc").names() else { return [] }
    func parent(_ process: pid_t) -> pid_t? {
      guard let text = Self.text(of: process, "stat") else { return nil }
      let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
      return fields.count > 2 ? pid_t(fields[2]) : nil
    }
    return names.compactMap { pid_t($0) }.filter { candidate in
      guard let command = Self.text(of: candidate, "cmdline"),
        command.contains("CoarseGrainedExecutorBackend")
      else { return false }
      var place: pid_t? = candidate
      while let current = place, current > 1 {
        if current == process { return true }
        place = parent(current)
      }
      return false
    }
  }

  private static func text(of process: pid_t, _ file: String) -> String? {
    FileManager.default.contents(atPath: "/proc/\(process)/\(file)")
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
