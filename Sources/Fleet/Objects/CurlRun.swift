internal import FileSystem
internal import SystemPackage

/// Requests that one process of the program `curl` sends, one after the other over one connection.
///
/// curl is on every system, kept up to date with it, and knows its certificates and proxies. What it is to
/// do is given as its input: arguments can be seen by everybody.
struct CurlRun {
  /// What has become of the requests that were sent.
  struct Outcome {
    /// The answers that have come whole, in the order of the requests.
    var responses: [ObjectResponse] = []
    /// Why there is none to the request that follows these; `nil` where there is one to each.
    var failure: Failure?
  }

  /// Why there is no answer.
  struct Failure {
    /// Whether another try may get one.
    let isPassing: Bool
    let error: ObjectError
  }

  private let program: String
  /// What stands behind each answer. Nobody else knows it, so no content can have it.
  private let mark = (0..<2).map { _ in UInt64.random(in: .min ... .max) }
    .map { String($0, radix: 36) }.joined()

  init(program: String) { self.program = program }

  /// Sends requests until one gets no answer.
  ///
  /// - Parameter limit: how many bytes the content of an answer has at most.
  func send(_ requests: [SignedRequest], atMost limit: Int) -> Outcome {
    var output: [UInt8] = []
    let most = requests.count * (limit + Self.longestHead)
    let failure = run(requests, .bounded) { bytes throws(ObjectError) in
      guard output.count + bytes.count <= most else { throw Self.tooLong }
      output += bytes
    }
    var outcome = Outcome()
    var rest = output[...]
    var answers: [ObjectResponse?] = []
    while let end = rest.range(of: mark) {
      answers.append(ObjectResponse(answer: rest[..<end.lowerBound]))
      rest = rest[end.upperBound...]
    }
    // The mark of the request that has failed stands behind what has come until then.
    if failure != nil { _ = answers.popLast() }
    outcome.responses = Array(answers.prefix { $0 != nil }.compactMap(\.self))
    if outcome.responses.count < requests.count {
      outcome.failure = failure ?? Failure(isPassing: false, error: Self.noAnswer)
    }
    return outcome
  }

  /// Sends a request and has the content of its answer read as it comes.
  func stream(
    _ request: SignedRequest, _ body: (UnsafeRawBufferPointer) -> Void
  ) -> (response: ObjectResponse?, failure: Failure?) {
    var head: [UInt8] = []
    var response: ObjectResponse?
    let failure = run([request], .streamed) { bytes throws(ObjectError) in
      guard response == nil else { return body(bytes) }
      head += bytes
      while response == nil, let end = head[...].range(of: "\r\n\r\n") {
        guard let found = ObjectResponse(head: head[..<end.lowerBound]) else {
          throw Self.noAnswer
        }
        head.removeSubrange(..<end.upperBound)
        if found.status >= 200 { response = found }
      }
      if response != nil {
        head.withUnsafeBytes { body($0) }
      } else if head.count > Self.longestHead {
        throw Self.tooLong
      }
    }
    if response == nil, failure == nil {
      return (nil, Failure(isPassing: false, error: Self.noAnswer))
    }
    return (response, failure)
  }

  private static let longestHead = 64 << 10
  private static let noAnswer = ObjectError(.failed, "the server speaks another protocol")
  private static let tooLong = ObjectError(.failed, "the server sends more than was asked for")

  // MARK: - The program

  private func run(
    _ requests: [SignedRequest], _ answer: Answer,
    _ body: (UnsafeRawBufferPointer) throws(ObjectError) -> Void
  ) -> Failure? {
    var files: [FileDescriptor] = []
    let transfers = requests.map { request in
      if let file = request.upload { files.append(file) }
      return text(of: request, answer, number: files.count + 2)
    }
    // Without the file of settings that somebody may have for their own use of it.
    let process = ChildProcess([program, "--disable", "--config", "-"], files: files)
    let input = "fail-early\n" + transfers.joined(separator: "next\n")
    var errors: [UInt8] = []
    do {
      let status = try process.run(input: Array(input.utf8)) { output, bytes in
        switch output {
        case .output: try body(bytes)
        case .errors: errors += bytes.prefix(Self.longestHead - errors.count)
        }
      }
      return status == 0 ? nil : failure(status, String(decoding: errors, as: UTF8.self))
    } catch let error as ChildProcess.StartError {
      let reason =
        error.reason == .noSuchFileOrDirectory
        ? "there is no program \(program)" : "\(program) cannot be started: \(error.reason)"
      return Failure(isPassing: false, error: ObjectError(.noClient, reason))
    } catch let error as ObjectError {
      return Failure(isPassing: false, error: error)
    } catch {
      return Failure(isPassing: false, error: ObjectError(.failed, "\(error)"))
    }
  }

  /// What the [statuses of curl](https://curl.se/docs/manpage.html#EXIT) say.
  private func failure(_ status: Int32, _ errors: String) -> Failure {
    let line = errors.split(whereSeparator: \.isNewline).first ?? ""
    // As in "curl: (7) Failed to connect".
    let reason = line.firstIndex(of: ")").map { line[$0...].dropFirst(2) } ?? line
    let text = reason.isEmpty ? "\(program) has ended with \(status)" : String(reason.prefix(300))
    switch status {
    case 2:
      return Failure(
        isPassing: false, error: ObjectError(.noClient, "\(program) is too old: \(line)"))
    // Names, connections, and what breaks them off.
    case 5, 6, 7, 16, 18, 28, 35, 52, 55, 56, 92:
      return Failure(isPassing: true, error: ObjectError(.failed, text))
    default:
      return Failure(isPassing: false, error: ObjectError(.failed, text))
    }
  }

  // MARK: - What it is to do

  private enum Answer {
    case bounded
    case streamed
  }

  /// - Parameter number: that of the file that is put, in the program.
  private func text(of request: SignedRequest, _ answer: Answer, number: Int) -> String {
    var lines = [
      "url = \(Self.quoted(request.address))", "request = \(request.method.rawValue)",
      "proto = \"=\(request.scheme)\"",
      "silent", "show-error", "include", "suppress-connect-headers", "globoff", "path-as-is",
      "http1.1",
      // A server that does not answer, and one that stands still.
      "connect-timeout = 20", "speed-limit = 1", "speed-time = 60",
    ]
    lines += request.headers.map { "header = \(Self.quoted("\($0.name): \($0.value)"))" }
    switch answer {
    case .bounded: lines.append("write-out = \(Self.quoted(mark))")
    case .streamed: break
    }
    if request.method == .head { lines.append("head") }
    if request.upload != nil { lines.append("upload-file = \"/dev/fd/\(number)\"") }
    return lines.map { $0 + "\n" }.joined()
  }

  /// A text as the program reads it from its settings.
  private static func quoted(_ text: String) -> String {
    "\"" + text.flatMap { "\"\\".contains($0) ? "\\\($0)" : "\($0)" } + "\""
  }
}

extension ObjectResponse {
  /// Reads an answer from its head on.
  fileprivate init?(answer: ArraySlice<UInt8>) {
    var rest = answer
    while let end = rest.range(of: "\r\n\r\n") {
      guard let response = ObjectResponse(head: rest[..<end.lowerBound]) else { return nil }
      rest = rest[end.upperBound...]
      // Those before have said that the request may go on.
      guard response.status >= 200 else { continue }
      self = response
      body = Array(rest)
      return
    }
    return nil
  }
}

extension ArraySlice<UInt8> {
  /// Where a text is first.
  fileprivate func range(of text: String) -> Range<Int>? {
    var place = startIndex
    while let start = text.utf8.first.flatMap({ self[place...].firstIndex(of: $0) }) {
      if self[start...].starts(with: text.utf8) { return start..<start + text.utf8.count }
      place = start + 1
    }
    return nil
  }
}
