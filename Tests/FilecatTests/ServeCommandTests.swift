import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("filecat serve")
struct ServeCommandTests {
  // MARK: - Start and end

  @Test(
    "prints one line with the address, and ends cleanly when it is asked to",
    arguments: [SIGINT, SIGTERM])
  func startAndEnd(_ signal: Int32) throws {
    let served = try ServedCatalog()
    #expect(served.process.outputSoFar == "http://127.0.0.1:\(served.port)/\n")
    #expect(try served.ask("GET", "/healthz").status == 200)
    let table = try served.openTable(#"{"q":""}"#)
    let events = try served.events(of: table)
    let all = try EventReader(port: served.port, "/api/v1/events")
    served.process.send(signal)
    // Streams end, and with them the process.
    #expect(try events.next() == nil)
    #expect(try all.next() == nil)
    let end = try served.process.finish()
    #expect(end.status == 0, "\(end.errors)")
    #expect(end.errors.isEmpty)
  }

  @Test("a port that is in use is told, with what to do about it")
  func portInUse() throws {
    let served = try ServedCatalog()
    let second = try served.sandbox.run("serve", "--port", "\(served.port)")
    #expect(second.status == 4)
    #expect(
      second.errors.contains("127.0.0.1:\(served.port) is in use; take another port with --port"))
    #expect(second.errorLines.count == 1)
  }

  @Test(
    "wrong words are told before anything is started",
    arguments: [
      (["--listen", "127.0.0.1"], "--token-file"), (["--port", "70000"], "65535"),
      (["--socket", "x", "--port", "1"], "--socket goes without"),
      (["--socket", "x", "--open"], "--open"),
    ])
  func usage(_ words: [String], _ told: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    #expect(try sandbox.run("scan", "tree").status == 0)
    let run = try sandbox.run(["serve"] + words)
    #expect(run.status == 64)
    #expect(run.errors.contains(told), "\(run.errors)")
  }

  @Test("without a catalog there is no server, and the usual advice")
  func missingCatalog() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let run = try sandbox.run("serve", "--port", "0")
    #expect(run.status == 4)
    #expect(run.errors.contains("filecat scan DIRECTORY"))
  }

  @Test("where the program of the server is missing, that is told")
  func missingProgram() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    #expect(try sandbox.run("scan", "tree").status == 0)
    let alone = sandbox.home + "/alone"
    #expect(try sandbox.run(program: "cp", [Sandbox.executable, alone]).status == 0)
    let run = try sandbox.run(program: alone, ["serve", "--port", "0"])
    #expect(run.status == 4)
    #expect(run.errors.contains("there is no \(sandbox.home)/filecat-serve"))
  }

  @Test("a socket in the file system is for its owner alone, and gone afterwards")
  func socket() throws {
    let served = try ServedCatalog()
    let sandbox = served.sandbox
    let path = sandbox.home + "/socket"
    let process = try sandbox.start("serve", "--socket", path)
    try process.waitForOutput()
    #expect(process.outputSoFar == path + "\n")
    let answer = try sandbox.run(
      program: "curl", ["-sS", "--unix-socket", path, "http://localhost/api/v1/session"])
    #expect(answer.text.contains(#""read_only":true"#), "\(answer.errors)")
    #expect(try sandbox.run(program: "stat", ["-c", "%a", path]).text == "700\n")
    // Nobody takes it away while somebody answers there.
    let second = try sandbox.run("serve", "--socket", path)
    #expect(second.status == 4)
    #expect(second.errors.contains("somebody answers at"))
    process.send(SIGTERM)
    #expect(try process.finish().status == 0)
    #expect(!sandbox.directory.holds("socket"))
  }

  // MARK: - Who may ask

  @Test(
    "a name that is not this machine's is refused, as is a page of somebody else",
    arguments: [
      (["Host": "evil.example"], 403, "foreign_host"),
      (["Host": "127.0.0.1.evil.example"], 403, "foreign_host"),
      (["Host": nil], 400, "no_host"),
      (["Origin": "http://evil.example"], 403, "foreign_origin"),
      (["Origin": "null"], 403, "foreign_origin"),
      (["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"], 403, "foreign_origin"),
    ] as [([String: String?], Int, String)])
  func hosts(_ headers: [String: String?], _ status: Int, _ code: String) throws {
    let served = try ServedCatalog()
    for target in ["/api/v1/session", "/", "/metrics"] {
      let response = try served.ask("GET", target, headers)
      #expect(response.status == status)
      #expect(response.text.contains(code))
    }
  }

  @Test(
    "its own page and every name of this machine may ask",
    arguments: [
      ["Host": "localhost:1"], ["Host": "[::1]:80"],
      ["Host": "localhost", "Origin": "http://localhost"],
      ["Sec-Fetch-Site": "same-origin"],
      ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"],
    ])
  func ownHosts(_ headers: [String: String]) throws {
    let served = try ServedCatalog()
    #expect(try served.ask("GET", "/api/v1/session", headers.mapValues { $0 }).status == 200)
  }

  /// A server that has been told to open the page by a browser that ends with a status, and what the browser was told:
  /// its argument, and what is in that if it is a file.
  private func opened(
    _ sandbox: Sandbox, ending status: Int32, _ words: String...
  ) throws -> (server: RunningCommand, told: String) {
    try sandbox.makeFile("a")
    #expect(try sandbox.run("scan", "tree").status == 0)
    let told = sandbox.home + "/told"
    #if canImport(Darwin)
      let name = "open"
    #else
      let name = "xdg-open"
    #endif
    try sandbox.directory.write(
      "#!/bin/sh\n{ echo \"$1\"; [ ! -f \"$1\" ] || cat \"$1\"; } > '\(told).new'\n"
        + "mv '\(told).new' '\(told)'\nexit \(status)\n",
      to: FilePath("bin/\(name)"), mode: 0o755)
    let server = try sandbox.runner(
      Sandbox.executable,
      ["PATH": sandbox.home + "/bin:/usr/bin:/bin", "XDG_RUNTIME_DIR": sandbox.home]
    ).start(["serve", "--port", "0", "--open"] + words)
    try server.waitForOutput()
    while server.isRunning, !FileManager.default.fileExists(atPath: told) { usleep(10_000) }
    return (server, try String(contentsOfFile: told, encoding: .utf8))
  }

  @Test("--open has the browser open the page")
  func opening() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let (server, told) = try opened(sandbox, ending: 0)
    #expect(told == server.outputSoFar)
    server.send(SIGTERM)
    #expect(try server.finish().errors == "")
  }

  @Test("where no browser can be started, that is told, with what to open")
  func noBrowser() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let (server, told) = try opened(sandbox, ending: 3)
    try server.waitForErrors()
    server.send(SIGTERM)
    #expect(
      try server.finish().errors == "filecat: no browser can be started; open \(told)")
  }

  @Test("a browser gets the token by a file, which is taken away where no browser can be started")
  func openingWithToken() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let token = "0123456789abcdef"
    try sandbox.directory.write(token, to: "token", mode: 0o600)
    let (server, told) = try opened(
      sandbox, ending: 3, "--token-file", sandbox.home + "/token")
    // What programs are told can be seen by others.
    #expect(told.hasPrefix(sandbox.home + "/filecat-serve-"))
    let address = server.outputSoFar.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(told.contains("url=\(address)?token=\(token)\""))
    try server.waitForErrors()
    let left = try FileManager.default.contentsOfDirectory(atPath: sandbox.home)
    #expect(!left.contains { $0.hasPrefix("filecat-serve-") }, "\(left)")
    server.crash()
  }

  @Test("with a token, nothing is answered without it")
  func token() throws {
    let token = "0123456789abcdef-token"
    let sandbox = try Sandbox()
    try sandbox.directory.write(token + "\n", to: "token", mode: 0o600)
    try sandbox.directory.write(token + "\n", to: "open-token", mode: 0o644)
    try sandbox.directory.write("short\n", to: "short-token", mode: 0o600)
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    #expect(try sandbox.run("scan", "tree").status == 0)
    for (file, told) in [("open-token", "chmod 600"), ("short-token", "16"), ("none", "not there")]
    {
      let run = try sandbox.run("serve", "--port", "0", "--token-file", file)
      #expect(run.status == 64)
      #expect(run.errors.contains(told), "\(run.errors)")
    }
    let process = try sandbox.start(
      "serve", "--port", "0", "--token-file", "token", "--listen", "127.0.0.1")
    let port = try ServedCatalog.port(of: process)
    func ask(_ target: String, _ headers: [String: String?] = [:]) throws -> HTTPConnection.Response
    {
      try HTTPConnection(port: port).ask("GET", target, headers)
    }
    for target in ["/", "/page.js", "/healthz", "/metrics", "/api/v1/roots", "/nothing"] {
      #expect(try ask(target).status == 401)
      #expect(try ask(target, ["Authorization": "Bearer " + token.dropLast()]).status == 401)
      #expect(try ask(target, ["Authorization": "Bearer \(token)x"]).status == 401)
      let right = try ask(target, ["Authorization": "Bearer \(token)"])
      #expect(right.status == (target == "/nothing" ? 404 : 200))
      #expect(try ask(target, ["Cookie": "a=b; filecat_token=\(token)"]).status == right.status)
    }
    let entrance = try ask("/?token=\(token)")
    #expect(entrance.status == 303)
    #expect(entrance.headers["location"] == "/")
    #expect(
      entrance.headers["set-cookie"] == "filecat_token=\(token); Path=/; HttpOnly; SameSite=Strict")
    #expect(try ask("/?token=wrong").status == 401)
    process.send(SIGTERM)
    #expect(try process.finish().status == 0)
  }

  @Test("every answer forbids what a page could be made to do, and no other page gets any")
  func headers() throws {
    let served = try ServedCatalog()
    for target in ["/", "/page.js", "/api/v1/roots", "/api/v1/nothing", "/metrics"] {
      let headers = try served.ask("GET", target).headers
      #expect(
        headers["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self'")
          == true)
      #expect(headers["content-security-policy"]?.contains("unsafe") == false)
      #expect(headers["x-content-type-options"] == "nosniff")
      #expect(headers["access-control-allow-origin"] == nil)
    }
    #expect(try served.ask("OPTIONS", "/api/v1/roots").status == 405)
  }

  @Test("nothing that was asked for is told, unless that is wanted")
  func log() throws {
    let quiet = try ServedCatalog()
    _ = try quiet.ask("GET", "/api/v1/entries?q=secret")
    quiet.process.send(SIGTERM)
    #expect(try quiet.process.finish().errors.isEmpty)
    let loud = try ServedCatalog("--log-queries")
    _ = try loud.ask("GET", "/api/v1/entries?q=secret")
    loud.process.send(SIGTERM)
    #expect(try loud.process.finish().errors.contains("GET /api/v1/entries?q=secret 200"))
  }

  // MARK: - Limits

  @Test("what is too long is refused, and the next request is answered")
  func limits() throws {
    let served = try ServedCatalog()
    let long = String(repeating: "x", count: 20_000)
    #expect(try served.ask("GET", "/api/v1/entries?q=\(long)").status == 414)
    let huge = #"{"q":""# + String(repeating: "y", count: 300_000) + #""}"#
    #expect(try served.ask("POST", "/api/v1/tables", body: huge).status == 413)
    let header = try HTTPConnection(port: served.port)
    try header.send("GET", "/", ["X-Long": String(repeating: "z", count: 100_000)])
    #expect(try header.response().status == 400)
    #expect(
      try served.ask("POST", "/api/v1/tables", ["Content-Type": "text/plain"], body: "{}").status
        == 415)
    #expect(
      try served.problem("POST", "/tables", body: "[", status: 400)["code"].string == "bad_json")
    #expect(
      try served.problem("POST", "/tables", body: #"{"q":1}"#, status: 422)["code"].string
        == "bad_member")
    #expect(
      try served.problem("POST", "/tables", body: #"{"query":""}"#, status: 422)["code"].string
        == "bad_member")
    #expect(try served.ask("GET", "/healthz").status == 200)
  }

  @Test("SQL is off, and with --allow-sql it has the limits of filecat sql")
  func sql() throws {
    let off = try ServedCatalog()
    let body = #"{"statement":"SELECT name, size FROM files WHERE kind = 'file' ORDER BY name"}"#
    #expect(
      try off.problem("POST", "/sql", body: body, status: 403)["code"].string == "sql_not_allowed")
    #expect(try off.json("/session")["allow_sql"] == .truth(false))
    let on = try ServedCatalog("--allow-sql")
    let answer = try on.json("POST", "/sql", body: body)
    #expect(answer["columns"] == .array([.string("name"), .string("size")]))
    #expect(answer["rows"].list.contains(.array([.string("a.txt"), .integer(3)])))
    let cut = try on.json(
      "POST", "/sql", body: #"{"statement":"SELECT 1 UNION SELECT 2","max_rows":1}"#)
    #expect(cut["is_cut"] == .truth(true))
    #expect(
      try on.problem("POST", "/sql", body: #"{"statement":"DELETE FROM _entries"}"#, status: 403)[
        "code"
      ]
      .string == "not_read_only_sql")
    let wrong = try on.problem(
      "POST", "/sql", body: #"{"statement":"SELECT é FROM nowhere"}"#, status: 400)
    #expect(wrong["code"].string == "invalid_sql")
    #expect(
      try on.problem(
        "POST", "/sql",
        body:
          #"{"statement":"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT sum(i) FROM n"}"#,
        status: 503)["code"].string == "timed_out")
  }

  @Test("somebody who says nothing, or sends half a request, keeps nobody from being answered")
  func halfOpen() throws {
    let served = try ServedCatalog()
    let silent = try (0..<40).map { _ in try HTTPConnection(port: served.port) }
    for (index, connection) in silent.enumerated() where index % 2 == 0 {
      try connection.send("GET /api/v1/ro".utf8)
    }
    #expect(try served.ask("GET", "/healthz").status == 200)
    let half = try HTTPConnection(port: served.port)
    try half.send(
      "POST", "/api/v1/tables", ["Content-Length": "100", "Content-Type": "application/json"])
    try half.send("{".utf8)
    half.shutDownWriting()
    // Nothing more can come: it is told so, or not, and the connection ends.
    _ = try? half.response()
    #expect(half.isEnded())
    #expect(try served.ask("GET", "/healthz").status == 200)
    withExtendedLifetime(silent) {}
  }

  @Test("bytes that are no HTTP end their connection and nothing else")
  func nonsense() throws {
    let served = try ServedCatalog()
    var random = SeededRandom(seed: 20)
    for _ in 0..<50 {
      let connection = try HTTPConnection(port: served.port)
      let count = random.below(2000)
      try? connection.send((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      connection.shutDownWriting()
    }
    for line in [
      "GET", "GET / HTTP/9.9\r\n\r\n", "\r\n\r\n", "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ] {
      let connection = try HTTPConnection(port: served.port)
      try connection.send(line.utf8)
      connection.shutDownWriting()
      if let response = try? connection.response() {
        #expect((400..<600).contains(response.status))
      }
    }
    #expect(try served.ask("GET", "/healthz").status == 200)
  }
}
