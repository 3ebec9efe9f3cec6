import Foundation
import TestSupport
import TestTraits
import Testing

@testable import TextMatching

@Suite("The natural order of names")
struct NaturalOrderTests {
  @Test(
    "names are in the order people expect", .feature("JB-12", "LX-13"),
    arguments: [
      ["file1", "file2", "file10"],
      ["75.file", "075.file", "76.file", "175.file"],
      ["e", "é", "f", "z"],
      [".testfile", "00", "01", "10", "19"],
      ["", " ", "_a", "-a", "0", "00", "1", "a", "ä", "ab", "b", "ø", "p", "я"],
      ["a", "a b", "a-b", "a1", "aa"],
      ["x9", "x1" + String(repeating: "0", count: 300), "x2" + String(repeating: "0", count: 300)],
      ["éa", "eb", "éb"],
    ])
  func namesAreInOrder(_ names: [String]) {
    let keys = names.map(NaturalOrder.key(of:))
    for (first, second) in zip(keys, keys.dropFirst()) {
      #expect(first.lexicographicallyPrecedes(second), "\(first) \(second)")
    }
  }

  @Test("case and composition make ties, and invalid bytes come last", .feature("JB-13"))
  func tiesAndInvalidBytes() {
    #expect(NaturalOrder.key(of: "ReadMe") == NaturalOrder.key(of: "README"))
    #expect(NaturalOrder.key(of: "\u{E9}t\u{E9}") == NaturalOrder.key(of: "e\u{301}te\u{301}"))
    let invalid: [UInt8] = [0xFF]
    let key = invalid.withUnsafeBytes { NaturalOrder.key(of: $0) }
    #expect(NaturalOrder.key(of: "я").lexicographicallyPrecedes(key))
  }

  @Test("a key begins with the key of the beginning, whatever follows")
  func keysOfBeginnings() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    let characters = Array("aZ 1290._-+~\u{7}".unicodeScalars)
    for length in [0, 1, 2, 5, 30, 254, 255, 256, 400] {
      for _ in 0..<30 {
        var name = ""
        for _ in 0..<length {
          name.unicodeScalars.append(characters[random.below(characters.count)])
        }
        // What is said of leading zeros stands at the end of a key.
        guard name.firstMatch(of: /(^|[^0-9])0[0-9]/) == nil else { continue }
        let whole = NaturalOrder.key(of: name + "я")
        #expect(
          whole == NaturalOrder.key(of: name) + NaturalOrder.key(of: "я"), "\(name), seed \(seed)")
      }
    }
    for digits in [239, 240, 241, 255] {
      let name = String(repeating: "7", count: digits)
      #expect(
        NaturalOrder.key(of: name + "я") == NaturalOrder.key(of: name) + NaturalOrder.key(of: "я"))
    }
  }

  @Test("letters with accents are taken apart as Unicode has it")
  func letterParts() {
    let blocks: [ClosedRange<UInt32>] = [
      0xC0...0x24F, 0x370...0x58F, 0x1E00...0x1FFF, 0x3040...0x30FF,
    ]
    let withStrokes = NaturalWeights.parts.filter { $0.value.unicodeScalars.contains("\u{338}") }
    for scalar in blocks.joined().compactMap(Unicode.Scalar.init) {
      let pieces = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
      var expected = ""
      for piece in pieces.map(CaseFolding.folded) {
        expected += withStrokes[piece] ?? String(piece)
      }
      if pieces.count == 1, withStrokes[scalar] == nil {
        #expect(NaturalWeights.parts[scalar] == nil, "\(scalar)")
      } else {
        let parts = NaturalWeights.parts[scalar]?.unicodeScalars.map(\.value)
        #expect(parts == expected.unicodeScalars.map(\.value), "\(scalar)")
      }
    }
  }
}
