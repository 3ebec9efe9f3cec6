import TestSupport

@testable import FileCatalog

extension SeededRandom {
  mutating func text(from alphabet: [String], upTo length: Int) -> String {
    (0..<below(length + 1)).map { _ in alphabet[below(alphabet.count)] }.joined()
  }

  mutating func text() -> String {
    let alphabet = [
      "a", "B", "k", "é", "e\u{301}", "!", "|", "{", "}", "/", "ſ", "\"", "\\", " ", "(", ")", "-",
      "*", "?", "[", "]",
      ",", ".", ":", "=", "OR", "NOT", "\t", "<", ">", "..", "~", "\u{1F600}",
    ]
    return text(from: alphabet, upTo: 6)
  }

  mutating func word(_ words: [String]) -> String { words[below(words.count)] }

  mutating func pattern() -> TextPattern {
    switch below(4) {
    case 0: return .substring(text())
    case 1: return .exact(text())
    case 2:
      let pieces = [
        "a", "*", "?", "[a-c]", "[!\\]x]", "{a,b}", "{", "}", ",", "|", "!", "\\*", "\\\"", "\\\\",
        "/", "**", " ", "=", "(",
      ]
      return .glob(text(from: pieces, upTo: 6))
    default:
      let pieces = [
        "a", "b*", "(a|b)", "|", "[^\\]\" ]+", "\\\"", "\\\\", "\\d", " ", "^", "x{2,3}",
      ]
      return .regex(text(from: pieces, upTo: 6))
    }
  }

  mutating func bound<Value>(_ value: Value) -> Filter.ValueRange<Value>.Bound {
    [.unbounded, .inclusive(value), .exclusive(value)][below(3)]
  }

  mutating func numbers() -> Filter.ValueRange<Int64> {
    let values: [Int64] = [-5, 0, 1, 7, 1000, 1024, 1 << 20, 3 << 30, 1 << 50, .max, .min]
    return Filter.ValueRange(
      lower: bound(values[below(values.count)]), upper: bound(values[below(values.count)]))
  }

  mutating func dates() -> Filter.DateRange {
    if below(2) == 0 {
      func age(_ generator: inout SeededRandom) -> Filter.Age {
        let units = Filter.Age.Unit.allCases
        let counts: [UInt32] = [0, 1, 7, 30, .max]
        return Filter.Age(
          counts[generator.below(counts.count)], units[generator.below(units.count)])
      }
      let low = age(&self)
      let high = age(&self)
      return .ages(Filter.ValueRange(lower: bound(low), upper: bound(high)))
    }
    func point(_ generator: inout SeededRandom) -> Filter.TimePoint? {
      let points: [Filter.TimePoint?] = [
        nil, .day(0), .day(-3), .day(2), .day(.max), .instant(0), .instant(.min),
        .instant(.max), .instant(Int64.random(in: .min ... .max, using: &generator)),
        .instant(1_767_225_600_000_000_000),
      ]
      return points[generator.below(points.count)]
    }
    let from = point(&self)
    return .times(from: from, until: point(&self))
  }

  mutating func storedNumbers() -> Filter.ValueRange<Filter.Number> {
    let values: [Filter.Number?] = [
      -5, 0, 4000, 1.5, -0.1, 1e300, Filter.Number(.leastNonzeroMagnitude), Filter.Number(.max),
      Filter.Number(.min),
      Filter.Number(9_223_372_036_854_775_808.0), Filter.Number(.greatestFiniteMagnitude),
    ]
    let (low, high) = (values[below(values.count)] ?? 0, values[below(values.count)] ?? 0)
    return Filter.ValueRange(lower: bound(low), upper: bound(high))
  }

  mutating func value() -> Filter {
    let keys = ["width", "xattr:user.project", "xattr:", "a=b", "a>1", "a..b", "", text()]
    let key = keys[below(keys.count)]
    let texts = ["1..3", "..", "-1.5", "=x", ">5", "1..*", text()]
    switch below(6) {
    case 0: return .value(key)
    case 1: return .extendedAttribute(key)
    case 2: return .value(key, is: texts[below(texts.count)])
    case 3: return .extendedAttribute(key, is: texts[below(texts.count)])
    case 4:
      let pieces = ["a", "*", "?", "[a-c]", "{a,b}", "..", "1", "\\*", "\\\"", " ", "=", "("]
      return .value(key, matches: text(from: pieces, upTo: 6))
    default: return .value(key, storedNumbers())
    }
  }

  mutating func filter(depth: Int) -> Filter {
    switch below(depth > 0 ? 29 : 23) {
    case 0: return .all
    case 1: return .name(pattern())
    case 2: return .path(pattern())
    case 3: return .extensions((0..<below(4)).map { _ in text() })
    case 4:
      return .kinds(
        (0..<below(3)).map { _ in Filter.Kind.allCases[below(Filter.Kind.allCases.count)] })
    case 5: return .type(text())
    case 6: return .conforms(to: text())
    case 7: return .size(numbers())
    case 8: return .allocated(numbers())
    case 9: return .date(Filter.DateField.allCases[below(4)], dates())
    case 10: return .owner(text())
    case 11: return .group(text())
    case 12: return .uid(numbers())
    case 13: return .gid(numbers())
    case 14:
      let bits = UInt16(below(0o20000))
      return .mode([.exactly(bits), .all(bits), .any(bits)][below(3)])
    case 15: return .depth(numbers())
    case 16: return .links(numbers())
    case 17: return .flag(Filter.Flag.allCases[below(4)])
    case 18: return .role(word(["caches", "tmp", "Documents"]))
    case 19: return .container(text())
    case 20: return .scale([1, 2, 1.5, 0.1, -1, 1e300, .nan, .infinity][below(8)])
    case 21:
      return [
        .backup(word(["included", "no"])), .idiom(word(["ipad", "Mac"])),
        .tag(text()),
      ][below(3)]
    case 22: return value()
    case 23, 24: return .not(filter(depth: depth - 1))
    case 25, 26: return .all((0..<below(4)).map { _ in filter(depth: depth - 1) })
    default: return .any((0..<below(4)).map { _ in filter(depth: depth - 1) })
    }
  }
}
