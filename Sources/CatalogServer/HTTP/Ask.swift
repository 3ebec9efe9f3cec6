internal import Console
internal import FileSystem
internal import HTTPTypes
internal import StandardDirectories
internal import SystemPackage
internal import TextMatching

/// A request for an endpoint, whose parameters are those that the endpoint has.
struct Ask: Sendable {
  let endpoint: Endpoint
  /// Who asks, as far as can be told: the address at the other end.
  let peer: String
  let fields: HTTPFields
  private let variables: [String: String]
  private let values: [String: [String]]
  private let content: [UInt8]

  init(
    _ endpoint: Endpoint, _ variables: [String: String], _ target: RequestTarget,
    _ fields: HTTPFields, content: [UInt8], peer: String
  ) throws(Problem) {
    self.endpoint = endpoint
    self.variables = variables
    self.fields = fields
    self.content = content
    self.peer = peer
    var values: [String: [String]] = [:]
    let known = endpoint.parameters.filter { $0.place == .query }
    for (name, value) in target.parameters {
      guard let parameter = known.first(where: { $0.name == name }) else {
        throw .parameter(
          name, "is no parameter of \(endpoint.path)",
          nearest: Spelling.nearest(to: name, in: known.map(\.name)))
      }
      guard values[name] == nil || parameter.isRepeated else {
        throw .parameter(name, "stands there twice")
      }
      values[name, default: []].append(value)
    }
    for parameter in known where parameter.isRequired && values[parameter.name] == nil {
      throw .parameter(parameter.name, "is missing")
    }
    self.values = values
  }

  // MARK: - Parameters

  /// What stands in the path.
  func variable(_ name: String) -> String { variables[name] ?? "" }

  /// A text; `nil` where it is left out.
  func text(_ name: String) -> String? { values[name]?.first }

  /// A text that is not empty; `nil` where it is left out or empty.
  func word(_ name: String) -> String? { text(name).flatMap { $0.isEmpty ? nil : $0 } }

  /// All texts of a name.
  func texts(_ name: String) -> [String] { values[name] ?? [] }

  /// One of the words that the parameter takes.
  func choice(_ name: String) throws(Problem) -> String? {
    guard let word = word(name) else { return nil }
    guard case .word(let words)? = schema(of: name), words.contains(word) else {
      let words: [String] = if case .word(let words)? = schema(of: name) { words } else { [] }
      throw .parameter(
        name, "takes one of \(words.joined(separator: ", "))",
        nearest: Spelling.nearest(to: word, in: words))
    }
    return word
  }

  /// A whole number in the range that the parameter has.
  func integer(_ name: String) throws(Problem) -> Int? {
    guard let text = text(name) else { return nil }
    guard case .integer(let range)? = schema(of: name) else { return nil }
    let bounds = range ?? Int.min...Int.max
    guard let number = Int(text), bounds.contains(number) else {
      throw .parameter(
        name,
        bounds.upperBound == .max
          ? "takes a whole number from \(bounds.lowerBound) on"
          : "takes a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
    }
    return number
  }

  private func schema(of name: String) -> Schema? {
    endpoint.parameters.first { $0.place == .query && $0.name == name }?.schema
  }

  /// The absolute paths of a name, as text and as Base64.
  func paths(_ name: String) throws(Problem) -> [FilePath] {
    try Self.paths(texts(name), name)
      + Self.paths(base64: texts("\(name)_base64"), "\(name)_base64")
  }

  /// The one absolute path of a name; `nil` where it is left out.
  func path(_ name: String) throws(Problem) -> FilePath? {
    let paths = try paths(name)
    guard paths.count < 2 else { throw .parameter(name, "stands there twice") }
    return paths.first
  }

  /// The same, which must be there.
  func requiredPath(_ name: String) throws(Problem) -> FilePath {
    guard let path = try path(name) else { throw .parameter(name, "is missing") }
    return path
  }

  static func paths(_ texts: [String], _ name: String) throws(Problem) -> [FilePath] {
    try texts.map { text throws(Problem) in try path(Array(text.utf8), name) }
  }

  static func paths(base64 texts: [String], _ name: String) throws(Problem) -> [FilePath] {
    try texts.map { text throws(Problem) in
      let digits = String(text.prefix { $0 != "=" })
      guard let bytes = Base64.decode(digits) else { throw .parameter(name, "is no Base64") }
      return try path(bytes, name)
    }
  }

  private static func path(_ bytes: [UInt8], _ name: String) throws(Problem) -> FilePath {
    guard bytes.first == UInt8(ascii: "/"), !bytes.contains(0), bytes.count <= 1 << 16 else {
      throw .parameter(name, "takes an absolute path")
    }
    return FilePath(bytes: bytes)
  }

  // MARK: - The body

  /// The members of the object that was sent.
  func object() throws(Problem) -> [String: PropertyList] {
    guard content.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
      throw Problem(400, "bad_json", "the body is no object of JSON")
    }
    let value: PropertyList
    do throws(PropertyListError) {
      value = try PropertyList(decodingListOrJSON: content)
    } catch {
      throw Problem(400, "bad_json", "the body: \(error)")
    }
    guard case .dictionary(let members) = value else {
      throw Problem(400, "bad_json", "the body is no object of JSON")
    }
    guard case .object(let known, _)? = endpoint.body else { return members }
    for name in members.keys.sorted() where !known.contains(where: { $0.name == name }) {
      var problem = Problem(422, "bad_member", "“\(name)” is no member of the body")
      problem.nearest = Spelling.nearest(to: name, in: known.map(\.name))
      throw problem
    }
    return members
  }

  static func text(
    _ name: String, in members: [String: PropertyList]
  ) throws(Problem) -> String? {
    switch members[name] {
    case nil: return nil
    case .string(let text)? where !text.utf8.contains(0): return text
    default: throw Problem(422, "bad_member", "“\(name)” takes a text")
    }
  }

  static func texts(
    _ name: String, in members: [String: PropertyList]
  ) throws(Problem) -> [String]? {
    guard let value = members[name] else { return nil }
    guard case .array(let elements) = value, elements.count <= 200 else {
      throw Problem(422, "bad_member", "“\(name)” takes a list of at most 200 texts")
    }
    return try elements.map { element throws(Problem) in
      guard case .string(let text) = element else {
        throw Problem(422, "bad_member", "“\(name)” takes a list of texts")
      }
      return text
    }
  }

  static func integer(
    _ name: String, in members: [String: PropertyList], _ range: ClosedRange<Int>
  ) throws(Problem) -> Int? {
    switch members[name] {
    case nil: return nil
    case .number(let number)? where range.contains(number): return number
    default:
      throw Problem(
        422, "bad_member",
        "“\(name)” takes a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
  }
}
