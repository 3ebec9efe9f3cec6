import FileCatalog
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("filecat publish and fleet with a bucket", .enabled(if: ObjectServer.isInstalled))
struct ObjectLakeCommandTests {
  private static let lake = "s3://lake/fleet"

  /// Runs `body` with a home in which something was scanned, and a server of objects.
  private func withServer(_ body: (Sandbox, ObjectServer) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeAwkwardTree()
    #expect(try sandbox.run("scan", sandbox.tree).status == 0)
    try body(sandbox, ObjectServer())
  }

  @Test("says the same as of a directory")
  func lines() throws {
    try withServer { sandbox, server in
      func run(_ arguments: String...) throws -> CommandResult {
        try sandbox.run(arguments, environment: server.environment)
      }
      let empty = try run("fleet", "status", "--lake", Self.lake)
      #expect(empty.status == 1 && empty.errors.contains("filecat publish --to \(Self.lake)"))
      let first = try run("publish", "--to", Self.lake, "--host", "one")
      #expect(first.status == 0 && first.text.hasPrefix("published 1: full, 14 entries, "))
      let again = try run("publish", "--to", Self.lake, "--host", "one")
      #expect(again.text == "published 1 is this state of the catalog\n")
      try sandbox.makeFile("more")
      #expect(try sandbox.run("scan").status == 0)
      #expect(try run("publish", "--to", Self.lake).text.hasPrefix("published 2: delta, 2 entries"))
      let member = try #require(
        try Rows.objects(
          run("fleet", "status", "--lake", Self.lake, "--format", "ndjson"), "ndjson"
        )
        .first)
      #expect(member["known"] == .integer(2))
      #expect(try run("fleet", "verify", "--lake", Self.lake).text == "12 files as published\n")
      #expect(try run("fleet", "expire", "--lake", Self.lake).text == "0 files removed, 0\n")
      let ddl = try run("fleet", "ddl", "--lake", Self.lake, "--engine", "duckdb")
      #expect(ddl.status == 0 && ddl.text.contains("'\(Self.lake)/commits/*/*.json'"))
    }
  }

  @Test("without credentials, without curl, and with a wrong secret one line says so")
  func noAccess() throws {
    try withServer { sandbox, server in
      func run(_ changes: [String: String?]) throws -> CommandResult {
        var environment: [String: String?] = server.environment
        environment.merge(changes) { $1 }
        return try sandbox.run(
          ["fleet", "status", "--lake", Self.lake], environment: environment)
      }
      for (changes, word) in [
        (["AWS_ACCESS_KEY_ID": nil, "AWS_SECRET_ACCESS_KEY": nil], "AWS_PROFILE"),
        (["PATH": "/nowhere"], "install curl"),
        (["AWS_SECRET_ACCESS_KEY": "wr0ng"], "SignatureDoesNotMatch"),
      ] as [([String: String?], String)] {
        let result = try run(changes)
        #expect(result.status == 4 && result.errorLines.count == 1, "\(result.errors)")
        #expect(result.errors.contains(word), "\(result.errors)")
        #expect(!result.errors.contains("wr0ng"))
      }
    }
  }

  @Test("credentials are in no argument, no output, and nothing that is put")
  func secrets() throws {
    try withServer { sandbox, server in
      try sandbox.directory.write(
        """
        [work]
        aws_access_key_id = tester
        aws_secret_access_key = \(server.secret)
        aws_session_token = s3ss10n
        """, to: ".aws/credentials")
      // Stands before the real one, and writes down what everybody can see of it.
      try sandbox.directory.write(
        """
        #!/bin/sh
        printf '%s\\n' "$*" >>\(sandbox.home)/arguments
        PATH=/usr/bin:/bin exec curl "$@"
        """, to: "bin/curl", mode: 0o755)
      let result = try sandbox.run(
        ["publish", "--to", Self.lake],
        environment: [
          "AWS_PROFILE": "work", "AWS_ENDPOINT_URL": server.endpoint,
          "PATH": "\(sandbox.home)/bin:/usr/bin:/bin",
        ])
      #expect(result.status == 0, "\(result.errors)")
      var seen = result.text + result.errors
      seen += try sandbox.directory.text(of: "arguments")
      for (name, bytes) in try server.save().files() {
        seen += name + String(decoding: bytes, as: UTF8.self)
      }
      seen += try server.log().map { $0.joined(separator: " ") }.joined()
      #expect(seen.contains("--config -"))
      #expect(!seen.contains(server.secret) && !seen.contains("s3ss10n"))
    }
  }

  @Test("a publisher that is killed leaves nothing to be seen, and the next one goes on")
  func killed() throws {
    try withServer { sandbox, server in
      func run(_ arguments: String...) throws -> CommandResult {
        try sandbox.run(arguments, environment: server.environment)
      }
      for number in 0..<500 { try sandbox.makeFile("many/\(number)") }
      #expect(try sandbox.run("scan").status == 0)
      for round in 0..<8 {
        let publisher = try sandbox.runner(Sandbox.executable, server.environment)
          .start(["publish", "--to", Self.lake, "--full"])
        usleep(UInt32.random(in: 5000...400_000))
        publisher.crash()
        let status = try run("fleet", "status", "--lake", Self.lake, "--format", "ndjson")
        let known = try Rows.objects(status, "ndjson")
        #expect(known.allSatisfy { $0["known"] == $0["publication"] }, "\(status.errors)")
        let verification = try run("fleet", "verify", "--lake", Self.lake)
        #expect(verification.status == 0, "round \(round): \(verification.text)")
      }
      // The same state has the same files.
      let last = try run("publish", "--to", Self.lake, "--full")
      #expect(last.status == 0, "\(last.errors)")
      #expect(try run("fleet", "verify", "--lake", Self.lake).status == 0)
    }
  }
}
