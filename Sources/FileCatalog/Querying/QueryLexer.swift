/// Splits the text of a query into words, parentheses and operators.
struct QueryLexer {
  private let query: String
  private let scalars: [Unicode.Scalar]
  /// The UTF-8 offset of each scalar, and the length of the text.
  private let offsets: [Int]
  private var index = 0

  init(_ query: String) {
    self.query = query
    scalars = Array(query.unicodeScalars)
    var offsets: [Int] = []
    offsets.reserveCapacity(scalars.count + 1)
    var offset = 0
    for scalar in scalars {
      offsets.append(offset)
      offset += UTF8.width(scalar)
    }
    offsets.append(offset)
    self.offsets = offsets
  }

  /// The next token; ``QueryToken/Kind/end`` again and again after the last one.
  mutating func next() throws(QueryError) -> QueryToken {
    while let scalar = peek(), scalar.isQuerySpace { index += 1 }
    let start = index
    guard let scalar = peek() else { return token(.end, from: start) }
    switch scalar {
    case "(":
      index += 1
      return token(.open, from: start)
    case ")":
      index += 1
      return token(.close, from: start)
    case "-":
      if let following = peek(1), !following.isQuerySpace, following != ")" {
        index += 1
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
      let end = index + text.unicodeScalars.count
      guard end <= scalars.count, scalars[index..<end].elementsEqual(text.unicodeScalars) else {
        continue
      }
      if end < scalars.count {
        let following = scalars[end]
        guard following.isQuerySpace || following == "(" || following == ")" else { continue }
      }
      index = end
      return kind
    }
    return nil
  }

  /// A run of characters up to a space or a parenthesis that was not opened within it.
  private mutating func word() throws(QueryError) -> QueryToken {
    let start = index
    var word = QueryWord(end: 0)
    var openParentheses = 0
    scan: while let scalar = peek() {
      switch scalar {
      case "\"":
        try quotedRun(into: &word)
      case "\\":
        // Keeps the backslash: what it escapes is for the term to say.
        append(to: &word, isQuoted: false)
        if peek() != nil { append(to: &word, isQuoted: true) }
      case "(":
        openParentheses += 1
        append(to: &word, isQuoted: false)
      case ")":
        if openParentheses == 0 { break scan }
        openParentheses -= 1
        append(to: &word, isQuoted: false)
      default:
        if scalar.isQuerySpace { break scan }
        append(to: &word, isQuoted: false)
      }
    }
    word.end = offsets[index]
    return token(.word(word), from: start)
  }

  private mutating func quotedRun(into word: inout QueryWord) throws(QueryError) {
    let start = index
    word.hasQuotes = true
    index += 1
    while let scalar = peek() {
      switch scalar {
      case "\"":
        index += 1
        return
      case "\\" where peek(1) == "\"":
        index += 1
        append(to: &word, isQuoted: true)
      case "\\":
        append(to: &word, isQuoted: true)
        if peek() != nil { append(to: &word, isQuoted: true) }
      default:
        append(to: &word, isQuoted: true)
      }
    }
    throw QueryError(
      query: query, message: "the quotes are not closed", range: offsets[start]..<offsets[index],
      expected: "a closing \"")
  }

  private mutating func append(to word: inout QueryWord, isQuoted: Bool) {
    word.characters.append(
      QueryWord.Character(scalar: scalars[index], offset: offsets[index], isQuoted: isQuoted))
    index += 1
  }

  private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
    index + distance < scalars.count ? scalars[index + distance] : nil
  }

  private func token(_ kind: QueryToken.Kind, from start: Int) -> QueryToken {
    QueryToken(kind: kind, range: offsets[start]..<offsets[index])
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

  var characters: [Character] = []
  /// Whether there were quotes, which make an empty text one that was meant.
  var hasQuotes = false
  /// The end of the word in the query, in UTF-8 bytes.
  var end: Int

  /// The name and the value of a word such as `size:>1M`, or `nil` for a bare word.
  ///
  /// A name consists of unquoted ASCII letters; `12:30` is a bare word.
  func split() -> (name: String, value: QueryWord)? {
    var name = ""
    for (index, character) in characters.enumerated() {
      if character.isQuoted { return nil }
      if character.scalar == ":" {
        guard !name.isEmpty else { return nil }
        var value = self
        value.characters.removeFirst(index + 1)
        return (name, value)
      }
      guard character.scalar.isASCII, character.scalar.properties.isAlphabetic else { return nil }
      name.unicodeScalars.append(character.scalar)
    }
    return nil
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

extension Unicode.Scalar {
  /// Whether the scalar separates words.
  var isQuerySpace: Bool {
    self == " " || ("\t"..."\r").contains(self)
  }
}
