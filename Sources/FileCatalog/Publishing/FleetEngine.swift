internal import FileSystem
internal import Fleet
internal import SQLite
internal import StandardDirectories
public import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// An engine of this machine that answers questions about a lake: a program that is run for each question.
public struct FleetEngine: Sendable {
  /// The engines that can be run.
  public enum Name: String, Sendable, CaseIterable {
    /// The program `duckdb`.
    case duckdb
    /// ClickHouse as the Python library [chdb](https://github.com/chdb-io/chdb).
    case chdb
    /// The program `spark-sql` of [Apache Spark](https://spark.apache.org): one machine, or a cluster.
    case spark
  }

  /// Where Spark is, and what it runs on.
  public struct Spark: Sendable {
    /// The directory of Spark; `nil` for that of `SPARK_HOME`, or of the `spark-sql` in `PATH`.
    public var home: FilePath?
    /// Spark's address of a cluster; `local[*]` is this machine.
    public var master: String

    /// Spark on this machine, unless told otherwise.
    public init(home: FilePath? = nil, master: String = "local[*]") {
      self.home = home
      self.master = master
    }
  }

  /// Which engine it is.
  public let name: Name
  /// The program, with the arguments that it always gets.
  private let command: [String]
  private let environment: [String: String]

  /// From so many rows on Spark is worth its start, where nobody has said which engine.
  private static let rowsForSpark: Int64 = 1_000_000_000
  /// Up to so many rows Spark has answered before its code is worth being compiled well.
  private static let rowsForHaste: Int64 = 500_000

  /// Looks for an engine.
  ///
  /// - Parameters:
  ///   - name: which one; `nil` for any, as befits the number of rows.
  ///   - rows: how many entries the lake has.
  /// - Throws: ``FleetEngineError`` with ``FleetEngineError/Code/notFound``.
  public init(
    _ name: Name? = nil, spark: Spark = Spark(), rows: Int64 = 0
  ) throws(FleetEngineError) {
    let order = rows < Self.rowsForSpark ? [Name.duckdb, .chdb, .spark] : [.spark, .duckdb, .chdb]
    for candidate in name.map({ [$0] }) ?? order {
      if let engine = Self.found(candidate, spark, rows) {
        self = engine
        return
      }
    }
    throw FleetEngineError(
      .notFound, name.map { "\($0.rawValue) was not found" } ?? "no engine was found")
  }

  private init(_ name: Name, _ command: [String], _ environment: [String: String] = [:]) {
    self.name = name
    self.command = command
    self.environment = environment
  }

  private static func found(_ name: Name, _ spark: Spark, _ rows: Int64) -> FleetEngine? {
    switch name {
    case .duckdb:
      guard let program = program("duckdb") else { return nil }
      // What is set up for a person at the keyboard is not for this.
      return FleetEngine(
        name, [program.string, "-init", "/dev/null", "-batch", "-bail", "-list", "-noheader"])
    case .chdb:
      guard let python = program("python3"), hasChdb(python) else { return nil }
      return FleetEngine(name, [python.string, "-c", chdbScript])
    case .spark:
      let home = spark.home ?? getenv("SPARK_HOME").map { FilePath(platformString: $0) }
      guard let program = home?.appending("bin/spark-sql") ?? program("spark-sql"),
        isProgram(program)
      else { return nil }
      let haste =
        rows > rowsForHaste
        ? [] : ["--driver-java-options", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"]
      // On one machine the driver does all the work, and would get a gigabyte, however many there are.
      let memory =
        spark.master.hasPrefix("local[") ? ["--driver-memory", "\(memoryForSpark)m"] : []
      return FleetEngine(
        name, [program.string, "-S", "--master", spark.master] + haste + memory,
        home.map { ["SPARK_HOME": $0.string] } ?? [:])
    }
  }

  /// A quarter of the machine's, in megabytes, as engines take that are not Spark.
  private static var memoryForSpark: Int {
    let size = (sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))) >> 20
    return min(max(1024, size / 4), 32_768)
  }

  /// The program of a name in `PATH`.
  private static func program(_ name: String) -> FilePath? {
    let places = getenv("PATH").map { String(cString: $0) } ?? ""
    return places.split(separator: ":").map { FilePath(String($0)).appending(name) }
      .first { isProgram($0) }
  }

  private static func isProgram(_ path: FilePath) -> Bool {
    path.withPlatformString { access($0, X_OK) == 0 }
  }

  private static func hasChdb(_ python: FilePath) -> Bool {
    let question = "import importlib.util, sys; sys.exit(importlib.util.find_spec('chdb') is None)"
    let process = ChildProcess([python.string, "-c", question])
    return (try? process.run { _, _ in }) == 0
  }

  /// Statements come apart by NUL; the answer to the last one is printed.
  private static let chdbScript = """
    import sys
    from chdb import session
    *views, question = sys.stdin.buffer.read().decode().split("\\0")
    session = session.Session()
    try:
        for view in views:
            session.query(view)
        answer = session.query(question, "JSONCompactEachRowWithNames").bytes()
    except Exception as error:
        sys.exit(str(error))
    sys.stdout.buffer.write(answer)
    """

  // MARK: - Questions

  /// How far an engine has come.
  public struct Progress: Sendable, Hashable {
    /// How many steps there are and how many of them are done: tasks of a stage of Spark.
    public let stage: Int
    public let done: Int
    public let count: Int
  }

  /// Answers a question by a statement over views.
  ///
  /// - Parameters:
  ///   - views: the views of a lake for ``dialect``.
  ///   - names: called with the names of the columns, before the rows.
  ///   - row: called with each row, in the order of the statement.
  ///   - progress: called now and then by engines that tell.
  /// - Throws: ``FleetEngineError`` with ``FleetEngineError/Code/failed``, and what the closures throw. To be
  ///   called from a thread that may block.
  public func answer(
    _ statement: String, over views: FleetViews, running: Running = Running(),
    names: ([String]) throws -> Void, row: ([ColumnValue]) throws -> Void,
    progress: (Progress) -> Void = { _ in }
  ) throws {
    let statement = try Self.query(statement)
    let script = try EngineScript(views.statements(for: statement), statement, for: name)
    defer { script.remove() }
    let process = ChildProcess(command + script.arguments, environment: environment)
    guard running.begin(process) else { throw CancellationError() }
    var reader = try EngineAnswer(of: name)
    var messages = EngineMessages()
    let status: Int32
    do {
      status = try process.run(input: script.input) { stream, bytes in
        switch stream {
        case .output: try reader.read(bytes, names: names, row: row)
        case .errors: messages.read(bytes, progress)
        }
      }
    } catch let error as ChildProcess.StartError {
      throw FleetEngineError(.notFound, "\(error.program) cannot be run: \(error.reason)")
    }
    if running.isCancelled { throw CancellationError() }
    try reader.finish(names: names, row: row)
    guard status == 0 else {
      throw FleetEngineError(.failed, "\(name.rawValue): \(messages.reason(status))")
    }
    guard reader.isComplete else {
      throw FleetEngineError(.failed, "\(name.rawValue): it has not answered")
    }
  }

  /// The dialect of the engine.
  public var dialect: FleetDialect {
    switch name {
    case .duckdb: .duckdb
    case .chdb: .clickhouse
    case .spark: .spark
    }
  }

  /// A statement without what ends it.
  private static func query(_ statement: String) throws(FleetEngineError) -> String {
    guard !statement.utf8.contains(0) else {
      throw FleetEngineError(.failed, "a statement has no NUL")
    }
    let end = statement.lastIndex { !$0.isWhitespace && $0 != ";" }
    guard let end else { throw FleetEngineError(.failed, "the statement is empty") }
    return String(statement[...end])
  }

  /// A question that can be given up while it is answered.
  public final class Running: Sendable {
    private let state = Monitor<(isCancelled: Bool, process: ChildProcess?)>((false, nil))

    public init() {}

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    fileprivate func begin(_ process: ChildProcess) -> Bool {
      state.withLock { state in
        state.process = process
        return !state.isCancelled
      }
    }

    /// Ends the engine; the answer throws `CancellationError`.
    public func cancel() {
      state.withLock { state in
        state.isCancelled = true
        state.process?.cancel()
      }
    }
  }
}

/// Why an engine has not answered.
public struct FleetEngineError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason, for programs.
  public enum Code: Sendable, Hashable {
    /// There is no such engine on this machine.
    case notFound
    /// It has refused the question, or failed.
    case failed
  }

  public let code: Code
  /// The reason, in one line for a person.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

// MARK: - What an engine gets

/// The statements of a question as an engine takes them.
private struct EngineScript {
  /// What follows the arguments that an engine always gets.
  private(set) var arguments: [String] = []
  private(set) var input: [UInt8] = []
  /// A directory that is there as long as the script.
  private var directory: FilePath?

  init(_ views: [String], _ question: String, for engine: FleetEngine.Name) throws {
    let beginning = views.map { $0 + ";\n" }.joined()
    switch engine {
    case .duckdb:
      input = Array(
        """
        \(beginning)
        SELECT to_json(list(column_name)) FROM (DESCRIBE \(question)
        );
        SELECT to_json(answer) FROM (\(question)
        ) AS answer;

        """.utf8)
    case .chdb:
      input = Array((views + [question]).joined(separator: "\0").utf8)
    case .spark:
      let directory = try Self.makeDirectory()
      self.directory = directory
      let file = directory.appending("question.sql")
      let script = """
        \(beginning)
        SELECT '\(EngineAnswer.namesMark)';
        DESCRIBE QUERY \(question)
        ;
        SELECT '\(EngineAnswer.rowsMark)';
        SELECT to_json(struct(*), map('ignoreNullFields', 'false')) FROM (\(question)
        );

        """
      let opened = try FileDescriptor.open(
        file, .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
      try opened.closeAfter { _ = try opened.writeAll(script.utf8) }
      arguments = Self.sparkSettings(directory).flatMap { ["--conf", $0] } + ["-f", file.string]
    }
  }

  /// No tables of one's own, no page for a browser, and of the log what went wrong.
  private static func sparkSettings(_ directory: FilePath) -> [String] {
    [
      "spark.sql.catalogImplementation=in-memory", "spark.ui.enabled=false",
      "spark.ui.showConsoleProgress=true", "spark.log.level=ERROR",
      "spark.sql.warehouse.dir=\(directory.string)",
    ]
  }

  /// Others may not read what is asked.
  private static func makeDirectory() throws(Errno) -> FilePath {
    let pattern = HostEnvironment.process.temporary.appending("filecat-fleet-XXXXXX")
    var name = pattern.withPlatformString {
      Array(UnsafeBufferPointer(start: $0, count: strlen($0)))
    }
    name.append(0)
    guard mkdtemp(&name) != nil else { throw Errno(rawValue: errno) }
    return name.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { FilePath(platformString: $0) } ?? pattern
    }
  }

  func remove() {
    guard let directory else { return }
    directory.appending("question.sql").withPlatformString { _ = unlink($0) }
    directory.withPlatformString { _ = rmdir($0) }
  }
}
