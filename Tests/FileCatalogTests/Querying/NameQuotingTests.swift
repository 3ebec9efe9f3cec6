import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import Testing

/// Every name can be asked for, and alone.
@Suite("Names in queries")
struct NameQuotingTests {
  /// How much of a name is written as escapes.
  enum Quoting: CaseIterable {
    /// Backslashes and quotes, and bytes that are not UTF-8.
    case necessary
    /// Also everything that is not printable ASCII.
    case printable
    /// Backslashes and quotes alone; the text is no UTF-8 where the name is none.
    case typed
  }

  /// A name within quotes, as the documentation of the language says.
  private func quoted(_ name: [UInt8], _ quoting: Quoting, special: String = "") -> [UInt8] {
    var text: [UInt8] = [UInt8(ascii: "\"")]
    func append(_ byte: UInt8) {
      if byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"") || special.utf8.contains(byte) {
        text.append(UInt8(ascii: "\\"))
      }
      text.append(byte)
    }
    var rest = name[...]
    while !rest.isEmpty {
      let length = (1...4).first {
        rest.count >= $0 && String(validating: rest.prefix($0), as: UTF8.self) != nil
      }
      let unit = rest.prefix(length ?? 1)
      rest = rest.dropFirst(unit.count)
      let scalar = length.flatMap { _ in String(decoding: unit, as: UTF8.self).unicodeScalars.first
      }
      switch (quoting, scalar) {
      case (.typed, _), (.necessary, .some): unit.forEach(append)
      case (_, nil): text += unit.flatMap { Array("\\x\(String($0, radix: 16))".utf8) }
      case (.printable, let scalar?) where (0x20..<0x7F).contains(scalar.value):
        unit.forEach(append)
      case (.printable, let scalar?):
        text += Array("\\u{\(String(scalar.value, radix: 16))}".utf8)
      }
    }
    return text + [UInt8(ascii: "\"")]
  }

  private func names(_ found: [Entry]) -> [[UInt8]] {
    found.map { $0.path.lastComponent?.bytes ?? [] }
  }

  @Test("a name is found by itself in quotes, and nothing else is", arguments: 1...4)
  func found(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed == 1 ? 1 : .random(in: .min ... .max))
    let note: Comment = "\(random)"
    var all = Set(CrookedNames.all)
    while all.count < CrookedNames.all.count + 60 {
      all.insert(CrookedNames.random(using: &random))
    }
    try await withLaboratory(all.map { .file(FilePath(bytes: $0)) }) { lab in
      try await lab.scan()
      for name in all {
        let exact = Query(.name(.exact(bytes: name)), caseSensitivity: .sensitive)
        #expect(names(try await lab.catalog.entries(matching: exact)) == [name], note)
        #expect(try Query(parsing: exact.description) == exact, note)
        for quoting in Quoting.allCases {
          let query = try Query(
            parsing: Array("case:yes name:=".utf8) + quoted(name, quoting))
          #expect(query == exact, note)
          let part = try Query(
            parsing: Array("name:".utf8) + quoted(name, quoting, special: "*?[{"))
          #expect(names(try await lab.catalog.entries(matching: part)).contains(name), note)
          #expect(try Query(parsing: part.description) == part, note)
          let word = try Query(parsing: quoted(name, quoting, special: "*?[{"))
          #expect(word == part, note)
        }
      }
    }
  }

  @Test(
    "escapes stand for characters and bytes wherever names are matched",
    arguments: [
      (#"name:=\xff"#, [[0xFF]]), (#"name:=a\xffb"#, [[0x61, 0xFF, 0x62]]),
      (#"name:a\xff*"#, [[0x61, 0xFF, 0x62]]), (#"*\xffb"#, [[0x61, 0xFF, 0x62]]),
      (#"name:\xff"#, [[0xFF], [0x61, 0xFF, 0x62]]), (#"regex:^\xff$"#, [[0xFF]]),
      (#"regex:a[\x80-\xff]b"#, [[0x61, 0xFF, 0x62]]), (#"regex:[^a-z\n]b"#, [[0x61, 0xFF, 0x62]]),
      (#"name:=\xc3\xa9"#, [Array("é".utf8)]), (#"name:=\u{e9}"#, [Array("é".utf8)]),
      (#"regex:^\u{e9}$"#, [Array("é".utf8)]), (#"regex:\x{e9}"#, [Array("é".utf8)]),
      // A byte is one that is no part of a character.
      (#"name:\xc3"#, []), (#"name:*\xa9"#, []), (#"name:\xc3*"#, []), (#"regex:\xc3"#, []),
      (#"name:=a\nb"#, [Array("a\nb".utf8)]), (#"name:"\n""#, [Array("a\nb".utf8)]),
      (#"name:=\\n"#, [Array("\\n".utf8)]), (#"name:"\\n""#, [Array("\\n".utf8)]),
      (#"name:[\n\u{e9}]"#, [Array("é".utf8)]), (#"path:a\xff?"#, [[0x61, 0xFF, 0x62]]),
      (#"name:"=x""#, [Array("=x".utf8)]), (#"name:\=x"#, [Array("=x".utf8)]),
    ] as [(String, [[UInt8]])])
  func escapes(_ text: String, _ expected: [[UInt8]]) async throws {
    let names: [[UInt8]] =
      [[0xFF], [0x61, 0xFF, 0x62]] + ["é", "a\nb", "\\n", "=x"].map { Array($0.utf8) }
    try await withLaboratory(names.map { .file(FilePath(bytes: $0)) }) { lab in
      try await lab.scan()
      let query = try Query(parsing: text)
      let found = self.names(try await lab.catalog.entries(matching: query))
      #expect(Set(found) == Set(expected))
      #expect(try Query(parsing: query.description) == query)
    }
  }

  @Test(
    "an escape of nothing is an error with its place",
    arguments: [
      (#"name:a\x"#, 6..<8), (#"name:=\xf"#, 6..<9), (#"regex:\xg1"#, 6..<8),
      (#"name:\u{110000}"#, 5..<15), (#"name:\u1b"#, 5..<9), (#"name:[\xff]"#, 6..<10),
      (#"owner:\xff"#, 6..<10), (#"name:="\"#, 6..<8),
    ])
  func malformed(_ text: String, _ range: Range<Int>) {
    let error = #expect(throws: QueryError.self) { try Query(parsing: text) }
    #expect(error?.range == range, "\(String(describing: error))")
  }
}
