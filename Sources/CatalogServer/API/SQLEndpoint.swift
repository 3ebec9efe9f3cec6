internal import Console
internal import FileCatalog
internal import FileSystem
internal import HTTPTypes
internal import StandardDirectories
internal import SystemPackage

/// SQL of whoever asks, run in a process of its own with the limits of `filecat sql`: one that does not listen
/// is ended.
struct SQLEndpoint {
  let catalog: Catalog
  /// How to start that process; `nil` where SQL is not allowed.
  let program: [String]?

  static let path = "\(EntryEndpoints.root)/sql"
  private static let rowLimit = 10_000
  private static let answerLimit = 32 << 20
  /// Beyond this the process is ended, as it does not end the statement.
  private static let time = Duration.seconds(StatementProcess.seconds + 2)

  var endpoint: Endpoint {
    Endpoint(
      .post, Self.path, "The rows of a statement that reads",
      body: .object([
        .member("statement", .text, "One SQL statement."),
        .maybe("max_rows", .integer(0...Self.rowLimit), "At most so many rows; 1000."),
      ]),
      reply: .json(
        .object([
          .member("columns", .list(.text)),
          .member("rows", .list(.list(.any)), "A value for each column."),
          .member("is_cut", .truth, "Whether there are more rows."),
        ])), problems: [403, 422, 429]
    ) { [catalog, program] ask in
      guard let program else {
        throw Problem(403, "sql_not_allowed", "SQL is not allowed here; see --allow-sql")
      }
      let members = try ask.object()
      guard let statement = try Ask.text("statement", in: members), !statement.isEmpty else {
        throw Problem(422, "bad_member", "“statement” is missing")
      }
      let rows = try Ask.integer("max_rows", in: members, 0...Self.rowLimit) ?? 1000
      let output = try await Self.run(
        program + [catalog.path.string, "\(rows)"], Array(statement.utf8))
      guard let first = output.first, first == UInt8(ascii: "{") else {
        throw Problem(503, "timed_out", "the statement took too long, or too much")
      }
      // The process says by a member of its own that it has no rows.
      if output.starts(with: Array("{\"type\"".utf8)) {
        let status = StatementProcess.status(of: output)
        return Answer(
          output, "application/problem+json", status: HTTPResponse.Status(code: status))
      }
      return Answer(output, "application/json")
    }
  }

  private static func run(_ command: [String], _ input: [UInt8]) async throws -> [UInt8] {
    let process = ChildProcess(command)
    let end = Task {
      try await Task.sleep(for: time)
      process.cancel()
    }
    defer { end.cancel() }
    return try await withTaskCancellationHandler {
      try await Blocking.run {
        var output: [UInt8] = []
        _ = try process.run(input: input) { stream, bytes in
          guard stream == .output else { return }
          guard output.count + bytes.count <= answerLimit else {
            throw Problem(422, "too_much", "the rows have more than \(answerLimit) bytes")
          }
          output += bytes
        }
        return output
      }
    } onCancel: {
      process.cancel()
    }
  }
}

/// The process in which a statement of somebody else runs.
package enum StatementProcess {
  /// The first word of its command line. It is for this program alone, so no help tells of it.
  package static let word = "run-statement"
  /// How long a statement may take.
  static let seconds = 10.0
  private static let memory = 256 << 20

  /// Runs the statement on standard input, and prints an object of JSON.
  ///
  /// - Parameter arguments: the catalog, and how many rows there may be.
  package static func run(_ arguments: [String], _ statement: String) throws {
    var output: [UInt8]
    do {
      guard arguments.count == 2, let limit = Int(arguments[1]) else { return }
      Catalog.limitMemoryOfSQLite(to: memory)
      let catalog = try Catalog(reading: FilePath(arguments[0]), connections: 1)
      output = try rows(of: statement, limit, in: catalog)
    } catch let error as CatalogError {
      var problem = Problem(error)
      if let offset = error.offset {
        let start = statement.utf8.index(
          statement.utf8.startIndex, offsetBy: min(offset, statement.utf8.count))
        problem.query = statement
        problem.position = Problem.Position(
          offset: statement.unicodeScalars[..<start].count, length: 0)
      }
      output = problem.json
    }
    try StandardStream.output.write(document: output)
  }

  private static func rows(
    of statement: String, _ limit: Int, in catalog: Catalog
  ) throws -> [UInt8] {
    var columns: [String] = []
    var rows: [Cell] = []
    let isCut = try catalog.runSQL(
      statement, timeout: seconds, maximumRows: limit
    ) {
      columns = $0
    } row: { values in
      rows.append(.list(values.map { Cell($0) }))
    }
    var json = JSONWriter()
    json.object { json in
      json.member("columns", texts: columns)
      json.member("rows", .list(rows))
      json.member("is_cut", .boolean(isCut))
    }
    return json.bytes
  }

  /// The status of a problem that the process has printed.
  static func status(of output: [UInt8]) -> Int {
    guard case .dictionary(let members)? = try? PropertyList(decodingListOrJSON: output),
      case .number(let status)? = members["status"], (400...599).contains(status)
    else { return 500 }
    return status
  }
}
