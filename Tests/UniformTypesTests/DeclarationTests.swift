import Foundation
import SystemPackage
import Testing
import UniformTypes

@Suite("Declarations of the user")
struct DeclarationTests {
  private func registry(_ json: String) -> TypeRegistry {
    TypeRegistry(declarations: Array(json.utf8), named: "mine.json")
  }

  private func exported(_ entries: String) -> TypeRegistry {
    registry(#"{"UTExportedTypeDeclarations": [\#(entries)]}"#)
  }

  @Test("add types that the rest of the registry knows nothing of")
  func adds() throws {
    let registry = exported(
      #"""
      {"UTTypeIdentifier": "org.example.Recipe", "UTTypeConformsTo": "public.json",
       "UTTypeDescription": "Recipe", "UTTypeVersion": "3",
       "UTTypeReferenceURL": "https://example.org/recipe",
       "UTTypeTagSpecification": {"public.filename-extension": ["recipe", "soup.pot"],
         "public.mime-type": "application/x-recipe", "name": "Kitchenfile",
         "pattern": "recipe-[0-9]*"}}
      """#)
    #expect(registry.diagnostics.isEmpty, "\(registry.diagnostics)")
    let recipe = try #require(registry.type(filenameExtension: "RECIPE"))
    #expect(recipe.identifier == "org.example.recipe")
    #expect(recipe.conforms(to: .text))
    #expect(recipe.localizedDescription == "Recipe")
    #expect(recipe.version == 3)
    #expect(recipe.source == .userExported)
    #expect(recipe.builtInID == nil)
    for name in ["a.recipe", "a.soup.pot", "kitchenfile", "recipe-12"] {
      #expect(registry.type(ofName: name, as: .file) == recipe, "\(name)")
    }
    #expect(registry.type(ofName: "de.pot", as: .file).identifier == "org.gnu.gettext.po")
    #expect(registry.fingerprint != TypeRegistry.builtIn.fingerprint)
  }

  @Test("have the last word on an extension that the table knows")
  func overrides() {
    let registry = registry(
      #"""
      {"UTImportedTypeDeclarations": [{"UTTypeIdentifier": "public.mpeg-2-transport-stream",
        "UTTypeTagSpecification": {"public.filename-extension": "ts"}}]}
      """#)
    #expect(registry.diagnostics.isEmpty, "\(registry.diagnostics)")
    let type = registry.type(ofName: "a.ts", as: .file)
    #expect(type == .mpeg2TransportStream)
    #expect(type.builtInID != nil)
    #expect(
      registry.conflicts.contains { $0.tag == "ts" && $0.decision == .layer })
  }

  @Test("make packages of extensions and of types, without asking for evidence")
  func packages() {
    let registry = registry(
      #"""
      {"CFBundleDocumentTypes": [
        {"LSTypeIsPackage": true, "CFBundleTypeExtensions": ["dvdmedia", "*"]},
        {"LSTypeIsPackage": true, "LSItemContentTypes": ["org.example.box"]}],
       "UTExportedTypeDeclarations": [{"UTTypeIdentifier": "org.example.box",
        "UTTypeConformsTo": ["com.apple.package"],
        "UTTypeTagSpecification": {"public.filename-extension": "help"}}]}
      """#)
    #expect(registry.diagnostics.isEmpty, "\(registry.diagnostics)")
    let media = registry.type(ofName: "Film.dvdmedia", as: .directory)
    #expect(media.identifier == "dyn.ah62d4qmuhk2x43d0qv00n3dmqe")
    #expect(media.isPackage && media.isDynamic)
    #expect(registry.type(ofName: "x.help", as: .directory).identifier == "org.example.box")
  }

  @Test("come from XML property lists as well")
  func propertyList() {
    let xml = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "x">
      <plist version="1.0"><dict><key>UTExportedTypeDeclarations</key><array><dict>
      <key>UTTypeIdentifier</key><string>org.example.plist</string>
      <key>UTTypeConformsTo</key><array><string>public.data</string></array>
      <key>UTTypeTagSpecification</key><dict><key>public.filename-extension</key>
      <string>exa</string></dict></dict></array></dict></plist>
      """
    let registry = TypeRegistry(declarations: Array(xml.utf8), named: "mine.plist")
    #expect(registry.diagnostics.isEmpty, "\(registry.diagnostics)")
    #expect(registry.type(filenameExtension: "exa")?.identifier == "org.example.plist")
  }

  struct Bad: Sendable {
    let entry: String
    let keyPath: String
    let problem: TypeDiagnostic.Problem
  }

  static let bad = [
    Bad(
      entry: #"{"UTTypeIdentifier": "org.example.a/b"}"#,
      keyPath: "UTExportedTypeDeclarations[0].UTTypeIdentifier",
      problem: .invalidIdentifier("org.example.a/b")),
    Bad(
      entry: #"{"UTTypeIdentifier": "public.mine"}"#,
      keyPath: "UTExportedTypeDeclarations[0].UTTypeIdentifier",
      problem: .reservedIdentifier("public.mine")),
    Bad(
      entry: #"{"UTTypeIdentifier": "dyn.age81e62"}"#,
      keyPath: "UTExportedTypeDeclarations[0].UTTypeIdentifier",
      problem: .reservedIdentifier("dyn.age81e62")),
    Bad(
      entry: #"{"UTTypeIdentifier": "org.example.a", "UTTypeConformsTo": "org.example.none"}"#,
      keyPath: "UTExportedTypeDeclarations[0].UTTypeConformsTo",
      problem: .unknownParent(identifier: "org.example.a", parent: "org.example.none")),
    Bad(
      entry: #"{"UTTypeIdentifier": "org.example.a", "UTTypeConformsTo": "org.example.a"}"#,
      keyPath: "UTExportedTypeDeclarations[0].UTTypeConformsTo",
      problem: .cycle(["org.example.a", "org.example.a"])),
    Bad(
      entry: #"{"UTTypeDescription": "nameless"}"#,
      keyPath: "UTExportedTypeDeclarations[0].UTTypeIdentifier",
      problem: .malformedValue(expected: "a string")),
    Bad(
      entry: "7", keyPath: "UTExportedTypeDeclarations[0]",
      problem: .malformedValue(expected: "a dictionary")),
  ]

  @Test("that are wrong are refused by name, and the rest counts", arguments: bad)
  func refuses(_ bad: Bad) {
    let good = #"{"UTTypeIdentifier": "org.example.good"}"#
    let registry = exported("\(bad.entry), \(good)")
    #expect(registry.type(identifier: "org.example.good")?.conforms(to: .data) == true)
    #expect(registry.count == TypeRegistry.builtIn.count + 1)
    let diagnostic = registry.diagnostics.first
    #expect(registry.diagnostics.count == 1)
    #expect(diagnostic?.problem == bad.problem)
    #expect(diagnostic?.keyPath == bad.keyPath)
    #expect(diagnostic?.file == "mine.json")
    #expect(diagnostic?.description.hasPrefix("mine.json: UTExp") == true)
  }

  @Test("that go in a circle are refused, also with those that depend on them")
  func cycles() {
    let registry = exported(
      #"""
      {"UTTypeIdentifier": "org.example.a", "UTTypeConformsTo": "org.example.b"},
      {"UTTypeIdentifier": "org.example.b", "UTTypeConformsTo": ["public.data", "org.example.a"]},
      {"UTTypeIdentifier": "org.example.c", "UTTypeConformsTo": "org.example.b"}
      """#)
    #expect(registry.count == TypeRegistry.builtIn.count)
    #expect(registry.diagnostics.count == 3)
    #expect(
      registry.diagnostics.contains {
        $0.problem == .cycle(["org.example.a", "org.example.b", "org.example.a"])
      })
  }

  @Test("that contradict each other are reported, and the first one counts")
  func conflicts() {
    let registry = exported(
      #"""
      {"UTTypeIdentifier": "org.example.one", "UTTypeTagSpecification":
        {"public.filename-extension": "same"}},
      {"UTTypeIdentifier": "org.example.two", "UTTypeTagSpecification":
        {"public.filename-extension": ["same", "bad/tag"]}}
      """#)
    #expect(registry.type(filenameExtension: "same")?.identifier == "org.example.one")
    let problems = registry.diagnostics.map(\.problem)
    #expect(
      problems.contains(
        .conflictingTag(tag: "same", winner: "org.example.one", loser: "org.example.two")))
    #expect(problems.contains(.invalidTag(identifier: "org.example.two", tag: "bad/tag")))
    #expect(registry.conflicts.contains { $0.tag == "same" && $0.decision == .order })
  }

  @Test("in a file that cannot be read cost that file only")
  func unreadable() throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("types-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try Data("{ not json".utf8).write(to: directory.appendingPathComponent("a.json"))
    try Data(#"{"UTExportedTypeDeclarations": [{"UTTypeIdentifier": "org.example.ok"}]}"#.utf8)
      .write(to: directory.appendingPathComponent("b.json"))
    try Data("ignored".utf8).write(to: directory.appendingPathComponent("notes.txt"))
    let path = FilePath(directory.path)
    let registry = TypeRegistry(declarationDirectories: [path.appending("missing"), path])
    #expect(registry.type(identifier: "org.example.ok") != nil)
    #expect(registry.diagnostics.count == 1)
    #expect(registry.diagnostics.first?.file.hasSuffix("/a.json") == true)
  }
}
