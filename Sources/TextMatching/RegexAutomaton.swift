/// Runs a ``RegexProgram`` over a text, in time linear in its length.
///
/// The program is made deterministic in advance as long as that takes little work. An expression
/// too large for it is run as it is, which is slower by the number of its instructions.
struct RegexAutomaton {
  /// What stands on one side of a place in the text.
  enum Side: Int {
    case edge, word, other
  }

  /// How many instructions may be visited while the tables are made.
  private static let workLimit = 400_000
  private static let stateLimit = 4_000

  private let program: RegexProgram
  private let caseSensitivity: CaseSensitivity
  private let tables: Tables?

  init(_ program: RegexProgram, caseSensitivity: CaseSensitivity) {
    self.program = program
    self.caseSensitivity = caseSensitivity
    tables = Tables(program, caseSensitivity: caseSensitivity, workLimit: Self.workLimit)
  }

  /// Whether the expression matches somewhere in a text that is folded, if case does not count,
  /// apart from its ASCII letters.
  func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    tables?.matches(text) ?? simulate(text)
  }

  private func simulate(_ text: UnsafeRawBufferPointer) -> Bool {
    var walk = Walk(program)
    var kernel = [program.start]
    var before = Side.edge
    for original in text {
      let byte = caseSensitivity == .insensitive ? CaseFolding.folded(ascii: original) : original
      let after = Self.side(byte)
      if walk.close(kernel, between: before, and: after) { return true }
      kernel = walk.step(byte)
      before = after
    }
    return walk.close(kernel, between: before, and: .edge)
  }

  static func side(_ byte: UInt8) -> Side {
    ScalarSet.word.contains(Unicode.Scalar(byte)) && byte < 0x80 ? .word : .other
  }
}

/// The instructions that a program is at, at one place of the text.
private struct Walk {
  private let program: RegexProgram
  private var marks: [Int]
  private var round = 0
  private var reached: [Int] = []
  private var pending: [Int] = []
  /// The number of instructions visited so far.
  private(set) var work = 0

  init(_ program: RegexProgram) {
    self.program = program
    marks = Array(repeating: 0, count: program.instructions.count)
  }

  /// Follows all that takes no byte. Returns whether a match is reached.
  mutating func close(
    _ kernel: [Int], between before: RegexAutomaton.Side, and after: RegexAutomaton.Side
  ) -> Bool {
    round += 1
    reached.removeAll(keepingCapacity: true)
    pending = kernel
    while let index = pending.popLast() {
      if marks[index] == round { continue }
      marks[index] = round
      work += 1
      switch program.instructions[index] {
      case .match: return true
      case .bytes: reached.append(index)
      case .split(let first, let second):
        pending.append(first)
        pending.append(second)
      case .assert(let assertion, let next):
        if assertion.holds(between: before, and: after) { pending.append(next) }
      }
    }
    return false
  }

  /// Where a byte leads from the places reached, and where a match may begin after it.
  mutating func step(_ byte: UInt8) -> [Int] {
    round += 1
    work += reached.count
    var kernel: [Int] = []
    for index in reached {
      guard case .bytes(let range, let next) = program.instructions[index],
        range.contains(byte), marks[next] != round
      else { continue }
      marks[next] = round
      kernel.append(next)
    }
    if marks[program.start] != round { kernel.append(program.start) }
    return kernel
  }
}

extension RegexNode.Assertion {
  fileprivate func holds(
    between before: RegexAutomaton.Side, and after: RegexAutomaton.Side
  ) -> Bool {
    switch self {
    case .start: before == .edge
    case .end: after == .edge
    case .wordBoundary: (before == .word) != (after == .word)
    case .noWordBoundary: (before == .word) == (after == .word)
    }
  }
}

extension RegexAutomaton {
  /// The program made deterministic.
  private struct Tables {
    /// Stands for a match; no state follows it.
    private static let accepted: UInt16 = .max

    private struct State: Hashable {
      var kernel: [Int]
      var before: Int
    }

    /// For each byte the column of ``next``.
    private var columns = [UInt16](repeating: 0, count: 256)
    private var columnCount = 0
    private var next: [UInt16] = []
    private var acceptsAtEnd: [Bool] = []

    /// Returns `nil` if it would take too much work.
    init?(_ program: RegexProgram, caseSensitivity: CaseSensitivity, workLimit: Int) {
      let samples = assignColumns(program, caseSensitivity)
      var walk = Walk(program)
      var states = [State(kernel: [program.start], before: Side.edge.rawValue)]
      var numbers = [states[0]: 0]
      var current = 0
      while current < states.count {
        let state = states[current]
        guard let before = Side(rawValue: state.before) else { return nil }
        acceptsAtEnd.append(walk.close(state.kernel, between: before, and: .edge))
        var row = [UInt16](repeating: Self.accepted, count: columnCount)
        for side in [Side.word, .other] {
          if walk.close(state.kernel, between: before, and: side) { continue }
          for (column, byte) in samples.enumerated() where RegexAutomaton.side(byte) == side {
            let after = program.hasAssertions ? side.rawValue : state.before
            let target = State(kernel: walk.step(byte).sorted(), before: after)
            if let number = numbers[target] {
              row[column] = UInt16(number)
            } else {
              row[column] = UInt16(states.count)
              numbers[target] = states.count
              states.append(target)
            }
          }
        }
        next += row
        current += 1
        guard walk.work <= workLimit, states.count <= RegexAutomaton.stateLimit else { return nil }
      }
    }

    /// Gives bytes that no instruction tells apart the same column, and returns one byte of each.
    private mutating func assignColumns(
      _ program: RegexProgram, _ caseSensitivity: CaseSensitivity
    ) -> [UInt8] {
      var starts = [Bool](repeating: false, count: 257)
      starts[0] = true
      for instruction in program.instructions {
        guard case .bytes(let range, _) = instruction else { continue }
        starts[Int(range.lowerBound)] = true
        starts[Int(range.upperBound) + 1] = true
      }
      for byte in UInt8.min...UInt8.max where byte > 0 {
        if RegexAutomaton.side(byte) != RegexAutomaton.side(byte - 1) { starts[Int(byte)] = true }
      }
      var samples: [UInt8] = []
      for byte in UInt8.min...UInt8.max {
        if starts[Int(byte)] { samples.append(byte) }
        columns[Int(byte)] = UInt16(samples.count - 1)
      }
      columnCount = samples.count
      if caseSensitivity == .insensitive {
        for byte in UInt8.min...UInt8.max {
          columns[Int(byte)] = columns[Int(CaseFolding.folded(ascii: byte))]
        }
      }
      return samples
    }

    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
      let state = columns.withUnsafeBufferPointer { columns in
        next.withUnsafeBufferPointer { next -> Int? in
          var state = 0
          for byte in text {
            let target = next[state * columnCount + Int(columns[Int(byte)])]
            if target == Self.accepted { return nil }
            state = Int(target)
          }
          return state
        }
      }
      return state.map { acceptsAtEnd[$0] } ?? true
    }
  }
}
