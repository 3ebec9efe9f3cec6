/// A regular expression as a nondeterministic automaton over bytes, or over characters.
///
/// Over bytes, sets of scalars become sequences of byte ranges. The lone surrogates U+DC80 to U+DCFF,
/// which no UTF-8 contains, stand for bytes that are not UTF-8.
struct RegexProgram {
  enum Instruction {
    /// Takes one byte of a range.
    case bytes(ClosedRange<UInt8>, next: Int)
    /// Takes one character of the set with this number.
    case character(set: Int, next: Int)
    /// Goes both ways.
    case split(Int, Int)
    /// Goes on if the place satisfies the assertion.
    case assert(RegexNode.Assertion, next: Int)
    case match
  }

  /// What an instruction takes.
  enum Unit {
    case bytes, characters
  }

  /// The number of instructions beyond which an expression is refused.
  static let sizeLimit = 20_000

  private(set) var instructions: [Instruction] = [.match]
  private(set) var start = 0
  private(set) var hasAssertions = false
  private(set) var hasWordAssertions = false
  /// Those that a program over characters takes characters of, each once.
  private(set) var sets: [ScalarSet] = []
  private var setNumbers: [ScalarSet: Int] = [:]
  /// How many instructions take a character.
  private(set) var placeCount = 0
  private let unit: Unit
  /// How many nodes have been added; repeated empty groups add nodes without instructions.
  private var work = 0

  /// Compiles a tree, or returns `nil` if the program gets too long.
  init?(_ node: RegexNode, over unit: Unit) {
    self.unit = unit
    guard let start = add(node, before: 0) else { return nil }
    self.start = start
  }

  /// Adds the instructions for a node that go on to the instruction `next`, which exists already;
  /// programs are built from their end.
  private mutating func add(_ node: RegexNode, before next: Int) -> Int? {
    work += 1
    guard instructions.count <= Self.sizeLimit, work <= 10 * Self.sizeLimit else { return nil }
    switch node {
    case .empty: return next
    case .assertion(let assertion):
      hasAssertions = true
      if assertion == .wordBoundary || assertion == .noWordBoundary { hasWordAssertions = true }
      return append(.assert(assertion, next: next))
    case .set(let set):
      return unit == .bytes ? add(set, before: next) : addCharacter(of: set, before: next)
    case .sequence(let nodes):
      var next = next
      for node in nodes.reversed() {
        guard let start = add(node, before: next) else { return nil }
        next = start
      }
      return next
    case .choice(let nodes):
      var result: Int?
      for node in nodes.reversed() {
        guard let start = add(node, before: next) else { return nil }
        result = result.map { append(.split(start, $0)) } ?? start
      }
      return result ?? next
    case .repetition(let node, let least, let most):
      return add(node, least: least, most: most, before: next)
    }
  }

  private mutating func add(
    _ node: RegexNode, least: Int, most: Int?, before next: Int
  ) -> Int? {
    var start = next
    if let most {
      for _ in least..<max(least, most) {
        guard let body = add(node, before: start) else { return nil }
        start = append(.split(body, next))
      }
    } else {
      let loop = append(.split(next, next))
      guard let body = add(node, before: loop) else { return nil }
      instructions[loop] = .split(body, next)
      start = loop
    }
    for _ in 0..<least {
      guard let body = add(node, before: start) else { return nil }
      start = body
    }
    return start
  }

  private mutating func add(_ set: ScalarSet, before next: Int) -> Int? {
    var result: Int?
    for range in set.ranges {
      for sequence in UTF8RangeSequence.sequences(for: range) {
        var start = next
        for bytes in sequence.bytes.reversed() {
          start = append(.bytes(bytes, next: start))
        }
        result = result.map { append(.split(start, $0)) } ?? start
      }
      guard instructions.count <= Self.sizeLimit else { return nil }
    }
    // An empty set matches nothing: an instruction that leads nowhere.
    return result
      ?? {
        let dead = append(.split(0, 0))
        instructions[dead] = .split(dead, dead)
        return dead
      }()
  }

  private mutating func addCharacter(of set: ScalarSet, before next: Int) -> Int {
    let number = setNumbers[set] ?? sets.count
    if number == sets.count {
      setNumbers[set] = number
      sets.append(set)
    }
    placeCount += 1
    return append(.character(set: number, next: next))
  }

  private mutating func append(_ instruction: Instruction) -> Int {
    instructions.append(instruction)
    return instructions.count - 1
  }
}

/// Ranges of bytes which in order are the UTF-8 of a range of scalars.
struct UTF8RangeSequence {
  var bytes: [ClosedRange<UInt8>]

  /// The fewest sequences that together cover a range.
  static func sequences(for range: ClosedRange<UInt32>) -> [UTF8RangeSequence] {
    var result: [UTF8RangeSequence] = []
    var pending = [range]
    while let range = pending.popLast() {
      if let (first, second) = split(range) {
        pending.append(second)
        pending.append(first)
      } else {
        let bytes = zip(encode(range.lowerBound), encode(range.upperBound)).map { $0...$1 }
        result.append(UTF8RangeSequence(bytes: bytes))
      }
    }
    return result
  }

  /// Divides a range whose lower bytes do not run through all their values.
  private static func split(
    _ range: ClosedRange<UInt32>
  ) -> (ClosedRange<UInt32>, ClosedRange<UInt32>)? {
    let low = range.lowerBound
    let high = range.upperBound
    for limit in [0x7F, 0x7FF, 0xFFFF] as [UInt32] where low <= limit && high > limit {
      return (low...limit, limit + 1...high)
    }
    if high <= 0x7F { return nil }
    for shift in [6, 12, 18] as [UInt32] {
      let mask: UInt32 = 1 << shift - 1
      guard low & ~mask != high & ~mask else { continue }
      if low & mask != 0 { return (low...low | mask, (low | mask) + 1...high) }
      if high & mask != mask { return (low...(high & ~mask) - 1, high & ~mask...high) }
    }
    return nil
  }

  /// UTF-8 that also encodes surrogates.
  static func encode(_ value: UInt32) -> [UInt8] {
    func continuation(_ shift: UInt32) -> UInt8 { 0x80 | UInt8(value >> shift & 0x3F) }
    return switch value {
    case ...0x7F: [UInt8(value)]
    case ...0x7FF: [0xC0 | UInt8(value >> 6), continuation(0)]
    case ...0xFFFF: [0xE0 | UInt8(value >> 12), continuation(6), continuation(0)]
    default:
      [0xF0 | UInt8(value >> 18), continuation(12), continuation(6), continuation(0)]
    }
  }
}
