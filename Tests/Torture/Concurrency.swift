import Dispatch
import Synchronization
import SystemPackage
import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Eight writers and readers of one catalog: each gets what it asks for, and in the end all of it is there.
struct Concurrency: Part {
  static let name = "concurrency"
  static let tries = 1
  static let weight = 1.0
  static let isParallel = false

  private static let writers = 4
  private static let readers = 4

  private let deadline: ContinuousClock.Instant?

  init(_ campaign: Campaign) throws {
    deadline = campaign.deadline
  }

  func attempt(_ attempt: Attempt) throws {
    let end = min(ContinuousClock.now + .seconds(60), deadline ?? .now + .seconds(60))
    let roots: [FilePath] = (0..<Self.writers).map { attempt.directory(FilePath("tree/\($0)")) }
    var makers: [TreeMaker] = []
    for root in roots {
      makers.append(
        try TreeMaker(TemporaryDirectory(at: root), SeededRandom(seed: attempt.random.next())))
      try attempt.run(["scan", root.string, "--catalog", attempt.catalog])
    }
    let seeds = (0..<Self.writers + Self.readers).map { _ in attempt.random.next() }
    let found = Mutex<[Finding]>([])
    let (workers, catalog) = (makers, attempt.catalog)
    let (part, ordinal, program, place) = (
      attempt.part, attempt.number, attempt.program, attempt.directory
    )
    DispatchQueue.concurrentPerform(iterations: seeds.count) { number in
      do {
        let mine = try Attempt(
          part, ordinal, random: SeededRandom(seed: seeds[number]), program: program, in: place)
        var maker = number < Self.writers ? workers[number] : nil
        while ContinuousClock.now < end {
          if maker != nil {
            try maker?.edit(1 + mine.random.below(20))
            try Self.write(mine, roots[number].string, catalog)
          } else {
            try Self.read(mine, roots[0].string, catalog)
          }
        }
        let findings = mine.findings
        found.withLock { $0 += findings }
      } catch {
        found.withLock { $0.append(Finding(.difference, "\(error)")) }
      }
    }
    for finding in found.withLock({ $0 }) { attempt.note(finding.kind, finding.text) }

    guard let last = try attempt.run(["scan", "--catalog", attempt.catalog] + roots.map(\.string))
    else { return }
    if last.status != 0 {
      attempt.note(.difference, "the last scan: \(last.status): \(last.errors)")
    }
    var disk: [String: Rows] = [:]
    for root in roots { disk[root.string] = try DiskRows.all(of: root.string) }
    let rows = try CatalogRows.all(in: attempt.catalog)
    if let fault = Scene.difference(of: rows, from: disk) { attempt.note(.difference, fault) }
    try attempt.expectSound()
  }

  /// What nobody else does to this root must be there afterwards.
  private static func write(_ attempt: Attempt, _ root: String, _ catalog: String) throws {
    let kinds: [[String]] = [
      ["scan", root], ["scan", root], ["scan", root, "-j", "1"], ["scan", root, "--changes"],
      ["history", "--keep-changes", "\(attempt.random.below(500))", "--yes"],
      ["duplicates", "--hash", "--in", root],
      ["find", "--save", "s\(attempt.random.below(5))", "ext:txt"], ["forget", root],
    ]
    let arguments = kinds[attempt.random.below(kinds.count)]
    guard let run = try attempt.run(arguments + ["--catalog", catalog]) else { return }
    // What has changed since it was scanned is not compared, and what another drops of the history before
    // it was told cannot be told any more.
    let isPartly =
      run.status == 3
      && (arguments[0] == "duplicates"
        || arguments.last == "--changes" && run.errors.contains("are not kept any more"))
    if run.status > 1, !isPartly {
      attempt.note(.difference, "status \(run.status): \(run.errors)", of: arguments)
    }
    guard ["scan", "forget"].contains(arguments[0]), run.status <= 1 else { return }
    let rows = try CatalogRows.all(in: catalog)[root] ?? [:]
    let expected = arguments[0] == "scan" ? try DiskRows.all(of: root) : [:]
    if let fault = rows.difference(from: expected) {
      attempt.note(.difference, "after it: \(fault)", of: arguments)
    }
    // The others go on with a root that is there.
    if arguments[0] == "forget" { try attempt.run(["scan", root, "--catalog", catalog]) }
  }

  private static func read(_ attempt: Attempt, _ root: String, _ catalog: String) throws {
    let kinds: [[String]] = [
      ["ls", root], ["find", "ext:txt"], ["find", "--format", "json"], ["du"], ["roots"],
      ["changes"],
      ["sql", "SELECT count(*) FROM files"], ["report", "usage_by_type"],
      ["report", "--html", "-"],
      ["check"], ["show", root], ["duplicates"], ["find", "-c"],
    ]
    let arguments = kinds[attempt.random.below(kinds.count)]
    guard let run = try attempt.run(arguments + ["--catalog", catalog]) else { return }
    // The first root may be forgotten at the moment.
    if run.status > 1 {
      attempt.note(
        .difference, "status \(run.status): \(run.errors) \(run.text.prefix(200))", of: arguments)
    }
  }
}
