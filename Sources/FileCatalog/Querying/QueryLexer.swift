internal import TextMatching

/// Splits the text of a query into words, parentheses and operators.
struct QueryLexer {
  private let source: QuerySource
  private var cursor: ScalarCursor

  init(_ source: QuerySource) {
    self.source = source
    cursor = ScalarCursor(source.text)
  }

  /// The next token; ``QueryToken/Kind/end`` again and again after the last one.
  mutating func next() throws(QueryError) -> QueryToken {
    while let scalar = cursor.peek(), scalar.isQuerySpace { cursor.index += 1 }
    let start = cursor.offset
    guard let scalar = cursor.peek() else { return token(.end, from: start) }
    switch scalar {
    case "(":
      cursor.index += 1
      return token(.open, from: start)
    case ")":
      cursor.index += 1
      return token(.close, from: start)
    case "!":
      cursor.index += 1
      return token(.not, from: start)
    case "|":
      cursor.index += 1
      return token(.or, from: start)
    case "-":
      if let following = cursor.peek(1), !following.isQuerySpace, following != ")" {
        guard following == "(" || isTerm(at: 1) else { throw leadingDash(from: start) }
        cursor.index += 1
        return token(.not, from: start)
      }
    default:
      if let kind = keyword() {
        return token(kind, from: start)
      }
    }
    return try word()
  }

  /// An operator, which is upper case and stands alone.
  private mutating func keyword() -> QueryToken.Kind? {
    for (text, kind) in [("AND", .and), ("OR", .or), ("NOT", QueryToken.Kind.not)] {
      let scalars = text.unicodeScalars
      guard scalars.enumerated().allSatisfy({ cursor.peek($0) == $1 }) else { continue }
      if let following = cursor.peek(scalars.count) {
        guard following.isQuerySpace || following == "(" || following == ")" else { continue }
      }
      cursor.index += scalars.count
      return kind
    }
    return nil
  }

  /// Whether letters and a colon stand at a distance.
  private func isTerm(at distance: Int) -> Bool {
    var distance = distance
    while let scalar = cursor.peek(distance), scalar.isTermLetter { distance += 1 }
    return distance > 1 && cursor.peek(distance) == ":"
  }

  /// Other programs take a dash for the beginning of an option, and people mean one when they type it.
  private func leadingDash(from start: Int) -> QueryError {
    var end = cursor
    while let scalar = end.peek(), !scalar.isQuerySpace, scalar != "(", scalar != ")" {
      end.index += 1
    }
    let rest = Array(source.text.utf8)[(start + 1)..<end.offset].drop { $0 == UInt8(ascii: "-") }
    return source.error(
      .leadingDash, "a word begins with a dash", at: start..<end.offset,
      expected: "! before what is not wanted, or quotes around a word that begins with a dash",
      suggestion: rest.isEmpty ? nil : "!" + String(decoding: rest, as: UTF8.self))
  }

  /// A run of characters up to a space, a bar or a parenthesis that was not opened within it.
  private mutating func word() throws(QueryError) -> QueryToken {
    let start = cursor.offset
    var word = QueryWord(source: source, end: 0)
    var openParentheses = 0
    scan: while let scalar = cursor.peek() {
      switch scalar {
      case "\"":
        try quotedRun(into: &word)
      case "\\":
        // Keeps the backslash: what it escapes is for the term to say.
        append(to: &word, isQuoted: false)
        append(to: &word, isQuoted: true)
      case "(":
        openParentheses += 1
        append(to: &word, isQuoted: false)
      case ")":
        if openParentheses == 0 { break scan }
        openParentheses -= 1
        append(to: &word, isQuoted: false)
      case "|":
        if openParentheses == 0, !word.isExpression { break scan }
        append(to: &word, isQuoted: false)
      default:
        if scalar.isQuerySpace { break scan }
        append(to: &word, isQuoted: false)
      }
    }
    word.end = cursor.offset
    return token(.word(word), from: start)
  }

  private mutating func quotedRun(into word: inout QueryWord) throws(QueryError) {
    let start = cursor.offset
    word.hasQuotes = true
    cursor.index += 1
    while let scalar = cursor.peek() {
      switch scalar {
      case "\"":
        cursor.index += 1
        return
      case "\\" where cursor.peek(1) == "\"":
        cursor.index += 1
        append(to: &word, isQuoted: true)
      case "\\":
        append(to: &word, isQuoted: true)
        append(to: &word, isQuoted: true)
      default:
        append(to: &word, isQuoted: true)
      }
    }
    throw source.error(
      .unbalanced, "the quotes are not closed", at: start..<cursor.offset,
      expected: "a closing \"")
  }

  /// Appends the next scalar, if there is one.
  private mutating func append(to word: inout QueryWord, isQuoted: Bool) {
    let offset = cursor.offset
    guard let scalar = cursor.next() else { return }
    word.characters.append(
      QueryWord.Character(scalar: scalar, offset: offset, isQuoted: isQuoted))
  }

  private func token(_ kind: QueryToken.Kind, from start: Int) -> QueryToken {
    QueryToken(kind: kind, range: start..<cursor.offset)
  }
}

/// A piece of the text of a query.
struct QueryToken {
  enum Kind {
    case word(QueryWord)
    case open
    case close
    case and
    case or
    case not
    case end
  }

  var kind: Kind
  /// Where it stands, in UTF-8 bytes.
  var range: Range<Int>
}

/// A word without its quotes. Backslashes are still in it, except before a quoted `"`.
struct QueryWord {
  struct Character {
    var scalar: Unicode.Scalar
    /// The place of the scalar in the query, in UTF-8 bytes.
    var offset: Int
    /// Whether quotes or a backslash keep the scalar from having a meaning in the language.
    var isQuoted: Bool
  }

  let source: QuerySource
  var characters: [Character] = []
  /// Whether there were quotes, which make an empty text one that was meant.
  var hasQuotes = false
  /// The end of the word in the query, in UTF-8 bytes.
  var end: Int

  /// The name and the value of a word such as `size:>1M`, or `nil` for a bare word.
  ///
  /// A name consists of unquoted ASCII letters; `12:30` is a bare word.
  func split() -> (name: String, value: QueryWord)? {
    nameLength.map { (part(0..<$0).text, dropping($0 + 1)) }
  }

  /// How many letters are before the colon of a word such as `size:>1M`; `nil` for a bare word.
  private var nameLength: Int? {
    let length = characters.prefix { !$0.isQuoted && $0.scalar.isTermLetter }.count
    guard length > 0, length < characters.count, !characters[length].isQuoted,
      characters[length].scalar == ":"
    else { return nil }
    return length
  }

  /// Whether the word is the beginning of a term for a regular expression, in which a bar has a meaning.
  /// Asked at each bar, so the value is not looked at.
  fileprivate var isExpression: Bool {
    nameLength.map { ["regex", "pathregex"].contains(part(0..<$0).text.lowercased()) } ?? false
  }

  /// The letters at the beginning, and what stands behind them.
  func splitAfterLetters() -> (letters: String, rest: QueryWord) {
    let count = characters.prefix { !$0.isQuoted && $0.scalar.isTermLetter }.count
    return (part(0..<count).text, dropping(count))
  }

  /// The text, backslashes and all.
  var text: String {
    var text = ""
    for character in characters { text.unicodeScalars.append(character.scalar) }
    return text
  }

  /// Where the word stands, in UTF-8 bytes; an empty range if nothing is there.
  var range: Range<Int> {
    (characters.first?.offset ?? end)..<end
  }

  /// Where part of ``text`` stands in the query, given in UTF-8 bytes of the text.
  func range(ofBytes bytes: Range<Int>) -> Range<Int> {
    var offset = 0
    var start = end
    var finish = end
    for character in characters {
      if offset <= bytes.lowerBound { start = character.offset }
      if offset >= bytes.upperBound {
        finish = character.offset
        break
      }
      offset += UTF8.width(character.scalar)
    }
    if offset <= bytes.lowerBound { start = end }
    return start..<max(start, finish)
  }
}

extension QueryWord {
  /// Whether the word is a number without sign.
  var isDigits: Bool {
    !characters.isEmpty && characters.allSatisfy { ("0"..."9").contains($0.scalar) }
  }

  /// The word without its first characters.
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
  func splitAtDots() -> (QueryWord, QueryWord)? {
    guard characters.count >= 2 else { return nil }
    for index in 0..<characters.count - 1
    where characters[index].scalar == "." && characters[index + 1].scalar == "." {
      return (part(0..<index), part(index + 2..<characters.count))
    }
    return nil
  }

  /// The characters of a range.
  func part(_ range: Range<Int>) -> QueryWord {
    let end = range.upperBound < characters.count ? characters[range.upperBound].offset : end
    return QueryWord(
      source: source, characters: Array(characters[range]), hasQuotes: hasQuotes, end: end)
  }
}

extension QueryWord {
  /// An error about the word, or about a part of the query given in UTF-8 bytes.
  func error(
    _ code: QueryError.Code, _ message: String, at range: Range<Int>? = nil, expected: String,
    suggestion: String? = nil
  ) -> QueryError {
    source.error(
      code, message, at: range ?? self.range, expected: expected, suggestion: suggestion)
  }
}

extension Unicode.Scalar {
  /// Whether the scalar may be in the name of a term.
  fileprivate var isTermLetter: Bool { isASCII && properties.isAlphabetic }

  /// Whether the scalar separates words.
  var isQuerySpace: Bool {
    self == " " || ("\t"..."\r").contains(self)
  }
}
