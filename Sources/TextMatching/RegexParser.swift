/// A regular expression as a tree.
indirect enum RegexNode {
  enum Assertion: Hashable {
    case start, end, wordBoundary, noWordBoundary
  }

  case empty
  case set(ScalarSet)
  case sequence([RegexNode])
  case choice([RegexNode])
  case repetition(RegexNode, least: Int, most: Int?)
  case assertion(Assertion)
}

/// Reads the text of a regular expression.
struct RegexParser {
  /// How deep groups may be nested, so that reading them cannot exhaust the stack.
  private static let nestingLimit = 100
  /// The largest number in a quantifier.
  private static let repetitionLimit = 1000

  private var cursor: ScalarCursor
  private let caseSensitivity: CaseSensitivity
  private var nesting = 0
  private var atomCount = 0

  init(_ text: String, caseSensitivity: CaseSensitivity) {
    cursor = ScalarCursor(text)
    self.caseSensitivity = caseSensitivity
  }

  mutating func parse() throws(PatternError) -> RegexNode {
    let node = try choice()
    guard cursor.isAtEnd else {
      throw cursor.error(
        "there is no opening parenthesis for this one", from: cursor.index,
        expected: "\\) for a parenthesis"
      )
    }
    return node
  }

  // MARK: - Structure

  private mutating func choice() throws(PatternError) -> RegexNode {
    var branches = [try sequence()]
    while cursor.take("|") { branches.append(try sequence()) }
    if branches.count == 1 { return branches[0] }
    let sets = branches.map { branch in
      if case .set(let set) = branch { set } else { nil as ScalarSet? }
    }
    // One character of several is a set, which is a single place for whoever looks for it.
    let ranges = sets.compactMap { $0?.ranges }
    return ranges.count == branches.count
      ? .set(ScalarSet(ranges.flatMap { $0 })) : .choice(branches)
  }

  private mutating func sequence() throws(PatternError) -> RegexNode {
    var nodes: [RegexNode] = []
    while let scalar = cursor.peek(), scalar != "|", scalar != ")" {
      let start = cursor.index
      let atom = try atom()
      nodes.append(try quantified(atom, from: start))
    }
    return nodes.count == 1 ? nodes[0] : nodes.isEmpty ? .empty : .sequence(nodes)
  }

  private mutating func quantified(
    _ atom: RegexNode, from start: Int
  ) throws(PatternError) -> RegexNode {
    let least: Int
    let most: Int?
    let quantifier = cursor.index
    switch cursor.peek() {
    case "*": (least, most) = (0, nil)
    case "+": (least, most) = (1, nil)
    case "?": (least, most) = (0, 1)
    case "{":
      (least, most) = try counts()
      cursor.index -= 1
    default: return atom
    }
    cursor.index += 1
    if case .assertion = atom {
      throw cursor.error(
        "there is nothing here to repeat", from: quantifier,
        expected: "a character or a group before the quantifier")
    }
    // Whether a match is there does not depend on how much it takes, so a lazy one is the same.
    _ = cursor.take("?")
    if let next = cursor.peek(), "*+?{".unicodeScalars.contains(next) {
      throw cursor.error(
        "a quantifier follows a quantifier", from: cursor.index,
        expected: "a group around the first one")
    }
    return .repetition(atom, least: least, most: most)
  }

  /// Reads `{2}`, `{2,}` or `{2,5}`.
  private mutating func counts() throws(PatternError) -> (Int, Int?) {
    let start = cursor.index
    cursor.index += 1
    let least = number()
    var most = least
    if cursor.take(",") { most = cursor.peek() == "}" ? nil : number() ?? -1 }
    guard let least, cursor.take("}"), most.map({ $0 >= least }) ?? true,
      max(least, most ?? 0) <= Self.repetitionLimit
    else {
      throw cursor.error(
        "this is not a number of repetitions", from: start,
        expected: "{2}, {2,} or {2,5} with at most \(Self.repetitionLimit), or \\{ for a brace")
    }
    return (least, most)
  }

  private mutating func number() -> Int? {
    var digits = ""
    while let scalar = cursor.peek(), ("0"..."9").contains(scalar) {
      digits.unicodeScalars.append(scalar)
      cursor.index += 1
    }
    return Int(digits)
  }

  // MARK: - Atoms

  private mutating func atom() throws(PatternError) -> RegexNode {
    let start = cursor.index
    guard let scalar = cursor.next() else { return .empty }
    // Reading more would be for nothing: a program has at least an instruction for each.
    atomCount += 1
    guard atomCount <= RegexProgram.sizeLimit else {
      throw cursor.error(
        "the expression is too large", from: start, expected: "fewer characters and groups")
    }
    switch scalar {
    case ".": return .set(ScalarSet("\n").inverted)
    case "^": return .assertion(.start)
    case "$": return .assertion(.end)
    case "[": return .set(try set(from: start))
    case "(": return try group(from: start)
    case "\\": return try escape(from: start)
    case "*", "+", "?", "{":
      throw cursor.error(
        "there is nothing here to repeat", from: start,
        expected: "a character before it, or \\\(scalar) for the character itself")
    default: return literal(scalar)
    }
  }

  private func literal(_ scalar: Unicode.Scalar) -> RegexNode {
    .set(ScalarSet(caseSensitivity == .insensitive ? CaseFolding.folded(scalar) : scalar))
  }

  private mutating func group(from start: Int) throws(PatternError) -> RegexNode {
    if cursor.take("?") {
      guard cursor.take(":") else {
        throw cursor.error(
          "this sort of group is not supported", from: start, expected: "(…) or (?:…)")
      }
    }
    nesting += 1
    guard nesting <= Self.nestingLimit else {
      throw cursor.error(
        "the groups are nested too deeply", from: start,
        expected: "at most \(Self.nestingLimit) groups within each other")
    }
    let node = try choice()
    nesting -= 1
    guard cursor.take(")") else {
      cursor.index = start + 1
      throw cursor.error(
        "the group is not closed", from: start, expected: "a closing ), or \\( for a parenthesis")
    }
    return node
  }

  private mutating func escape(from start: Int) throws(PatternError) -> RegexNode {
    switch cursor.peek() {
    case "b": return skip(.assertion(.wordBoundary))
    case "B": return skip(.assertion(.noWordBoundary))
    case "A": return skip(.assertion(.start))
    case "z", "Z": return skip(.assertion(.end))
    default:
      switch try escaped(from: start) {
      case .value(let value):
        return Unicode.Scalar(value).map(literal) ?? .set(ScalarSet([value...value]))
      case .set(let set): return .set(set)
      }
    }
  }

  private mutating func skip(_ node: RegexNode) -> RegexNode {
    cursor.index += 1
    return node
  }

  private enum Escaped {
    /// A scalar, or the surrogate by which a program knows a byte that is not UTF-8.
    case value(UInt32)
    case set(ScalarSet)
  }

  /// Reads what follows a backslash, within brackets or outside.
  private mutating func escaped(from start: Int) throws(PatternError) -> Escaped {
    guard let scalar = cursor.next() else {
      throw cursor.error(
        "nothing follows the backslash", from: start,
        expected: "a character after it, or \\\\ for a backslash")
    }
    switch scalar {
    case "d": return .set(.digits)
    case "D": return .set(ScalarSet.digits.inverted)
    case "w": return .set(.word)
    case "W": return .set(ScalarSet.word.inverted)
    case "s": return .set(.space)
    case "S": return .set(ScalarSet.space.inverted)
    case "t", "n", "r", "x", "u":
      cursor.index -= 1
      switch try cursor.escape(from: start) {
      case .scalar(let scalar): return .value(scalar.value)
      case .invalid(let byte): return .value(0xDC00 + UInt32(byte))
      }
    default:
      let isWord = ScalarSet.word.contains(scalar) && scalar != "_"
      guard !isWord else {
        throw cursor.error(
          "the escape \\\(scalar) is not supported", from: start,
          expected: "\\d, \\w, \\s, \\b, \\t, \\n, \\r, \\x41, \\u{1F600}, or a punctuation mark")
      }
      return .value(scalar.value)
    }
  }

  // MARK: - Sets

  private mutating func set(from start: Int) throws(PatternError) -> ScalarSet {
    let isInverted = cursor.take("^")
    var ranges: [ClosedRange<UInt32>] = []
    let first = cursor.index
    while cursor.index == first || cursor.peek() != "]" {
      guard !cursor.isAtEnd else {
        cursor.index = start + 1
        throw cursor.error(
          "the [ is not closed", from: start, expected: "a closing ], or \\[ for a bracket")
      }
      ranges += try element().ranges
    }
    cursor.index += 1
    var result = ScalarSet(ranges)
    if caseSensitivity == .insensitive { result = result.folded }
    return isInverted ? result.inverted : result
  }

  /// One element of a set: a class, a scalar, or a range of scalars.
  private mutating func element() throws(PatternError) -> ScalarSet {
    let start = cursor.index
    if let named = try namedClass() { return named }
    guard case .value(let low) = try setScalar() else {
      cursor.index = start
      guard case .set(let set) = try setScalar() else { return ScalarSet() }
      return set
    }
    guard cursor.peek() == "-", let after = cursor.peek(1), after != "]" else {
      return ScalarSet([low...low])
    }
    cursor.index += 1
    guard case .value(let high) = try setScalar(), low <= high,
      (Unicode.Scalar(low) == nil) == (Unicode.Scalar(high) == nil)
    else {
      throw cursor.error("this is not a range", from: start, expected: "the smaller end first")
    }
    return ScalarSet([low...high])
  }

  private mutating func setScalar() throws(PatternError) -> Escaped {
    guard let scalar = cursor.next() else {
      throw cursor.error("the [ is not closed", from: cursor.index, expected: "a closing ]")
    }
    return scalar == "\\" ? try escaped(from: cursor.index - 1) : .value(scalar.value)
  }

  /// Reads `[:alpha:]`.
  private mutating func namedClass() throws(PatternError) -> ScalarSet? {
    guard cursor.peek() == "[", cursor.peek(1) == ":" else { return nil }
    let start = cursor.index
    cursor.index += 2
    var name = ""
    while let scalar = cursor.peek(), scalar.properties.isAlphabetic {
      name.unicodeScalars.append(scalar)
      cursor.index += 1
    }
    guard cursor.take(":"), cursor.take("]") else {
      cursor.index = start
      return nil
    }
    guard let set = ScalarSet.posix(name) else {
      throw cursor.error(
        "unknown class “\(name)”", from: start, expected: "[:alpha:], [:digit:], [:alnum:] …")
    }
    return set
  }
}
