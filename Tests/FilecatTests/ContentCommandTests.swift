import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Values in files, by the command")
struct ContentCommandTests {
  private func withTree(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt", "abc")
    try sandbox.makeFile("sub/b.txt", "")
    try body(sandbox)
  }

  /// The well-known hash of “abc”.
  private let hashOfABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

  @Test(
    "scan --values has files hashed, remembers it, and stops when told",
    .feature("FS-16", "P-24", "P-49"))
  func hashes() throws {
    try withTree { sandbox in
      #expect(try sandbox.run("scan", "tree", "--values", "hash").status == 0)
      let query = "select sha256 from values_hash where path like '%/a.txt'"
      #expect(try Rows.lines(sandbox.run("sql", query)) == ["sha256", hashOfABC])
      let found = try sandbox.run("find", "value:sha256=\(hashOfABC)", "--format", "paths")
      #expect(found.text == "\(sandbox.tree)/a.txt\n")

      try sandbox.makeFile("a.txt", "abcd")
      #expect(try sandbox.run("scan").status == 0)
      #expect(try sandbox.run("find", "value:sha256=\(hashOfABC)").status == 1)
      #expect(try sandbox.run("scan", "--values", "none", "tree").status == 0)
      #expect(
        try Rows.lines(sandbox.run("sql", "select count(*) as n from values_hash")) == ["n", "0"])
    }
  }

  @Test("An unknown provider is refused with the nearest one there is")
  func unknownProvider() throws {
    try withTree { sandbox in
      let run = try sandbox.run("scan", "tree", "--values", "hahs")
      #expect(run.status == 64)
      #expect(run.errors.contains("hahs") && run.errors.contains("hash"))
      #expect(try sandbox.run("scan", "tree", "--values", "hash,none").status == 64)
    }
  }

  @Test("check --content finds other bytes behind the same size and times", .feature("P-24"))
  func silentChange() throws {
    try withTree { sandbox in
      #expect(try sandbox.run("scan", "tree", "--values", "hash").status == 0)
      let same = try sandbox.run("check", "--content")
      #expect(same.status == 0 && same.output.isEmpty && same.errors.isEmpty)

      let script = "touch -r tree/a.txt ref && printf abd >tree/a.txt && touch -r ref tree/a.txt"
      #expect(try sandbox.run(program: "/bin/sh", ["-c", script]).status == 0)
      let run = try sandbox.run("check", "--content", "--format", "json")
      let rows = try Rows.objects(run, "json")
      #expect(run.status == 1 && rows.count == 1)
      #expect(rows.first?["path"] == .string("\(sandbox.tree)/a.txt"))
      #expect(rows.first?["stored_sha256"] == .string(hashOfABC))
    }
  }

  @Test("check --content says so where no file has a hash")
  func nothingHashed() throws {
    try withTree { sandbox in
      #expect(try sandbox.run("scan", "tree").status == 0)
      let run = try sandbox.run("check", "--content")
      #expect(run.status == 0 && run.errorLines.count == 1 && run.errors.contains("--values hash"))
    }
  }

  /// A tree with a film, and a program that says it is `ffprobe`.
  private func withFilm(_ script: String?, _ body: (Sandbox, [String: String?]) throws -> Void)
    throws
  {
    try withTree { sandbox in
      try sandbox.makeFile("film.mp4", "no film at all")
      if let script {
        try sandbox.directory.write("#!/bin/sh\n\(script)\n", to: "bin/ffprobe", mode: 0o755)
      }
      // Nothing else is there to be found.
      try sandbox.directory.makeDirectory("bin")
      for tool in ["cat", "head", "tr"] {
        try sandbox.directory.makeLink(FilePath("bin/\(tool)"), to: FilePath("/usr/bin/\(tool)"))
      }
      try body(sandbox, ["PATH": "\(sandbox.home)/bin"])
    }
  }

  @Test("Without ffprobe it is told once a scan what to install, and the scan is as it was")
  func missingProgram() throws {
    try withFilm(nil) { sandbox, environment in
      for number in 0..<300 { try sandbox.makeFile("\(number).mp3", "x") }
      for _ in 0..<2 {
        let run = try sandbox.run("scan", "tree", "--values", "media", environment: environment)
        #expect(run.status == 3 && run.errorLines.count == 1)
        #expect(run.errors.contains("media: there is no ffprobe; install ffmpeg"))
      }
      let errors = try Rows.lines(sandbox.run("sql", "select errors from scans"))
      #expect(errors == ["errors", "1", "1"])
      #expect(try sandbox.run("find", "--count", "ext:mp3,mp4").text == "301\n")
    }
  }

  @Test(
    "The program gets the file open, and what it prints is not believed",
    arguments: [
      ("cat /dev/fd/3 >/dev/null; kill -SEGV $$", "ended with 139"),
      ("echo nonsense; exit 1", "ended with 1"), ("exit 0", "ended with 0"),
      ("head -c 3000000 /dev/zero | tr '\\0' ' '", "more to say"),
      ("echo '{\"error\":{\"string\":\"it is broken\"}}'; exit 1", "it is broken"),
      ("head -c 3000 /dev/zero | tr '\\0' '['", "ended with 0"),
    ])
  func unrulyProgram(_ script: String, _ message: String) throws {
    try withFilm(script) { sandbox, environment in
      let run = try sandbox.run("scan", "tree", "--values", "media", environment: environment)
      #expect(run.status == 3 && run.errors.contains(message))
      #expect(try sandbox.run("find", "--count", "ext:mp4").text == "1\n")
      #expect(try sandbox.run("check").status == 0)
    }
  }

  @Test("What the program says of a film is found by queries", .feature("FS-16"))
  func film() throws {
    let answer = """
      {"streams": [{"codec_name": "mjpeg", "codec_type": "video", "disposition": {"attached_pic": 1}},
        {"codec_name": "h264", "codec_type": "video", "width": 1920, "height": -5},
        {"codec_name": "aac", "codec_type": "audio", "sample_rate": "44100", "channels": 2,
          "tags": {"ALBUM": "Disc", "title": "other"}}],
      "format": {"duration": "12.5", "tags": {"title": "Tune"}}}
      """
    try withFilm("test \"$(cat /dev/fd/3)\" = 'no film at all' && echo '\(answer)'") {
      sandbox, environment in
      let run = try sandbox.run("scan", "tree", "--values", "media", environment: environment)
      #expect(run.status == 0 && run.errors.isEmpty)
      let found = try sandbox.run("find", "value:pixel_width>=1920", "value:video_codec=h264")
      #expect(found.text == "\(sandbox.tree)/film.mp4\n")
      let row = try Rows.objects(
        sandbox.run("sql", "select * from values_media", "--format", "json"), "json")
      #expect(row.first?["duration"] == .real(12.5) && row.first?["title"] == .string("Tune"))
      #expect(row.first?["album"] == .string("Disc") && row.first?["pixel_height"] == .null)
      #expect(row.first?["channels"] == .integer(2) && row.first?["audio_codec"] == .string("aac"))
    }
  }

  @Test("--index-value keeps an index, and --no-index-value drops it, told where there is none")
  func valueIndexes() throws {
    try withTree { sandbox in
      #expect(
        try sandbox.run("scan", "tree", "--values", "hash", "--index-value", "sha256").status == 0)
      let found = try sandbox.run("find", "value:sha256=\(hashOfABC)", "--format", "paths")
      #expect(found.text == "\(sandbox.tree)/a.txt\n")
      let wrong = try sandbox.run("scan", "--no-index-value", "sha25")
      #expect(wrong.status == 0)
      #expect(wrong.errors.contains("sha25") && wrong.errors.contains("“sha256”"))
      let dropped = try sandbox.run("scan", "--no-index-value", "sha256")
      #expect(dropped.status == 0 && !dropped.errors.contains("there is no index"))
      #expect(try sandbox.run("check").status == 0)
      #expect(try sandbox.run("find", "value:sha256=\(hashOfABC)").status == 0)
    }
  }
}

@Suite("filecat view")
struct ViewCommandTests {
  private func withCatalog(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("large.txt", String(repeating: "x", count: 3000))
    try sandbox.makeFile("small.txt", "x")
    #expect(try sandbox.run("scan", "tree").status == 0)
    try body(sandbox)
  }

  @Test("A view is added, listed, selected from, reported and removed", .feature("FS-33"))
  func wholeLife() throws {
    try withCatalog { sandbox in
      let statement = "SELECT name, size FROM files WHERE size > 1000 AND kind = 'file'"
      let add = try sandbox.run("view", "add", "large", statement)
      #expect(add.status == 0 && add.output.isEmpty && add.errors.isEmpty)
      #expect(try Rows.parse(sandbox.run("view", "list", "--format", "json"), "json").count == 1)
      #expect(
        try Rows.lines(sandbox.run("view", "list")) == ["name\tstatement", "large\t\(statement)"])
      #expect(
        try Rows.lines(sandbox.run("sql", "select * from large")) == [
          "name\tsize", "large.txt\t3000",
        ])
      #expect(try Rows.lines(sandbox.run("report", "large")) == ["name\tsize", "large.txt\t3000"])

      #expect(try sandbox.run("view", "remove", "large").status == 0)
      #expect(try sandbox.run("view", "list").status == 1)
      #expect(try sandbox.run("report", "large").status == 64)
    }
  }

  @Test("The statement may come from standard input")
  func standardInput() throws {
    try withCatalog { sandbox in
      let add = try sandbox.run(
        program: "/bin/sh",
        ["-c", "echo 'SELECT count(*) AS n FROM files' | '\(Sandbox.executable)' view add n -"])
      #expect(add.status == 0 && add.errors.isEmpty)
      #expect(try Rows.lines(sandbox.run("report", "n")).count == 2)
    }
  }

  @Test(
    "What cannot be a view is refused in one line, and none is made",
    arguments: [
      (["files", "SELECT 1 AS one"], "files"), (["no name", "SELECT 1 AS one"], "no name"),
      (["broken", "SELEC 1"], "SELEC"), (["writes", "DELETE FROM files"], "files"),
      (["unknown", "SELECT nothing FROM files"], "nothing"),
    ])
  func refused(_ words: [String], _ named: String) throws {
    try withCatalog { sandbox in
      let run = try sandbox.run(["view", "add"] + words)
      #expect(run.status != 0 && run.output.isEmpty && run.errors.contains(named))
      #expect(try sandbox.run("view", "list").status == 1)
      #expect(try sandbox.run("check").status == 0)
    }
  }

  @Test("Removing a view that is not there names it")
  func unknownView() throws {
    try withCatalog { sandbox in
      let run = try sandbox.run("view", "remove", "nothing")
      #expect(run.status != 0 && run.errors.contains("nothing"))
    }
  }
}

@Suite("filecat report name_collisions")
struct NameCollisionCommandTests {
  @Test("lists names that differ only in case or composition")
  func collisions() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("README")
    try sandbox.makeFile("readme")
    try sandbox.makeFile("sub/caf\u{E9}")
    try sandbox.makeFile("sub/cafe\u{301}")
    try sandbox.makeFile("sub/readme")
    #expect(try sandbox.run("scan", "tree").status == 0)
    let run = try sandbox.run("report", "name_collisions", "--format", "json")
    let paths = try Rows.objects(run, "json").map { $0["path"] }
    #expect(
      paths
        == ["README", "readme", "sub/cafe\u{301}", "sub/caf\u{E9}"].map {
          .string("\(sandbox.tree)/\($0)")
        })
  }
}
