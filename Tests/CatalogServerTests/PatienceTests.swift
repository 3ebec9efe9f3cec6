import FileCatalog
import SystemPackage
import TestSupport
import Testing

@testable import CatalogServer

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How long a server waits for others: with a second where it usually is a minute.
@Suite("The patience of a server")
struct PatienceTests {
  /// A server of this process over so many files, for as long as `body` runs.
  private func withServer(
    files: Int = 1, _ change: (inout ServerSettings) -> Void,
    _ body: @escaping @Sendable (_ port: Int) throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    for number in 0..<files {
      try directory.write("x", to: FilePath("tree/\(number % 20)/a rather long name \(number).txt"))
    }
    let file = directory.path.appending("catalog.sqlite")
    let catalog = try Catalog(at: file)
    _ = try await catalog.scan([directory.path.appending("tree")])
    try catalog.close()
    var settings = ServerSettings(catalog: file, at: .loopback(port: 0))
    change(&settings)
    let server = try await CatalogServer(settings)
    let (addresses, sender) = AsyncStream<String?>.makeStream()
    async let run: Void = server.run { sender.yield($0) }
    let address = await addresses.first { _ in true } ?? nil
    let port = try #require(
      address?.split(separator: ":").last.flatMap { Int($0.dropLast()) })
    let answered = Task.detached { try body(port) }
    let result = await answered.result
    await server.stop()
    try await run
    try result.get()
  }

  @Test(
    "a connection on which nothing more comes is ended",
    arguments: ["", "GET /healthz HT", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"])
  func idle(_ beginning: String) async throws {
    try await withServer {
      $0.idleSeconds = 1
    } _: { port in
      let connection = try HTTPConnection(port: port)
      try connection.send(beginning.utf8)
      #expect(connection.isEnded())
    }
  }

  @Test("a body that comes too slowly ends its connection")
  func slowBody() async throws {
    try await withServer {
      $0.readingSeconds = 1
    } _: { port in
      let connection = try HTTPConnection(port: port)
      try connection.send(
        "POST", "/api/v1/tables", ["Content-Length": "100000", "Content-Type": "application/json"])
      // A byte now and then is not enough, however many come.
      #expect(throws: CommandError.self) {
        for _ in 0..<600 {
          try connection.send(" ".utf8)
          usleep(100_000)
        }
      }
    }
  }

  @Test("who does not read what was sent has the connection ended")
  func slowReader() async throws {
    try await withServer {
      $0.readingSeconds = 1
    } _: { port in
      let connection = try HTTPConnection(port: port, receiveBuffer: 4096)
      let count = 400
      for _ in 0..<count { try connection.send("GET", "/api/v1/openapi.json") }
      // What is in between is still read, but not all.
      sleep(3)
      #expect(throws: CommandError.self) { for _ in 0..<count { _ = try connection.response() } }
    }
  }

  @Test("an answer that takes too long is given up, and the next one is given")
  func slowAnswer() async throws {
    try await withServer(files: 4000) {
      $0.answerSeconds = 0
    } _: { port in
      var statuses: Set<Int> = []
      for attempt in 0..<50 where !statuses.contains(503) {
        let response = try HTTPConnection(port: port).ask(
          "POST", "/api/v1/tables",
          body: #"{"q":"name:\#(attempt) OR name:a","sort":"-modified,path"}"#)
        statuses.insert(response.status)
        if response.status == 503 { #expect(response.text.contains("timed_out")) }
      }
      #expect(statuses.contains(503), "\(statuses)")
      #expect(try HTTPConnection(port: port).ask("GET", "/healthz").status == 200)
    }
  }
}
