/// Turns the text of a glob into the steps that ``Glob`` takes.
struct GlobParser {
  private let pattern: [Unicode.Scalar]
  private let offsets: [Int]
  private let syntax: Glob.Syntax
  private let caseSensitivity: CaseSensitivity
  private var index = 0

  private(set) var steps: [Glob.Step] = []
  private(set) var literals: [UInt8] = []
  private(set) var sets: [ScalarSet] = []
  /// The text that the pattern stands for, as long as no wildcard has been met.
  private(set) var literalText: String? = ""

  init(_ text: String, syntax: Glob.Syntax, caseSensitivity: CaseSensitivity) {
    pattern = Array(text.unicodeScalars)
    var offset = 0
    var offsets: [Int] = []
    for scalar in pattern {
      offsets.append(offset)
      offset += UTF8.width(scalar)
    }
    offsets.append(offset)
    self.offsets = offsets
    self.syntax = syntax
    self.caseSensitivity = caseSensitivity
  }

  mutating func parse() throws(PatternError) {
    while index < pattern.count {
      let scalar = pattern[index]
      switch scalar {
      case "*": addStars()
      case "?":
        index += 1
        add(.anyScalar)
      case "[": try addSet()
      case "\\":
        guard index + 1 < pattern.count else {
          throw PatternError(
            "nothing follows the backslash", at: range(from: index),
            expected: "a character after it, or \\\\ for a backslash")
        }
        addLiteral(pattern[index + 1])
        index += 2
      default:
        addLiteral(scalar)
        index += 1
      }
    }
  }

  // MARK: - Steps

  private mutating func add(_ step: Glob.Step) {
    literalText = nil
    steps.append(step)
  }

  private mutating func addLiteral(_ scalar: Unicode.Scalar) {
    literalText?.unicodeScalars.append(scalar)
    let folded = caseSensitivity == .insensitive ? CaseFolding.folded(scalar) : scalar
    let bytes = UTF8.encode(folded) ?? UTF8.encodedReplacementCharacter
    if case .literal(let start, let count) = steps.last {
      steps[steps.count - 1] = .literal(start: start, count: count + bytes.count)
    } else {
      steps.append(.literal(start: literals.count, count: bytes.count))
    }
    literals += bytes
  }

  private mutating func addStars() {
    let start = index
    while index < pattern.count, pattern[index] == "*" { index += 1 }
    guard syntax == .path, index - start >= 2 else {
      // Runs of stars mean no more than one; neighbours would only slow the matching down.
      if steps.last != .star { add(.star) }
      return
    }
    let isAtComponentStart = start == 0 || pattern[start - 1] == "/"
    if isAtComponentStart, index < pattern.count, pattern[index] == "/" {
      index += 1
      if steps.last != .directories { add(.directories) }
    } else {
      add(.anything)
    }
  }

  // MARK: - Sets

  private mutating func addSet() throws(PatternError) {
    let start = index
    index += 1
    var isInverted = false
    if index < pattern.count, pattern[index] == "!" || pattern[index] == "^" {
      isInverted = true
      index += 1
    }
    var ranges: [ClosedRange<UInt32>] = []
    var isFirst = true
    while true {
      guard index < pattern.count else {
        throw PatternError(
          "the [ is not closed", at: range(from: start),
          expected: "a closing ], or \\[ for a bracket")
      }
      if pattern[index] == "]", !isFirst { break }
      isFirst = false
      ranges.append(try setRange(setStart: start))
    }
    index += 1
    var set = ScalarSet(ranges)
    if caseSensitivity == .insensitive { set = set.folded }
    add(.set(sets.count, isInverted: isInverted))
    sets.append(set)
  }

  private mutating func setRange(setStart: Int) throws(PatternError) -> ClosedRange<UInt32> {
    let start = index
    let low = try setScalar(setStart)
    guard index + 1 < pattern.count, pattern[index] == "-", pattern[index + 1] != "]" else {
      return low.value...low.value
    }
    index += 1
    let high = try setScalar(setStart)
    guard low <= high else {
      throw PatternError(
        "the range runs backwards", at: range(from: start), expected: "the smaller end first")
    }
    return low.value...high.value
  }

  private mutating func setScalar(_ setStart: Int) throws(PatternError) -> Unicode.Scalar {
    if pattern[index] == "\\" { index += 1 }
    guard index < pattern.count else {
      throw PatternError(
        "the [ is not closed", at: range(from: setStart),
        expected: "a closing ], or \\[ for a bracket")
    }
    index += 1
    return pattern[index - 1]
  }

  private func range(from start: Int) -> Range<Int> {
    offsets[start]..<offsets[min(max(index, start + 1), pattern.count)]
  }
}
