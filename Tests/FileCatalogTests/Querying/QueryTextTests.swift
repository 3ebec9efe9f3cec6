import Foundation
import TestSupport
import Testing

@testable import FileCatalog

@Suite("The text language of queries")
struct QueryTextTests {
  @Test(
    "a term means its filter",
    arguments: [
      ("foo", .name(.substring("foo"))),
      ("*.swift", .name(.glob("*.swift"))),
      (#"a\*b"#, .name(.substring("a*b"))),
      ("name:=README", .name(.exact("README"))),
      (#"name:"my file*""#, .name(.glob("my file*"))),
      ("path:Sources/**", .path(.glob("Sources/**"))),
      ("ext:png,.jpg", .extensions(["png", "jpg"])),
      ("regex:^IMG_[0-9]+", .name(.regex("^IMG_[0-9]+"))),
      ("regex:(a|b)c", .name(.regex("(a|b)c"))),
      ("kind:file,image", .kinds([.file, .image])),
      ("type:public.jpeg", .type("public.jpeg")),
      ("is:public.image", .conforms(to: "public.image")),
      ("size:>10M", .size(.moreThan(10 << 20))),
      ("size:1k..4k", .size(Filter.ValueRange(1024...4096))),
      ("size:0", .size(.exactly(0))),
      ("size:>=1.5KiB", .size(.atLeast(1536))),
      ("size:<2MB", .size(.lessThan(2_000_000))),
      ("size:..5", .size(.atMost(5))),
      ("allocated:5..", .allocated(.atLeast(5))),
      ("modified:<7d", .date(.modified, .youngerThan(.days(7)))),
      ("created:>1y", .date(.created, .olderThan(.years(1)))),
      ("accessed:today", .date(.accessed, .today)),
      ("owner:root", .owner("root")),
      ("uid:1000..", .uid(.atLeast(1000))),
      ("mode:/022", .mode(.any(0o22))),
      ("mode:-022", .mode(.all(0o22))),
      ("mode:644", .mode(.exactly(0o644))),
      ("depth:1", .depth(.exactly(1))),
      ("links:>1", .links(.moreThan(1))),
      ("empty:yes", .flag(.empty)),
      ("hidden:no", .not(.flag(.hidden))),
      ("role:caches", .role("caches")),
      ("scale:2", .scale(2)),
      ("idiom:ipad", .idiom("ipad")),
      (
        "a OR b c",
        .any([.name(.substring("a")), .all([.name(.substring("b")), .name(.substring("c"))])])
      ),
      ("NOT a", .not(.name(.substring("a")))),
      ("!a", .not(.name(.substring("a")))), ("! a", .not(.name(.substring("a")))),
      ("!(a b)", .not(.all([.name(.substring("a")), .name(.substring("b"))]))),
      ("-kind:file", .not(.kind(.file))), ("!-kind:file", .kind(.file)),
      ("a | b", .any([.name(.substring("a")), .name(.substring("b"))])),
      ("ext:a|ext:b", .any([.extensions(["a"]), .extensions(["b"])])),
      (#"name:"a|b""#, .name(.substring("a|b"))), (#"a\|b"#, .name(.substring("a|b"))),
      ("regex:a|b", .name(.regex("a|b"))),
      ("(a|b)", .any([.name(.substring("a")), .name(.substring("b"))])),
      ("*.{jpg,png}", .name(.glob("*.{jpg,png}"))), ("a{b,c}", .name(.glob("a{b,c}"))),
      ("a{b}c", .name(.substring("a{b}c"))), (#"a\{b,c}"#, .name(.substring("a{b,c}"))),
      ("src/main", .name(.substring("src/main"))), ("/usr/*.h", .name(.glob("/usr/*.h"))),
      ("a-b", .name(.substring("a-b"))), (#""-a""#, .name(.substring("-a"))),
      ("name:-a", .name(.substring("-a"))), ("-", .name(.substring("-"))),
      ("size:4Ki", .size(.exactly(4096))), ("size:>2KB", .size(.moreThan(2000))),
      ("-(a b)", .not(.all([.name(.substring("a")), .name(.substring("b"))]))),
      (#""OR""#, .name(.substring("OR"))),
      ("or", .name(.substring("or"))),
      ("12:30", .name(.substring("12:30"))),
      ("", .all),
    ] as [(String, Filter)])
  func termMeansFilter(_ text: String, _ filter: Filter) throws {
    let query = try Query(parsing: text, timeZone: .utc)
    #expect(query.filter == filter)
    #expect(try Query(parsing: query.description) == query)
  }

  @Test("a date alone covers its whole day, month or year")
  func dateCoversItsDay() throws {
    func range(_ text: String) throws -> Filter.ValueRange<Int64>? {
      let query = try Query(parsing: "modified:" + text, timeZone: .utc)
      guard case .date(_, let range) = query.filter.condition else { return nil }
      return range.resolved(now: 0, timeZone: .utc)
    }
    let day: Int64 = 86_400_000_000_000
    let start: Int64 = 1_767_225_600_000_000_000
    #expect(try range("2026-01-01") == Filter.ValueRange(start..<start + day))
    #expect(try range("2026-01-01..2026-01-03") == Filter.ValueRange(start..<start + 3 * day))
    #expect(try range("2026-01") == Filter.ValueRange(start..<start + 31 * day))
    #expect(try range("2026") == Filter.ValueRange(start..<start + 365 * day))
    #expect(try range(">2026-01-01") == .atLeast(start + day))
    #expect(try range("<=2026-01-01T00:30") == .lessThan(start + day / 48 + 60_000_000_000))
    #expect(try range("today") == Filter.ValueRange(0..<day))
    #expect(try range("<7d") == .moreThan(-7 * day))
  }

  @Test("days follow the clock of the time zone, also when it is put forward")
  func daysFollowTheZone() throws {
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    let zone = Query.TimeZone { seconds in
      Int64(berlin.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
    }
    let query = try Query(parsing: "modified:2026-03-29", timeZone: zone)
    guard
      case .date(_, .times(.instant(let from)?, .instant(let until)?)) = query.filter.condition
    else {
      Issue.record("not a range of instants: \(query)")
      return
    }
    #expect(until - from == 23 * 3_600_000_000_000)
  }

  @Test(
    "a fault is told with its place, its reason and the nearest word",
    arguments: [
      ("sise:>10M", 0..<5, .unknownTerm, "size:"), ("kind:imgae", 5..<10, .unknownWord, "image"),
      ("size:", 5..<5, .missingValue, nil), ("size:>10Q foo", 6..<9, .malformedValue, nil),
      ("a (b", 2..<3, .unbalanced, nil), ("a) b", 1..<2, .unbalanced, nil),
      ("a OR", 4..<4, .missingTerm, nil), ("\"a", 0..<2, .unbalanced, nil),
      ("x foo[ab", 5..<8, .malformedPattern, nil), ("regex:a(b", 7..<8, .malformedPattern, nil),
      ("modified:2026-13", 9..<16, .malformedValue, nil), ("mode:9", 5..<6, .malformedValue, nil),
      ("modified:99999999999999999y", 9..<27, .malformedValue, nil),
      ("size:9999999999G", 5..<16, .malformedValue, nil),
      ("size:4k..1k", 5..<11, .emptyRange, nil), ("(case:yes)", 1..<9, .misplacedOption, nil),
      ("()", 1..<2, .missingTerm, nil), ("empty:maybe", 6..<11, .malformedValue, nil),
      ("modified:yesterdy", 9..<17, .malformedValue, "yesterday"),
      ("regex:(?=a)", 6..<8, .malformedPattern, nil), ("ext:png,,jpg", 8..<8, .missingValue, nil),
      ("size:..", 5..<7, .missingValue, nil), ("depth:x", 6..<7, .malformedValue, nil),
      ("case:yes case:no", 9..<16, .misplacedOption, nil), ("é (b", 3..<4, .unbalanced, nil),
      ("x -archive", 2..<10, .leadingDash, "!archive"), ("--size", 0..<6, .leadingDash, "!size"),
      ("-*.c", 0..<4, .leadingDash, "!*.c"),
      ("size>10", 0..<7, .missingColon, "size:>10"),
      ("a Size<1k", 2..<9, .missingColon, "size:<1k"),
      ("a !", 3..<3, .missingTerm, nil), ("| a", 0..<1, .missingTerm, nil),
      ("a{\(String(repeating: "b,", count: 300))c}", 0..<604, .malformedPattern, nil),
    ] as [(String, Range<Int>, QueryError.Code, String?)])
  func faultIsTold(
    _ text: String, _ range: Range<Int>, _ code: QueryError.Code, _ suggestion: String?
  ) {
    do throws(QueryError) {
      let query = try Query(parsing: text, timeZone: .utc)
      Issue.record("\(text) is \(query)")
    } catch {
      #expect(error.range == range, "\(error)")
      #expect(error.code == code, "\(error)")
      #expect(error.found.utf8.elementsEqual(Array(text.utf8)[range]))
      #expect(error.suggestion == suggestion)
      #expect(!error.expected.isEmpty)
      #expect(!error.description.contains("\n"))
    }
  }

  @Test("ten thousand terms and a thousand parentheses are errors")
  func limitsAreErrors() {
    let many = Array(repeating: "a", count: 10_000).joined(separator: " ")
    let deep = String(repeating: "(", count: 1000) + "a" + String(repeating: ")", count: 1000)
    let negated = String(repeating: "NOT ", count: 1000) + "a"
    let listed = "ext:" + Array(repeating: "a", count: 10_000).joined(separator: ",")
    for text in [many, deep, negated, listed, String(repeating: "(", count: 100_000)] {
      #expect(throws: QueryError.self) { try Query(parsing: text) }
    }
    let grouped = String(repeating: "(", count: 200) + "a" + String(repeating: ")", count: 200)
    #expect(throws: Never.self) { try Query(parsing: grouped) }
  }

  @Test("canonical text parses to the same query")
  func printedQueryParsesBack() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededRandom(seed: seed)
    for _ in 0..<3000 {
      let query = Query(
        generator.filter(depth: 4),
        caseSensitivity: generator.below(2) == 0 ? .sensitive : .insensitive)
      let text = query.description
      do throws(QueryError) {
        let parsed = try Query(parsing: text)
        #expect(parsed == query, "seed \(seed): \(text)")
        #expect(parsed.description == text, "seed \(seed)")
        if parsed != query { return }
      } catch {
        Issue.record("seed \(seed): \(text)\n\(error)")
        return
      }
    }
  }

  @Test("no text makes the parser crash")
  func anyTextParsesOrFails() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededRandom(seed: seed)
    let pieces =
      QueryPieces.all + [
        "(", ")", "\"", "\\", "-", "!", "|", "/", " ", "OR ", "NOT ", "AND ", "..", "<", ">", "=",
        "[", "]",
        "*", "9", "99999999999999999999", "K", "d", "2026-02-30", "T", "Z", "é", "\u{0}", "{", "+",
        ",",
      ]
    for _ in 0..<5000 {
      let text: String
      if generator.below(2) == 0 {
        text = generator.text(from: pieces, upTo: 12)
      } else {
        let bytes = (0..<generator.below(40)).map { _ in UInt8(generator.below(256)) }
        text = String(decoding: bytes, as: UTF8.self)
      }
      do throws(QueryError) {
        let query = try Query(parsing: text, timeZone: .utc)
        let again = try Query(parsing: query.description, timeZone: .utc)
        #expect(again == query, "seed \(seed): \(text.debugDescription)")
      } catch {
        #expect(error.range.upperBound <= text.utf8.count, "seed \(seed): \(text)")
        #expect(error.found.utf8.count == error.range.count)
      }
    }
  }

  @Test("a query that is damaged is read, or refused at a place in it")
  func damagedQueriesParseOrFail() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed: seed)
    let queries = [
      #"name:*.swift OR (path:"Sources/**" -ext:png,jpg) kind:image size:>1.5M..<4GiB"#,
      #"modified:2026-01-01T12:30:59.123456789+02:00..today-7d created:<=30mo NOT mode:/022"#,
      #"regex:^(IMG|DSC)_[0-9]{2,5}\\.\w+$ case:yes scale:1.5 depth:>=1 links:2..3 is:public.image"#,
    ]
    let tokens = [
      "..", "<", ">=", "99999999999999999999", "9223372036854775807", "E", "1e308", "0.", "today+",
      "-9999999999d", "0000-00-00", "9999-12-31T23:59:59.999999999-23:59", "{1000}", "(", ")", "\"",
      "\\", "-", "NOT ", "OR ", ":", ",", "\u{0}", "\u{1F600}", "nan", "0x1p4000", "inf",
    ]
    for _ in 0..<2000 {
      let bytes = random.damage(Array(queries[random.below(queries.count)].utf8), with: tokens)
      let text = String(decoding: bytes, as: UTF8.self)
      do throws(QueryError) {
        let query = try Query(parsing: text, timeZone: .utc)
        #expect(try Query(parsing: query.description, timeZone: .utc) == query, "seed \(seed)")
      } catch {
        #expect(error.range.upperBound <= text.utf8.count, "seed \(seed): \(text)")
      }
    }
  }

  static let endless = [
    "(", ")", "-", "NOT ", "a ", "a OR ", "\"", "\\", "a", "ext:a,", "ext:,", "size:9", "size:.",
    "size:1.9", "modified:2026-", "regex:(", "regex:[a]", "regex:a|", "regex:a{9}", "regex:\\", "*",
    "[a]", "[", "?", "**/", "path:/", "kind:a,", "mode:7", "today", "case:yes ",
  ]

  @Test("a text of a hundred thousand characters is read or refused", arguments: endless)
  func hugeTextsEnd(_ piece: String) {
    let keys = piece.split(separator: ":", maxSplits: 1)
    let repeated = keys.count == 2 ? String(keys[1]) : piece
    let text =
      (keys.count == 2 ? "\(keys[0]):" : "")
      + String(repeating: repeated, count: 100_000 / repeated.count)
    do throws(QueryError) {
      _ = try Query(parsing: text)
    } catch {
      #expect(error.range.upperBound <= text.utf8.count)
    }
  }

  @Test("operators build what the text says")
  func operatorsBuildFilters() throws {
    let built = Query(
      .name(.glob("*.swift")) && .size(.moreThan(10.kibibytes)) && !.flag(.hidden)
        || .conforms(to: "public.image") && .modified(.youngerThan(.days(7))))
    let typed = try Query(
      parsing: "*.swift size:>10k -hidden:yes OR is:public.image modified:<7d")
    #expect(built == typed)
    #expect(
      built.description
        == "name:*.swift size:>10K hidden:no OR is:public.image modified:<7d")
  }

  @Test("the zone of the process is that of the system")
  func currentZone() {
    for year in stride(from: 1960, through: 2040, by: 1) {
      for month in 1...12 {
        let seconds = CivilTime(year: Int64(year), month: month, day: 15).unixSeconds
        let date = Date(timeIntervalSince1970: Double(seconds))
        #expect(
          Query.TimeZone.current.secondsFromUTC(unixSeconds: seconds)
            == Int64(TimeZone.current.secondsFromGMT(for: date)))
      }
    }
  }

  @Test("every term is documented, and its examples parse and are printed by it")
  func termsHaveExamples() throws {
    #expect(Set(QueryTerm.all.map(\.key)).count == QueryTerm.all.count)
    for term in QueryTerm.all {
      #expect(!term.meaning.isEmpty && !term.expected.isEmpty && !term.examples.isEmpty)
      for example in term.examples {
        #expect(example.hasPrefix(term.key + ":"))
        let query = try Query(parsing: example, timeZone: .utc)
        #expect(query.description.hasPrefix(term.key + ":"), "\(query)")
        let others = QueryTerm.all.filter { $0.write(query.filter.condition) != nil }
        #expect(others.map(\.key) == [term.key])
      }
    }
  }
}

enum QueryPieces {
  static let all = [
    "name:", "path:", "ext:", "regex:", "kind:", "size:", "modified:", "mode:", "scale:",
    "case:yes",
    "foo", "today", "file", "7d",
  ]
}

@Suite("Sort orders")
struct SortOrderTests {
  @Test("a sort order is parsed and printed")
  func sortOrderIsParsed() throws {
    let order = try SortOrder(parsing: "-size,name")
    #expect(order.terms == [.init(.size, .descending), .init(.name)])
    #expect(order.description == "-size,name")
    let error = #expect(throws: SortOrder.ParseError.self) { try SortOrder(parsing: "sise") }
    #expect(error?.suggestion == "size")
    #expect(throws: SortOrder.ParseError.self) { try SortOrder(parsing: "size,,name") }
    #expect(throws: SortOrder.ParseError.self) { try SortOrder(parsing: "size,-size") }
  }
}
