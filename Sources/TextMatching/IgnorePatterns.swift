#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The patterns of a file that says what is left out, in the format of `gitignore(5)`.
///
/// They mean what they mean to Git, down to what it makes of unusual ones: a set that is not closed
/// matches nothing, `a**b` is `a*b`, and `foo**/bar` also matches `foobar`. Names are bytes, and letter
/// case counts.
///
/// Such files come with any tree, so what they may ask for is limited (``Limit``), and no pattern makes
/// matching go back further than over the length of a path.
package struct IgnorePatterns: Sendable {
  /// What the patterns say of an entry.
  package enum Verdict: Sendable, Hashable {
    case excluded
    /// A pattern with `!` brings it back, whatever files further away say.
    case included
  }

  /// How much a file may ask for.
  package enum Limit {
    /// Of a file.
    package static let bytes = 256 * 1024
    /// Of a file, and of all that go for one directory.
    package static let patterns = 4096
    /// Of a pattern.
    package static let patternBytes = 1024
  }

  /// A file asks for more than ``Limit`` allows.
  package struct TooLarge: Error, Sendable {
    package init() {}
  }

  private struct Pattern {
    var isNegated = false
    var isForDirectories = false
    /// Compared with the last name of a path alone.
    var isOfName = false
    var form = Form.nothing
  }

  /// What is compared, in places of ``literals`` and ``steps``.
  private enum Form {
    /// Not well formed.
    case nothing
    case literal(Span)
    /// `*` and a literal.
    case ending(Span)
    /// A literal, and then the steps.
    case steps(after: Span, Span)
  }

  private struct Span {
    var start: Int
    var count: Int
  }

  private enum Step {
    case literal(Span)
    /// One byte.
    case byte
    case set(Int)
    /// Any bytes of one name.
    case star
    /// Any bytes.
    case anything
    /// Any number of whole directories.
    case directories
  }

  private var patterns: [Pattern] = []
  private var literals: [UInt8] = []
  private var steps: [Step] = []
  private var sets: [ByteSet] = []

  /// How many patterns there are.
  package var count: Int { patterns.count }

  /// Reads the content of a file.
  ///
  /// - Throws: for one with more than ``Limit`` allows.
  /// - Complexity: linear in the length of the text.
  package init(parsing text: [UInt8]) throws(TooLarge) {
    guard text.count <= Limit.bytes else { throw TooLarge() }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let content = text.starts(with: mark) ? text.dropFirst(mark.count) : text[...]
    for line in content.split(separator: UInt8(ascii: "\n")) {
      guard line.first != UInt8(ascii: "#") else { continue }
      var line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      if let end = line.firstIndex(of: 0) { line = line[..<end] }
      line = Self.withoutTrailingSpaces(line)
      guard line.count <= Limit.patternBytes, patterns.count < Limit.patterns else {
        throw TooLarge()
      }
      add(line)
    }
  }

  /// Spaces at the end mean nothing but behind a backslash.
  private static func withoutTrailingSpaces(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var firstSpace: Int?
    var index = line.startIndex
    while index < line.endIndex {
      switch line[index] {
      case UInt8(ascii: " "):
        firstSpace = firstSpace ?? index
      case UInt8(ascii: "\\"):
        index += 1
        if index == line.endIndex { return line }
        firstSpace = nil
      default:
        firstSpace = nil
      }
      index += 1
    }
    return line[..<(firstSpace ?? line.endIndex)]
  }

  // MARK: - Reading patterns

  private mutating func add(_ line: ArraySlice<UInt8>) {
    var pattern = Pattern()
    var text = line
    if text.first == UInt8(ascii: "!") {
      pattern.isNegated = true
      text.removeFirst()
    }
    if text.last == UInt8(ascii: "/") {
      pattern.isForDirectories = true
      text.removeLast()
    }
    pattern.isOfName = !text.contains(UInt8(ascii: "/"))
    if text.first == UInt8(ascii: "/") { text.removeFirst() }
    let plain = text.prefix { !Self.isSpecial($0) }
    if plain.count == text.count {
      pattern.form = .literal(keep(text))
    } else if pattern.isOfName, text.first == UInt8(ascii: "*"),
      !text.dropFirst().contains(where: Self.isSpecial)
    {
      pattern.form = .ending(keep(text.dropFirst()))
    } else {
      // Git takes the plain beginning off first: what is left is a pattern of its own.
      let before = pattern.isOfName ? text.prefix(0) : plain
      let after = keep(before)
      let first = steps.count
      if addSteps(of: text.dropFirst(before.count), isOfName: pattern.isOfName) {
        pattern.form = .steps(after: after, Span(start: first, count: steps.count - first))
      }
    }
    patterns.append(pattern)
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    [UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "\\")].contains(byte)
  }

  private mutating func keep(_ bytes: some Collection<UInt8>) -> Span {
    defer { literals += bytes }
    return Span(start: literals.count, count: bytes.count)
  }

  /// - Returns: whether the pattern is well formed.
  private mutating func addSteps(of text: ArraySlice<UInt8>, isOfName: Bool) -> Bool {
    let slash = UInt8(ascii: "/")
    let first = steps.count
    var index = text.startIndex
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "\\"):
        index += 1
        guard index < text.endIndex else { return false }
        addLiteral(text[index], since: first)
        index += 1
      case UInt8(ascii: "?"):
        steps.append(.byte)
        index += 1
      case UInt8(ascii: "["):
        guard let set = ByteSet(parsing: text, at: &index) else { return false }
        steps.append(.set(sets.count))
        sets.append(isOfName ? set : set.without(slash))
      case UInt8(ascii: "*"):
        let rest = text[index...].drop { $0 == UInt8(ascii: "*") }
        let isBehindBorder = index == text.startIndex || text[index - 1] == slash
        let isBeforeBorder =
          rest.isEmpty || rest.first == slash || rest.starts(with: [UInt8(ascii: "\\"), slash])
        if isOfName || rest.startIndex - index == 1 || !isBehindBorder || !isBeforeBorder {
          steps.append(.star)
          index = rest.startIndex
        } else if rest.first == slash {
          steps.append(.directories)
          index = rest.startIndex + 1
        } else {
          steps.append(.anything)
          index = rest.startIndex
        }
      default:
        addLiteral(text[index], since: first)
        index += 1
      }
    }
    return true
  }

  private mutating func addLiteral(_ byte: UInt8, since first: Int) {
    if steps.count > first, case .literal(let span) = steps[steps.count - 1],
      span.start + span.count == literals.count
    {
      steps[steps.count - 1] = .literal(Span(start: span.start, count: span.count + 1))
    } else {
      steps.append(.literal(Span(start: literals.count, count: 1)))
    }
    literals.append(byte)
  }

  // MARK: - Matching

  /// What the patterns say of an entry; `nil` for nothing.
  ///
  /// - Parameters:
  ///   - path: the path from the directory that the file is in, without a slash at its beginning.
  ///   - nameStart: where the last name begins in it.
  /// - Complexity: the number of patterns, times their lengths and that of the path at worst. Nothing is
  ///   allocated.
  package func verdict(
    on path: UnsafeRawBufferPointer, nameStart: Int, isDirectory: Bool
  ) -> Verdict? {
    let name = UnsafeRawBufferPointer(rebasing: path[nameStart...])
    return patterns.withUnsafeBufferPointer { patterns in
      literals.withUnsafeBytes { literals in
        steps.withUnsafeBufferPointer { steps in
          sets.withUnsafeBufferPointer { sets in
            let matcher = Matcher(literals: literals, steps: steps, sets: sets)
            // The last one that matches decides.
            var index = patterns.count
            while index > 0 {
              index -= 1
              if patterns[index].isForDirectories && !isDirectory { continue }
              if matcher.matches(patterns[index].form, patterns[index].isOfName ? name : path) {
                return patterns[index].isNegated ? .included : .excluded
              }
            }
            return nil
          }
        }
      }
    }
  }

  /// The patterns as memory that is only lent.
  private struct Matcher {
    let literals: UnsafeRawBufferPointer
    let steps: UnsafeBufferPointer<Step>
    let sets: UnsafeBufferPointer<ByteSet>

    @inline(__always)
    func matches(_ form: Form, _ text: UnsafeRawBufferPointer) -> Bool {
      switch form {
      case .nothing: false
      case .literal(let span): text.count == span.count && has(span, text, at: 0)
      case .ending(let span):
        text.count >= span.count && has(span, text, at: text.count - span.count)
      case .steps(let before, let span):
        has(before, text, at: 0)
          && matches(
            UnsafeBufferPointer(rebasing: steps[span.start..<span.start + span.count]), text,
            from: before.count)
      }
    }

    @inline(__always)
    private func has(_ span: Span, _ text: UnsafeRawBufferPointer, at position: Int) -> Bool {
      guard span.count > 0 else { return true }
      guard position + span.count <= text.count, let start = text.baseAddress,
        let literal = literals.baseAddress
      else { return false }
      return memcmp(start + position, literal + span.start, span.count) == 0
    }

    /// Of several stars only the last one met ever needs to give way: a match that an earlier one could
    /// reach by taking more, the later one can reach too. The same holds for `**`, which is asked when a
    /// star runs into a slash.
    private func matches(
      _ steps: UnsafeBufferPointer<Step>, _ text: UnsafeRawBufferPointer, from start: Int
    ) -> Bool {
      let slash = UInt8(ascii: "/")
      var step = 0
      var position = start
      var star: (step: Int, position: Int)?
      var wide: (step: Int, position: Int, isOfDirectories: Bool)?
      while true {
        if step == steps.count {
          if position == text.count { return true }
        } else {
          switch steps[step] {
          case .literal(let span):
            if has(span, text, at: position) {
              position += span.count
              step += 1
              continue
            }
          case .byte:
            if position < text.count, text[position] != slash {
              position += 1
              step += 1
              continue
            }
          case .set(let index):
            if position < text.count, sets[index].contains(text[position]) {
              position += 1
              step += 1
              continue
            }
          case .star:
            step += 1
            star = (step, position)
            continue
          case .anything, .directories:
            let isOfDirectories = if case .directories = steps[step] { true } else { false }
            step += 1
            if !isOfDirectories, step == steps.count { return true }
            wide = (step, position, isOfDirectories)
            star = nil
            continue
          }
        }
        // A dead end: the last star takes one byte more, or else the last `**` does.
        if let last = star, last.position < text.count, text[last.position] != slash {
          position = last.position + 1
          step = last.step
          star = (step, position)
        } else if let last = wide {
          var next = last.position
          if last.isOfDirectories {
            while next < text.count, text[next] != slash { next += 1 }
          }
          guard next < text.count else { return false }
          position = next + 1
          step = last.step
          wide = (step, position, last.isOfDirectories)
          star = nil
        } else {
          return false
        }
      }
    }
  }
}

/// A set of bytes, as the brackets of a pattern of `gitignore(5)` name it.
private struct ByteSet {
  private var words: SIMD4<UInt64> = .zero

  private init() {}

  /// Reads a set from its opening bracket on.
  ///
  /// - Parameter index: where the bracket is; then, where the text goes on.
  /// - Returns: `nil` for one that is not well formed.
  init?(parsing text: ArraySlice<UInt8>, at index: inout Int) {
    func byte(_ place: Int) -> UInt8? { place < text.endIndex ? text[place] : nil }
    var place = index + 1
    let isInverted = byte(place) == UInt8(ascii: "!") || byte(place) == UInt8(ascii: "^")
    if isInverted { place += 1 }
    // The byte before, where it may begin a range.
    var previous: UInt8?
    repeat {
      guard var current = byte(place) else { return nil }
      var beginsRange = true
      switch current {
      case UInt8(ascii: "\\"):
        place += 1
        guard let escaped = byte(place) else { return nil }
        current = escaped
        insert(current)
      case UInt8(ascii: "-"):
        guard let lower = previous, let next = byte(place + 1), next != UInt8(ascii: "]") else {
          insert(current)
          break
        }
        place += 1
        var upper = next
        if upper == UInt8(ascii: "\\") {
          place += 1
          guard let escaped = byte(place) else { return nil }
          upper = escaped
        }
        if lower <= upper { for member in lower...upper { insert(member) } }
        beginsRange = false
      case UInt8(ascii: "[") where byte(place + 1) == UInt8(ascii: ":"):
        guard let end = text[(place + 2)...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
        guard end > place + 2, text[end - 1] == UInt8(ascii: ":") else {
          insert(current)
          break
        }
        guard insert(classNamed: text[(place + 2)..<(end - 1)]) else { return nil }
        place = end
        beginsRange = false
      default:
        insert(current)
      }
      previous = beginsRange ? current : nil
      place += 1
    } while byte(place) != UInt8(ascii: "]")
    if isInverted { words = ~words }
    index = place + 1
  }

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    words[Int(byte >> 6)] & (1 << UInt64(byte & 63)) != 0
  }

  func without(_ byte: UInt8) -> ByteSet {
    var set = self
    set.words[Int(byte >> 6)] &= ~(1 << UInt64(byte & 63))
    return set
  }

  private mutating func insert(_ byte: UInt8) {
    words[Int(byte >> 6)] |= 1 << UInt64(byte & 63)
  }

  /// - Returns: whether there is such a class.
  private mutating func insert(classNamed name: ArraySlice<UInt8>) -> Bool {
    let lower = UInt8(ascii: "a")...UInt8(ascii: "z")
    let upper = UInt8(ascii: "A")...UInt8(ascii: "Z")
    let digit = UInt8(ascii: "0")...UInt8(ascii: "9")
    func isLetter(_ byte: UInt8) -> Bool { lower.contains(byte) || upper.contains(byte) }
    let space: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    let isMember: (UInt8) -> Bool
    switch String(decoding: name, as: UTF8.self) {
    case "alnum": isMember = { isLetter($0) || digit.contains($0) }
    case "alpha": isMember = isLetter
    case "blank": isMember = { $0 == 0x20 || $0 == 0x09 }
    case "cntrl": isMember = { $0 < 0x20 || $0 == 0x7F }
    case "digit": isMember = { digit.contains($0) }
    case "graph": isMember = { (0x21...0x7E).contains($0) }
    case "lower": isMember = { lower.contains($0) }
    case "print": isMember = { (0x20...0x7E).contains($0) }
    case "punct":
      isMember = { (0x21...0x7E).contains($0) && !isLetter($0) && !digit.contains($0) }
    case "space": isMember = { space.contains($0) }
    case "upper": isMember = { upper.contains($0) }
    case "xdigit":
      isMember = { digit.contains($0) || (0x41...0x46).contains($0) || (0x61...0x66).contains($0) }
    default: return false
    }
    for byte in UInt8.min ... .max where isMember(byte) { insert(byte) }
    return true
  }
}
