import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How long the server of a catalog waits for others: here a second, where it usually is half a minute or more.
@Suite("The patience of filecat serve")
struct ServePatienceTests {
  private static let patience = ["--patience", "1"]

  /// Tries what has to be done within a second, which a busy machine may not manage at once.
  private func patiently<Answer>(_ question: () throws -> Answer) throws -> Answer {
    for _ in 0..<100 {
      if let answer = try? question() { return answer }
      usleep(100_000)
    }
    return try question()
  }

  @Test(
    "a connection on which nothing more comes is ended",
    arguments: ["", "GET /healthz HT", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"])
  func idle(_ beginning: String) throws {
    let served = try ServedCatalog(starting: Self.patience)
    let connection = try HTTPConnection(port: served.port)
    try connection.send(beginning.utf8)
    #expect(connection.isEnded())
    #expect(try patiently { try served.ask("GET", "/healthz").status } == 200)
  }

  @Test("a body that comes too slowly ends its connection")
  func slowBody() throws {
    let served = try ServedCatalog(starting: Self.patience)
    let connection = try HTTPConnection(port: served.port)
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

  @Test("who does not read what was sent has the connection ended")
  func slowReader() throws {
    let served = try ServedCatalog(starting: Self.patience)
    let connection = try HTTPConnection(port: served.port, receiveBuffer: 4096)
    let count = 400
    #expect(throws: CommandError.self) {
      for _ in 0..<count { try connection.send("GET", "/api/v1/openapi.json") }
      // What is on its way by then still comes, but not all.
      sleep(4)
      for _ in 0..<count { _ = try connection.response() }
    }
    #expect(try patiently { try served.ask("GET", "/healthz").status } == 200)
  }

  @Test(
    "an answer for which the catalog lets it wait too long is given up, and the next one is given")
  func slowAnswer() throws {
    let served = try ServedCatalog(starting: Self.patience)
    #expect(try patiently { try served.json("/entries?limit=1")["rows"].list.count } == 1)
    let lock = try ReaderLock(of: served.sandbox.catalog)
    let problem = try served.problem("/entries?q=kind:file", status: 503)
    #expect(["timed_out", "busy"].contains(problem["code"].string))
    lock.release()
    #expect(try patiently { try served.json("/entries?limit=1")["rows"].list.count } == 1)
  }
}

/// Keeps everybody from beginning to read a database with a write-ahead log: the locks are those of
/// [the index of the log](https://www.sqlite.org/walformat.html#wal_locks), which a program that has gone wrong could hold.
private struct ReaderLock {
  private let descriptor: Int32

  init(of catalog: String) throws {
    descriptor = open(catalog + "-shm", O_RDWR)
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 123
    lock.l_len = 5
    guard descriptor >= 0, fcntl(descriptor, F_SETLKW, &lock) == 0 else {
      throw CommandError(description: "there is no lock to be had: \(errno)")
    }
  }

  func release() { close(descriptor) }
}
