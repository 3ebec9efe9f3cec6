import FileCatalog
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("filecat import")
struct ImportCommandTests {
  /// A sandbox whose catalog was published as that of `one`.
  private func published() throws -> (sandbox: Sandbox, lake: String) {
    let sandbox = try Sandbox()
    try sandbox.makeAwkwardTree()
    #expect(try sandbox.run("scan", sandbox.tree).status == 0)
    let lake = sandbox.home + "/lake"
    #expect(try sandbox.run("publish", "--to", lake, "--host", "one").status == 0)
    return (sandbox, lake)
  }

  private static let listing = ["find", "--format", "ndjson", "--columns", "path,size,type,inode"]

  @Test("says in one line what was imported, which every command reads then")
  func line() throws {
    let (sandbox, lake) = try published()
    defer { sandbox.remove() }
    let file = sandbox.home + "/new/imported.sqlite"
    let run = try sandbox.run("import", lake, "--catalog", file)
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    #expect(run.text == "imported one, publication 1: 14 entries, 1 root\n")
    #expect(try sandbox.run("check", "--catalog", file).status == 0)
    let listings = try [[], ["--catalog", file]].map { try sandbox.run(Self.listing + $0) }
    #expect(listings[0].status == 0 && listings[0].output == listings[1].output)
    for command in [["ls", sandbox.tree], ["du", sandbox.tree], ["report", "usage_by_kind"]] {
      let runs = try [[], ["--catalog", file]].map { try sandbox.run(command + $0) }
      #expect(runs[0].status == 0 && runs[0].output == runs[1].output, "\(command)")
    }
    #expect(try sandbox.run("scan", "--catalog", file).status == 0)
    #expect(try sandbox.run("check", "--catalog", file).status == 0)
  }

  @Test("tells programs of each root")
  func objects() throws {
    let (sandbox, lake) = try published()
    defer { sandbox.remove() }
    let run = try sandbox.run(
      "import", lake, "--host", "one", "--below", "/hosts/one", "--format", "ndjson")
    let object = try #require(try Rows.objects(run, "ndjson").first)
    #expect(object["host"] == .string("one") && object["entries"] == .integer(14))
    #expect(object["root"] == .string("/hosts/one" + sandbox.tree))
    #expect(try sandbox.run("check").status == 0)
  }

  @Test("a machine that is not there, or one of several, is wrong usage that names those that are")
  func hosts() throws {
    let (sandbox, lake) = try published()
    defer { sandbox.remove() }
    let file = sandbox.home + "/imported.sqlite"
    let unknown = try sandbox.run("import", lake, "--host", "two", "--catalog", file)
    #expect(unknown.status == 64 && unknown.errorLines.count == 1, "\(unknown.errors)")
    #expect(unknown.errors.contains("there are: one"))
    let nothing = try sandbox.run("import", sandbox.home, "--catalog", file)
    #expect(nothing.status == 64 && nothing.errorLines.count == 1, "\(nothing.errors)")
    #expect(try sandbox.run("import", lake + "/nowhere", "--catalog", file).status == 4)
    #expect(try sandbox.run("import", "gs://bucket", "--catalog", file).status == 64)
    let overlap = try sandbox.run("import", lake)
    #expect(overlap.status == 4 && overlap.errors.contains("--below"), "\(overlap.errors)")
    #expect(try !sandbox.directory.names().contains("imported.sqlite"))
  }

  @Test("an import that is killed leaves no catalog, or a whole one")
  func killed() throws {
    let (sandbox, lake) = try published()
    defer { sandbox.remove() }
    for number in 0..<3000 { try sandbox.makeFile("many/\(number)") }
    #expect(try sandbox.run("scan").status == 0)
    #expect(try sandbox.run("publish", "--to", lake, "--host", "one", "--full").status == 0)
    for round in 0..<10 {
      let file = sandbox.home + "/killed\(round).sqlite"
      let importer = try sandbox.start("import", lake, "--catalog", file)
      usleep(UInt32(5000 * (round + 1)))
      importer.crash()
      let check = try sandbox.run("check", "--catalog", file)
      #expect([0, 4].contains(check.status), "round \(round): \(check.errors)")
      let again = try sandbox.run("import", lake, "--catalog", file)
      #expect(again.status == (check.status == 0 ? 4 : 0), "round \(round): \(again.errors)")
      #expect(try sandbox.run("check", "--catalog", file).status == 0)
    }
  }
}
