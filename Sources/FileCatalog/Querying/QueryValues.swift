/// Reads the values of terms.
struct QueryValues {
  /// The text of the query, for errors.
  let query: String
  /// The zone of dates that name none.
  let timeZone: LocalTimeZone

  func error(
    _ message: String, _ range: Range<Int>, _ expected: String, suggestion: String? = nil
  ) -> QueryError {
    QueryError(
      query: query, message: message, range: range, expected: expected, suggestion: suggestion)
  }

  // MARK: - Texts

  /// The pattern of a bare word: a glob or a substring.
  func pattern(_ word: QueryWord, syntax: Glob.Syntax) throws(QueryError) -> TextPattern {
    do {
      return try TextPattern(typed: word.text, syntax: syntax)
    } catch {
      throw self.error(error.message, word.range(ofBytes: error.range), error.expected)
    }
  }

  /// The pattern of `name:` and `path:`, where `=` asks for the whole text.
  func namedPattern(_ value: QueryWord, syntax: Glob.Syntax) throws(QueryError) -> TextPattern {
    guard value.characters.first?.scalar == "=" else {
      return try pattern(value, syntax: syntax)
    }
    var rest = value
    rest.characters.removeFirst()
    return .exact(try literal(rest))
  }

  func regex(_ value: QueryWord) throws(QueryError) -> TextPattern {
    do {
      try RegularExpression.validate(value.text)
    } catch {
      throw self.error(error.message, value.range(ofBytes: error.range), error.expected)
    }
    return .regex(ExactString(value.text))
  }

  /// A text taken as it is, apart from backslashes.
  func literal(_ value: QueryWord) throws(QueryError) -> ExactString {
    var result = ""
    var isEscaped = false
    for character in value.characters {
      if !isEscaped, character.scalar == "\\" {
        isEscaped = true
      } else {
        result.unicodeScalars.append(character.scalar)
        isEscaped = false
      }
    }
    if isEscaped {
      let start = value.characters.last?.offset ?? value.end
      throw error(
        "nothing follows the backslash", start..<value.end,
        "a character after it, or \\\\ for a backslash")
    }
    return ExactString(result)
  }

  // MARK: - Lists

  func extensions(_ value: QueryWord) throws(QueryError) -> [ExactString] {
    if value.characters.isEmpty { return [""] }
    var result: [ExactString] = []
    for var item in value.split(at: ",") {
      if item.characters.first?.scalar == "." { item.characters.removeFirst() }
      let text = try literal(item)
      if text.isEmpty {
        throw error("an extension is missing", item.range, QueryTermName.ext.expectedValue)
      }
      result.append(text)
    }
    return result
  }

  func kinds(_ value: QueryWord) throws(QueryError) -> [QueryKind] {
    var result: [QueryKind] = []
    for item in value.split(at: ",") {
      guard let kind = QueryKind(word: item.text) else {
        let known = QueryKind.allCases.map(\.rawValue)
        throw error(
          item.characters.isEmpty ? "a kind is missing" : "unknown kind “\(item.text)”",
          item.range, known.joined(separator: ", "),
          suggestion: Spelling.nearest(to: item.text, in: known))
      }
      result.append(kind)
    }
    return result
  }

  // MARK: - Single values

  func truth(_ value: QueryWord) throws(QueryError) -> Bool {
    switch value.text.lowercased() {
    case "yes", "true": return true
    case "no", "false": return false
    default: throw error("“\(value.text)” is neither yes nor no", value.range, "yes or no")
    }
  }

  func mode(_ value: QueryWord) throws(QueryError) -> ModeTest {
    var digits = value.text[...]
    let prefix = digits.first
    if prefix == "/" || prefix == "-" { digits.removeFirst() }
    let isOctal = !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x37).contains($0) }
    guard isOctal, let bits = UInt16(digits, radix: 8), bits <= 0o7777 else {
      throw error("“\(value.text)” is not a mode", value.range, QueryTermName.mode.expectedValue)
    }
    return prefix == "/" ? .any(bits) : prefix == "-" ? .all(bits) : .exactly(bits)
  }

  func scale(_ value: QueryWord) throws(QueryError) -> Double {
    guard let scale = Double(value.text), scale.isFinite, scale > 0 else {
      throw error("“\(value.text)” is not a scale", value.range, QueryTermName.scale.expectedValue)
    }
    return scale
  }

  // MARK: - Ranges

  func numbers(_ value: QueryWord) throws(QueryError) -> ValueRange<Int64> {
    try range(value, QueryTermName.depth.expectedValue) { item throws(QueryError) in
      guard item.isDigits, let number = Int64(item.text) else {
        throw self.error(
          "“\(item.text)” is not a number", item.range, QueryTermName.depth.expectedValue)
      }
      return number
    }
  }

  func sizes(_ value: QueryWord) throws(QueryError) -> ValueRange<Int64> {
    try range(value, QueryTermName.size.expectedValue) { item throws(QueryError) in
      guard let bytes = ByteSize(item.text)?.bytes else {
        throw self.error(
          "“\(item.text)” is not a size", item.range,
          "a number of bytes, with K, M, G, T for powers of 1024 or KB, MB, GB, TB for 1000")
      }
      return bytes
    }
  }

  /// Reads `a`, `>a`, `>=a`, `<a`, `<=a`, `a..`, `..b` and `a..b`, where `a` may have a `>` and
  /// `b` a `<` that excludes it.
  func range<Value>(
    _ value: QueryWord, _ expected: String,
    _ read: (QueryWord) throws(QueryError) -> Value
  ) throws(QueryError) -> ValueRange<Value> {
    let form = RangeForm(value)
    let range: ValueRange<Value>
    switch form {
    case .single(let item): range = .exactly(try read(item))
    case .compared(let comparison, let item):
      let bound = try read(item)
      range =
        switch comparison {
        case .less: .lessThan(bound)
        case .lessOrEqual: .atMost(bound)
        case .greater: .moreThan(bound)
        case .greaterOrEqual: .atLeast(bound)
        }
    case .between(let low, let high):
      var result = ValueRange<Value>()
      if let low {
        let bound = try read(low.word)
        result.lower = low.isExcluded ? .exclusive(bound) : .inclusive(bound)
      }
      if let high {
        let bound = try read(high.word)
        result.upper = high.isExcluded ? .exclusive(bound) : .inclusive(bound)
      }
      guard low != nil || high != nil else {
        throw error("the range has no ends", value.range, expected)
      }
      range = result
    }
    guard !range.isEmpty else {
      throw error("nothing can be in this range", value.range, "the smaller value first")
    }
    return range
  }
}

/// The shape of a value that may be a range, not yet read as numbers or dates.
enum RangeForm {
  enum Comparison {
    case less, lessOrEqual, greater, greaterOrEqual
  }

  struct End {
    var word: QueryWord
    var isExcluded: Bool
  }

  case single(QueryWord)
  case compared(Comparison, QueryWord)
  case between(End?, End?)

  init(_ value: QueryWord) {
    if let (low, high) = value.splitAtDots() {
      func end(_ word: QueryWord, excludedBy mark: Unicode.Scalar) -> End? {
        if word.characters.isEmpty { return nil }
        let isExcluded = word.characters.first?.scalar == mark
        return End(word: word.dropping(isExcluded ? 1 : 0), isExcluded: isExcluded)
      }
      self = .between(end(low, excludedBy: ">"), end(high, excludedBy: "<"))
      return
    }
    let second = value.characters.dropFirst().first?.scalar
    switch (value.characters.first?.scalar, second) {
    case ("<", "="): self = .compared(.lessOrEqual, value.dropping(2))
    case ("<", _): self = .compared(.less, value.dropping(1))
    case (">", "="): self = .compared(.greaterOrEqual, value.dropping(2))
    case (">", _): self = .compared(.greater, value.dropping(1))
    default: self = .single(value)
    }
  }
}

extension QueryWord {
  /// Whether the word is a number without sign.
  var isDigits: Bool {
    !characters.isEmpty && characters.allSatisfy { ("0"..."9").contains($0.scalar) }
  }

  func dropping(_ count: Int) -> QueryWord {
    var rest = self
    rest.characters.removeFirst(min(count, characters.count))
    return rest
  }

  /// The parts between separators that no backslash escapes.
  func split(at separator: Unicode.Scalar) -> [QueryWord] {
    var parts: [QueryWord] = []
    var start = 0
    var index = 0
    while index < characters.count {
      if characters[index].scalar == "\\" {
        index += 2
      } else if characters[index].scalar == separator {
        parts.append(part(start..<index))
        index += 1
        start = index
      } else {
        index += 1
      }
    }
    parts.append(part(start..<characters.count))
    return parts
  }

  /// The parts before and after the first `..`.
  fileprivate func splitAtDots() -> (QueryWord, QueryWord)? {
    guard characters.count >= 2 else { return nil }
    for index in 0..<characters.count - 1
    where characters[index].scalar == "." && characters[index + 1].scalar == "." {
      return (part(0..<index), part(index + 2..<characters.count))
    }
    return nil
  }

  func part(_ range: Range<Int>) -> QueryWord {
    let end = range.upperBound < characters.count ? characters[range.upperBound].offset : end
    return QueryWord(characters: Array(characters[range]), hasQuotes: hasQuotes, end: end)
  }
}
