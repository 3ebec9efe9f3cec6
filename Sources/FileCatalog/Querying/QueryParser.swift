internal import TextMatching

extension Query {
  /// Parses the text language.
  ///
  /// Terms are joined by AND. `OR` or `|`, `NOT` or a leading `!`, and parentheses combine them; quotes
  /// protect spaces, parentheses and these words. AND binds more tightly than OR. A text without
  /// a term matches everything. `-key:value` is negated, too; any other word with a dash before it is an
  /// error.
  ///
  /// A bare word is compared with names: as a part of them, or with `*`, `?`, `[…]` or `{a,b}` as a glob
  /// for the whole name. With a `/` in it, it is compared with paths, as ``Filter/name(_:)-(TextPattern)``
  /// says.
  ///
  /// In names and other texts `\n`, `\r`, `\t` and `\u{1b}` stand for characters, `\xff` for a byte, and
  /// a backslash before any other character for that character; also within quotes. So every name can
  /// be written, whatever it holds: `name:="…"` with a backslash before `\` and `"`, and with `\xff` for
  /// bytes that are not UTF-8, is that name whatever its case, and with `case:yes` that name alone.
  ///
  /// - Parameters:
  ///   - text: the query as a user writes it.
  ///   - timeZone: the zone of dates that name none.
  /// - Throws: ``QueryError``, which says what is wrong and where.
  /// - Complexity: linear in the length of the text.
  public init(
    parsing text: String, timeZone: TimeZone = .current
  ) throws(QueryError) {
    var parser = QueryParser(QuerySource(text: text, timeZone: timeZone))
    self = try parser.parse()
  }

  /// Parses the text language as it was typed where text is bytes, as on a command line: those that
  /// are not UTF-8 stand for themselves.
  ///
  /// - Throws: ``QueryError``; its ``QueryError/query`` has such bytes as `\xff`.
  public init(
    parsing bytes: [UInt8], timeZone: TimeZone = .current
  ) throws(QueryError) {
    try self.init(parsing: EscapedText.text(typed: bytes), timeZone: timeZone)
  }
}

/// Builds the filter of a query on a stack of its own, so that nesting cannot exhaust the
/// thread's.
private struct QueryParser {
  /// What has been read since an opening parenthesis.
  private struct Group {
    /// Where the parenthesis stands; `nil` for the query as a whole.
    var opening: Range<Int>?
    /// Finished operands of OR.
    var alternatives: [Filter] = []
    /// Operands of AND since the last OR.
    var conjunction: [Filter] = []
    /// Negations waiting for their operand.
    var negations = 0
    /// Whether an operator has been read that needs something after it.
    var awaitsOperand = false
    /// Whether `case:` stands here, which AND may follow like a term.
    var hasOption = false

    var filter: Filter {
      let last = conjunction.count == 1 ? conjunction[0] : .all(conjunction)
      return alternatives.isEmpty ? last : .any(alternatives + [last])
    }
  }

  private let source: QuerySource
  private var lexer: QueryLexer
  private var groups = [Group()]
  private var nesting = 0
  private var terms = 0
  private var caseSensitivity: CaseSensitivity?

  init(_ source: QuerySource) {
    self.source = source
    lexer = QueryLexer(source)
  }

  private var group: Group {
    get { groups[groups.count - 1] }
    set { groups[groups.count - 1] = newValue }
  }

  mutating func parse() throws(QueryError) -> Query {
    while true {
      let token = try lexer.next()
      switch token.kind {
      case .word(let word): try add(word, at: token.range)
      case .not:
        groups[groups.count - 1].negations += 1
        try deepen(at: token.range)
      case .open:
        groups.append(Group(opening: token.range))
        try deepen(at: token.range)
      case .and:
        if !group.hasOption { try requireOperand(before: token.range, "AND") }
        groups[groups.count - 1].awaitsOperand = true
      case .or:
        try requireOperand(before: token.range, "OR")
        let finished = group.conjunction
        groups[groups.count - 1].alternatives.append(
          finished.count == 1 ? finished[0] : .all(finished))
        groups[groups.count - 1].conjunction = []
        groups[groups.count - 1].awaitsOperand = true
      case .close: try closeGroup(at: token.range)
      case .end: return try finish(at: token.range)
      }
    }
  }

  private mutating func closeGroup(at range: Range<Int>) throws(QueryError) {
    guard groups.count > 1 else {
      throw source.error(
        .unbalanced, "there is no opening parenthesis for this one", at: range,
        expected: "a term, OR, or the end")
    }
    try requireOperand(before: range, "the closing parenthesis")
    let closed = groups.removeLast()
    nesting -= 1
    addOperand(closed.filter)
  }

  private mutating func finish(at range: Range<Int>) throws(QueryError) -> Query {
    if groups.count > 1, let opening = group.opening {
      throw source.error(
        .unbalanced, "the parenthesis is not closed", at: opening,
        expected: "a closing ) further on")
    }
    if group.awaitsOperand || group.negations > 0 {
      try requireOperand(before: range, "the end")
    }
    let isEmpty = group.conjunction.isEmpty && group.alternatives.isEmpty
    return Query(isEmpty ? .all : group.filter, caseSensitivity: caseSensitivity ?? .insensitive)
  }

  // MARK: - Operands

  private mutating func add(_ word: QueryWord, at range: Range<Int>) throws(QueryError) {
    if let (name, value) = word.split(), name.lowercased() == QueryTerm.caseKey {
      try count(1, at: range)
      try setCaseSensitivity(value, at: range)
      return
    }
    let filter = try filter(word, at: range)
    try count(filter.termCount, at: range)
    addOperand(filter)
  }

  private func filter(_ word: QueryWord, at range: Range<Int>) throws(QueryError) -> Filter {
    guard let (key, value) = word.split() else {
      try checkColon(of: word, at: range)
      return .name(try word.pattern(syntax: .name))
    }
    guard let term = QueryTerm.named(key) else {
      let known = QueryTerm.all.map(\.key) + [QueryTerm.caseKey]
      let start = range.lowerBound
      throw source.error(
        .unknownTerm, "unknown term “\(key):”", at: start..<start + key.utf8.count + 1,
        expected: "a term such as name: or size:, or quotes around a text with a colon",
        suggestion: Spelling.nearest(to: key, in: known).map { $0 + ":" })
    }
    guard !value.characters.isEmpty || value.hasQuotes else {
      throw value.error(.missingValue, "\(term.key): has no value", expected: term.expected)
    }
    return try term.read(value)
  }

  /// No name has ever looked like `size>10`.
  private func checkColon(of word: QueryWord, at range: Range<Int>) throws(QueryError) {
    let (key, rest) = word.splitAfterLetters()
    guard let first = rest.characters.first, !first.isQuoted,
      first.scalar == "<" || first.scalar == ">",
      let term = QueryTerm.named(key)
    else { return }
    throw source.error(
      .missingColon, "the colon after “\(key)” is missing", at: range,
      expected: "\(term.key): and \(term.expected)", suggestion: "\(term.key):\(rest.text)")
  }

  private mutating func count(_ more: Int, at range: Range<Int>) throws(QueryError) {
    terms += more
    guard terms <= Query.Limits.terms else {
      throw source.error(
        .tooLarge, "the query has too many terms", at: range,
        expected: "at most \(Query.Limits.terms) terms")
    }
  }

  private mutating func addOperand(_ operand: Filter) {
    let last = groups.count - 1
    var filter = operand
    for _ in 0..<groups[last].negations { filter = .not(filter) }
    nesting -= groups[last].negations
    groups[last].negations = 0
    groups[last].awaitsOperand = false
    groups[last].conjunction.append(filter)
  }

  /// `case:` is about the query, so it cannot be an operand of anything.
  private mutating func setCaseSensitivity(
    _ value: QueryWord, at range: Range<Int>
  ) throws(QueryError) {
    let setting: CaseSensitivity = try value.truth() ? .sensitive : .insensitive
    guard groups.count == 1, group.negations == 0 else {
      throw source.error(
        .misplacedOption, "case: is about the whole query", at: range,
        expected: "case: outside parentheses and without NOT")
    }
    guard caseSensitivity == nil || caseSensitivity == setting else {
      throw source.error(
        .misplacedOption, "case: is given twice with different values", at: range,
        expected: "one case: at most")
    }
    caseSensitivity = setting
    groups[0].hasOption = true
    if !groups[0].conjunction.isEmpty { groups[0].awaitsOperand = false }
  }

  // MARK: - Errors

  private mutating func deepen(at range: Range<Int>) throws(QueryError) {
    nesting += 1
    guard nesting <= Query.Limits.nesting else {
      throw source.error(
        .tooLarge, "the query is nested too deeply", at: range,
        expected: "at most \(Query.Limits.nesting) parentheses and negations within each other")
    }
  }

  private func requireOperand(before range: Range<Int>, _ place: String) throws(QueryError) {
    guard group.conjunction.isEmpty || group.awaitsOperand || group.negations > 0 else { return }
    throw source.error(
      .missingTerm, "a term is missing before \(place)", at: range,
      expected: "a term such as *.png or size:>1M")
  }
}
