/// Runs an expression character by character, as sets of the places where it may be: a bit a place.
///
/// Nothing is remembered from one text to the next, so this is no faster for texts that are alike; but
/// no text takes longer than another of its length. With the most places that there may be, a character
/// takes about half a microsecond.
struct RegexCharacters: Sendable {
  /// The most places at which an expression takes a character, repetitions counted one by one.
  static let placeLimit = 512
  /// The most instructions that following all that takes no character may visit for each place.
  private static let sizeLimit = 8 * placeLimit
  /// The most ranges that its sets may have together.
  private static let rangeLimit = 2_000

  private typealias Words = [UInt64]

  /// What holds between two characters, for the sides of these.
  private struct Context: Sendable {
    /// Whether there is a match already.
    var isMatch = false
    /// Where the words of the context begin in ``RegexCharacters/words``: where a match may begin here,
    /// then the places behind which there is a match.
    var start = 0
    /// Where its followers begin: by eight places, then by which of them, the places behind these.
    /// `nil` where no place has been left yet, or where none follows.
    var followers: Int?
  }

  private let wordCount: Int
  /// Where the ranges of characters begin that no set tells apart, in ascending order.
  private let rangeStarts: [UInt32]
  /// For each range the places that take its characters.
  private let masks: Words
  /// The range of each ASCII character.
  private let asciiRanges: [Int]
  /// By the sides before and after.
  private let contexts: [Context]
  private let words: Words

  /// - Parameter program: one over characters that ``canRun(_:)``.
  init(_ program: RegexProgram, _ caseSensitivity: CaseSensitivity) {
    let places = Places(program)
    wordCount = places.wordCount
    let starts = Set(
      program.sets.flatMap { $0.ranges.flatMap { [$0.lowerBound, $0.upperBound + 1] } } + [0]
    ).sorted()
    rangeStarts = starts
    masks = places.masks(of: starts)
    asciiRanges = (0..<128).map { (byte: UInt8) in
      let folded = caseSensitivity == .insensitive ? CaseFolding.folded(ascii: byte) : byte
      return Self.range(of: UInt32(folded), in: starts)
    }
    (contexts, words) = places.contexts()
  }

  /// Whether a program is small enough.
  static func canRun(_ program: RegexProgram) -> Bool {
    program.placeCount <= placeLimit && program.instructions.count <= sizeLimit
      && program.sets.reduce(0) { $0 + $1.ranges.count } <= rangeLimit
  }

  // MARK: - Matching

  /// Whether the expression matches somewhere in a text in which lone surrogates stand for bytes that
  /// are not UTF-8.
  ///
  /// - Complexity: linear in the length of the text.
  func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * wordCount) { memory in
      memory.initialize(repeating: 0)
      return masks.withUnsafeBufferPointer { masks in
        words.withUnsafeBufferPointer { words in
          contexts.withUnsafeBufferPointer { contexts in
            guard let active = memory.baseAddress, let masks = masks.baseAddress,
              let words = words.baseAddress
            else { return false }
            let run = Run(
              wordCount: wordCount, words: words, active: active, next: active + wordCount)
            var before = RegexAutomaton.Side.edge
            var index = 0
            while index < text.count {
              let (range, after) = take(text, &index)
              if run.step(contexts[Self.context(before, after)]) { return true }
              run.keep(masks + range * wordCount)
              before = after
            }
            return run.step(contexts[Self.context(before, .edge)])
          }
        }
      }
    }
  }

  /// The places at which one text is.
  private struct Run {
    let wordCount: Int
    let words: UnsafePointer<UInt64>
    /// Those that the last character has left.
    let active: UnsafeMutablePointer<UInt64>
    /// Those that the next one may be at.
    let next: UnsafeMutablePointer<UInt64>

    /// Finds the places to come. Returns whether there is a match before them.
    @inline(__always)
    func step(_ context: Context) -> Bool {
      if context.isMatch { return true }
      let beginnings = words + context.start
      let matches = beginnings + wordCount
      var matched: UInt64 = 0
      for word in 0..<wordCount {
        matched |= active[word] & matches[word]
        next[word] = beginnings[word]
      }
      if matched != 0 { return true }
      guard let followers = context.followers else { return false }
      for word in 0..<wordCount where active[word] != 0 {
        var rest = active[word]
        var table = words + (followers + word &* wordCount &* (8 * 256))
        while rest != 0 {
          let set = Int(truncatingIfNeeded: rest & 0xFF)
          if set != 0 { add(table + set &* wordCount) }
          rest >>= 8
          table += wordCount &* 256
        }
      }
      return false
    }

    @inline(__always)
    private func add(_ behind: UnsafePointer<UInt64>) {
      var word = 0
      while word &+ 4 <= wordCount {
        let sum =
          UnsafeRawPointer(next + word).loadUnaligned(as: SIMD4<UInt64>.self)
          | UnsafeRawPointer(behind + word).loadUnaligned(as: SIMD4<UInt64>.self)
        UnsafeMutableRawPointer(next + word).storeBytes(of: sum, as: SIMD4<UInt64>.self)
        word &+= 4
      }
      while word < wordCount {
        next[word] |= behind[word]
        word &+= 1
      }
    }

    /// Keeps of the places to come those that take a character.
    @inline(__always)
    func keep(_ mask: UnsafePointer<UInt64>) {
      for word in 0..<wordCount { active[word] = next[word] & mask[word] }
    }
  }

  /// Takes a character: the number of its range, and what it is to what stands beside it.
  private func take(
    _ text: UnsafeRawBufferPointer, _ index: inout Int
  ) -> (range: Int, side: RegexAutomaton.Side) {
    let first = text[index]
    index += 1
    if first < 0x80 { return (asciiRanges[Int(first)], RegexAutomaton.side(first)) }
    let length = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
    var value = UInt32(first) & (0x3F >> UInt32(length))
    for _ in 0..<length where index < text.count {
      value = value << 6 | UInt32(text[index] & 0x3F)
      index += 1
    }
    return (Self.range(of: value, in: rangeStarts), .other)
  }

  private static func range(of character: UInt32, in starts: [UInt32]) -> Int {
    var low = 0
    var high = starts.count
    while low + 1 < high {
      let middle = (low + high) / 2
      if starts[middle] <= character { low = middle } else { high = middle }
    }
    return low
  }

  private static func context(
    _ before: RegexAutomaton.Side, _ after: RegexAutomaton.Side
  ) -> Int {
    before.rawValue * RegexAutomaton.Side.allCases.count + after.rawValue
  }

  // MARK: - Making it

  /// The places of a program.
  private struct Places {
    private let program: RegexProgram
    /// Of each place what it takes, and where that leads to.
    private var sets: [Int] = []
    private var targets: [Int] = []
    /// By instruction.
    private var numbers: [Int: Int] = [:]

    init(_ program: RegexProgram) {
      self.program = program
      for (index, instruction) in program.instructions.enumerated() {
        guard case .character(let set, let next) = instruction else { continue }
        numbers[index] = targets.count
        sets.append(set)
        targets.append(next)
      }
    }

    var wordCount: Int { max(1, (targets.count + 63) / 64) }

    private func words(of places: some Sequence<Int>) -> Words {
      var words = Words(repeating: 0, count: wordCount)
      for place in places { words[place / 64] |= 1 << UInt64(place % 64) }
      return words
    }

    /// For each range the places that take what begins there.
    func masks(of starts: [UInt32]) -> Words {
      let places = Dictionary(grouping: sets.indices) { sets[$0] }
      return starts.flatMap { start in
        let taking = places.filter { program.sets[$0.key].contains(start) }
        return words(of: taking.values.joined())
      }
    }

    /// The contexts, and their words.
    func contexts() -> ([Context], Words) {
      var walk = RegexWalk(program)
      var all: Words = []
      var plain: Context?
      let sides = RegexAutomaton.Side.allCases
      let contexts = sides.flatMap { before in
        sides.map { after in
          let isWithin = before != .edge && after != .edge
          // Only expressions about words tell the characters of a text apart.
          if isWithin, !program.hasWordAssertions, let plain { return plain }
          let context = context(between: before, and: after, &walk, &all)
          if isWithin { plain = context }
          return context
        }
      }
      return (contexts, all)
    }

    private func context(
      between before: RegexAutomaton.Side, and after: RegexAutomaton.Side, _ walk: inout RegexWalk,
      _ all: inout Words
    ) -> Context {
      var context = Context(start: all.count)
      context.isMatch = walk.close([program.start], between: before, and: after)
      all += reached(by: walk)
      var matches: [Int] = []
      var behind: [Words] = []
      if before != .edge, !context.isMatch {
        for (place, target) in targets.enumerated() {
          if walk.close([target], between: before, and: after) { matches.append(place) }
          behind.append(reached(by: walk))
        }
      }
      all += words(of: matches)
      if after != .edge, !behind.isEmpty {
        context.followers = all.count
        all += followers(behind)
      }
      return context
    }

    private func reached(by walk: RegexWalk) -> Words {
      words(of: walk.reached.lazy.compactMap { numbers[$0] })
    }

    /// The unions of the sets of each eight places.
    private func followers(_ behind: [Words]) -> Words {
      var table = Words(repeating: 0, count: wordCount * 8 * 256 * wordCount)
      for first in stride(from: 0, to: behind.count, by: 8) {
        let start = first / 8 * 256 * wordCount
        for set in 1..<256 {
          let place = first + set.trailingZeroBitCount
          let rest = start + (set & (set - 1)) * wordCount
          for word in 0..<wordCount {
            table[start + set * wordCount + word] =
              table[rest + word] | (place < behind.count ? behind[place][word] : 0)
          }
        }
      }
      return table
    }
  }
}
