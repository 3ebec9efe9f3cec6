internal import Console
internal import FileCatalog
internal import HTTPTypes
internal import SystemPackage

/// Tables that stay open: rows by range, and what changes by index.
struct TableEndpoints {
  let catalog: Catalog
  let shelf: TableShelf
  let follower: CatalogFollower

  var all: [Endpoint] { [open, show, change, close, rows, find, events] }

  private static let path = "\(EntryEndpoints.root)/tables"
  private static let id = Parameter(
    "id", .text, "The number of the table.", place: .path, isRequired: true)

  private static let question = Schema.object([
    .maybe("q", .text, "A query."),
    .maybe("in", .list(.text, atMost: 200), "Absolute paths: only what is in or below them."),
    .maybe("in_base64", .list(.text, atMost: 200), "The same as Base64 of their bytes."),
    .maybe("sort", .text, "Sort keys."),
    .maybe("columns", .list(.text, atMost: 200), "What rows have beside the id."),
  ])

  // MARK: - A table

  private var open: Endpoint {
    Endpoint(
      .post, Self.path, "Opens a table", body: Self.question, reply: .json(.named("Table")),
      status: 201, problems: [404, 429]
    ) { [shelf] ask in
      let question = try TableQuestion(ask.object(), changing: nil)
      let session = try await shelf.open(question, peer: ask.peer)
      var answer = await Self.answer(session, .created)
      answer.fields[.location] = "\(Self.path)/\(session.id)"
      return answer
    }
  }

  private var show: Endpoint {
    Endpoint(
      .get, "\(Self.path)/{id}", "What a table shows, and how many rows it has",
      parameters: [Self.id], reply: .json(.named("Table")), problems: [404, 410]
    ) { [shelf] ask in await Self.answer(try await shelf.session(ask.variable("id"))) }
  }

  private var change: Endpoint {
    Endpoint(
      .patch, "\(Self.path)/{id}", "Makes a table show something else",
      parameters: [Self.id], body: Self.question, reply: .json(.named("Table")),
      problems: [404, 410]
    ) { [shelf] ask in
      let session = try await shelf.session(ask.variable("id"))
      let question = try TableQuestion(ask.object(), changing: await session.question)
      try await shelf.change(session, to: question)
      return await Self.answer(session)
    }
  }

  private var close: Endpoint {
    Endpoint(
      .delete, "\(Self.path)/{id}", "Closes a table", parameters: [Self.id], reply: .none,
      status: 204, problems: [404, 410]
    ) { [shelf] ask in
      try await shelf.close(ask.variable("id"))
      return .noContent
    }
  }

  private static func answer(
    _ session: TableSession, _ status: HTTPResponse.Status = .ok
  ) async -> Answer {
    let (question, generation) = await session.read()
    return Answer.json(status: status) { json in
      json.member("id", .text(session.id))
      json.member("count", .integer(Int64(generation.snapshot.count)))
      json.member("generation", .integer(Int64(generation.number)))
      json.member("q", .text(question.text))
      json.member("in", .list(question.directories.map { .text(bytes: $0.bytes) }))
      if question.directories.contains(where: { String(validating: $0.bytes, as: UTF8.self) == nil }
      ) {
        json.member(
          "in_base64",
          .list(
            question.directories.map { directory in
              var digits: [UInt8] = []
              Base64.append(directory.bytes, to: &digits)
              return .text(bytes: digits)
            }))
      }
      json.member("sort", .text(question.order.description))
      json.member("columns", texts: question.columns.map(\.name))
    }
  }

  // MARK: - Rows

  private var rows: Endpoint {
    Endpoint(
      .get, "\(Self.path)/{id}/rows", "Some rows by their index",
      parameters: [
        Self.id, Parameter("from", .integer(0...Int.max), "The first of them; 0."),
        Parameter("count", .integer(1...500), "How many; 100."),
        Parameter(
          "generation", .integer(0...Int.max),
          "The one that is known: with another there is no answer."),
      ],
      reply: .json(
        .object([
          .member("from", .integer(0...Int.max)), .member("count", .integer(0...500)),
          .member("generation", .integer(1...Int.max)),
          .member("rows", .list(.named("Entry"), atMost: 500)),
        ])), problems: [404, 409, 410]
    ) { [shelf] ask in
      let session = try await shelf.session(ask.variable("id"))
      let first = try ask.integer("from") ?? 0
      let (generation, columns, rows) = try await session.rows(
        from: first, count: try ask.integer("count") ?? 100,
        generation: try ask.integer("generation"))
      return Answer.json { json in
        json.member("from", .integer(Int64(first)))
        json.member("count", .integer(Int64(rows.count)))
        json.member("generation", .integer(Int64(generation.number)))
        json.member("rows", entries: rows, columns)
      }
    }
  }

  private var find: Endpoint {
    Endpoint(
      .get, "\(Self.path)/{id}/find", "In which row an entry is",
      parameters: [Self.id] + EntryEndpoints.path + [
        Parameter("id", .integer(0...Int.max), "The number of the entry.")
      ],
      reply: .json(.object([.member("index", .optional(.integer(0...Int.max)))])),
      problems: [404, 410]
    ) { [shelf] ask in
      let session = try await shelf.session(ask.variable("id"))
      let path = try ask.path("path")
      guard let id = try ask.integer("id") else {
        guard let path else { throw Problem(400, "bad_parameter", "name a path or an id") }
        return Self.answer(index: try await session.index { try await $0.index(of: path) })
      }
      guard path == nil else { throw Problem(400, "bad_parameter", "name a path or an id") }
      let entry = EntryID(rawValue: Int64(id))
      return Self.answer(index: try await session.index { $0.index(of: entry) })
    }
  }

  private static func answer(index: Int?) -> Answer {
    Answer.json { $0.member("index", index.map { .integer(Int64($0)) } ?? .null) }
  }

  // MARK: - Events

  private var events: Endpoint {
    Endpoint(
      .get, "\(Self.path)/{id}/events",
      "What changes in a table, by index: `diff`, `reset` and `state`",
      parameters: [
        Self.id,
        Parameter(
          "shape", .word(["full", "batch"]), "How rows with other values are told: full."),
      ], reply: .events, problems: [404, 410, 429]
    ) { [catalog, shelf, follower] ask in
      let session = try await shelf.session(ask.variable("id"))
      let shape: TableDiff.Shape = try ask.choice("shape") == "batch" ? .batch : .full
      let last = ask.fields[.lastEventID].flatMap { Int($0) }
      // What stands against it is told before the stream begins.
      try await session.requireRoomForListener()
      let events = TableEvents(
        catalog: catalog, session: session, follower: follower, shape: shape)
      return Answer(
        fields: [.contentType: "text/event-stream"],
        body: .events { try await events.write(after: last, to: $0) })
    }
  }
}

extension HTTPField.Name {
  /// What a listener heard last, when it comes again.
  static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .ifRange
}
