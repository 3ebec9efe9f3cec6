import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Queries about stored values")
struct ResourceValueQueryTests {
  static let pairs: [(String, Filter, String)] = [
    ("xattr:user.project", .extendedAttribute("user.project"), "xattr:user.project"),
    (
      "xattr:user.project=alpha", .extendedAttribute("user.project", is: "alpha"),
      "xattr:user.project=alpha"
    ),
    (
      "XATTR:user.project=al*", .extendedAttribute("user.project", matches: "al*"),
      "xattr:user.project=al*"
    ),
    (
      "value:xattr:user.project=alpha", .extendedAttribute("user.project", is: "alpha"),
      "xattr:user.project=alpha"
    ),
    ("xattr:user.n=1..3", .extendedAttribute("user.n", is: "1..3"), "xattr:user.n=\"1..3\""),
    ("value:width", .value("width"), "value:width"),
    ("value:width=4000", .value("width", is: "4000"), "value:width=4000"),
    ("value:width>=4000", .value("width", >=4000), "value:width>=4000"),
    ("value:width>4000", .value("width", >4000), "value:width>4000"),
    ("value:width<=-1.5", .value("width", <=(-1.5)), "value:width<=-1.5"),
    ("value:width<1e3", .value("width", .lessThan(1000)), "value:width<1000"),
    ("value:width=1..3", .value("width", Filter.ValueRange(1...3)), "value:width=1..3"),
    ("value:width=1..<3", .value("width", Filter.ValueRange(1..<3)), "value:width=1..<3"),
    ("value:width=..2.5", .value("width", <=2.5), "value:width<=2.5"),
    ("value:width=5..5", .value("width", .exactly(5)), "value:width=5..5"),
    (
      "value:width>1..<3", .value("width", .init(lower: .exclusive(1), upper: .exclusive(3))),
      "value:width>1..<3"
    ),
    (#"value:width="1..3""#, .value("width", is: "1..3"), #"value:width="1..3""#),
    ("value:link=../a", .value("link", is: "../a"), #"value:link="../a""#),
    ("value:letter=", .value("letter", is: ""), #"value:letter="""#),
    (#"value:a\=b=c"#, .value("a=b", is: "c"), #"value:a\=b=c"#),
    (#"value:"two words"=x"#, .value("two words", is: "x"), #"value:"two words"=x"#),
    (#"value:star=a\*"#, .value("star", is: "a*"), #"value:star=a\*"#),
    ("-value:width>5", .not(.value("width", >5)), "!value:width>5"),
  ]

  @Test("a term means its filter, and is printed in one way", arguments: pairs)
  func pair(_ text: String, _ filter: Filter, _ canonical: String) throws {
    let query = try Query(parsing: text)
    #expect(query == Query(filter))
    #expect(query.description == canonical)
    #expect(try Query(parsing: canonical) == query)
  }

  @Test("filters that nothing can meet are nothing, and a range without ends has all numbers")
  func simplified() throws {
    #expect(Query(.value("")) == Query(.nothing))
    #expect(
      Query(.value("a", .init(lower: .inclusive(3), upper: .inclusive(1)))) == Query(.nothing))
    let all = Query(.value("a", Filter.ValueRange()))
    #expect(try Query(parsing: all.description) == all)
  }

  @Test(
    "a fault is told with its place",
    arguments: [
      ("value:width>wide", 12..<16, .malformedValue), ("value:width>=", 13..<13, .malformedValue),
      ("value:width=1..x", 15..<16, .malformedValue),
      ("value:width<0x10", 12..<16, .malformedValue), ("value:width>nan", 12..<15, .malformedValue),
      ("value:width=3..1", 12..<16, .emptyRange), ("value:=5", 6..<6, .missingValue),
      ("xattr:", 6..<6, .missingValue), ("xattr:=x", 6..<6, .missingValue),
      ("xattr:user.n>5", 12..<14, .malformedValue),
      ("value:a=[b", 8..<10, .malformedPattern),
    ] as [(String, Range<Int>, QueryError.Code)])
  func fault(_ text: String, _ range: Range<Int>, _ code: QueryError.Code) {
    do throws(QueryError) {
      let query = try Query(parsing: text)
      Issue.record("\(text) is \(query)")
    } catch {
      #expect(error.code == code, "\(error)")
      #expect(error.range == range, "\(error)")
      #expect(!error.expected.isEmpty && !error.description.contains("\n"))
    }
  }

  /// Values of all forms, by the names of files.
  private struct Named: ResourceValueProvider {
    let key = "named"

    func values(of entry: ScannedEntry) throws -> [String: ResourceValue] {
      switch entry.path.lastComponent?.string {
      case "small": ["width": .integer(3999)]
      case "exact": ["width": .integer(4000)]
      case "real": ["width": .real(4000)]
      case "half": ["width": .real(4000.5)]
      case "huge": ["width": .integer(9_007_199_254_740_993)]
      case "text": ["width": .text("4000")]
      case "letters": ["width": .text("Größe"), "xattr:user.project": .text("Alpha")]
      case "bytes": ["width": .bytes([0x41, 0xff])]
      default: [:]
      }
    }
  }

  static let names = [
    "small", "exact", "real", "half", "huge", "text", "letters", "bytes", "none",
  ]

  static let examples: [(String, Set<String>)] = [
    ("value:width", Set(names).subtracting(["none"])),
    ("kind:file !value:width", ["none"]),
    ("value:width>=4000", ["exact", "real", "half", "huge"]),
    ("value:width>4000", ["half", "huge"]),
    ("value:width<4000", ["small"]), ("value:width<=4000.0", ["small", "exact", "real"]),
    ("value:width=3999..4000", ["small", "exact", "real"]),
    ("value:width=4000", ["exact", "real", "text"]), ("value:width=4e3", ["exact", "real"]),
    ("value:width=4000..4000", ["exact", "real"]), ("value:width=\"40*\"", ["text"]),
    ("value:width=9007199254740993", ["huge"]), ("value:width=9007199254740992", []),
    ("value:width>9007199254740992", ["huge"]),
    ("value:width=GRÖSSE", []), ("value:width=gRÖße", ["letters"]),
    ("case:yes value:width=gröSSe", []), ("value:width=gr*", ["letters"]),
    ("case:yes value:width=gr*", []), ("value:width=gr", []),
    (#"value:width=a\xff"#, ["bytes"]), (#"case:yes value:width=a\xff"#, []),
    ("xattr:user.project", ["letters"]), ("xattr:user.project=ALPHA", ["letters"]),
    ("xattr:user.project=beta", []), ("xattr:user", []),
    ("value:xattr:user.project=al?ha", ["letters"]), ("value:height>0", []),
  ]

  @Test("find by numbers, texts and bytes, each compared as what it is")
  func found() async throws {
    try await withLaboratory(Self.names.map { .file(FilePath($0)) }, providers: [Named()]) { lab in
      var options = ScanOptions()
      options.resourceValues = ["named"]
      try await lab.scan(options)
      for (text, expected) in Self.examples {
        let query = try Query(parsing: text)
        let found = try await lab.catalog.entries(matching: query).map(\.name)
        #expect(Set(found) == expected, "\(text)")
        #expect(try await lab.catalog.count(of: query) == expected.count, "\(text)")
      }
    }
  }

  @Test(
    "extended attributes are found by their text", .feature("P-48"),
    .enabled(if: ResourceValueTests.supportsAttributes))
  func attributes() async throws {
    let pieces: [Piece] = [
      .file("a"), .attribute("a", name: "user.project", value: "alpha"),
      .file("b"), .attribute("b", name: "user.project", value: "beta"),
      .attribute("b", name: "user.other", value: "alpha"), .file("c"),
    ]
    try await withLaboratory(pieces) { lab in
      var options = ScanOptions()
      options.resourceValues = ["xattr"]
      try await lab.scan(options)
      for (text, expected) in [
        ("xattr:user.project", ["a", "b"]), ("xattr:user.project=alpha", ["a"]),
        ("xattr:user.project=*A", ["a", "b"]), ("kind:file !xattr:user.project", ["c"]),
      ] {
        let found = try await lab.catalog.entries(matching: Query(parsing: text)).map(\.name)
        #expect(found == expected, "\(text)")
      }
    }
  }
}
