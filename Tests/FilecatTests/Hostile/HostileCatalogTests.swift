import Foundation
import TestSupport
import Testing

/// A catalog may come from anybody: whatever is in the file, a command ends, in the way it promises.
///
/// One attack of each kind is tried with a few of the commands, always the same. `HOSTILE_CATALOGS` says
/// how many attacks are tried with all commands, or `all`, which takes minutes; then they are drawn anew
/// each time, and `HOSTILE_SEED` draws the same again.
@Suite("A hostile catalog", .enabled(if: StockSQLite.isAvailable))
struct HostileCatalogTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let isSample = environment["HOSTILE_CATALOGS"] == nil
  private static let seed =
    environment["HOSTILE_SEED"].flatMap(UInt64.init) ?? (isSample ? 1 : .random(in: 0 ... .max))

  /// How many attacks of each kind are tried.
  private static var count: Int {
    switch environment["HOSTILE_CATALOGS"] {
    case "all": .max
    case let text?: Int(text) ?? 12
    case nil: 1
    }
  }

  /// What is run on each catalog, one after the other; the last ones write.
  private static let commands: [[String]] = [
    ["roots"], ["ls", "tree/home", "--sort", "type,name", "--format", "json"],
    ["find", "--format", "json"], ["find", "size:>1 OR modified:<7d", "--sort", "path"],
    ["find", "@texts"], ["show", "tree/home/Documents"], ["show", "tree/other/linked"],
    ["du", "--format", "json"], ["du", "-s", "tree/home/Documents"],
    ["changes"], ["changes", "--since", "1", "--in", "tree/home", "--format", "json"],
    ["report", "usage_by_age"], ["report", "growth_by_directory", "--since", "1"],
    ["report", "hard_links", "--in", "tree/home"],
    ["report", "usage_by_type", "--in", "tree/home"],
    ["report", "--html", "-"], ["duplicates"], ["sql", "SELECT * FROM files"],
    ["sql", "SELECT * FROM scans, scan_errors"], ["containers", "list"], ["containers", "policy"],
    ["containers", "policy", "--contradictions"], ["containers", "policy", "--stale", "1"],
    ["containers", "resolve", "caches"], ["lookup", "icon", "--scale", "2"],
    ["check"], ["check", "--verify"],
    ["duplicates", "--hash"], ["scan", "tree/home/Documents/sub"],
    ["scan", "--changes", "--format", "ndjson"], ["scan", "--sniff", "tree/home"],
    ["changes", "--keep-days", "100"], ["containers", "discover", "tree", "--register"],
    ["forget", "tree/home"], ["scan", "tree/home"],
  ]

  private func attempt(_ attacks: [CatalogAttack], on sound: SoundCatalog) throws {
    var random = SeededRandom(seed: Self.seed)
    let drawn = Self.count < attacks.count ? attacks.shuffled(using: &random) : attacks
    for attack in drawn.prefix(Self.count) {
      guard let file = try sound.attacked(by: attack) else { continue }
      defer { sound.discard(file) }
      // In their order, for the last ones write.
      let commands = Self.commands.filter { _ in !Self.isSample || random.below(5) == 0 }
      for arguments in commands {
        let fault = fault(of: arguments + ["--catalog", file], in: sound.sandbox)
        #expect(fault == nil, "\(attack): \(arguments.joined(separator: " ")), seed \(Self.seed)")
      }
    }
  }

  /// What a command does that it may not.
  private func fault(of arguments: [String], in sandbox: Sandbox) -> String? {
    var runner = sandbox.runner(Sandbox.executable)
    runner.limit = .seconds(30)
    guard let run = try? runner.run(arguments) else { return "it hangs" }
    if run.status >= 1000 { return "signal \(run.status - 1000): \(run.errors.suffix(300))" }
    // A saved search may say anything.
    let isSaved = arguments.contains("@texts")
    guard [0, 1, 3, 4].contains(run.status) || run.status == 64 && isSaved else {
      return "status \(run.status): \(run.errors.suffix(300))"
    }
    // With changes the summary goes to standard error.
    let isSummarised = arguments.contains("--changes")
    guard
      run.errorLines.allSatisfy({ $0.hasPrefix("filecat: ") || isSummarised && $0.hasPrefix("{") })
        || isSaved
    else {
      return "lines: \(run.errors.suffix(300))"
    }
    if run.status == 4, run.errorLines.isEmpty, arguments[0] != "check" { return "no word of it" }
    return nil
  }

  @Test("with impossible values ends no command otherwise than it promises")
  func values() throws {
    let sound = try SoundCatalog()
    defer { sound.remove() }
    try attempt(CatalogAttack.values(in: sound.columns()), on: sound)
  }

  @Test("with rows that contradict each other ends no command otherwise than it promises")
  func structures() throws {
    let sound = try SoundCatalog()
    defer { sound.remove() }
    try attempt(CatalogAttack.structures, on: sound)
  }

  @Test("with another schema ends no command otherwise than it promises")
  func schemas() throws {
    let sound = try SoundCatalog()
    defer { sound.remove() }
    try attempt(sound.schemas(), on: sound)
  }

  @Test("with bytes that nobody wrote ends no command otherwise than it promises")
  func bytes() throws {
    let sound = try SoundCatalog()
    defer { sound.remove() }
    var random = SeededRandom(seed: Self.seed)
    try attempt(CatalogAttack.bytes(count: 400, &random), on: sound)
  }
}
