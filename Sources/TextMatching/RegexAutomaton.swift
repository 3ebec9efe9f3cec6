internal import Synchronization

/// Runs a ``RegexProgram`` over a text, in time linear in its length.
///
/// The program is made deterministic in advance as long as that takes little work. One too large
/// for it is made so on the way: what a text leads to is kept for the next one, and names are much
/// alike. An expression that hardly ever comes to the same place twice is run by ``RegexCharacters``
/// from then on, which takes the same time for every text; so that is the worst case. One that is too
/// large for that has to be made deterministic in advance, or is refused.
struct RegexAutomaton {
  /// What stands on one side of a place in the text.
  enum Side: Int, CaseIterable {
    case edge, word, other
  }

  /// How many instructions may be visited while the tables are made: of an expression that can be run
  /// otherwise, and of one that cannot.
  private static let workLimit = 100_000
  private static let lastWorkLimit = 5_000_000
  private static let stateLimit = 4_000

  private enum Machine {
    case tables(Tables)
    case growing(GrowingTables, otherwise: LazyCharacters)
  }

  private let machine: Machine

  /// - Returns: `nil` for an expression that is too large.
  init?(_ node: RegexNode, caseSensitivity: CaseSensitivity) {
    guard let bytes = RegexProgram(node, over: .bytes) else { return nil }
    let columns = ByteColumns(bytes, caseSensitivity)
    let characters = RegexProgram(node, over: .characters)
      .flatMap { RegexCharacters.canRun($0) ? $0 : nil }
    let limit = characters == nil ? Self.lastWorkLimit : Self.workLimit
    if let tables = Tables(bytes, columns, workLimit: limit) {
      machine = .tables(tables)
    } else if let characters {
      machine = .growing(
        GrowingTables(bytes, columns), otherwise: LazyCharacters(characters, caseSensitivity))
    } else {
      return nil
    }
  }

  /// Whether the expression matches somewhere in a text that is folded, if case does not count,
  /// apart from its ASCII letters.
  func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    switch machine {
    case .tables(let tables): tables.matches(text)
    case .growing(let tables, let characters):
      tables.matches(text) ?? characters.machine.matches(text)
    }
  }

  static func side(_ byte: UInt8) -> Side {
    ScalarSet.word.contains(Unicode.Scalar(byte)) && byte < 0x80 ? .word : .other
  }
}

/// The instructions that a program is at, at one place of the text.
struct RegexWalk {
  private let program: RegexProgram
  private var marks: [Int]
  private var round = 0
  /// What takes something, as far as it was reached before a match.
  private(set) var reached: [Int] = []
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
      case .bytes, .character: reached.append(index)
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

/// The bytes in columns: those that no instruction tells apart share one.
private struct ByteColumns {
  /// The column of each byte.
  private(set) var columns = [UInt16](repeating: 0, count: 256)
  /// One byte of each column.
  private(set) var samples: [UInt8] = []

  init(_ program: RegexProgram, _ caseSensitivity: CaseSensitivity) {
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
    for byte in UInt8.min...UInt8.max {
      if starts[Int(byte)] { samples.append(byte) }
      columns[Int(byte)] = UInt16(samples.count - 1)
    }
    if caseSensitivity == .insensitive {
      for byte in UInt8.min...UInt8.max {
        columns[Int(byte)] = columns[Int(CaseFolding.folded(ascii: byte))]
      }
    }
  }
}

/// Where a program can be between two bytes.
private struct RegexState: Hashable {
  var kernel: [Int]
  var before: RegexAutomaton.Side

  static func start(_ program: RegexProgram) -> RegexState {
    RegexState(kernel: [program.start], before: .edge)
  }
}

/// What is made when it is first needed.
private final class LazyCharacters: Sendable {
  private let made = Mutex<RegexCharacters?>(nil)
  private let program: RegexProgram
  private let caseSensitivity: CaseSensitivity

  init(_ program: RegexProgram, _ caseSensitivity: CaseSensitivity) {
    self.program = program
    self.caseSensitivity = caseSensitivity
  }

  var machine: RegexCharacters {
    made.withLock { made in
      if let made { return made }
      let new = RegexCharacters(program, caseSensitivity)
      made = new
      return new
    }
  }
}

extension RegexAutomaton {
  /// The program made deterministic.
  private struct Tables {
    /// Stands for a match; no state follows it.
    private static let accepted: UInt16 = .max

    private let columns: [UInt16]
    private let columnCount: Int
    private var next: [UInt16] = []
    private var acceptsAtEnd: [Bool] = []

    /// Returns `nil` if it would take too much work.
    init?(_ program: RegexProgram, _ columns: ByteColumns, workLimit: Int) {
      self.columns = columns.columns
      columnCount = columns.samples.count
      var walk = RegexWalk(program)
      var states = [RegexState.start(program)]
      var numbers = [states[0]: 0]
      var current = 0
      while current < states.count {
        let state = states[current]
        acceptsAtEnd.append(walk.close(state.kernel, between: state.before, and: .edge))
        var row = [UInt16](repeating: Self.accepted, count: columnCount)
        for side in [Side.word, .other] {
          if walk.close(state.kernel, between: state.before, and: side) { continue }
          for (column, byte) in columns.samples.enumerated()
          where RegexAutomaton.side(byte) == side {
            let after = program.hasAssertions ? side : state.before
            let target = RegexState(kernel: walk.step(byte).sorted(), before: after)
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

  /// The program made deterministic as far as texts have led to, in bounded memory.
  private final class GrowingTables: Sendable {
    /// How many numbers the states and their rows may take up before all is forgotten.
    private static let memoryLimit = 400_000
    /// How many bytes a state has to serve for, lest making it costs more than it spares.
    private static let leastUse = 10
    private static let unknown: Int32 = -1
    private static let accepted: Int32 = -2

    private struct Contents {
      var walk: RegexWalk
      var states: [RegexState] = []
      var numbers: [RegexState: Int32] = [:]
      var acceptsAtEnd: [Bool] = []
      var next: [Int32] = []
      var memory = 0
      /// How many bytes they have served for.
      var use = 0
      /// Whether keeping them has turned out to pay.
      var pays = true
    }

    private let program: RegexProgram
    private let columns: ByteColumns
    private let contents: Mutex<Contents>

    init(_ program: RegexProgram, _ columns: ByteColumns) {
      self.program = program
      self.columns = columns
      contents = Mutex(Contents(walk: RegexWalk(program)))
    }

    /// Whether the expression matches; `nil` if keeping states has turned out not to pay.
    func matches(_ text: UnsafeRawBufferPointer) -> Bool? {
      contents.withLock { contents in
        guard contents.pays else { return nil }
        contents.use += text.count
        var state = number(of: .start(program), in: &contents)
        for byte in text {
          let column = Int(columns.columns[Int(byte)])
          var target = contents.next[state * columns.samples.count + column]
          if target == Self.unknown {
            if contents.memory > Self.memoryLimit {
              let current = contents.states[state]
              let pays = contents.use >= contents.states.count * Self.leastUse
              contents = Contents(walk: contents.walk, pays: pays)
              guard pays else { return nil }
              state = number(of: current, in: &contents)
            }
            target = follow(columns.samples[column], from: state, in: &contents)
            contents.next[state * columns.samples.count + column] = target
          }
          if target == Self.accepted { return true }
          state = Int(target)
        }
        return contents.acceptsAtEnd[state]
      }
    }

    private func follow(_ byte: UInt8, from state: Int, in contents: inout Contents) -> Int32 {
      let origin = contents.states[state]
      let side = RegexAutomaton.side(byte)
      if contents.walk.close(origin.kernel, between: origin.before, and: side) {
        return Self.accepted
      }
      let kernel = contents.walk.step(byte).sorted()
      let after = program.hasAssertions ? side : origin.before
      return Int32(number(of: RegexState(kernel: kernel, before: after), in: &contents))
    }

    private func number(of state: RegexState, in contents: inout Contents) -> Int {
      if let number = contents.numbers[state] { return Int(number) }
      let number = contents.states.count
      contents.numbers[state] = Int32(number)
      contents.states.append(state)
      contents.acceptsAtEnd.append(
        contents.walk.close(state.kernel, between: state.before, and: .edge))
      contents.next += repeatElement(Self.unknown, count: columns.samples.count)
      contents.memory += state.kernel.count + columns.samples.count
      return number
    }
  }
}
