/// What occurs in every text that a pattern matches, so that most of the others need not be looked at.
///
/// A pattern needs one of some alternatives, and all literals of that one. A literal occurs in the text as
/// the pattern is compared with it: as it is where case counts, else folded and composed; or, in a text of
/// ASCII alone, with letters of either case.
struct RequiredText: Sendable {
  /// The literals of each alternative, their ASCII letters in lower case, the longest first. Without
  /// literals an alternative may be any text.
  let alternatives: [[[UInt8]]]
  /// Whether a text of ASCII alone matches if it holds a literal.
  let isSufficient: Bool

  /// Beyond so many alternatives looking for them is no gain.
  private static let most = 64

  init(_ alternatives: [[[UInt8]]], isSufficient: Bool = false) {
    // No name holds a zero byte, and lists of names end each with one.
    let literals = alternatives.map { literals in
      literals.filter { !$0.isEmpty && !$0.contains(0) }
        .map { $0.map { CaseFolding.folded(ascii: $0) } }
        .sorted { $0.count > $1.count }
    }
    let isUseful = literals.count <= Self.most && literals.allSatisfy { !$0.isEmpty }
    self.alternatives = isUseful ? literals : [[]]
    self.isSufficient = isSufficient && isUseful
  }

  init(substring bytes: [UInt8], _ caseSensitivity: CaseSensitivity) {
    let folded = caseSensitivity.comparable(bytes)
    self.init([[folded]], isSufficient: caseSensitivity == .insensitive)
  }
}

// MARK: - Regular expressions

extension RequiredText {
  /// What occurs wherever a regular expression matches.
  init(_ node: RegexNode) {
    if case .choice(let branches) = node {
      self.init(branches.map(Self.literals))
    } else {
      self.init([Self.literals(in: node)])
    }
  }

  private static func literals(in node: RegexNode) -> [[UInt8]] {
    var runs = LiteralRuns()
    runs.add(node)
    runs.end()
    return runs.complete
  }
}

/// The characters that follow each other in every match of an expression.
private struct LiteralRuns {
  private(set) var complete: [[UInt8]] = []
  private var run: [UInt8] = []

  mutating func end() {
    if !run.isEmpty { complete.append(run) }
    run = []
  }

  mutating func add(_ node: RegexNode) {
    switch node {
    // These take nothing: what is behind follows what is before.
    case .empty, .assertion: break
    case .set(let set):
      if let bytes = set.onlyMember { run += bytes } else { end() }
    case .sequence(let nodes):
      for node in nodes { add(node) }
    case .choice: end()
    case .repetition(let node, let least, _):
      // The first time follows what is before; what is behind follows the last.
      if least > 0 { add(node) }
      end()
    }
  }
}

extension ScalarSet {
  /// The UTF-8 of the only scalar of the set, or the byte that it stands for; `nil` where there is another.
  fileprivate var onlyMember: [UInt8]? {
    guard ranges.count == 1, let range = ranges.first, range.count == 1 else { return nil }
    let value = range.lowerBound
    // Lone surrogates stand for bytes that are not UTF-8.
    if (0xDC80...0xDCFF).contains(value) { return [UInt8(value - 0xDC00)] }
    return Unicode.Scalar(value).map { Array(String($0).utf8) }
  }
}
