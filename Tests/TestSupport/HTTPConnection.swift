#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A connection to a server on this machine, which sends what it is told, be it HTTP or not. It blocks its thread.
package final class HTTPConnection {
  /// What came back.
  package struct Response {
    package let status: Int
    /// By their names in small letters.
    package let headers: [String: String]
    package var body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }
  }

  private let descriptor: Int32
  private let host: String
  private var pending: [UInt8] = []

  /// Connects to a port of 127.0.0.1.
  ///
  /// - Parameters:
  ///   - seconds: how long a reply is waited for.
  ///   - receiveBuffer: how much the system keeps of what is not read.
  package init(port: Int, seconds: Int = 900, receiveBuffer: Int32? = nil) throws {
    #if canImport(Darwin)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #endif
    host = "127.0.0.1:\(port)"
    if var size = receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    var limit = timeval()
    limit.tv_sec = seconds
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw CommandError(description: "nobody answers at \(host): \(errno)") }
  }

  deinit { close(descriptor) }

  /// Ends the sending, as a client does that only listens.
  package func shutDownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  // MARK: - Requests

  /// Sends bytes as they are.
  package func send(_ bytes: some Collection<UInt8>) throws {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      #if canImport(Darwin)
        let count = rest.withUnsafeBytes { Darwin.send(descriptor, $0.baseAddress, $0.count, 0) }
      #else
        let count = rest.withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
      #endif
      guard count > 0 else { throw CommandError(description: "the server hung up: \(errno)") }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends a request without waiting for what comes back.
  package func send(
    _ method: String, _ target: String, _ headers: [String: String?] = [:], body: String? = nil
  ) throws {
    var fields: [String: String?] = ["Host": host]
    if let body {
      fields["Content-Type"] = "application/json"
      fields["Content-Length"] = "\(body.utf8.count)"
    }
    for (name, value) in headers { fields[name] = value }
    var text = "\(method) \(target) HTTP/1.1\r\n"
    for (name, value) in fields {
      if let value { text += "\(name): \(value)\r\n" }
    }
    try send((text + "\r\n" + (body ?? "")).utf8)
  }

  /// Sends a request, and waits for the whole response.
  package func ask(
    _ method: String, _ target: String, _ headers: [String: String?] = [:], body: String? = nil
  ) throws -> Response {
    try send(method, target, headers, body: body)
    return try response(withBody: method != "HEAD")
  }

  // MARK: - Responses

  /// Reads a response to its end.
  package func response(withBody hasBody: Bool = true) throws -> Response {
    var response = try head()
    guard hasBody, response.status != 204, response.status != 304 else { return response }
    if let length = response.headers["content-length"].flatMap({ Int($0) }) {
      response.body = try take(length)
    } else if response.headers["transfer-encoding"] == "chunked" {
      while let chunk = try chunk() { response.body += chunk }
    }
    return response
  }

  /// Reads what stands before the body.
  package func head() throws -> Response {
    let lines = try takeLines()
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, let status = Int(words[1]) else {
      throw CommandError(description: "that is no HTTP: \(lines)")
    }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let name = line.prefix { $0 != ":" }
      headers[name.lowercased()] = String(line.dropFirst(name.count + 1).drop { $0 == " " })
    }
    return Response(status: status, headers: headers, body: [])
  }

  /// The next part of a body that comes in parts; `nil` at its end.
  package func chunk() throws -> [UInt8]? {
    guard let length = Int(try takeLine(), radix: 16) else {
      throw CommandError(description: "that is no chunk")
    }
    let bytes = try take(length)
    _ = try takeLine()
    return length == 0 ? nil : bytes
  }

  /// Whether the server has ended the connection, which is waited for.
  package func isEnded() -> Bool {
    pending = []
    return ((try? fill()) ?? true) == false
  }

  private func takeLines() throws -> [String] {
    var lines: [String] = []
    while true {
      let line = try takeLine()
      if line.isEmpty { return lines }
      lines.append(line)
    }
  }

  private func takeLine() throws -> String {
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let line = pending[..<end]
        pending.removeFirst(line.count + 1)
        return String(
          decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
      }
      guard try fill() else { throw CommandError(description: "the server hung up") }
    }
  }

  private func take(_ count: Int) throws -> [UInt8] {
    while pending.count < count {
      guard try fill() else { throw CommandError(description: "the server hung up") }
    }
    let bytes = Array(pending.prefix(count))
    pending.removeFirst(count)
    return bytes
  }

  /// - Returns: whether there is more.
  private func fill() throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var count = 0
    // A process that was stopped meanwhile is told so.
    repeat { count = recv(descriptor, &buffer, buffer.count, 0) } while count < 0 && errno == EINTR
    guard count >= 0 else {
      if errno == ECONNRESET { return false }
      throw CommandError(description: "nothing came: \(errno)")
    }
    pending += buffer[..<count]
    return count > 0
  }
}

/// Server-sent events, as they come.
package final class EventReader {
  package struct Event: Equatable {
    package let name: String
    package let id: Int?
    package let data: String
  }

  private let connection: HTTPConnection
  private var text: [UInt8] = []
  /// How many lines were there for their own sake.
  package private(set) var comments = 0

  package init(
    port: Int, _ target: String, _ headers: [String: String?] = [:], seconds: Int = 900
  ) throws {
    connection = try HTTPConnection(port: port, seconds: seconds)
    try connection.send("GET", target, headers)
    let head = try connection.head()
    guard head.status == 200, head.headers["content-type"] == "text/event-stream" else {
      throw CommandError(description: "there are no events: \(head)")
    }
    // The listening has begun by then.
    while comments == 0 { guard try fill() else { break } }
  }

  /// The next event; `nil` at the end of the stream.
  package func next() throws -> Event? {
    while true {
      if let event = take() { return event }
      guard try fill() else { return nil }
    }
  }

  private func fill() throws -> Bool {
    guard let chunk = try connection.chunk() else { return false }
    text += chunk
    while text.first == UInt8(ascii: ":"), let end = end() {
      text.removeFirst(end)
      comments += 1
    }
    return true
  }

  /// How long the first block is, with the empty line behind it.
  private func end() -> Int? {
    text.indices.dropFirst().first { text[$0] == 0x0a && text[$0 - 1] == 0x0a }.map { $0 + 1 }
  }

  private func take() -> Event? {
    while let end = end() {
      let block = String(decoding: text[..<end], as: UTF8.self)
      text.removeFirst(end)
      guard block.first != ":" else {
        comments += 1
        continue
      }
      var fields: [String: String] = [:]
      for line in block.split(separator: "\n") {
        let name = line.prefix { $0 != ":" }
        fields[String(name)] = String(line.dropFirst(name.count + 2))
      }
      return Event(
        name: fields["event"] ?? "message", id: fields["id"].flatMap { Int($0) },
        data: fields["data"] ?? "")
    }
    return nil
  }
}
