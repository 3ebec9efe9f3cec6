internal import TextMatching

/// How the values of a term are written: read from a word of a query, and printed back.
struct WrittenForm<Value>: Sendable {
  /// What a value looks like, for messages and help.
  let expected: String
  /// Reads a value.
  let read: @Sendable (QueryWord) throws(QueryError) -> Value
  /// The value as a word of a query, in quotes where need be.
  let write: @Sendable (Value) -> String
}

// MARK: - Texts

extension WrittenForm where Value == TextPattern {
  /// A glob or a substring, or after `=` the whole text.
  static func pattern(_ syntax: Glob.Syntax) -> WrittenForm {
    WrittenForm(expected: "a text or a glob such as *.swift or *.{jpg,png}") {
      word throws(QueryError) in
      guard let first = word.characters.first, first.scalar == "=", !first.isQuoted else {
        return try word.pattern(syntax: syntax)
      }
      return .exact(bytes: try word.dropping(1).bytes())
    } write: { pattern in
      switch pattern.form {
      case .substring:
        let value = EscapedText.text(of: pattern.bytes, escaping: ["*", "?", "[", "{"])
        return quoted(value.unicodeScalars.first == "=" ? "\\" + value : value)
      case .exact: return "=" + quoted(EscapedText.text(of: pattern.bytes))
      case .glob, .regex: return quoted(pattern.text)
      }
    }
  }

  static var regex: WrittenForm {
    WrittenForm(expected: "a regular expression such as ^IMG_[0-9]+") { word throws(QueryError) in
      do throws(PatternError) {
        _ = try RegularExpression(word.text, caseSensitivity: .insensitive)
      } catch {
        throw word.error(error)
      }
      return .regex(word.text)
    } write: {
      quoted($0.text)
    }
  }
}

extension WrittenForm where Value == ExactString {
  /// A text that is compared as it is.
  static func text(_ expected: String) -> WrittenForm {
    WrittenForm(expected: expected) { word throws(QueryError) in
      try word.literal()
    } write: {
      quoted(EscapedText.text(of: Array($0.text.utf8)))
    }
  }

  static var typeIdentifier: WrittenForm { .text("a type identifier such as public.image") }

  /// One of a few words.
  ///
  /// - Parameters:
  ///   - field: the field of the term, for messages.
  ///   - isKnown: whether a word is one of them; it may have other spellings.
  static func word(
    of field: Filter.WordField, _ known: [String], _ expected: String,
    isKnown: @escaping @Sendable (String) -> Bool
  ) -> WrittenForm {
    WrittenForm(expected: expected) { word throws(QueryError) in
      let text = try word.literal()
      guard isKnown(text.text) else {
        throw word.error(
          .unknownWord, "\(field.rawValue): has no “\(text.text)”",
          expected: known.joined(separator: ", "),
          suggestion: Spelling.nearest(to: text.text, in: known))
      }
      return text
    } write: {
      quoted(EscapedText.text(of: Array($0.text.utf8)))
    }
  }
}

// MARK: - Lists

extension WrittenForm where Value == [ExactString] {
  static var extensions: WrittenForm {
    let expected = "extensions such as png,jpg"
    return WrittenForm(expected: expected) { word throws(QueryError) in
      if word.characters.isEmpty { return [ExactString("")] }
      var result: [ExactString] = []
      for var item in word.split(at: ",") {
        if item.characters.first?.scalar == "." { item = item.dropping(1) }
        let text = try item.literal()
        if text.isEmpty {
          throw item.error(.missingValue, "an extension is missing", expected: expected)
        }
        result.append(text)
      }
      return result
    } write: { list in
      let items = list.map { text in
        // A leading dot would be taken for decoration.
        let item = EscapedText.text(of: Array(text.text.utf8), escaping: [","])
        return item.unicodeScalars.first == "." ? "\\" + item : item
      }
      return quoted(items.joined(separator: ","))
    }
  }
}

extension WrittenForm where Value == [Filter.Kind] {
  static var kinds: WrittenForm {
    WrittenForm(expected: "a kind such as file, directory or image") { word throws(QueryError) in
      var result: [Filter.Kind] = []
      for item in word.split(at: ",") {
        guard let kind = Filter.Kind(word: item.text) else {
          let known = Filter.Kind.allCases.map(\.rawValue)
          let isMissing = item.characters.isEmpty
          throw item.error(
            isMissing ? .missingValue : .unknownWord,
            isMissing ? "a kind is missing" : "unknown kind “\(item.text)”",
            expected: known.joined(separator: ", "),
            suggestion: Spelling.nearest(to: item.text, in: known))
        }
        result.append(kind)
      }
      return result
    } write: {
      $0.map(\.rawValue).joined(separator: ",")
    }
  }
}

// MARK: - Single values

extension WrittenForm where Value == Bool {
  static var truth: WrittenForm {
    WrittenForm(expected: "yes or no") { word throws(QueryError) in
      try word.truth()
    } write: {
      $0 ? "yes" : "no"
    }
  }
}

extension WrittenForm where Value == Filter.ModeTest {
  static var mode: WrittenForm {
    let expected = "an octal mode such as 644, /022 or -022"
    return WrittenForm(expected: expected) { word throws(QueryError) in
      var digits = word.text[...]
      let prefix = digits.first
      if prefix == "/" || prefix == "-" { digits.removeFirst() }
      let isOctal = !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x37).contains($0) }
      guard isOctal, let bits = UInt16(digits, radix: 8), bits <= 0o7777 else {
        throw word.error(.malformedValue, "“\(word.text)” is not a mode", expected: expected)
      }
      return prefix == "/" ? .any(bits) : prefix == "-" ? .all(bits) : .exactly(bits)
    } write: {
      switch $0 {
      case .exactly(let bits): String(bits, radix: 8)
      case .all(let bits): "-" + String(bits, radix: 8)
      case .any(let bits): "/" + String(bits, radix: 8)
      }
    }
  }
}

extension WrittenForm where Value == Double {
  static var scale: WrittenForm {
    let expected = "a scale such as 2"
    return WrittenForm(expected: expected) { word throws(QueryError) in
      guard let scale = Double(word.text), scale.isFinite, scale > 0 else {
        throw word.error(.malformedValue, "“\(word.text)” is not a scale", expected: expected)
      }
      return scale
    } write: { scale in
      scale == scale.rounded() && abs(scale) < 1e15 ? String(Int64(scale)) : scale.description
    }
  }
}

// MARK: - Reading words

extension QueryWord {
  /// The pattern of a bare word: a glob or a substring.
  func pattern(syntax: Glob.Syntax) throws(QueryError) -> TextPattern {
    do {
      return try TextPattern(typed: text, syntax: syntax)
    } catch {
      throw self.error(error)
    }
  }

  fileprivate func error(_ error: PatternError) -> QueryError {
    self.error(
      .malformedPattern, error.message, at: range(ofBytes: error.range), expected: error.expected)
  }

  /// What the word stands for, taken as it is apart from escapes.
  fileprivate func bytes() throws(QueryError) -> [UInt8] {
    do {
      return try EscapedText.bytes(of: text)
    } catch {
      throw self.error(
        .malformedValue, error.message, at: range(ofBytes: error.range), expected: error.expected)
    }
  }

  /// The word taken as it is, apart from escapes; it has to be text.
  func literal() throws(QueryError) -> ExactString {
    guard let text = String(validating: try bytes(), as: UTF8.self) else {
      throw error(
        .malformedValue, "there are bytes in it that are not UTF-8",
        expected: "such bytes in names and paths alone")
    }
    return ExactString(text)
  }

  /// Whether the word says yes or no.
  func truth() throws(QueryError) -> Bool {
    switch text.lowercased() {
    case "yes", "true": return true
    case "no", "false": return false
    default:
      throw error(
        .malformedValue, "“\(text)” is neither yes nor no",
        expected: WrittenForm<Bool>.truth.expected
      )
    }
  }
}

// MARK: - Printing words

/// A value as a word of a query: in quotes if something in it would end the word.
///
/// A backslash and what follows are kept together. Within quotes `\"` stands for a quote alone,
/// so an escaped quote is written outside of them.
func quoted(_ value: String) -> String {
  let needsQuotes =
    value.isEmpty
    || value.unicodeScalars.contains {
      $0.isQuerySpace || $0 == "\"" || $0 == "(" || $0 == ")" || $0 == "|"
    }
  return needsQuotes ? inQuotes(value) : value
}

/// A value as a word of a query in quotes, in which nothing of it has a meaning but wildcards and escapes.
func inQuotes(_ value: String) -> String {
  var text = "\""
  var isEscaped = false
  for scalar in value.unicodeScalars {
    switch (isEscaped, scalar) {
    case (true, "\""):
      text += "\"\\\"\""
      isEscaped = false
    case (true, _):
      text += "\\"
      text.unicodeScalars.append(scalar)
      isEscaped = false
    case (false, "\\"): isEscaped = true
    case (false, "\""): text += "\\\""
    case (false, _): text.unicodeScalars.append(scalar)
    }
  }
  // A lone backslash at the end has nothing to escape, not even the closing quote.
  return isEscaped ? text + "\"\\" : text + "\""
}
