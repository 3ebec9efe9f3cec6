internal import Console
internal import HTTPTypes

/// What a request gets.
struct Answer: Sendable {
  /// What stands behind the headers.
  enum Body: Sendable {
    case none
    case bytes([UInt8])
    /// Events for as long as anybody listens.
    case events(@Sendable (EventWriter) async throws -> Void)
  }

  var status: HTTPResponse.Status = .ok
  var fields = HTTPFields()
  var body: Body = .none

  /// An answer without content.
  static let noContent = Answer(status: .noContent)

  init(status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], body: Body = .none) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// Bytes of a media type.
  init(_ bytes: [UInt8], _ media: String, status: HTTPResponse.Status = .ok) {
    self.init(status: status, fields: [.contentType: media], body: .bytes(bytes))
  }

  /// An object of JSON, whose members the closure writes.
  static func json(
    status: HTTPResponse.Status = .ok, _ members: (inout JSONWriter) throws -> Void
  ) rethrows -> Answer {
    var json = JSONWriter()
    try json.object(members)
    return Answer(json.bytes, "application/json", status: status)
  }

  init(_ problem: Problem) {
    self.init(
      problem.json, "application/problem+json", status: HTTPResponse.Status(code: problem.status))
    if let allowed = problem.allowed { fields[.allow] = allowed }
    if problem.status == 401 { fields[.wwwAuthenticate] = "Bearer" }
    if problem.status == 429 || problem.status == 503 { fields[.retryAfter] = "2" }
  }
}

extension JSONWriter {
  /// Writes a member that is a list of rows, each an object.
  mutating func member(_ name: String, rows: [[Cell]], of columns: [Column]) {
    let objects = JSONRows(columns: columns)
    key(name)
    array { json in
      for row in rows { json.row(row, of: objects) }
    }
  }

  /// Writes a member that is a list of texts.
  mutating func member(_ name: String, texts: [String]) {
    member(name, .list(texts.map { .text($0) }))
  }
}
