import SystemPackage
import TestSupport
import Testing
import UniformTypes

/// Declarations that somebody has made to do harm, or a program by mistake.
@Suite("Declarations by the thousand", .timeLimit(.minutes(20)))
struct HostileDeclarationTests {
  private struct Declaration {
    var identifier: String
    var parents: [String] = []
    var extensions: [String] = []
    var patterns: [String] = []

    var json: String {
      let lists = [("UTTypeConformsTo", parents)].filter { !$0.1.isEmpty }
        .map { #""\#($0.0)": [\#(Self.list($0.1))], "# }.joined()
      return #"{"UTTypeIdentifier": "\#(identifier)", \#(lists)"UTTypeTagSpecification": "#
        + #"{"public.filename-extension": [\#(Self.list(extensions))], "#
        + #""pattern": [\#(Self.list(patterns))]}}"#
    }

    private static func list(_ texts: [String]) -> String {
      texts.map { "\"\($0)\"" }.joined(separator: ",")
    }
  }

  private func registry(_ declarations: [Declaration]) -> TypeRegistry {
    let entries = declarations.map(\.json).joined(separator: ",")
    return TypeRegistry(
      declarations: Array(#"{"UTExportedTypeDeclarations": [\#(entries)]}"#.utf8),
      named: "many.json")
  }

  private func chain(_ count: Int, to end: String) -> [Declaration] {
    (0..<count).map { number in
      Declaration(
        identifier: "org.example.n\(number)",
        parents: [number + 1 == count ? end : "org.example.n\(number + 1)"])
    }
  }

  @Test("that depend on one that is not declared are all refused", arguments: [1_000, 8_000])
  func chainToNowhere(_ count: Int) {
    let registry = registry(chain(count, to: "org.example.nowhere"))
    #expect(registry.count == TypeRegistry.builtIn.count)
    #expect(registry.diagnostics.count == count)
    #expect(
      registry.diagnostics.first?.problem
        == .unknownParent(
          identifier: "org.example.n\(count - 1)", parent: "org.example.nowhere"))
  }

  @Test("in a chain count as far as a type may have supertypes")
  func longChain() throws {
    let registry = registry(chain(1_500, to: "public.jpeg"))
    let supertypes = TypeRegistry.builtIn.ancestors(
      of: try #require(TypeRegistry.builtIn.index(of: .jpeg))
    ).count
    // One supertype is public.jpeg itself.
    let accepted = 1_000 - supertypes
    #expect(registry.count == TypeRegistry.builtIn.count + accepted)
    let top = try #require(registry.type(identifier: "org.example.n\(1_500 - accepted)"))
    #expect(top.conforms(to: .image) && top.supertypes.count == 1_000)
    #expect(top.localizedDescription == UniformType.jpeg.localizedDescription)
    let problem = TypeDiagnostic.Problem.tooManySupertypes(
      identifier: "org.example.n\(1_500 - accepted - 1)", limit: 1_000)
    #expect(registry.diagnostics.first?.problem == problem)
    #expect(registry.diagnostics.count == 1_500 - accepted)
  }

  @Test("in a circle are refused, and each is told a way round in few words")
  func circle() {
    let registry = registry(chain(5_000, to: "org.example.n0"))
    #expect(registry.count == TypeRegistry.builtIn.count)
    #expect(registry.diagnostics.count == 5_000)
    for diagnostic in registry.diagnostics {
      guard case .cycle(let path) = diagnostic.problem else {
        Issue.record("\(diagnostic)")
        return
      }
      #expect(path.count <= 16 && path.first == path.last && path.contains("…"))
    }
  }

  @Test("in thousands of circles through one are refused, each with its own")
  func hub() {
    let names = (0..<3_000).map { "org.example.n\($0)" }
    let registry = registry(
      [Declaration(identifier: "org.example.hub", parents: names)]
        + names.map { Declaration(identifier: $0, parents: ["org.example.hub"]) })
    #expect(registry.count == TypeRegistry.builtIn.count)
    #expect(registry.diagnostics.count == 3_001)
    #expect(
      registry.diagnostics.last?.problem
        == .cycle(["org.example.n2999", "org.example.hub", "org.example.n2999"]))
  }

  @Test("that lead to the same by ever more ways are walked once")
  func ladder() throws {
    let declarations = (0..<200).flatMap { level in
      ["a", "b"].map { side in
        Declaration(
          identifier: "org.example.\(side)\(level)",
          parents: level == 0
            ? ["public.item"] : ["org.example.a\(level - 1)", "org.example.b\(level - 1)"])
      }
    }
    let registry = registry(declarations)
    #expect(registry.diagnostics.isEmpty)
    let top = try #require(registry.type(identifier: "org.example.a199"))
    #expect(top.supertypes.count == 399)
    #expect(top.localizedDescription == UniformType.item.localizedDescription)
  }

  @Test("with one extension, or with thousands, keep their order")
  func tags() throws {
    let extensions = (0..<5_000).map { "x\($0)" }
    let registry = registry(
      (0..<5_000).map { Declaration(identifier: "org.example.n\($0)", extensions: ["same"]) }
        + [Declaration(identifier: "org.example.rich", extensions: extensions)])
    #expect(registry.count == TypeRegistry.builtIn.count + 5_001)
    #expect(registry.type(filenameExtension: "same")?.identifier == "org.example.n0")
    let types = registry.types(
      tag: "same", tagClass: .filenameExtension, conformingTo: .data)
    #expect(types.map(\.identifier) == (0..<5_000).map { "org.example.n\($0)" })
    for number in [0, 1, 4_999] {
      let index = try #require(registry.index(of: types[number]))
      #expect(registry.rankedTags(of: index).map(\.rank) == [number])
    }
    #expect(registry.conflicts.filter { $0.tag == "same" }.map(\.identifiers.count) == [5_000])
    let rich = try #require(registry.type(identifier: "org.example.rich"))
    #expect(rich.tags[.filenameExtension] == extensions)
    #expect(registry.type(ofName: "a.x4711", as: .file) == rich)
  }

  @Test("with patterns for names count until there are too many to compare names with")
  func patterns() throws {
    let registry = registry(
      (0..<600).map { Declaration(identifier: "org.example.n\($0)", patterns: ["*a\($0)?"]) }
        + [Declaration(identifier: "org.example.plain", extensions: ["plain"])])
    #expect(registry.count == TypeRegistry.builtIn.count + 501)
    #expect(registry.type(ofName: "xa499!", as: .file).identifier == "org.example.n499")
    #expect(registry.type(ofName: "xa500!", as: .file) == .data)
    #expect(registry.diagnostics.count == 100)
    let first = try #require(registry.diagnostics.first)
    #expect(first.problem == .tooManyPatterns(identifier: "org.example.n500", limit: 500))
    #expect(first.keyPath == "UTExportedTypeDeclarations[500].UTTypeTagSpecification.pattern")
    #expect(!first.isWarning && first.description.contains("500 patterns"))
  }

  @Test("of one identifier are one type")
  func repetition() throws {
    let registry = registry(
      (0..<3_000).map {
        Declaration(
          identifier: "org.example.one", parents: [$0 % 2 == 0 ? "public.text" : "public.content"],
          extensions: ["x\($0)"])
      })
    #expect(registry.count == TypeRegistry.builtIn.count + 1)
    let one = try #require(registry.type(identifier: "org.example.one"))
    #expect(one.directSupertypes.map(\.identifier) == ["public.text", "public.content"])
    #expect(one.tags[.filenameExtension]?.count == 3_000)
    #expect(registry.diagnostics.count == 2_999)
  }

  @Test("with extensions of many components are found, and none has too many")
  func components() throws {
    let parts = (0..<7).map { "component\($0)" }
    let registry = registry(
      (0..<500).map { number in
        Declaration(
          identifier: "org.example.n\(number)",
          extensions: (["n\(number)"] + parts.map { "\($0)n\(number)" }).joined(separator: ".")
            .split(separator: "!").map(String.init))
      } + [
        Declaration(
          identifier: "org.example.deep",
          extensions: [Array(repeating: "a", count: 40).joined(separator: ".")])
      ])
    let name = (["x", "n7"] + parts.map { "\($0)n7" }).joined(separator: ".")
    #expect(registry.type(ofName: name, as: .file).identifier == "org.example.n7")
    #expect(registry.diagnostics.count == 1)
    #expect(registry.diagnostics.first?.keyPath.hasSuffix("public.filename-extension") == true)
  }

  static let seeds: [UInt64] = [1, 2, UInt64.random(in: 0...UInt64.max)]

  @Test("are refused whatever their order", arguments: seeds)
  func order(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<10 {
      var declarations = (0..<40).map { number in
        Declaration(
          identifier: "org.example.n\(number)",
          parents: (0..<random.below(3)).map { _ in
            random.below(8) == 0 ? "public.data" : "org.example.n\(random.below(43))"
          })
      }
      func refused() -> [Set<String>] {
        let registry = registry(declarations)
        let names = declarations.map(\.identifier)
        return [Set(names.filter { registry.type(identifier: $0) == nil })]
      }
      let first = refused()
      declarations.shuffle(using: &random)
      #expect(refused() == first, "seed \(seed)")
    }
  }

  @Test("that are damaged make a registry all the same", arguments: seeds)
  func damaged(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let files = Corpus.files("Declarations") + Corpus.files("PropertyLists/good")
    let tokens = [
      "org.example.a", "public.data", "[", "]", "{", "}", "\",\"", ".", "..", "é", "\\u0000",
    ]
    for _ in 0..<60 {
      let file = files[random.below(files.count)]
      let bytes = random.damage(file.bytes, with: tokens)
      let registry = TypeRegistry(declarations: bytes, named: "damaged")
      #expect(registry.count >= TypeRegistry.builtIn.count)
      for position in TypeRegistry.builtIn.count..<registry.count {
        let index = registry.indices[position]
        let type = registry.type(at: index)
        #expect(!registry.ancestors(of: index).contains(index), "seed \(seed): \(type)")
        #expect(registry.type(identifier: type.identifier) == type, "seed \(seed)")
      }
      for diagnostic in registry.diagnostics { #expect(!diagnostic.description.isEmpty) }
    }
  }
}

@Suite("A database of MIME types by the thousand", .timeLimit(.minutes(20)))
struct HostileMimeTests {
  private func registry(_ files: [String: String]) throws -> TypeRegistry {
    try withTemporaryDirectory { directory in
      for (name, text) in files { try directory.write(text, to: FilePath(name)) }
      return TypeRegistry(declarationDirectories: [], mimeDirectories: [directory.path])
    }
  }

  @Test("with circles of parents refuses those")
  func circles() throws {
    let types = (0..<5_000).map { "application/x-n\($0)" }
    let registry = try registry([
      "types": types.joined(separator: "\n"),
      "subclasses": zip(types, types.dropFirst() + types.prefix(1)).map { "\($0) \($1)" }
        .joined(separator: "\n"),
    ])
    #expect(registry.count == TypeRegistry.builtIn.count)
    #expect(registry.diagnostics.count == 5_000)
  }

  @Test("with thousands of names for one type, and types for one name, is read")
  func names() throws {
    let one = (0..<5_000).map { "50:application/x-one:*.n\($0)\n" }.joined()
    let same = (0..<5_000).map { "50:application/x-n\($0):*.same\n" }.joined()
    let known = (0..<5_000).map { "50:application/x-m\($0):*.jpg\n" }.joined()
    let parents = (0..<900).map { "application/x-one application/x-n\($0)\n" }.joined()
    let aliases = (0..<5_000).map { "application/y-\($0) application/x-one\n" }.joined()
    let registry = try registry([
      "globs2": one + same + known, "subclasses": parents, "aliases": aliases,
    ])
    let type = try #require(registry.type(filenameExtension: "n4711"))
    #expect(type.identifier == "org.freedesktop.application.x-one")
    #expect(registry.type(mimeType: "application/y-77") == type)
    #expect(type.directSupertypes.count == 901)
    #expect(
      registry.types(tag: "same", tagClass: .filenameExtension, conformingTo: nil).count == 5_000)
  }

  @Test(
    "that is damaged is read as far as it makes sense",
    arguments: [1, UInt64.random(in: 0...UInt64.max)])
  func damaged(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let files = Corpus.files("MIME")
    let tokens = [
      ":", " ", "\n", "/", "*.", "[", "]", "cs", "99999999999999999999", "-1", "image/",
    ]
    for _ in 0..<20 {
      try withTemporaryDirectory { directory in
        var lines = 0
        for file in files {
          let bytes = random.damage(file.bytes, with: tokens)
          lines += bytes.split(separator: UInt8(ascii: "\n")).count
          try directory.write(bytes, to: FilePath(file.name))
        }
        let registry = TypeRegistry(declarationDirectories: [], mimeDirectories: [directory.path])
        let names = SharedMimeNames(directories: [directory.path])
        #expect(registry.count >= TypeRegistry.builtIn.count, "seed \(seed)")
        // No line tells more than one.
        #expect(names.rules.count <= lines, "seed \(seed)")
        let info = SharedMimeInfo(directories: [directory.path])
        #expect(info.types.count <= 2 * lines, "seed \(seed)")
      }
    }
  }
}
