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

  private let pattern: [Unicode.Scalar]
  private let offsets: [Int]
  private let caseSensitivity: CaseSensitivity
  private var index = 0
  private var nesting = 0

  init(_ text: String, caseSensitivity: CaseSensitivity) {
    pattern = Array(text.unicodeScalars)
    var offset = 0
    var offsets: [Int] = []
    for scalar in pattern {
      offsets.append(offset)
      offset += UTF8.width(scalar)
    }
    offsets.append(offset)
    self.offsets = offsets
    self.caseSensitivity = caseSensitivity
  }

  mutating func parse() throws(PatternError) -> RegexNode {
    let node = try choice()
    guard index == pattern.count else {
      throw error(
        "there is no opening parenthesis for this one", from: index,
        expected: "\\) for a parenthesis"
      )
    }
    return node
  }

  // MARK: - Structure

  private mutating func choice() throws(PatternError) -> RegexNode {
    var branches = [try sequence()]
    while take("|") { branches.append(try sequence()) }
    return branches.count == 1 ? branches[0] : .choice(branches)
  }

  private mutating func sequence() throws(PatternError) -> RegexNode {
    var nodes: [RegexNode] = []
    while let scalar = peek(), scalar != "|", scalar != ")" {
      let start = index
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
    let quantifier = index
    switch peek() {
    case "*": (least, most) = (0, nil)
    case "+": (least, most) = (1, nil)
    case "?": (least, most) = (0, 1)
    case "{":
      (least, most) = try counts()
      index -= 1
    default: return atom
    }
    index += 1
    if case .assertion = atom {
      throw error(
        "there is nothing here to repeat", from: quantifier,
        expected: "a character or a group before the quantifier")
    }
    // Whether a match is there does not depend on how much it takes, so a lazy one is the same.
    _ = take("?")
    if let next = peek(), "*+?{".unicodeScalars.contains(next) {
      throw error(
        "a quantifier follows a quantifier", from: index, expected: "a group around the first one")
    }
    return .repetition(atom, least: least, most: most)
  }

  /// Reads `{2}`, `{2,}` or `{2,5}`.
  private mutating func counts() throws(PatternError) -> (Int, Int?) {
    let start = index
    index += 1
    let least = number()
    var most = least
    if take(",") { most = peek() == "}" ? nil : number() ?? -1 }
    guard let least, take("}"), most.map({ $0 >= least }) ?? true,
      max(least, most ?? 0) <= Self.repetitionLimit
    else {
      throw error(
        "this is not a number of repetitions", from: start,
        expected: "{2}, {2,} or {2,5} with at most \(Self.repetitionLimit), or \\{ for a brace")
    }
    return (least, most)
  }

  private mutating func number() -> Int? {
    var digits = ""
    while let scalar = peek(), ("0"..."9").contains(scalar) {
      digits.unicodeScalars.append(scalar)
      index += 1
    }
    return Int(digits)
  }

  // MARK: - Atoms

  private mutating func atom() throws(PatternError) -> RegexNode {
    let start = index
    let scalar = pattern[index]
    index += 1
    switch scalar {
    case ".": return .set(ScalarSet("\n").inverted)
    case "^": return .assertion(.start)
    case "$": return .assertion(.end)
    case "[": return .set(try set(from: start))
    case "(": return try group(from: start)
    case "\\": return try escape(from: start)
    case "*", "+", "?", "{":
      throw error(
        "there is nothing here to repeat", from: start,
        expected: "a character before it, or \\\(scalar) for the character itself")
    default: return literal(scalar)
    }
  }

  private func literal(_ scalar: Unicode.Scalar) -> RegexNode {
    .set(ScalarSet(caseSensitivity == .insensitive ? CaseFolding.folded(scalar) : scalar))
  }

  private mutating func group(from start: Int) throws(PatternError) -> RegexNode {
    if take("?") {
      guard take(":") else {
        throw error(
          "this sort of group is not supported", from: start, expected: "(…) or (?:…)")
      }
    }
    nesting += 1
    guard nesting <= Self.nestingLimit else {
      throw error(
        "the groups are nested too deeply", from: start,
        expected: "at most \(Self.nestingLimit) groups within each other")
    }
    let node = try choice()
    nesting -= 1
    guard take(")") else {
      index = start + 1
      throw error(
        "the group is not closed", from: start, expected: "a closing ), or \\( for a parenthesis")
    }
    return node
  }

  private mutating func escape(from start: Int) throws(PatternError) -> RegexNode {
    switch peek() {
    case "b": return skip(.assertion(.wordBoundary))
    case "B": return skip(.assertion(.noWordBoundary))
    case "A": return skip(.assertion(.start))
    case "z", "Z": return skip(.assertion(.end))
    default:
      switch try escaped(from: start) {
      case .scalar(let scalar): return literal(scalar)
      case .set(let set): return .set(set)
      }
    }
  }

  private mutating func skip(_ node: RegexNode) -> RegexNode {
    index += 1
    return node
  }

  private enum Escaped {
    case scalar(Unicode.Scalar)
    case set(ScalarSet)
  }

  /// Reads what follows a backslash, within brackets or outside.
  private mutating func escaped(from start: Int) throws(PatternError) -> Escaped {
    guard let scalar = peek() else {
      throw error(
        "nothing follows the backslash", from: start,
        expected: "a character after it, or \\\\ for a backslash")
    }
    index += 1
    switch scalar {
    case "d": return .set(.digits)
    case "D": return .set(ScalarSet.digits.inverted)
    case "w": return .set(.word)
    case "W": return .set(ScalarSet.word.inverted)
    case "s": return .set(.space)
    case "S": return .set(ScalarSet.space.inverted)
    case "t": return .scalar("\t")
    case "n": return .scalar("\n")
    case "r": return .scalar("\r")
    case "x": return .scalar(try hexadecimal(from: start))
    default:
      let isWord = ScalarSet.word.contains(scalar) && scalar != "_"
      guard !isWord else {
        throw error(
          "the escape \\\(scalar) is not supported", from: start,
          expected: "\\d, \\w, \\s, \\b, \\t, \\n, \\r, \\x41, or a punctuation mark")
      }
      return .scalar(scalar)
    }
  }

  /// Reads `41` or `{1F600}`.
  private mutating func hexadecimal(from start: Int) throws(PatternError) -> Unicode.Scalar {
    var digits = ""
    let isBraced = take("{")
    while let scalar = peek(), scalar.properties.isASCIIHexDigit, isBraced || digits.count < 2 {
      digits.unicodeScalars.append(scalar)
      index += 1
    }
    guard !isBraced || take("}"), let value = UInt32(digits, radix: 16),
      let scalar = Unicode.Scalar(value)
    else {
      throw error("this is not a character", from: start, expected: "\\x41 or \\x{1F600}")
    }
    return scalar
  }

  // MARK: - Sets

  private mutating func set(from start: Int) throws(PatternError) -> ScalarSet {
    let isInverted = take("^")
    var result = ScalarSet()
    var isFirst = true
    while true {
      guard let scalar = peek() else {
        index = start + 1
        throw error(
          "the [ is not closed", from: start, expected: "a closing ], or \\[ for a bracket")
      }
      if scalar == "]", !isFirst { break }
      isFirst = false
      result = result.union(try element())
    }
    index += 1
    if caseSensitivity == .insensitive { result = result.folded }
    return isInverted ? result.inverted : result
  }

  /// One element of a set: a class, a scalar, or a range of scalars.
  private mutating func element() throws(PatternError) -> ScalarSet {
    let start = index
    if let named = try namedClass() { return named }
    guard case .scalar(let low) = try setScalar() else {
      index = start
      guard case .set(let set) = try setScalar() else { return ScalarSet() }
      return set
    }
    guard peek() == "-", let after = peek(1), after != "]" else { return ScalarSet(low) }
    index += 1
    guard case .scalar(let high) = try setScalar(), low <= high else {
      throw error("this is not a range", from: start, expected: "the smaller end first")
    }
    return ScalarSet([low.value...high.value])
  }

  private mutating func setScalar() throws(PatternError) -> Escaped {
    guard let scalar = peek() else {
      throw error("the [ is not closed", from: index, expected: "a closing ]")
    }
    index += 1
    return scalar == "\\" ? try escaped(from: index - 1) : .scalar(scalar)
  }

  /// Reads `[:alpha:]`.
  private mutating func namedClass() throws(PatternError) -> ScalarSet? {
    guard peek() == "[", peek(1) == ":" else { return nil }
    let start = index
    var end = index + 2
    var name = ""
    while end < pattern.count, pattern[end].properties.isAlphabetic {
      name.unicodeScalars.append(pattern[end])
      end += 1
    }
    guard end + 1 < pattern.count, pattern[end] == ":", pattern[end + 1] == "]" else { return nil }
    index = end + 2
    guard let set = ScalarSet.posix(name) else {
      throw error(
        "unknown class “\(name)”", from: start, expected: "[:alpha:], [:digit:], [:alnum:] …")
    }
    return set
  }

  // MARK: - Reading

  private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
    index + distance < pattern.count ? pattern[index + distance] : nil
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek() == scalar else { return false }
    index += 1
    return true
  }

  private func error(
    _ message: String, from start: Int, expected: String
  ) -> PatternError {
    let end = min(max(index, start + 1), pattern.count)
    return PatternError(message, at: offsets[min(start, end)]..<offsets[end], expected: expected)
  }
}

extension ScalarSet {
  static let digits = ScalarSet([0x30...0x39])
  static let space = ScalarSet([0x09...0x0D, 0x20...0x20])
  static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])

  /// The ASCII characters of a class as POSIX names it.
  static func posix(_ name: String) -> ScalarSet? {
    switch name {
    case "alpha": ScalarSet([0x41...0x5A, 0x61...0x7A])
    case "digit": digits
    case "alnum": ScalarSet([0x30...0x39, 0x41...0x5A, 0x61...0x7A])
    case "upper": ScalarSet([0x41...0x5A])
    case "lower": ScalarSet([0x61...0x7A])
    case "space": space
    case "blank": ScalarSet("\t", " ")
    case "punct": ScalarSet([0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E])
    case "xdigit": ScalarSet([0x30...0x39, 0x41...0x46, 0x61...0x66])
    case "cntrl": ScalarSet([0x00...0x1F, 0x7F...0x7F])
    default: nil
    }
  }
}
