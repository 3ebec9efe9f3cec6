import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Console

@Suite("What is printed can be read back")
struct RoundTripTests {
  @Test("JSON is read back by another implementation", .feature("P-40"), arguments: 1...40)
  func json(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let rows: [[Cell]] = (0..<30).map { _ in
      [
        .text(bytes: random.crookedText()), .integer(Int64(bitPattern: random.next())),
        .real(Double(bitPattern: random.next())),
      ]
    }
    let columns: [Column] = [.path("path"), Column("i"), Column("r")]
    let bytes = try printed(rows, columns: columns, format: .json)
    let objects = try #require(
      try JSONSerialization.jsonObject(with: Data(bytes)) as? [[String: Any]])
    #expect(objects.count == rows.count)
    for (object, row) in zip(objects, rows) {
      guard case .text(let raw) = row[0], case .integer(let i) = row[1], case .real(let r) = row[2]
      else { continue }
      let expected = String(decoding: raw, as: UTF8.self)
      #expect(
        (object["path"] as? String)?.unicodeScalars.elementsEqual(expected.unicodeScalars) == true)
      #expect((object["i"] as? NSNumber)?.int64Value == i)
      // This reader may be off by the last bit; that every bit is there is tested below.
      if r.isFinite, r.magnitude > 1e-300 {
        let value = try #require(object["r"] as? NSNumber).doubleValue
        #expect(value == r || abs(value / r - 1) < 1e-14, "seed \(seed)")
      }
      let base64 = object["path_base64"] as? String
      if Array(expected.utf8) == raw {
        #expect(base64 == nil)
      } else {
        #expect(base64.flatMap { Data(base64Encoded: $0) } == Data(raw), "seed \(seed)")
      }
    }
  }

  @Test("Floating-point numbers keep every bit, and all of them are JSON")
  func exactNumbers() {
    var random = SeededRandom(seed: 3)
    for _ in 0..<5_000 {
      let value = Double(bitPattern: random.next())
      var bytes: [UInt8] = []
      JSONText.appendNumber(value, to: &bytes)
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(value.isFinite ? Double(text) == value : text == "null")
      #expect(text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[+-]?[0-9]+)?|null/) != nil)
    }
  }

  @Test("CSV is read back", .feature("P-42"), arguments: 1...40)
  func csv(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let rows = (0..<30).map { _ in [random.crookedText(), random.crookedText()] }
    let text = try printedText(
      rows.map { $0.map { .text(bytes: $0) } }, columns: [Column("a"), Column("b")], format: .csv)
    let expected = rows.map { $0.map { String(decoding: $0, as: UTF8.self) } }
    #expect(Self.parseCSV(text) == [["a", "b"]] + expected, "seed \(seed)")
  }

  @Test("TSV is read back", arguments: 1...40)
  func tsv(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let rows = (0..<30).map { _ in [random.crookedText(), random.crookedText()] }
    let text = try printedText(
      rows.map { $0.map { .text(bytes: $0) } }, columns: [Column("a"), Column("b")], format: .tsv)
    let lines = text.utf8.split(separator: 0x0A).dropFirst()
    #expect(lines.count == rows.count)
    for (line, row) in zip(lines, rows) {
      let fields = line.split(separator: 0x09, omittingEmptySubsequences: false)
      #expect(
        fields.map { Self.unescape(Array($0)) }
          == row.map { Array(String(decoding: $0, as: UTF8.self).utf8) }, "seed \(seed)")
    }
  }

  @Test("A writer of JSON puts commas where they belong")
  func writer() {
    var json = JSONWriter()
    json.object { json in
      json.member("root", "/a\"\\\u{8}\u{1f}\u{2028}")
      json.key("list")
      json.array { json in
        json.integer(.min)
        json.object { _ in }
        json.array { _ in }
        json.null()
        json.real(-0.5)
      }
      json.key("done")
      json.boolean(true)
    }
    #expect(
      json.text
        == #"{"root":"/a\"\\\b\u001f\u2028","list":[-9223372036854775808,{},[],null,-0.5],"done":true}"#
    )
  }

  /// Reads RFC 4180, scalar by scalar.
  private static func parseCSV(_ text: String) -> [[String]] {
    var records: [[String]] = []
    var record: [String] = []
    var field = String.UnicodeScalarView()
    var isQuoted = false
    var scalars = Array(text.unicodeScalars)[...]
    while let scalar = scalars.popFirst() {
      switch (isQuoted, scalar) {
      case (true, "\"") where scalars.first == "\"":
        scalars.removeFirst()
        field.append(scalar)
      case (_, "\""): isQuoted.toggle()
      case (true, _): field.append(scalar)
      case (false, ","):
        record.append(String(field))
        field = String.UnicodeScalarView()
      case (false, "\n"):
        records.append(record + [String(field)])
        record = []
        field = String.UnicodeScalarView()
      case (false, _): field.append(scalar)
      }
    }
    return records
  }

  private static func unescape(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let code = rest.popFirst() else {
        result.append(byte)
        continue
      }
      switch code {
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      default: result.append(code)
      }
    }
    return result
  }
}
