import Foundation
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("filecat types")
struct TypesCommandTests {
  private static let keys: Set<String> = [
    "identifier", "description", "supertypes", "extensions", "mime_types", "is_package",
    "is_dynamic", "source",
  ]

  @Test("show prints one object")
  func show() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let result = try sandbox.run("types", "show", "PUBLIC.jpeg", "--format", "json")
    #expect(result.status == 0)
    let type = try result.object()
    #expect(Set(type.keys) == Self.keys)
    #expect(type["identifier"] as? String == "public.jpeg")
    #expect(type["source"] as? String == "built-in")
    #expect(type["is_package"] as? Bool == false)
    let supertypes = try #require(type["supertypes"] as? [String])
    #expect(Set(supertypes) == ["public.image", "public.data", "public.content", "public.item"])
    #expect((type["extensions"] as? [String])?.contains("jpg") == true)
    #expect((type["mime_types"] as? [String])?.first == "image/jpeg")
  }

  /// What an extension means: the identifier, and whether it is a package.
  static let extensions: [(arguments: [String], identifier: String, isPackage: Bool)] = [
    (["jpg"], "public.jpeg", false),
    (["rtfd", "--directory"], "com.apple.rtfd", true),
    (["framework", "--directory"], "com.apple.framework", false),
    (["--directory", "app"], "com.apple.application-bundle", true),
    // The dynamic identifier of Apple's systems for an extension nobody declares.
    (["zzqq"], "dyn.ah62d4rv4ge81y8xvse", false),
  ]

  @Test("extension tells files from directories", arguments: extensions)
  func filenameExtension(
    _ arguments: [String], _ identifier: String, _ isPackage: Bool
  ) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let result = try sandbox.run(["types", "extension", "--format", "json"] + arguments)
    #expect(result.status == 0)
    let type = try result.object()
    #expect(Set(type.keys) == Self.keys)
    #expect(type["identifier"] as? String == identifier)
    #expect(type["is_package"] as? Bool == isPackage)
    #expect(type["is_dynamic"] as? Bool == identifier.hasPrefix("dyn."))
  }

  static let statuses: [(arguments: [String], status: Int32)] = [
    (["show", "nonsense"], 1), (["show", "dyn.aij"], 64), (["extension", ".jpg"], 64),
    (["mime", "image/png"], 0), (["mime", "png"], 64), (["tree", "public.image"], 0),
    (["conforms", "public.jpeg", "public.image"], 0),
    (["conforms", "public.jpeg", "public.text"], 1),
    (["conforms", "public.jpeg", "public.imag"], 1),
    (["of", "/no/such/file"], 1), (["list"], 0), (["check"], 0), (["unheard-of"], 64),
  ]

  @Test("ends with the status that the question deserves", arguments: statuses)
  func status(_ arguments: [String], _ expected: Int32) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    #expect(try sandbox.run(["types"] + arguments).status == expected)
  }

  @Test("names the nearest types in one line")
  func suggestions() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let result = try sandbox.run("types", "show", "public.jpg")
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("public.jpeg"))
    #expect(try sandbox.run("types", "show", "nonsense").errors.contains("nearest: "))
  }

  @Test("of tells the type of a file, by content when asked")
  func file() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let path = try sandbox.write("#!/bin/sh\n", to: "script")
    func identifier(_ arguments: String...) throws -> String? {
      let result = try sandbox.run(["types", "of", path, "--format", "ndjson"] + arguments)
      #expect(result.status == 0)
      return try result.object()["identifier"] as? String
    }
    #expect(try identifier() == "public.data")
    #expect(try identifier("--sniff") == "public.shell-script")
  }

  @Test("import installs what counts and names what does not")
  func importing() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let mixed = try sandbox.write(
      """
      {"UTExportedTypeDeclarations": [
        {"UTTypeIdentifier": "org.example.widget", "UTTypeConformsTo": "public.json",
         "UTTypeTagSpecification": {"public.filename-extension": "widget"}},
        {"UTTypeIdentifier": "org.example.lost", "UTTypeConformsTo": "org.nobody.knows"}]}
      """, to: "mixed.json")
    let result = try sandbox.run("types", "import", mixed)
    #expect(result.status == 0)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("\(mixed): UTExportedTypeDeclarations[1].UTTypeConformsTo"))
    let type = try sandbox.run("types", "extension", "widget", "--format", "json").object()
    #expect(type["identifier"] as? String == "org.example.widget")
    #expect(type["source"] as? String == "user")
    // The refused entry stays in the file, and check says so.
    #expect(try sandbox.run("types", "check").status == 4)
    #expect(try sandbox.run("types", "import", mixed).status == 4)
    #expect(try sandbox.run("types", "import", "--replace", mixed).status == 0)
  }

  @Test("import refuses a file in which nothing counts")
  func refusing() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let bad = try sandbox.write(
      #"{"UTExportedTypeDeclarations": [{"UTTypeIdentifier": "public.mine"}]}"#, to: "bad.json")
    let result = try sandbox.run("types", "import", bad)
    #expect(result.status == 4)
    #expect(result.errors.contains("UTExportedTypeDeclarations[0].UTTypeIdentifier"))
    #expect(try sandbox.run("types", "check").status == 0)
    let broken = try sandbox.write("no plist", to: "broken.plist")
    #expect(try sandbox.run("types", "import", broken).status == 4)
  }

  static let hostile = Corpus.files("PropertyLists/hostile")

  @Test("every command goes on without a file that is bad, and names it in a line")
  func badFiles() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let place = "config/filecat/types.d/"
    for file in Self.hostile {
      // Only names with these extensions are read.
      let ending = file.name.hasSuffix(".json") ? ".json" : ".plist"
      try sandbox.directory.write(file.bytes, to: FilePath(place + file.name + ending))
    }
    try sandbox.directory.write(
      String(repeating: "<array>", count: 10_000), to: FilePath(place + "very-deep.plist"))
    try sandbox.directory.write(
      """
      {"UTExportedTypeDeclarations": [{"UTTypeIdentifier": "org.example.good",
        "UTTypeTagSpecification": {"public.filename-extension": "good"}},
        {"UTTypeIdentifier": "public.single.entries.are.for.check"}]}
      """, to: FilePath(place + "good.json"))
    try sandbox.makeFile("a.good", "x")
    let names = Set(Self.hostile.map(\.name) + ["very-deep.plist"])
    let commands: [(arguments: [String], status: Int32)] = [
      (["list"], 0), (["show", "org.example.good"], 0), (["of", sandbox.tree + "/a.good"], 0),
      (["extension", "good"], 0), (["mime", "image/png"], 0),
      (["conforms", "org.example.good", "public.data"], 0),
      (["conforms", "org.example.good", "public.image"], 1), (["tree", "public.data"], 0),
    ]
    for (arguments, status) in commands {
      let result = try sandbox.run(["types"] + arguments)
      #expect(result.status == status, "\(arguments): \(result.errors)")
      #expect(result.errorLines.count == names.count, "\(arguments): \(result.errors)")
      for name in names {
        #expect(result.errors.contains("/\(name)"), "\(arguments): \(name)")
      }
      #expect(!result.output.isEmpty)
    }
    let check = try sandbox.run("types", "check")
    #expect(check.status == 4)
    #expect(check.text.split(separator: "\n").count { $0.hasPrefix("refused") } == names.count + 1)
    let scan = try sandbox.run("scan", sandbox.tree, "--no-progress")
    #expect(scan.status == 0)
    #expect(scan.errorLines.count == names.count, "\(scan.errors)")
    let found = try sandbox.run("find", "type:org.example.good")
    #expect(found.status == 0 && found.errors.isEmpty, "\(found.errors)")
  }

  @Test("a file of declarations that is no file is not waited for, nor is an endless one read")
  func noFiles() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let place = FilePath("config/filecat/types.d")
    try sandbox.directory.makeDirectory(place)
    let pipe = sandbox.directory.path.pushing(place).appending("pipe.plist")
    try #require(pipe.withPlatformString { mkfifo($0, 0o600) } == 0)
    try sandbox.directory.makeLink(place.appending("endless.json"), to: "/dev/zero")
    let long = sandbox.directory.path.pushing(place).appending("long.json").string
    try #require(FileManager.default.createFile(atPath: long, contents: nil))
    try FileHandle(forWritingTo: URL(fileURLWithPath: long)).truncate(atOffset: 1 << 40)
    let result = try sandbox.run("types", "extension", "jpg")
    #expect(result.status == 0)
    #expect(result.errorLines.count == 3, "\(result.errors)")
    #expect(result.errors.contains("long.json: cannot be read: it has more than 16 MiB"))
    #expect(try sandbox.run("types", "import", pipe.string).status == 4)
  }

  @Test("a scan goes by the user's declarations")
  func scanning() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.widget", "x")
    func type() throws -> String {
      #expect(try sandbox.run("scan", sandbox.tree).status == 0)
      return try sandbox.run("sql", "SELECT type FROM files WHERE depth = 1", "--format", "ndjson")
        .object()["type"] as? String ?? ""
    }
    #expect(try type().hasPrefix("dyn."))
    let file = try sandbox.write(
      """
      {"UTExportedTypeDeclarations": [{"UTTypeIdentifier": "org.example.widget",
        "UTTypeTagSpecification": {"public.filename-extension": "widget"}}]}
      """, to: "widget.json")
    #expect(try sandbox.run("types", "import", file).status == 0)
    #expect(try type() == "org.example.widget")
  }
}

extension Sandbox {
  /// Writes a file into the home, and returns its path.
  fileprivate func write(_ text: String, to name: String) throws -> String {
    try directory.write(text, to: FilePath(name))
    return home + "/" + name
  }
}

extension CommandResult {
  /// The output as one JSON object.
  fileprivate func object() throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(output)) as? [String: Any], "\(text)")
  }
}
