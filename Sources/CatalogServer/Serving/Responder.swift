internal import FileCatalog
internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore

/// Answers requests: whether they may ask, who answers, and how it is sent.
struct Responder: Sendable {
  let catalog: Catalog
  let settings: ServerSettings
  let gate: Gate
  let routes: Routes
  let page: PageFiles
  let measures: Measures

  // MARK: - One request

  func respond(
    to request: Request, _ writer: consuming ResponseWriter, on channel: any Channel
  ) async throws {
    let start = ContinuousClock.now
    var route = "other"
    var answer: Answer
    var mustClose = false
    do {
      answer = try await self.answer(to: request, channel, &route, &mustClose)
    } catch {
      answer = Answer(Problem(error))
    }
    finish(&answer, for: request)
    let limit = WriteLimit(channel, .seconds(Int64(settings.readingSeconds)))
    var head = HTTPResponse(status: answer.status, headerFields: answer.fields)
    if mustClose { head.headerFields[.connection] = "close" }
    if case .events(let events) = answer.body, request.method != .head {
      measures.note(request.method.rawValue, route, head.status.code, ContinuousClock.now - start)
      log(request, head.status.code, ContinuousClock.now - start)
      let body: any ResponseBodyWriter = try await writer.writeHead(head)
      try await stream(events, body, request, limit)
      return
    }
    let bytes: [UInt8] = if case .bytes(let bytes) = answer.body { bytes } else { [] }
    let body =
      request.method == .head || bytes.isEmpty
      ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    try await Self.write(head, body, writer, limit)
    let duration = ContinuousClock.now - start
    measures.note(request.method.rawValue, route, head.status.code, duration)
    log(request, head.status.code, duration)
    if mustClose {
      // What the client still sends is not waited for; what was sent to it gets there first.
      channel.eventLoop.scheduleTask(in: .milliseconds(250)) { channel.close(promise: nil) }
    }
  }

  private static func write(
    _ head: HTTPResponse, _ body: ResponseBody, _ writer: consuming ResponseWriter,
    _ limit: WriteLimit
  ) async throws {
    let end = limit.begin()
    defer { end.cancel() }
    try await writer.write(response: head, body: body)
  }

  private func log(_ request: Request, _ status: Int, _ duration: Duration) {
    settings.log?(
      "\(request.method.rawValue) \(request.uri.string) \(status) \(duration / .milliseconds(1)) ms"
    )
  }

  /// Sends events until the listener goes, or the server ends.
  private func stream(
    _ events: @escaping @Sendable (EventWriter) async throws -> Void,
    _ body: any ResponseBodyWriter, _ request: Request, _ limit: WriteLimit
  ) async throws {
    let writer = EventWriter(body, limit)
    do {
      try await request.body.consumeWithCancellationOnInboundClose { _ in
        try await events(writer)
      }
      try await body.finish(nil)
    } catch is CancellationError {
      try? await body.finish(nil)
    }
  }

  // MARK: - Its answer

  private func answer(
    to request: Request, _ channel: any Channel, _ route: inout String, _ mustClose: inout Bool
  ) async throws -> Answer {
    // A body that nobody reads would be read to its end, whatever its length.
    let length = request.headers[.contentLength].flatMap { Int($0) }
    let hasBody = (length ?? 0) > 0 || request.headers[.transferEncoding] != nil
    mustClose = hasBody
    let target = try RequestTarget(parsing: request.head.path ?? "/")
    if let entrance = gate.entrance(target) { return entrance }
    try gate.check(request.head)
    let path = "/" + target.path.joined(separator: "/")
    if let file = page[path], [.get, .head].contains(request.method) {
      route = path
      return Self.answer(file, request)
    }
    let (endpoint, variables) = try routes.find(request.method, target.path)
    route = endpoint.path
    var content: [UInt8] = []
    if endpoint.body != nil {
      content = try await body(of: request, length, channel)
      mustClose = false
    }
    let ask = try Ask(
      endpoint, variables, target, request.headers, content: content,
      peer: channel.remoteAddress?.ipAddress ?? "local")
    return try await limited(endpoint, on: channel) { try await answer(ask) }
  }

  private func answer(_ ask: Ask) async throws -> Answer {
    guard ask.endpoint.validity == .whileCatalogStays else {
      return try await ask.endpoint.answer(ask)
    }
    // Of before: what changes meanwhile is asked for again.
    let tag = "W/\"state-\(try await catalog.stamp().tag)\(Self.minute(of: ask))\""
    if let known = ask.fields[.ifNoneMatch],
      known == "*"
        || known.split(separator: ",").contains(where: { $0.filter { $0 != " " } == tag })
    {
      return Answer(status: .notModified, fields: [.eTag: tag, .cacheControl: "no-cache"])
    }
    var answer = try await ask.endpoint.answer(ask)
    answer.fields[.eTag] = tag
    answer.fields[.cacheControl] = "no-cache"
    return answer
  }

  /// What is counted from the present holds for a minute.
  private static func minute(of ask: Ask) -> String {
    let isAboutTime =
      ask.endpoint.path.hasSuffix("/growth")
      || ask.word("since") != nil || ask.word("until") != nil
      || ask.word("q").flatMap { try? Query(parsing: $0).filter.isAboutThePresent } == true
      || ask.endpoint.path.contains("/reports/")
    return isAboutTime ? "-\(Measures.now / 60)" : ""
  }

  /// Gives up where an answer takes too long: what is asked of the catalog is cancelled then.
  private func limited(
    _ endpoint: Endpoint, on channel: any Channel,
    _ body: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    // To open a table may mean to put all entries in order.
    let seconds = settings.answerSeconds * (endpoint.body == nil ? 1 : 4)
    let work = Task { try await body() }
    // A sleeping task would be kept for all of the time, also when it is cancelled.
    let end = channel.eventLoop.scheduleTask(in: .seconds(Int64(seconds))) { work.cancel() }
    defer { end.cancel() }
    return try await withTaskCancellationHandler {
      try await work.value
    } onCancel: {
      work.cancel()
    }
  }

  private func body(
    of request: Request, _ length: Int?, _ channel: any Channel
  ) async throws -> [UInt8] {
    let media = request.headers[.contentType].map { $0.prefix { $0 != ";" }.lowercased() } ?? ""
    guard media.filter({ $0 != " " }) == "application/json" else {
      throw Problem(415, "unsupported_media_type", "the body has to be application/json")
    }
    let tooLong = Problem(
      413, "too_large", "the body has more than \(settings.bodyBytes) bytes")
    guard length ?? 0 <= settings.bodyBytes else { throw tooLong }
    // It has to come within some time, a byte now and then is not enough.
    let limit = WriteLimit(channel, .seconds(Int64(settings.readingSeconds)))
    let end = limit.begin()
    defer { end.cancel() }
    do {
      return Array(try await request.body.collect(upTo: settings.bodyBytes).readableBytesView)
    } catch is NIOTooManyBytesError {
      throw tooLong
    }
  }

  private static func answer(_ file: PageFiles.File, _ request: Request) -> Answer {
    var fields: HTTPFields = [.eTag: file.tag, .cacheControl: "no-cache", .vary: "Accept-Encoding"]
    if request.headers[.ifNoneMatch] == file.tag {
      return Answer(status: .notModified, fields: fields)
    }
    fields[.contentType] = file.media
    guard let compressed = file.compressed,
      Gzip.isAccepted(by: request.headers[.acceptEncoding])
    else { return Answer(fields: fields, body: .bytes(file.bytes)) }
    fields[.contentEncoding] = "gzip"
    return Answer(fields: fields, body: .bytes(compressed))
  }

  // MARK: - How it is sent

  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    + "connect-src 'self'; font-src 'none'; base-uri 'none'; form-action 'none'; "
    + "frame-ancestors 'none'"
  private static let fields: [(String, String)] = [
    ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
  ]

  /// Compresses the body, and adds what every answer has.
  private func finish(_ answer: inout Answer, for request: Request) {
    for (name, value) in Self.fields {
      if let name = HTTPField.Name(name) { answer.fields[name] = value }
    }
    if answer.fields[.cacheControl] == nil { answer.fields[.cacheControl] = "no-store" }
    answer.fields[.date] = HTTPDate.now
    guard case .bytes(let bytes) = answer.body else {
      if case .none = answer.body, ![.noContent, .notModified].contains(answer.status) {
        answer.fields[.contentLength] = "0"
      }
      return
    }
    if answer.fields[.contentEncoding] == nil {
      answer.fields[.vary] = "Accept-Encoding"
      if bytes.count > Gzip.threshold,
        Gzip.isAccepted(by: request.headers[.acceptEncoding]),
        let compressed = Gzip.compressed(bytes)
      {
        answer.fields[.contentEncoding] = "gzip"
        answer.body = .bytes(compressed)
        answer.fields[.contentLength] = "\(compressed.count)"
        return
      }
    }
    answer.fields[.contentLength] = "\(bytes.count)"
  }
}
