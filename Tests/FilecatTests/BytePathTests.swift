import SystemPackage
import TestSupport
import TestTraits
import Testing

/// Names are bytes, and so is every path on the command line and in the environment.
@Suite("A path that is not UTF-8")
struct BytePathTests {
  /// A directory below the tree that is a container, with an asset in it.
  private struct Place {
    let sandbox: Sandbox
    let path: [UInt8]

    init() throws {
      sandbox = try Sandbox()
      let name = Array("b".utf8) + [0xFF, 0xC3] + Array("x".utf8)
      path = Array("\(sandbox.tree)/".utf8) + name
      for file in ["Library/Caches/c", "icon.png", "Documents/d"] {
        try sandbox.makeFile(bytes: name + Array("/\(file)".utf8), "text")
      }
      try run("scan", "--container", "apple-sandbox")
    }

    @discardableResult
    func run(
      _ words: String..., path: [UInt8]? = nil
    ) throws -> CommandResult {
      let run = try sandbox.run(
        bytes: words.map { Array($0.utf8) } + [path ?? self.path])
      #expect(run.status == 0, "\(words): \(run.status) \(run.errors)")
      return run
    }
  }

  private func withPlace(_ body: (Place) throws -> Void) throws {
    let place = try Place()
    defer { place.sandbox.remove() }
    try body(place)
  }

  @Test(
    "is taken by every command that takes one", .feature("P-58"),
    arguments: [
      ["scan"], ["ls"], ["show"], ["du"], ["find", "icon", "--in"], ["changes", "--in"],
      ["report", "usage_by_type", "--in"], ["duplicates", "--min-size", "1", "--in"],
      ["containers", "policy"], ["containers", "show"], ["types", "of"],
      ["containers", "resolve", "caches", "--container"],
      ["containers", "resolve", "caches", "--style", "apple-sandbox", "--root"],
      ["containers", "resolve", "caches"], ["containers", "discover"], ["forget"],
      ["containers", "forget"],
    ])
  func commands(_ words: [String]) throws {
    try withPlace { place in
      // A relative path stays inside the directory of the role.
      let path =
        words == ["containers", "resolve", "caches"] ? Array(place.path.dropFirst()) : place.path
      let run = try place.sandbox.run(
        bytes: words.map { Array($0.utf8) } + [path])
      // A first scan has no changes, and the directory is no place of containers.
      let mayBeNothing = ["changes", "duplicates"].contains(words[0]) || words.last == "discover"
      #expect(run.status == 0 || run.status == 1 && mayBeNothing, "\(run.status): \(run.errors)")
    }
  }

  @Test("is where an asset is looked up, and may be in front of its name")
  func lookup() throws {
    try withPlace { place in
      let icon = place.path + Array("/icon.png".utf8)
      let found = try place.run("lookup", "icon", "-0", "--in")
      #expect(found.output == icon + [0])
      #expect(try place.run("lookup", "-0", path: icon).output == icon + [0])
      let name = Array(place.path.split(separator: UInt8(ascii: "/")).last ?? [])
      let relative = try place.run("lookup", "-0", path: name + Array("/icon".utf8))
      #expect(relative.output == icon + [0])
    }
  }

  @Test("is what a role of a container is, and is told byte for byte")
  func containers() throws {
    try withPlace { place in
      let caches = place.path + Array("/Library/Caches".utf8)
      let resolved = try place.run("containers", "resolve", "caches", "-0", "--container")
      #expect(resolved.output == caches + [0])
      let inside = try place.run(
        "containers", "resolve", "caches", "-0", "--style", "xdg", "--root", "/r",
        path: [0xFE, 0x2F, 0x61])
      #expect(inside.output == Array("/r/.cache/".utf8) + [0xFE, 0x2F, 0x61, 0])
      let shown = try place.run("containers", "show", "-0")
      #expect(shown.output.split(separator: 0).contains(caches[...]))
      // The style has no place of its own for the resources.
      let option = Array("resources=Pack".utf8) + [0xFD]
      let added = try place.sandbox.run(
        bytes: ["containers", "add", "apple-sandbox"].map { Array($0.utf8) }
          + [place.path, Array("--directory".utf8), option])
      #expect(added.status == 0, "\(added.errors)")
      let resources = try place.run("containers", "resolve", "resources", "-0", "--container")
      #expect(resources.output == place.path + Array("/Pack".utf8) + [0xFD, 0])
    }
  }

  @Test("cannot be a glob, which says so")
  func exclusion() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    let run = try sandbox.run(
      bytes: [Array("scan".utf8), Array("tree".utf8), Array("--exclude".utf8), [0x61, 0xFF]])
    #expect(run.status == 64)
    #expect(run.errorLines.count == 1 && run.errors.contains("UTF-8"), "\(run.errors)")
  }

  @Test("may be that of a catalog, in name and directory")
  func catalog() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile(bytes: [0xFF] + Array("/a".utf8))
    for file in [Array("tree/".utf8) + [0xFF] + Array("/c".utf8), [0x61, 0xFE]] {
      for command in ["scan", "scan", "ls", "check"] {
        let run = try sandbox.run(
          bytes: [command, "tree"].prefix(command == "check" ? 1 : 2).map {
            Array($0.utf8)
          } + [Array("--catalog".utf8), file])
        #expect(run.status == 0, "\(command): \(run.errors)")
      }
    }
    #expect(try sandbox.directory.names() == ["a\u{FFFD}", "tree"])
  }

  @Test("names the declarations and the data in the environment")
  func environment() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt")
    try sandbox.directory.write(
      #"{"UTExportedTypeDeclarations": [{"UTTypeIdentifier": "org.example.a"}]}"#, to: "a.json")
    let script = """
      export XDG_DATA_HOME=$(printf '%s/d\\377' "$HOME") XDG_CONFIG_HOME=$(printf '%s/c\\377' "$HOME")
      "$@" types import a.json && "$@" types show org.example.a &&
      ls "$XDG_CONFIG_HOME"/filecat/types.d/a.json && "$@" containers resolve application_support -0
      """
    let run = try sandbox.run(inShell: script, [])
    #expect(run.status == 0, "\(run.errors)")
    let data = Array("\(sandbox.home)/d".utf8) + [0xFF, 0]
    #expect(run.output.suffix(data.count) == data[...])
  }
}
