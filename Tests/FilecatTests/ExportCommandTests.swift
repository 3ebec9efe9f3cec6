import FileCatalog
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Rows for other programs")
struct ExportCommandTests {
  private func scanned() throws -> Sandbox {
    let sandbox = try Sandbox()
    for number in 0..<30 {
      try sandbox.makeFile("d\(number % 7)/e\(number % 3)/file\(number)@\(number)x.txt", "content")
    }
    try sandbox.makeFile("d1-/ä 🙂,\"quoted\"\n", "hi")
    #expect(try sandbox.run("scan", "tree").status == 0)
    return sandbox
  }

  private func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }

  @Test("are complete, private and all that is left", arguments: ["parquet", "ndjson", "csv"])
  func files(_ format: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let name = "files.\(format)"
    let run = try sandbox.run("export", name)
    #expect(run.status == 0 && run.text.isEmpty && run.errors.isEmpty, "\(run.errors)")
    let attributes = try FileManager.default.attributesOfItem(atPath: sandbox.home + "/" + name)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.home)
    #expect(Set(names) == [name, "data", "tree"])
    let written = try sandbox.directory.bytes(of: FilePath(name))
    #expect(try sandbox.run("export", "-", "--format", format).output == written)
    // The same catalog, the same bytes.
    #expect(try sandbox.run("export", "--force", name).status == 0)
    #expect(try sandbox.directory.bytes(of: FilePath(name)) == written)
  }

  @Test("are as find prints them, directory by directory")
  func asFind() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run("export", "-", "--format", "ndjson")
    let found = try sandbox.run("find", "--format", "ndjson")
    #expect(lines(run.text).sorted() == lines(found.text).sorted())
    let paths = try sandbox.sqlite(
      sandbox.catalog, "SELECT path FROM files ORDER BY directory, name", "-readonly", "-json")
    let expected = try JSONDecoder().decode([[String: String]].self, from: Data(paths.utf8))
    let order = try lines(run.text).map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["path"] as? String
    }
    #expect(order == expected.map { $0["path"] })
    let header = try sandbox.run("export", "-", "--format", "csv").text.prefix { $0 != "\n" }
    let columns = try SchemaView(named: "files").columns.map(\.name).filter { $0 != "rowid" }
    #expect(header.split(separator: ",").map(String.init) == columns)
  }

  @Test("are those of a query, a directory, or both")
  func narrowed() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    for arguments in [
      ["--in", "tree/d1"], ["--in", "tree/d1", "--in", "tree/d2"], ["--query", "file1"],
      ["--query", "file1", "--in", "tree/d1/e1"], ["--query", "kind:directory OR depth:0"],
      ["--query", "unheard-of"],
    ] {
      let find = arguments.filter { $0 != "--query" }
      let found = try sandbox.run(["find", "--format", "ndjson"] + find)
      let run = try sandbox.run(["export", "-", "--format", "ndjson"] + arguments)
      #expect(run.status == 0, "\(arguments): \(run.errors)")
      #expect(lines(run.text).sorted() == lines(found.text).sorted(), "\(arguments)")
    }
  }

  @Test("are refused with one line that says what to do")
  func refused() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.directory.write("mine", to: "mine.csv")
    for (arguments, status, words) in [
      (["files.parq"], 64, "did you mean “.parquet”?"), (["files"], 64, "--format"),
      (["-"], 64, "--format"), (["files.csv", "--view", "file"], 64, "did you mean “files”?"),
      (["files.csv", "--view", "scans", "--query", "a"], 64, "files"),
      (["values.csv", "--view", "resource_values"], 64, "ndjson"),
      (["values.parquet", "--view", "resource_values"], 64, "ndjson"),
      (["files.csv", "--in", "/unheard/of"], 1, "/unheard/of"), (["mine.csv"], 4, "--force"),
      (["missing/files.csv"], 4, "No such file or directory; name another file"),
      (["tree/d1", "--format", "csv"], 4, "d1"),
      (["tree/d1", "--format", "csv", "--force"], 4, "d1"),
      ([sandbox.catalog, "--format", "csv", "--force"], 64, "catalog itself"),
      (["files.csv", "--query", "size:"], 64, "size"),
    ] {
      let run = try sandbox.run(["export"] + arguments)
      #expect(run.status == status, "\(arguments): \(run.errors)")
      #expect(run.errors.contains(words), "\(arguments): \(run.errors)")
      #expect(run.output.isEmpty)
    }
    #expect(try sandbox.directory.bytes(of: "mine.csv") == Array("mine".utf8))
    let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.home)
    #expect(Set(names) == ["mine.csv", "data", "tree"])
    #expect(try sandbox.run("check").status == 0)
  }

  @Test(
    "are not made of what columns cannot have",
    arguments: [
      "size = 'twelve'", "size = 1.5", "name_shape = 3, mode = x'00'", "parent_id = 123456",
      "mode = 'x'",
    ])
  func damaged(_ damage: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    _ = try sandbox.sqlite(
      sandbox.catalog, "UPDATE _entries SET \(damage) WHERE name LIKE 'file17@%'")
    for format in ["parquet", "ndjson", "csv"] {
      let run = try sandbox.run("export", "files.\(format)")
      #expect(run.status == 4 && run.errorLines.count == 1, "\(format): \(run.errors)")
      #expect(run.errors.contains("damaged"), "\(run.errors)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.home)
    #expect(Set(names) == ["data", "tree"])
  }

  @Test(
    "leave nothing behind on a full disk", .enabled(if: MountedFileSystem.isPermitted),
    arguments: ["ndjson", "parquet"])
  func fullDisk(format: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.directory.makeDirectory("disk")
    let disk = try MountedFileSystem(at: sandbox.directory("disk"), kilobytes: 8)
    defer { disk.unmount() }
    let run = try sandbox.run("export", disk.path.string + "/files.\(format)")
    #expect(run.status == 4 && run.errorLines.count == 1, "\(run.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path.string).isEmpty)
  }

  @Test("stop quietly when nobody reads on")
  func readerGone() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let export = "\(Sandbox.executable) export - --format parquet"
    let script = "\(export) | head -c 1; echo ${PIPESTATUS[0]}"
    let run = try sandbox.run(program: "bash", ["-c", script])
    #expect(run.text == "P0\n" && run.errors.isEmpty, "\(run.text) \(run.errors)")
  }
}
