internal import CatalogStore
internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A request with everything that a server is told.
struct SignedRequest {
  let method: ObjectRequest.Method
  let scheme: String
  /// The whole of it, from the scheme on.
  let address: String
  let headers: [(name: String, value: String)]
  let upload: FileDescriptor?
}

/// Asks a server for what is in a bucket. Its calls block.
///
/// What fails in passing is tried again, signed anew: connections that break, servers that are busy.
final class ObjectClient: Sendable {
  private let bucket: String
  private let access: ObjectAccess
  private let program: String
  /// By how many seconds this machine's clock is ahead of the server's, when that was last heard.
  private let skew = Monitor<Int64?>(nil)

  init(_ bucket: String, _ access: ObjectAccess, program: String = "curl") {
    self.bucket = bucket
    self.access = access
    self.program = program
  }

  /// By how many seconds this machine's clock is ahead of the server's; `nil` before it has answered.
  var clockSkew: Int64? { skew.withLock { $0 } }

  /// How long to wait before another try, in seconds.
  private static let pauses = [0.2, 0.6, 1.8]
  /// How many requests one process sends, and how many processes there are at a time.
  private static let slice = 64
  static let processes = 4
  /// The content of an answer that nobody has asked for is not larger.
  static let largestAnswer = 64 << 10

  // MARK: - Requests

  /// Sends requests that do not depend on each other.
  ///
  /// - Parameter limit: how many bytes the content of an answer has at most.
  /// - Returns: to each what was answered, where that is not an error.
  func send(
    _ requests: [ObjectRequest], atMost limit: Int = largestAnswer
  ) -> [Result<ObjectResponse, ObjectError>] {
    let slices = stride(from: 0, to: requests.count, by: Self.slice)
      .map { Array(requests[$0...].prefix(Self.slice)) }
    return WorkerThread.map(slices, atOnce: Self.processes, named: "objects") {
      self.sendOneByOne($0, atMost: limit)
    }.flatMap(\.self)
  }

  /// Sends a request.
  ///
  /// - Throws: ``ObjectError``, also for an answer that is one.
  func send(
    _ request: ObjectRequest, atMost limit: Int = largestAnswer
  ) throws(ObjectError) -> ObjectResponse {
    guard let result = sendOneByOne([request], atMost: limit).first else {
      throw ObjectError(.failed, "there is no answer")
    }
    return try result.get()
  }

  private func sendOneByOne(
    _ requests: [ObjectRequest], atMost limit: Int
  ) -> [Result<ObjectResponse, ObjectError>] {
    var results: [Result<ObjectResponse, ObjectError>] = []
    func rest(_ error: ObjectError) -> [Result<ObjectResponse, ObjectError>] {
      (results.count..<requests.count).map { _ in .failure(error) }
    }
    var tries = 0
    while results.count < requests.count {
      let outcome: CurlRun.Outcome
      do throws(ObjectError) {
        var batch: [SignedRequest] = []
        for request in requests[results.count...] { batch.append(try signed(request)) }
        outcome = CurlRun(program: program).send(batch, atMost: limit)
      } catch {
        return results + rest(error)
      }
      var refused: ObjectError?
      for var response in outcome.responses {
        note(response)
        // Of an object without bytes there are no first ones.
        if response.status == Self.noSuchRange { response.body = [] }
        let error = error(in: response)
        // Those behind it are sent again as well, in their order.
        refused = Self.isPassing(response) ? error : nil
        if refused != nil { break }
        results.append(error.map { .failure($0) } ?? .success(response))
        tries = 0
      }
      if refused != nil || outcome.failure?.isPassing == true, tries < Self.pauses.count {
        wait(before: tries)
        tries += 1
      } else if let refused {
        results.append(.failure(refused))
        tries = 0
      } else if let failure = outcome.failure {
        // Where one is not answered, the next will not be.
        return results + rest(failure.error)
      }
    }
    return results
  }

  /// Reads an object from its beginning to its end.
  ///
  /// - Parameters:
  ///   - initial: what nothing makes; made anew when it is read again.
  ///   - body: called with its bytes, one part after the other.
  func read<Value>(
    _ key: String, into initial: () -> Value,
    _ body: (inout Value, UnsafeRawBufferPointer) -> Void
  ) throws(ObjectError) -> Value {
    var tries = 0
    while true {
      var value = initial()
      var beginning: [UInt8] = []
      let (response, failure) = CurlRun(program: program).stream(try signed(.get(key))) { bytes in
        body(&value, bytes)
        beginning += bytes.prefix(Self.largestAnswer - beginning.count)
      }
      var error = failure?.error
      var isPassing = failure?.isPassing ?? false
      if failure == nil, var response {
        note(response)
        response.body = beginning
        error = self.error(in: response)
        isPassing = Self.isPassing(response)
      }
      guard let error else { return value }
      guard isPassing, tries < Self.pauses.count else { throw error }
      wait(before: tries)
      tries += 1
    }
  }

  /// The keys that begin with these letters, in the order of their bytes.
  ///
  /// - Parameter pageSize: how many are asked for at a time.
  func keys(beginningWith prefix: String, pageSize: Int = 1000) throws(ObjectError) -> [String] {
    var keys: [String] = []
    var token: String?
    repeat {
      let response = try send(
        .list(prefix, atMost: pageSize, after: token), atMost: Self.largestPage)
      let page: ObjectListing
      do {
        page = try ObjectListing(response.body)
      } catch {
        throw ObjectError(.failed, "the listing is none that a server of objects has written")
      }
      // Whoever turns the same page for ever would never come to an end.
      guard page.next == nil || page.next != token, page.next == nil || !page.keys.isEmpty else {
        throw ObjectError(.failed, "the listing has no end")
      }
      keys += page.keys.filter { $0.hasPrefix(prefix) }
      token = page.next
      guard keys.count <= Self.mostKeys else {
        throw ObjectError(.failed, "there are more than \(Self.mostKeys) objects")
      }
    } while token != nil
    return keys
  }

  private static let largestPage = 8 << 20
  private static let mostKeys = 20_000_000

  // MARK: - Signing

  private func signed(_ request: ObjectRequest) throws(ObjectError) -> SignedRequest {
    // The time first: should this process stand still from here on, the signature tells.
    let time = Clock.now / 1_000_000_000
    if let upload = request.upload, ContinuousClock.now > upload.deadline {
      throw ObjectError(.tooLate, "the publisher has taken too long")
    }
    let place = access.place(of: bucket)
    let path = place.path + "/" + RequestSignature.encoded(request.key, keeping: "/")
    let hash = request.upload?.hash ?? RequestSignature.emptyHash
    var headers: [(name: String, value: String)] = [
      ("host", place.authority), ("x-amz-content-sha256", hash),
      ("x-amz-date", HTTPDate.basic(time)),
    ]
    if let session = access.credentials.session {
      headers.append(("x-amz-security-token", session))
    }
    if let upload = request.upload { headers.append(upload.condition.header) }
    if let last = request.lastByte { headers.append(("range", "bytes=0-\(last)")) }
    let signature = RequestSignature(
      credentials: access.credentials, region: access.region, time: time)
    let authorization = signature.authorization(
      request.method.rawValue, path: path, query: request.query, headers: headers, hash: hash)
    headers.append(("authorization", authorization))
    let query = RequestSignature.text(of: request.query)
    let scheme = place.isEncrypted ? "https" : "http"
    return SignedRequest(
      method: request.method, scheme: scheme,
      address: "\(scheme)://\(place.authority)\(path)\(query.isEmpty ? "" : "?\(query)")",
      headers: headers, upload: request.upload?.file)
  }

  // MARK: - Answers

  private func note(_ response: ObjectResponse) {
    guard let date = response.date else { return }
    let ahead = Clock.now / 1_000_000_000 - date
    skew.withLock { $0 = ahead }
  }

  private func wait(before tries: Int) {
    // Not all at once, where many machines have waited for the same.
    let seconds = Self.pauses[tries] * Double.random(in: 1...1.5)
    usleep(UInt32(seconds * 1_000_000))
  }

  /// Whether a server may answer otherwise soon.
  private static func isPassing(_ response: ObjectResponse) -> Bool {
    switch response.status {
    case 429, 500, 502, 503, 504: true
    // Somebody else is putting the same.
    case 409: ObjectRefusal(response.body).code == "ConditionalRequestConflict"
    default: false
    }
  }

  private static let noSuchRange = 416

  /// Why a request was not done; `nil` where it was.
  private func error(in response: ObjectResponse) -> ObjectError? {
    if 200...299 ~= response.status || response.status == Self.noSuchRange { return nil }
    let refusal = ObjectRefusal(response.body)
    let words = [refusal.code, refusal.message].filter { !$0.isEmpty }.joined(separator: ": ")
    let reason =
      words.isEmpty
      ? "the server answers with \(response.status)"
      : "the server answers with \(response.status), \(words)"
    switch response.status {
    case 404 where ["", "NoSuchKey"].contains(refusal.code): return ObjectError(.missing, reason)
    case 412: return ObjectError(.conflict, reason)
    case 403 where refusal.code == "RequestTimeTooSkewed":
      let ahead = clockSkew ?? 0
      return ObjectError(
        .wrongClock,
        "the clock of this machine is \(abs(ahead)) seconds \(ahead < 0 ? "behind" : "ahead of") "
          + "the server's")
    case 300...399:
      let region = response.headers["x-amz-bucket-region"].map { ", it is in \($0)" } ?? ""
      return ObjectError(.failed, "the bucket is elsewhere\(region)")
    default: return ObjectError(.failed, reason)
    }
  }
}
