import FileCatalog
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("filecat publish and fleet")
struct PublishCommandTests {
  private func scanned() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.makeAwkwardTree()
    #expect(try sandbox.run("scan", sandbox.tree).status == 0)
    return sandbox
  }

  @Test("says in one line what was published, and nothing twice")
  func lines() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let lake = sandbox.home + "/lake"
    let first = try sandbox.run("publish", "--to", lake, "--host", "one")
    #expect(first.status == 0 && first.text.hasPrefix("published 1: full, 14 entries, "))
    let again = try sandbox.run("publish", "--to", lake, "--host", "one")
    #expect(again.status == 0 && again.text == "published 1 is this state of the catalog\n")
    try sandbox.makeFile("more")
    #expect(try sandbox.run("scan").status == 0)
    let objects = try Rows.objects(
      sandbox.run("publish", "--to", lake, "--host", "one", "--format", "ndjson"), "ndjson")
    #expect(objects.count == 1)
    #expect(objects[0]["kind"] == .string("delta") && objects[0]["rows"] == .integer(2))
    let status = try sandbox.run("fleet", "status", "--lake", lake, "--format", "ndjson")
    #expect(status.status == 0)
    let member = try #require(try Rows.objects(status, "ndjson").first)
    #expect(member["host"] == .string("one") && member["known"] == .integer(2))
    #expect(try sandbox.run("fleet", "verify", "--lake", lake).text == "12 files as published\n")
    #expect(try sandbox.run("check").status == 0)
  }

  @Test("a machine's name from elsewhere does nothing to a terminal")
  func hostileName() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let lake = sandbox.home + "/lake"
    #expect(try sandbox.run("publish", "--to", lake, "--host", "a\u{1b}[2Jb\nc").status == 0)
    let table = try sandbox.run("fleet", "status", "--lake", lake, "--format", "table")
    #expect(table.status == 0 && !table.output.contains(0x1b))
    #expect(table.text.split(separator: "\n").count == 2)
  }

  @Test(
    "an address is no lake, and an engine is one that there is",
    arguments: [
      ["publish", "--to", "gs://bucket/lake"], ["publish", "--to", "host:/lake"],
      ["publish", "--to", "/lake", "--host", ""], ["publish"],
      ["fleet", "status", "--lake", "s3://Bucket"], ["fleet", "ddl", "--lake", "x"],
      ["fleet", "ddl", "--lake", "x", "--engine", "spork"],
      ["fleet", "ddl", "--lake", "what*", "--engine", "spark"],
    ])
  func usage(_ arguments: [String]) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run(arguments)
    #expect(run.status == 64 && run.errorLines.count == 1, "\(run.errors)")
    #expect(try sandbox.directory.names().contains("what*") == false)
  }

  @Test("a lake into which nothing was published has no machines")
  func nothing() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let status = try sandbox.run("fleet", "status", "--lake", sandbox.home)
    #expect(status.status == 1 && status.errors.contains("filecat publish --to \(sandbox.home)"))
    // A wrong place is no empty lake.
    for command in ["status", "verify", "expire"] {
      let run = try sandbox.run("fleet", command, "--lake", sandbox.home + "/nowhere")
      #expect(run.status == 4 && run.errorLines.count == 1, "\(command): \(run.errors)")
    }
    #expect(
      try sandbox.run("fleet", "verify", "--lake", sandbox.home).text == "0 files as published\n")
  }

  @Test("a publisher that is killed leaves nothing to be seen, and the next one goes on")
  func killed() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let lake = sandbox.home + "/lake"
    for number in 0..<3000 { try sandbox.makeFile("many/\(number)") }
    try sandbox.directory.makeDirectory("lake")
    #expect(try sandbox.run("scan").status == 0)
    for round in 0..<12 {
      let publisher = try sandbox.start("publish", "--to", lake, "--full")
      usleep(UInt32(4000 * (round + 1)))
      publisher.crash()
      let known = try Rows.objects(
        sandbox.run("fleet", "status", "--lake", lake, "--format", "ndjson"), "ndjson")
      // All of a publication is there, or none of it.
      #expect(known.allSatisfy { $0["known"] == $0["publication"] })
      let verification = try sandbox.run("fleet", "verify", "--lake", lake)
      #expect(verification.status == 0, "round \(round): \(verification.text)")
    }
    #expect(try sandbox.run("publish", "--to", lake, "--full").status == 0)
    let status = try sandbox.run("fleet", "status", "--lake", lake)
    #expect(status.status == 0 && status.errors.isEmpty, "\(status.errors)")
  }
}
