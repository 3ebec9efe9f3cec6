import Dispatch
import Synchronization
import SystemPackage
import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One way of attacking. What its tries share is made once; each try follows from the seed and its number
/// alone, so that it can be repeated by itself.
protocol Part: Sendable {
  static var name: String { get }
  /// How many tries a full run makes.
  static var tries: Int { get }
  /// How much of the time of a campaign it gets, beside the others.
  static var weight: Double { get }
  /// Whether tries may go on at the same time.
  static var isParallel: Bool { get }

  /// What is missing on this machine, so that the part cannot be tried at all.
  static func obstacle() -> String?

  init(_ campaign: Campaign) throws

  /// What of the part cannot be tried on this machine.
  var leftOut: String? { get }

  func attempt(_ attempt: Attempt) throws
}

extension Part {
  static var isParallel: Bool { true }
  static func obstacle() -> String? { nil }
  var leftOut: String? { nil }
}

/// Runs parts, and counts what they find.
final class Campaign {
  let wishes: Wishes
  let program: String
  let directory: TemporaryDirectory
  private var sceneries: [Scenery] = []
  /// When the part that is being tried has to end.
  private(set) var deadline: ContinuousClock.Instant?

  init(_ wishes: Wishes, program: String, in directory: TemporaryDirectory) {
    self.wishes = wishes
    self.program = program
    self.directory = directory
  }

  /// The trees and catalogs that several parts begin with.
  func scenery() throws -> Scenery {
    if let made = sceneries.first { return made }
    let made = try Scenery(
      in: TemporaryDirectory(at: directory("scenery")), program: program, seed: wishes.seed)
    sceneries.append(made)
    return made
  }

  /// Random numbers of a part, or of one of its tries.
  func random(_ part: String, _ number: Int) -> SeededRandom {
    let name = part.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    var random = SeededRandom(seed: wishes.seed ^ name ^ UInt64(number) &* 0x9E37_79B9)
    return SeededRandom(seed: random.next())
  }

  // MARK: - Running

  /// - Returns: whether nothing was found.
  func run() -> Bool {
    Report.line("seed \(wishes.seed), \(program)")
    let end = wishes.minutes.map { ContinuousClock.now + .seconds($0 * 60) }
    var weights = wishes.parts.reduce(0) { $0 + $1.weight }
    var tallies: [Tally] = []
    for part in wishes.parts {
      deadline = end.map { end in
        let now = ContinuousClock.now
        return now + max(.zero, end - now) * (part.weight / weights)
      }
      weights -= part.weight
      let start = ContinuousClock.now
      let tally = tally(of: part)
      tallies.append(tally)
      let seconds = (ContinuousClock.now - start).components.seconds
      Report.line("\(part.name): \(tally.tries) tries, \(tally.sum) findings, \(seconds) s")
    }
    Report.table(tallies)
    return tallies.allSatisfy { $0.sum == 0 }
  }

  private func tally(of type: any Part.Type) -> Tally {
    var tally = Tally(part: type.name)
    if let obstacle = type.obstacle() {
      Report.line("\(type.name): left out: \(obstacle)")
      tally.leftOut = obstacle
      return tally
    }
    do {
      let part = try type.init(self)
      tally.leftOut = part.leftOut
      if let leftOut = part.leftOut { Report.line("\(type.name): left out: \(leftOut)") }
      attempt(part, &tally)
    } catch {
      let finding = Finding(.difference, "the preparation fails: \(error)")
      Report.failure(finding, of: type.name, try: nil, seed: wishes.seed, kept: nil)
      tally.count(finding)
    }
    return tally
  }

  private func attempt(_ part: some Part, _ tally: inout Tally) {
    let type = Swift.type(of: part)
    let state = Mutex((next: wishes.number ?? 1, tally: tally))
    let last =
      wishes.number ?? min(wishes.tries ?? .max, wishes.minutes == nil ? type.tries : .max)
    let (deadline, seed) = (deadline, wishes.seed)
    let makeAttempt = { [directory, program, self] (number: Int) throws in
      try Attempt(
        type.name, number, random: random(type.name, number), program: program, in: directory)
    }
    let workers = type.isParallel && wishes.number == nil ? wishes.workers : 1
    nonisolated(unsafe) let make = makeAttempt
    DispatchQueue.concurrentPerform(iterations: workers) { _ in
      while true {
        let number = state.withLock { state -> Int? in
          let isFirst = state.tally.tries == 0
          guard state.next <= last, isFirst || deadline.map({ ContinuousClock.now < $0 }) ?? true
          else { return nil }
          defer { state.next += 1 }
          state.tally.tries += 1
          return state.next
        }
        guard let number else { return }
        do {
          let attempt = try make(number)
          do {
            try part.attempt(attempt)
          } catch {
            attempt.note(.difference, "the try itself fails: \(error)")
          }
          let findings = attempt.findings
          let isKept = !findings.isEmpty && state.withLock { $0.tally.kept < 20 }
          let kept = isKept ? attempt.keep(seed: seed) : nil
          if kept == nil { attempt.directory.remove() }
          state.withLock { state in
            if kept != nil { state.tally.kept += 1 }
            for finding in findings {
              state.tally.count(finding)
              guard state.tally.sum <= 100 else { continue }
              Report.failure(finding, of: type.name, try: number, seed: seed, kept: kept)
            }
          }
        } catch {
          let finding = Finding(.difference, "no room for a try: \(error)")
          state.withLock { $0.tally.count(finding) }
          Report.failure(finding, of: type.name, try: number, seed: seed, kept: nil)
          return
        }
      }
    }
    tally = state.withLock { $0.tally }
  }
}

// MARK: - What comes of it

/// Something that may not be.
struct Finding: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    /// The command was ended by a signal that nobody sent.
    case signal
    case hang
    /// The status or the messages do not tell what happened.
    case dishonest
    /// The catalog is neither as before nor as it should be.
    case difference
  }

  let kind: Kind
  let text: String

  init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }
}

/// What a part has found.
struct Tally: Sendable {
  let part: String
  var tries = 0
  var kept = 0
  var leftOut: String?
  private(set) var counts: [Finding.Kind: Int] = [:]

  var sum: Int { counts.values.reduce(0, +) }

  init(part: String) { self.part = part }

  mutating func count(_ finding: Finding) { counts[finding.kind, default: 0] += 1 }
}

/// What is printed.
enum Report {
  static func line(_ text: String) {
    _ = try? FileDescriptor.standardOutput.writeAll("\(text)\n".utf8)
  }

  static func failure(
    _ finding: Finding, of part: String, try number: Int?, seed: UInt64, kept: String?
  ) {
    let repeating = number.map { " --try \($0)" } ?? ""
    var text =
      "FAILURE \(finding.kind.rawValue): \(finding.text)\n"
      + "  again: Scripts/torture \(part) --seed \(seed)\(repeating)"
    if let kept { text += "\n  kept: \(kept)" }
    line(text)
  }

  static func table(_ tallies: [Tally]) {
    line("\n| part | tries | signals | hangs | dishonest | differences | left out |")
    line("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
    for tally in tallies {
      let counts = Finding.Kind.allCases.map { "\(tally.counts[$0] ?? 0)" }
        .joined(separator: " | ")
      line("| \(tally.part) | \(tally.tries) | \(counts) | \(tally.leftOut ?? "") |")
    }
  }
}
