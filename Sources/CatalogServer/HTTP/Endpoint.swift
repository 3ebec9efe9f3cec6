internal import HTTPTypes

/// One thing that can be asked for: its address, what belongs to a request for it, and who answers. The API is
/// a list of these, and its description is made of it.
struct Endpoint: Sendable {
  /// What stands behind the headers of an answer.
  enum Reply: Sendable {
    case json(Schema)
    case text(media: String)
    case events
    case none
  }

  /// Whether an answer holds as long as the catalog is what it was.
  enum Validity: Sendable {
    case whileCatalogStays
    case once
  }

  let method: HTTPRequest.Method
  /// With the names of what varies in braces: `/tables/{id}`.
  let path: String
  /// What it gives, as a fragment.
  let summary: String
  var parameters: [Parameter] = []
  /// What the body of a request has to be; `nil` for none.
  var body: Schema?
  var reply: Reply
  var status = 200
  var validity = Validity.once
  /// The statuses of problems that it may answer with, beside those that everything may.
  var problems: [Int] = []
  let answer: @Sendable (Ask) async throws -> Answer

  init(
    _ method: HTTPRequest.Method, _ path: String, _ summary: String,
    parameters: [Parameter] = [], body: Schema? = nil, reply: Reply, status: Int = 200,
    validity: Validity = .once, problems: [Int] = [],
    answer: @escaping @Sendable (Ask) async throws -> Answer
  ) {
    self.method = method
    self.path = path
    self.summary = summary
    self.parameters = parameters
    self.body = body
    self.reply = reply
    self.status = status
    self.validity = validity
    self.problems = problems
    self.answer = answer
  }
}

/// What may stand behind the path of a request, or varies in it.
struct Parameter: Sendable {
  enum Place: Sendable { case path, query }

  let name: String
  let schema: Schema
  let meaning: String
  var place = Place.query
  var isRequired = false
  /// Whether it may stand there several times.
  var isRepeated = false

  init(
    _ name: String, _ schema: Schema, _ meaning: String, place: Place = .query,
    isRequired: Bool = false, isRepeated: Bool = false
  ) {
    self.name = name
    self.schema = schema
    self.meaning = meaning
    self.place = place
    self.isRequired = isRequired
    self.isRepeated = isRepeated
  }
}
