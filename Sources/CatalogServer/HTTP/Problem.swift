internal import Console

/// Why there is no answer: what is sent as `application/problem+json`
/// ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)).
struct Problem: Error {
  /// A part of the query that was sent, in Unicode scalars.
  struct Position {
    var offset: Int
    var length: Int
  }

  let status: Int
  /// The reason, for programs.
  let code: String
  /// The reason, in one line for a person.
  let detail: String
  var query: String?
  var position: Position?
  /// What would have been right.
  var expected: String?
  /// The known word that was probably meant.
  var nearest: String?
  /// Of a table that is at another generation: at which.
  var generation: Int?
  /// The methods that there are, where it was another.
  var allowed: String?

  init(_ status: Int, _ code: String, _ detail: String) {
    self.status = status
    self.code = code
    self.detail = detail
  }

  /// What is sent.
  var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("type", .text(code == "bad_request" ? "about:blank" : "urn:filecat:\(code)"))
      json.member("title", .text(Self.titles[status] ?? "Error"))
      json.member("status", .integer(Int64(status)))
      json.member("detail", .text(detail))
      json.member("code", .text(code))
      if let query { json.member("query", .text(query)) }
      if let position {
        json.key("position")
        json.object { json in
          json.member("offset", .integer(Int64(position.offset)))
          json.member("length", .integer(Int64(position.length)))
        }
      }
      if let expected { json.member("expected", .text(expected)) }
      if let nearest { json.member("nearest", .text(nearest)) }
      if let generation { json.member("generation", .integer(Int64(generation))) }
    }
    return json.bytes
  }

  private static let titles = [
    400: "Bad request", 401: "Unauthorized", 403: "Forbidden", 404: "Not found",
    405: "Method not allowed", 409: "Conflict", 410: "Gone", 413: "Content too large",
    414: "URI too long", 415: "Unsupported media type", 422: "Unprocessable content",
    429: "Too many requests", 500: "Internal server error", 503: "Service unavailable",
  ]
}

extension Problem {
  /// A parameter that cannot be understood.
  static func parameter(_ name: String, _ fact: String, nearest: String? = nil) -> Problem {
    var problem = Problem(400, "bad_parameter", "“\(name)” \(fact)")
    problem.nearest = nearest
    return problem
  }
}
