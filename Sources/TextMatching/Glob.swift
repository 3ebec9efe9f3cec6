#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A pattern with wildcards that is matched against a whole name or path.
///
/// ```swift
/// let glob = try Glob("Sources/**/*.swift", syntax: .path, caseSensitivity: .sensitive)
/// glob.matches("Sources/App/Main.swift")  // true
/// ```
///
/// | pattern | matches |
/// | --- | --- |
/// | `*` | any run of characters; within one component in a path |
/// | `**` | in a path any run of characters, slashes included; `**/` any number of whole directories, also none |
/// | `?` | one scalar, or one byte that is not UTF-8; no slash in a path |
/// | `[a-z]`, `[!a-z]`, `[^a-z]` | one scalar of a set, or not of it; no slash in a path |
/// | `\` | the next character itself, or what ``EscapedText`` lists |
///
/// A leading dot is a character like others, and braces are (``alternatives(in:)``). Where case counts,
/// composed and decomposed forms of a letter differ. What is not UTF-8 is matched byte by byte.
package struct Glob: Hashable, Sendable {
  /// What a slash means to the wildcards.
  package enum Syntax: Hashable, Sendable {
    /// Nothing: the text is one name.
    case name
    /// It separates components.
    case path
  }

  enum Step: Hashable {
    /// Bytes of ``literals``.
    case literal(start: Int, count: Int)
    case anyScalar
    case set(Int, isInverted: Bool)
    case star
    case anything
    case directories
  }

  /// What a slash means.
  package let syntax: Syntax
  /// Whether letter case counts.
  package let caseSensitivity: CaseSensitivity

  /// What is matched if the pattern has no wildcard.
  package let literal: [UInt8]?

  private let steps: [Step]
  private let literals: [UInt8]
  private let sets: [ScalarSet]

  /// Compiles a pattern.
  ///
  /// - Throws: ``PatternError`` for a set without its closing bracket, a range that runs
  ///   backwards, and a backslash that escapes nothing.
  /// - Complexity: linear in the length of the pattern.
  package init(
    _ pattern: String, syntax: Syntax = .name, caseSensitivity: CaseSensitivity = .sensitive
  ) throws(PatternError) {
    var parser = GlobParser(pattern, syntax: syntax, caseSensitivity: caseSensitivity)
    try parser.parse()
    self.syntax = syntax
    self.caseSensitivity = caseSensitivity
    steps = parser.steps
    literals = parser.literals
    sets = parser.sets
    literal = parser.literal
  }

  /// What occurs in every text that matches: the texts between wildcards.
  var requiredLiterals: [[UInt8]] {
    steps.compactMap { step in
      guard case .literal(let start, let count) = step else { return nil }
      return Array(literals[start..<start + count])
    }
  }

  /// Whether the pattern matches all of a text.
  package func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
  }

  /// Whether the pattern matches all of a text in UTF-8.
  ///
  /// - Complexity: the product of both lengths; with `**` and `*` together, the square of the
  ///   length of the text at worst. Nothing is allocated for texts up to some 600 bytes.
  package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    switch caseSensitivity {
    case .sensitive: matchesExactly(bytes)
    case .insensitive:
      bytes.isASCII
        ? matchesExactly(bytes, foldsASCII: true)
        : CaseFolding.withFolded(bytes) { matchesExactly($0) }
    }
  }

  /// Whether the pattern matches a text that is already folded if case does not count, or whose
  /// ASCII letters are to be folded on the way.
  ///
  /// Of several stars only the last one met ever needs to give way: a match that an earlier one
  /// could reach by taking more, the later one can reach too. The same holds for `**`, which is
  /// asked when a star runs into a slash.
  @inline(__always)
  private func matchesExactly(
    _ text: UnsafeRawBufferPointer, foldsASCII: Bool = false
  ) -> Bool {
    steps.withUnsafeBufferPointer { steps in
      literals.withUnsafeBytes { literals in
        let slash: UInt8? = syntax == .path ? UInt8(ascii: "/") : nil
        var step = 0
        var position = 0
        var star: (step: Int, position: Int)?
        var anything: (step: Int, position: Int)?

        while true {
          if step == steps.count {
            if position == text.count { return true }
          } else {
            switch steps[step] {
            case .literal(let start, let count):
              if Self.hasLiteral(text, at: position, literals, start, count, foldsASCII) {
                position += count
                step += 1
                continue
              }
            case .anyScalar:
              if position < text.count, text[position] != slash {
                position += text.decodeUnit(at: position).length
                step += 1
                continue
              }
            case .set(let index, let isInverted):
              if position < text.count, text[position] != slash {
                let (unit, length) = text.decodeUnit(at: position)
                if contains(unit, index, foldsASCII) != isInverted {
                  position += length
                  step += 1
                  continue
                }
              }
            case .star:
              step += 1
              star = (step, position)
              // A pattern that ends in a literal, the usual *.swift, needs no search.
              if slash == nil, step == steps.count - 1,
                case .literal(let start, let count) = steps[step]
              {
                let tail = text.count - count
                return tail >= position && text.isBoundary(tail)
                  && Self.hasLiteral(text, at: tail, literals, start, count, foldsASCII)
              }
              if slash == nil, step == steps.count { return true }
              continue
            case .anything, .directories:
              step += 1
              anything = (step, position)
              star = nil
              continue
            }
          }

          // A dead end: the last star takes one character more, or else the last `**` does.
          if let last = star, last.position < text.count, text[last.position] != slash {
            position = last.position + text.decodeUnit(at: last.position).length
            step = last.step
            star = (step, position)
          } else if let last = anything {
            guard let next = Self.advance(last.position, steps[last.step - 1], in: text) else {
              return false
            }
            position = next
            step = last.step
            anything = (step, position)
            star = nil
          } else {
            return false
          }
        }
      }
    }
  }

  /// Where `**` ends if it takes more than it did.
  private static func advance(
    _ position: Int, _ step: Step, in text: UnsafeRawBufferPointer
  ) -> Int? {
    guard position < text.count else { return nil }
    guard step == .directories else {
      return position + text.decodeUnit(at: position).length
    }
    let slash = text[position...].firstIndex(of: UInt8(ascii: "/"))
    return slash.map { $0 + 1 }
  }

  private func contains(_ unit: DecodedUnit, _ set: Int, _ foldsASCII: Bool) -> Bool {
    guard case .scalar(let scalar) = unit else { return false }
    return sets[set].contains(foldsASCII ? CaseFolding.folded(scalar) : scalar)
  }

  @inline(__always)
  private static func hasLiteral(
    _ text: UnsafeRawBufferPointer, at position: Int,
    _ literals: UnsafeRawBufferPointer, _ start: Int, _ count: Int, _ foldsASCII: Bool
  ) -> Bool {
    guard position + count <= text.count, let base = text.baseAddress,
      let literal = literals.baseAddress
    else { return false }
    guard text.isBoundary(position + count) else { return false }
    guard foldsASCII else { return memcmp(base + position, literal + start, count) == 0 }
    for index in 0..<count {
      let byte = (base + position + index).load(as: UInt8.self)
      if CaseFolding.folded(ascii: byte) != literals[start + index] { return false }
    }
    return true
  }
}

/// Turns the text of a glob into the steps that ``Glob`` takes.
private struct GlobParser {
  private var cursor: ScalarCursor
  private let syntax: Glob.Syntax
  private let caseSensitivity: CaseSensitivity

  private(set) var steps: [Glob.Step] = []
  private(set) var literals: [UInt8] = []
  private(set) var sets: [ScalarSet] = []
  /// What the pattern stands for, as long as no wildcard has been met.
  private(set) var literal: [UInt8]? = []

  init(_ text: String, syntax: Glob.Syntax, caseSensitivity: CaseSensitivity) {
    cursor = ScalarCursor(text)
    self.syntax = syntax
    self.caseSensitivity = caseSensitivity
  }

  mutating func parse() throws(PatternError) {
    while let scalar = cursor.peek() {
      let start = cursor.index
      if scalar == "*" {
        addStars()
        continue
      }
      cursor.index += 1
      switch scalar {
      case "?": add(.anyScalar)
      case "[": try addSet(from: start)
      case "\\": addLiteral(try cursor.escape(from: start))
      default: addLiteral(.scalar(scalar))
      }
    }
    if caseSensitivity == .insensitive { composeLiterals() }
  }

  // MARK: - Steps

  /// Puts letters and their marks together, as texts are when case does not count.
  private mutating func composeLiterals() {
    guard literals.contains(where: { $0 >= 0x80 }) else { return }
    var composed: [UInt8] = []
    for (index, step) in steps.enumerated() {
      guard case .literal(let start, let count) = step else { continue }
      let bytes = literals[start..<start + count].withUnsafeBytes(Composition.composed)
      steps[index] = .literal(start: composed.count, count: bytes.count)
      composed += bytes
    }
    literals = composed
  }

  private mutating func add(_ step: Glob.Step) {
    literal = nil
    steps.append(step)
  }

  private mutating func addLiteral(_ unit: DecodedUnit) {
    literal? += unit.bytes
    let bytes =
      switch unit {
      case .scalar(let scalar) where caseSensitivity == .insensitive:
        CaseFolding.folded(scalar).bytes
      default: unit.bytes
      }
    if case .literal(let start, let count) = steps.last {
      steps[steps.count - 1] = .literal(start: start, count: count + bytes.count)
    } else {
      steps.append(.literal(start: literals.count, count: bytes.count))
    }
    literals += bytes
  }

  private mutating func addStars() {
    let before = cursor.peek(-1)
    let start = cursor.index
    while cursor.take("*") {}
    guard syntax == .path, cursor.index - start >= 2 else {
      // Runs of stars mean no more than one; neighbours would only slow the matching down.
      if steps.last != .star { add(.star) }
      return
    }
    if before == nil || before == "/", cursor.take("/") {
      if steps.last != .directories { add(.directories) }
    } else {
      add(.anything)
    }
  }

  // MARK: - Sets

  private mutating func addSet(from start: Int) throws(PatternError) {
    let isInverted = cursor.take("!") || cursor.take("^")
    var ranges: [ClosedRange<UInt32>] = []
    while ranges.isEmpty || cursor.peek() != "]" {
      ranges.append(try setRange(setStart: start))
    }
    cursor.index += 1
    var set = ScalarSet(ranges)
    if caseSensitivity == .insensitive { set = set.folded }
    add(.set(sets.count, isInverted: isInverted))
    sets.append(set)
  }

  private mutating func setRange(setStart: Int) throws(PatternError) -> ClosedRange<UInt32> {
    let start = cursor.index
    let low = try setScalar(setStart)
    guard cursor.peek() == "-", let after = cursor.peek(1), after != "]" else {
      return low.value...low.value
    }
    cursor.index += 1
    let high = try setScalar(setStart)
    guard low <= high else {
      throw cursor.error(
        "the range runs backwards", from: start, expected: "the smaller end first")
    }
    return low.value...high.value
  }

  private mutating func setScalar(_ setStart: Int) throws(PatternError) -> Unicode.Scalar {
    let start = cursor.index
    let isEscaped = cursor.take("\\")
    guard !cursor.isAtEnd, let scalar = isEscaped ? try escapedScalar(from: start) : cursor.next()
    else {
      throw cursor.error(
        "the [ is not closed", from: setStart, expected: "a closing ], or \\[ for a bracket")
    }
    return scalar
  }

  private mutating func escapedScalar(from start: Int) throws(PatternError) -> Unicode.Scalar {
    guard case .scalar(let scalar) = try cursor.escape(from: start) else {
      throw cursor.error(
        "a set has no bytes in it", from: start,
        expected: "characters, or the byte without brackets")
    }
    return scalar
  }
}
