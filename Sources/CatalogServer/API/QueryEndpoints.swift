internal import Console
internal import FileCatalog
internal import HTTPTypes

/// What helps to write a query.
struct QueryEndpoints {
  let catalog: Catalog

  var all: [Endpoint] { [complete, check] }

  private static let wordLimit = 40

  private var complete: Endpoint {
    Endpoint(
      .get, "\(EntryEndpoints.root)/complete", "What the word at a place of a query can become",
      parameters: [
        EntryEndpoints.query,
        Parameter(
          "position", .integer(0...Int.max),
          "The place, in Unicode scalars; the end where it is left out."),
      ],
      reply: .json(
        .object([
          .member("from", .integer(0...Int.max)), .member("to", .integer(0...Int.max)),
          .member(
            "words", .list(.object([.member("text", .text), .member("note", .text)])),
            "What may stand there instead of the part from one place to the other."),
        ]))
    ) { [catalog] ask in
      let text = ask.text("q") ?? ""
      let length = text.unicodeScalars.count
      let position = min(try ask.integer("position") ?? length, length)
      let found = try await catalog.completion(of: text, at: position, limit: Self.wordLimit)
      return Answer.json { json in
        json.member("from", .integer(Int64(found.range.lowerBound)))
        json.member("to", .integer(Int64(found.range.upperBound)))
        json.member(
          "words", rows: found.words.map { [.text($0.text), .text($0.note)] },
          of: [.text("text"), .text("note")])
      }
    }
  }

  private var check: Endpoint {
    Endpoint(
      .get, "\(EntryEndpoints.root)/check",
      "Whether a query can be understood, and which of its words nothing has",
      parameters: [EntryEndpoints.query],
      reply: .json(
        .object([
          .member("ok", .truth),
          .member(
            "unknown",
            .list(
              .object([
                .member("term", .text), .member("word", .text),
                .member("nearest", .optional(.text)),
              ]))),
        ]))
    ) { [catalog] ask in
      let query = try Query(parsing: ask.text("q") ?? "")
      let unknown = try await catalog.unknownWords(in: query)
      return Answer.json { json in
        json.member("ok", .boolean(true))
        json.member(
          "unknown",
          rows: unknown.map { word in
            [.text(word.term), .text(word.word), word.nearest.map { .text($0) } ?? .null]
          }, of: [.text("term"), .text("word"), .text("nearest")])
      }
    }
  }
}
