import Testing
import UniformTypes

@Suite("Dynamic identifiers")
struct DynamicIdentifierTests {
  struct Vector: Sendable {
    let identifier: String
    let supertype: String?
    let key: String
    let value: String

    init(_ identifier: String, _ supertype: String?, _ key: String, _ value: String) {
      self.identifier = identifier
      self.supertype = supertype
      self.key = key
      self.value = value
    }
  }

  static let vectors = [
    Vector("dyn.ah62d4rv4ge81e62", "public.data", "public.filename-extension", "rs"),
    Vector("dyn.ah62d4rv4ge81g6pq", "public.data", "public.filename-extension", "sql"),
    Vector("dyn.ah62d4rv4ge80s52", "public.data", "public.filename-extension", "go"),
    Vector("dyn.ah62d4rv4ge81k55rru", "public.data", "public.filename-extension", "toml"),
    Vector("dyn.ah62d4rv4ge80y652", "public.data", "public.filename-extension", "jsx"),
    Vector("dyn.ah62d4rv4ge81g6xy", "public.data", "public.filename-extension", "srt"),
    Vector("dyn.ah62d4rv4ge80s6d2", "public.data", "public.filename-extension", "gpx"),
    Vector("dyn.ah62d4rv4ge8043a", "public.data", "public.filename-extension", "md"),
    Vector("dyn.age81e62", nil, "public.filename-extension", "rs"),
    Vector("dyn.age8u", nil, "public.filename-extension", ""),
    Vector("dyn.ah62d4uv4ge804550", "public.image", "public.filename-extension", "mov"),
    Vector("dyn.ah62d4sb4ge81e62", "public.plain-text", "public.filename-extension", "rs"),
    Vector("dyn.agq80c6durvy0g2pyrf106p5rsa4a", nil, "public.mime-type", "application/mp4"),
    Vector("dyn.ah62d4rv4gk81n65yru", "public.data", "com.apple.ostype", "ustl"),
    Vector("dyn.ah62d4rv4gk8zuxnxnq", "public.data", "com.apple.ostype", "XMSS"),
    Vector(
      "dyn.ah62d4qmuhk2x43d0qv00n3dmqe", "com.apple.package", "public.filename-extension",
      "dvdmedia"),
    Vector(
      "dyn.ah62d4rv4gq81up5sr71hg3pssrwu", "public.data", "public.mime-type", "x/nonsense"),
  ]

  @Test("are Apple's, byte for byte", arguments: vectors)
  func encodes(_ vector: Vector) {
    let made = DynamicIdentifier(
      DynamicIdentifier.Pair(key: vector.key, value: vector.value),
      conformingTo: vector.supertype)
    #expect(made.rawValue == vector.identifier)
  }

  @Test("are read back as what they were made of", arguments: vectors)
  func decodes(_ vector: Vector) throws {
    let read = try DynamicIdentifier(parsing: vector.identifier.uppercased())
    #expect(read.supertypes == (vector.supertype.map { [$0] } ?? []))
    #expect(read.tags == [DynamicIdentifier.Pair(key: vector.key, value: vector.value)])
  }

  @Test("keep separators inside of values")
  func escapes() throws {
    let pair = DynamicIdentifier.Pair(key: "public.filename-extension", value: #"a:b\c=d"#)
    let made = DynamicIdentifier(pair, conformingTo: "org.example.base")
    let read = try DynamicIdentifier(parsing: made.rawValue)
    #expect(read.tags == [pair])
    #expect(read.supertypes == ["org.example.base"])
  }

  @Test("that are not well-formed are refused with a reason")
  func refuses() {
    #expect(throws: DynamicIdentifier.ParsingError.missingPrefix) {
      try DynamicIdentifier(parsing: "public.data")
    }
    #expect(throws: DynamicIdentifier.ParsingError.invalidCharacter("o")) {
      try DynamicIdentifier(parsing: "dyn.ah62o")
    }
    #expect(throws: DynamicIdentifier.ParsingError.leftoverBits) {
      try DynamicIdentifier(parsing: "dyn.ah62d4rv4ge81e6")
    }
    #expect(throws: DynamicIdentifier.ParsingError.self) {
      try DynamicIdentifier(parsing: "dyn.a")
    }
    #expect(UniformType("dyn.ah62o") == nil)
  }

  @Test("come out of unknown extensions and conform to what was asked for")
  func fromExtension() throws {
    let type = try #require(UniformType(filenameExtension: "XyZzY"))
    #expect(type.isDynamic)
    #expect(!type.isPublic)
    #expect(type.conforms(to: .data))
    #expect(type.conforms(to: .item))
    #expect(type.preferredFilenameExtension == "xyzzy")
    #expect(type.localizedDescription == nil)
    #expect(type.supertypes == [.data, .item])
    #expect(UniformType(type.identifier) == type)

    let movie = try #require(UniformType(filenameExtension: "mov", conformingTo: .image))
    #expect(movie.identifier == "dyn.ah62d4uv4ge804550")
  }

  @Test("of extensions that are no text keep their bytes apart")
  func bytes() {
    let registry = TypeRegistry.builtIn
    let one = registry.dynamicType(forExtension: [0xFF, 0x61], as: .file)
    let other = registry.dynamicType(forExtension: [0xFE, 0x61], as: .file)
    #expect(one != other)
    let executable = registry.dynamicType(forExtension: Array("fits".utf8), as: .executableFile)
    #expect(executable.conforms(to: .unixExecutable))
  }
}
