internal import SystemPackage

/// What is asked of a bucket.
struct ObjectRequest: Sendable {
  enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case put = "PUT"
    case delete = "DELETE"
  }

  /// What must be the case for an object to be put.
  enum Condition: Sendable, Hashable {
    /// There is none of its key.
    case absent
    /// The one of its key is this one, by its tag.
    case same(String)

    var header: (name: String, value: String) {
      switch self {
      case .absent: ("if-none-match", "*")
      case .same(let tag): ("if-match", tag)
      }
    }
  }

  /// What is put.
  struct Upload: Sendable {
    let file: FileDescriptor
    let size: Int64
    /// SHA-256 of the content, in base 16.
    let hash: String
    var condition: Condition
    /// Nothing is begun later: others may take what was put for left behind.
    let deadline: ContinuousClock.Instant
  }

  let method: Method
  /// The key of the object; empty for the bucket.
  let key: String
  /// In any order.
  var query: [(name: String, value: String)] = []
  var upload: Upload?
  /// Nothing behind this byte is asked for.
  var lastByte: Int?

  private init(_ method: Method, _ key: String) {
    self.method = method
    self.key = key
  }

  /// An object, or so many of its first bytes.
  static func get(_ key: String, atMost count: Int? = nil) -> ObjectRequest {
    var request = ObjectRequest(.get, key)
    request.lastByte = count.map { $0 - 1 }
    return request
  }

  static func head(_ key: String) -> ObjectRequest { ObjectRequest(.head, key) }
  static func delete(_ key: String) -> ObjectRequest { ObjectRequest(.delete, key) }

  static func put(_ key: String, _ upload: Upload) -> ObjectRequest {
    var request = ObjectRequest(.put, key)
    request.upload = upload
    return request
  }

  /// A page of the keys that begin with these letters, after what an earlier page has ended with.
  static func list(
    _ prefix: String, atMost count: Int, after token: String?
  ) -> ObjectRequest {
    var request = ObjectRequest(.get, "")
    request.query = [("list-type", "2"), ("max-keys", "\(count)"), ("prefix", prefix)]
    if let token { request.query.append(("continuation-token", token)) }
    return request
  }
}

/// What a server has answered.
struct ObjectResponse: Sendable {
  let status: Int
  /// By their names in lower case.
  let headers: [String: String]
  var body: [UInt8] = []

  /// Reads the head of an answer, without the empty line behind it.
  ///
  /// - Returns: `nil` where it is none.
  init?(head: some Collection<UInt8>) {
    let lines = String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline)
    let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]),
      100...599 ~= status
    else { return nil }
    self.status = status
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      headers[line[..<colon].lowercased()] = String(value)
    }
    self.headers = headers
  }

  /// The time of the server.
  var date: Int64? { headers["date"].flatMap(HTTPDate.seconds) }
  /// When the object was put, by the time of the server.
  var modified: Int64? { headers["last-modified"].flatMap(HTTPDate.seconds) }
  var size: Int64? { headers["content-length"].flatMap { Int64($0) } }
  /// Another one for any other content.
  var tag: String? { headers["etag"] }
}
