import Foundation
import TestSupport
import Testing

@testable import Console

@Suite("Numbers, sizes, dates and spans of time")
struct TextTests {
  @Test(
    "Sizes are rounded up to powers of 1024",
    arguments: [
      (0, "0"), (1023, "1023"), (1024, "1.0K"), (1025, "1.1K"), (1536, "1.5K"), (10_137, "9.9K"),
      (10_138, "10K"), (10_240, "10K"), (10_241, "11K"), (1_047_552, "1023K"),
      (1_047_553, "1.0M"), (1_048_576, "1.0M"), (1_572_864, "1.5M"), (-2048, "-2.0K"),
      (1 << 60, "1.0E"), (Int64.max, "8.0E"), (Int64.min, "-8.0E"),
    ] as [(Int64, String)])
  func roundedSizes(count: Int64, text: String) {
    #expect(ByteCountText(count).description == text)
  }

  @Test("One of what is counted is no plural")
  func nouns() {
    func text(_ count: Int) -> String { CountText(count, "entry", "entries").description }
    #expect(text(1) == "1 entry")
    #expect(text(0) == "0 entries")
    #expect(text(2000) == "2,000 entries")
  }

  @Test("Exact sizes and counts have grouped digits")
  func grouping() {
    #expect(ByteCountText(1_572_864, style: .exact).description == "1,572,864")
    #expect(CountText(0).description == "0")
    #expect(CountText(999).description == "999")
    #expect(CountText(-1000).description == "-1,000")
    #expect(CountText(Int64.min).description == "-9,223,372,036,854,775,808")
  }

  @Test(
    "Spans of time get the unit that fits",
    arguments: [
      (0, "0 ns"), (740_000, "740 µs"), (420_000_000, "420 ms"), (12_340_000_000, "12.3 s"),
      (59_940_000_000, "59.9 s"), (59_950_000_000, "1:00"), (65_000_000_000, "1:05"),
      (7_384_000_000_000, "2:03:04"), (-1_000_000_000, "-1.0 s"),
    ] as [(Int64, String)])
  func spans(nanoseconds: Int64, text: String) {
    #expect(DurationText(nanoseconds: nanoseconds).description == text)
  }

  @Test("A clock shows minutes and seconds from the start")
  func clock() {
    #expect(DurationText(.seconds(12), style: .clock).description == "0:12")
    #expect(DurationText(.milliseconds(1_500)).description == "1.5 s")
  }

  @Test("Dates are shown in the time zone that is asked for")
  func dates() {
    let moment: Int64 = 1_795_269_900_000_000_000
    #expect(DateText(nanoseconds: moment, timeZone: .utc).description == "2026-11-21 14:05")
    #expect(
      DateText(nanoseconds: moment, timeZone: .fixed(secondsAhead: 36_000)).description
        == "2026-11-22 00:05")
    #expect(DateText(nanoseconds: -1, timeZone: .utc).description == "1969-12-31 23:59")
    #expect(DateText(nanoseconds: 0, timeZone: .utc).description == "1970-01-01 00:00")
  }

  @Test("Dates agree with the calendar of Foundation, in UTC and in local time")
  func datesAgreeWithFoundation() throws {
    var random = SeededRandom(seed: 5)
    let utc = try #require(TimeZone(identifier: "UTC"))
    for zone in [(DisplayTimeZone.utc, utc), (.local, TimeZone.current)] {
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = zone.1
      for _ in 0..<500 {
        let seconds = Int64.random(in: -1_000_000_000...6_000_000_000, using: &random)
        let parts = calendar.dateComponents(
          [.year, .month, .day, .hour, .minute],
          from: Date(timeIntervalSince1970: TimeInterval(seconds)))
        let expected = String(
          format: "%04d-%02d-%02d %02d:%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0,
          parts.hour ?? 0, parts.minute ?? 0)
        let text = DateText(nanoseconds: seconds * 1_000_000_000, timeZone: zone.0)
        #expect(text.description == expected)
      }
    }
  }
}

@Suite("Excerpts around a fault")
struct FaultExcerptTests {
  @Test(
    "the caret stands under the fault in columns, not in bytes",
    arguments: [
      ("size:x", 5..<6, "size:x", "     ^"), ("a (b", 2..<3, "a (b", "  ^"),
      ("a OR", 4..<4, "a OR", "    ^"), ("siz:3", 0..<4, "siz:3", "^~~~"),
      ("日本\t\u{65}\u{301} size:x", 16..<17, "日本\\t\u{65}\u{301} size:x", "             ^"),
      ("日本", 3..<6, "日本", "  ^~"), ("", 0..<0, "", "^"), ("a\u{301}b", 1..<3, "a\u{301}b", "^"),
    ] as [(String, Range<Int>, String, String)])
  func caret(_ source: String, _ fault: Range<Int>, _ text: String, _ marks: String) {
    let excerpt = FaultExcerpt(of: source, around: fault)
    #expect(excerpt.text.string.unicodeScalars.elementsEqual(text.unicodeScalars))
    #expect(excerpt.marks.string == marks)
  }

  @Test("only the part around the fault is shown of a long text")
  func longText() {
    let source = String(repeating: "a", count: 200) + "!" + String(repeating: "b", count: 200)
    let excerpt = FaultExcerpt(of: source, around: 200..<201, columns: 40)
    #expect(
      excerpt.text.string == "…" + String(repeating: "a", count: 13) + "!"
        + String(repeating: "b", count: 22) + "…")
    #expect(excerpt.marks.string == String(repeating: " ", count: 14) + "^")
  }

  @Test("whatever the text is, the lines fit the terminal", arguments: 1...60)
  func anyText(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<50 {
      let source = String(decoding: random.crookedText(), as: UTF8.self)
      let start = Int.random(in: 0...source.utf8.count, using: &random)
      let end = Int.random(in: start...source.utf8.count, using: &random)
      let columns = Int.random(in: 20...60, using: &random)
      let excerpt = FaultExcerpt(of: source, around: start..<end, columns: columns)
      #expect(excerpt.marks.bytes.allSatisfy { " ^~".utf8.contains($0) })
      #expect(excerpt.marks.bytes.filter { $0 == UInt8(ascii: "^") }.count == 1)
      #expect(!excerpt.text.string.unicodeScalars.contains { $0.value < 0x20 })
      let width = excerpt.text.string.unicodeScalars.reduce(0) { $0 + DisplayWidth.of($1) }
      #expect(width <= 2 * columns)
    }
  }
}
