import Foundation
import StandardDirectories
import SystemPackage
import TestSupport
import Testing

@Suite("Property lists")
struct PropertyListTests {
  private static let good = Corpus.files("PropertyLists/good")
  private static let hostile = Corpus.files("PropertyLists/hostile")
  static let seeds: [UInt64] = [1, 2, UInt64.random(in: 0...UInt64.max)]

  @Test("of usual and unusual forms are read", arguments: good)
  func reads(_ file: Corpus.File) throws {
    let list = try PropertyList(decodingListOrJSON: file.bytes)
    if file.name.hasPrefix("info") || ["marked.plist", "utf16.plist"].contains(file.name) {
      let type = try #require(list["UTExportedTypeDeclarations"]?.array?.first)
      #expect(list["CFBundleName"]?.text == "Rezepte & Süßes 🍲")
      #expect(type["UTTypeConformsTo"]?.strings == ["public.json", "public.content"])
      #expect(type["UTTypeVersion"]?.integer == 3)
      #expect(list["LSRequiresNativeExecution"]?.isTrue == true)
      #expect(list["NSQuitAlwaysKeepsWindows"]?.isTrue == false)
      #expect(list["Large"] == .number(1 << 62) && list["Negative"] == .number(-70000))
      #expect(list["Scale"] == .other && list["Empty"] == .dictionary([:]))
      #expect(list["None"] == .array([]) && list["Nothing"] == .string(""))
    } else if file.name == "unusual.plist" {
      let expected: [String: PropertyList] = [
        "ab": .string("<&>AB&"), "": .number(31), "t": .boolean(true), "e": .array([]),
      ]
      #expect(list == .dictionary(expected))
    } else {
      #expect(list["MCMMetadataIdentifier"]?.text == "com.example.app")
    }
  }

  @Test("that are none, or mean harm, are refused", arguments: hostile)
  func refuses(_ file: Corpus.File) {
    let expected: PropertyListError =
      switch file.name {
      case "entities.plist", "external-entity.plist": .declaresEntities
      case "cycle.bplist", "long-cycle.bplist": .circular
      case "deep.bplist", "deep.json", "deep.plist": .tooDeep(limit: 64)
      case "laughs.bplist": .tooManyValues(limit: 250_000)
      default: .malformed
      }
    #expect(throws: expected) { try PropertyList(decodingListOrJSON: file.bytes) }
  }

  @Test("nested by the ten thousand are refused", arguments: ["array", "dict", "["])
  func deep(_ element: String) {
    let (opening, closing) =
      switch element {
      case "array": ("<array>", "</array>")
      case "dict": ("<dict><key>a</key>", "</dict>")
      default: ("[", "]")
      }
    for count in [65, 10_000] {
      let text = [opening, closing].map { String(repeating: $0, count: count) }.joined()
      #expect(throws: PropertyListError.tooDeep(limit: 64)) {
        try PropertyList(decodingListOrJSON: Array(text.utf8))
      }
    }
    let text = [opening, closing].map { String(repeating: $0, count: 63) }
      .joined(separator: element == "[" ? "1" : "<true/>")
    #expect(throws: Never.self) { try PropertyList(decodingListOrJSON: Array(text.utf8)) }
  }

  @Test("as wide as their bounds, and no wider")
  func wide() throws {
    func list(_ count: Int) -> [UInt8] {
      Array("<array>".utf8) + Array(repeating: Array("<true/>".utf8), count: count).joined()
        + Array("</array>".utf8)
    }
    #expect(try PropertyList(decoding: list(249_999)).array?.count == 249_999)
    #expect(throws: PropertyListError.tooManyValues(limit: 250_000)) {
      try PropertyList(decoding: list(250_000))
    }
  }

  /// A tree of values that Foundation can write.
  private func tree(_ random: inout SeededRandom, depth: Int = 0) -> Any {
    let texts = ["", "a", "public.data", "süß", "🍲\u{301}", "<&>\"'", "a\u{301}\n\tb", "]]>", "/"]
    switch random.below(depth > 4 ? 4 : 7) {
    case 0: return texts[random.below(texts.count)]
    case 1: return Int(truncatingIfNeeded: random.next() >> UInt64(random.below(64)))
    case 2: return random.below(2) == 0
    case 3: return String(repeating: texts[random.below(texts.count)], count: random.below(40))
    case 4, 5:
      return Dictionary(
        (0..<random.below(20)).map { _ in
          (
            texts[random.below(texts.count)] + "\(random.below(100))",
            tree(&random, depth: depth + 1)
          )
        }, uniquingKeysWith: { first, _ in first })
    default: return (0..<random.below(20)).map { _ in tree(&random, depth: depth + 1) }
    }
  }

  private func expected(_ value: Any) -> PropertyList {
    switch value {
    case let text as String: .string(text)
    case let truth as Bool: .boolean(truth)
    case let number as Int: .number(number)
    case let values as [Any]: .array(values.map(expected))
    case let values as [String: Any]: .dictionary(values.mapValues(expected))
    default: .other
    }
  }

  @Test("of Foundation are read as they were written", arguments: seeds)
  func agreesWithFoundation(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<15 {
      let value = ["root": tree(&random)]
      let expected = expected(value)
      for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
        let data = try PropertyListSerialization.data(
          fromPropertyList: value, format: format, options: 0)
        #expect(try PropertyList(decodingListOrJSON: Array(data)) == expected, "seed \(seed)")
      }
      let json = try JSONSerialization.data(withJSONObject: value)
      #expect(try PropertyList(decodingListOrJSON: Array(json)) == expected, "seed \(seed)")
    }
  }

  private static let tokens = [
    "<array>", "</array>", "<dict>", "</dict>", "<key>", "<string/>", "<![CDATA[", "]]>", "<!--",
    "<!DOCTYPE x [", "&amp;", "&#", "&#xFFFFFFFF;", "<integer>0x-1</integer>", "<?", "?>", "[", "{",
    "\"", "\\u", "\\ud83c", "1e400", "-", "bplist00",
  ]

  @Test("that are damaged are read or refused", arguments: seeds)
  func damaged(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    // What is refused for its size takes its time.
    let files = (Self.good + Self.hostile).filter { $0.name != "laughs.bplist" }
    for _ in 0..<1500 {
      let file = files[random.below(files.count)]
      let bytes = random.damage(file.bytes, with: Self.tokens)
      do throws(PropertyListError) {
        let list = try PropertyList(decodingListOrJSON: bytes)
        #expect(list == list)
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
  }
}
