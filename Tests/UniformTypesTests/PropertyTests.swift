import TestSupport
import Testing
import UniformTypes

@Suite("Any byte string")
struct PropertyTests {
  static let seeds: [UInt64] = [1, 2, 3, UInt64.random(in: 0...UInt64.max)]

  private func name(_ generator: inout SeededRandom) -> [UInt8] {
    let alphabets: [[UInt8]] = [
      Array(0...255), Array("abcABC.. ~0123".utf8), Array("tar.gz.so.1".utf8),
      Array(".[]*?^,\\éß".utf8),
    ]
    let alphabet = alphabets[Int.random(in: 0..<alphabets.count, using: &generator)]
    let length = Int.random(in: 0...(Bool.random(using: &generator) ? 12 : 300), using: &generator)
    return (0..<length).map { _ in
      alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
    }
  }

  @Test("as a name gets the same answer twice, and one that makes sense", arguments: seeds)
  func names(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    let registry = TypeRegistry.builtIn
    let matcher = TypeMatcher(registry)
    let other = TypeMatcher(registry)
    for _ in 0..<500 {
      let name = name(&generator)
      for entryClass in EntryClass.allCases {
        let first = name.withUnsafeBufferPointer { matcher.match($0, as: entryClass) }
        let second = name.withUnsafeBufferPointer { other.match($0, as: entryClass) }
        try #require(first == second, "seed \(seed), name \(name)")
        if first.type == .none {
          let range = try #require(first.extensionRange, "seed \(seed), name \(name)")
          try #require(name.indices.contains(range.lowerBound) && range.upperBound == name.count)
          let type = registry.dynamicType(forExtension: name[range], as: entryClass)
          try #require(registry.type(identifier: type.identifier) == type)
        } else {
          try #require(registry.indices.contains(first.type), "seed \(seed), name \(name)")
        }
        let isDirectory = registry.type(at: first.type).conforms(to: .directory)
        try #require(entryClass != .directory || isDirectory, "seed \(seed), name \(name)")
      }
    }
  }

  @Test("as content is sniffed without a crash, the same twice", arguments: seeds)
  func contents(seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    let sniffer = ContentSniffer(.builtIn)
    let starts: [[UInt8]] = [
      [], Array("PK\u{3}\u{4}".utf8), Array("\u{7F}ELF".utf8), Array("<?xml".utf8),
      Array("#!".utf8), Array("RIFF".utf8), Array("MZ".utf8), [0xFF, 0xFB], Array("{".utf8),
      Array("<!--".utf8), [0xCA, 0xFE, 0xBA, 0xBE], Array("BM".utf8), Array("OggS".utf8),
    ]
    for _ in 0..<400 {
      let start = starts[Int.random(in: 0..<starts.count, using: &generator)]
      let bytes = start + name(&generator)
      let first = bytes.withUnsafeBufferPointer { sniffer.sniff($0) }
      let second = bytes.withUnsafeBufferPointer { sniffer.sniff($0) }
      #expect(first == second, "seed \(seed), bytes \(bytes)")
    }
  }

  @Test("as an identifier or a tag is answered or refused", arguments: seeds)
  func identifiers(seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    for _ in 0..<500 {
      let text = String(decoding: name(&generator), as: UTF8.self)
      if let type = UniformType(text) { #expect(type.identifier == text.lowercased()) }
      if let type = UniformType(filenameExtension: text) {
        #expect(UniformType(type.identifier) == type, "seed \(seed), \(text)")
      }
      _ = try? DynamicIdentifier(parsing: "dyn.a" + text)
      _ = UniformType(mimeType: text)
    }
  }
}
