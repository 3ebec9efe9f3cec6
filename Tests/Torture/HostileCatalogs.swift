import SystemPackage
import TestSupport

/// Catalogs that somebody has made who wants to do harm: whatever is in the file, every command ends, in the
/// way it promises.
struct HostileCatalogs: Part {
  static let name = "catalogs"
  static let tries = 400
  static let weight = 2.0

  static func obstacle() -> String? {
    StockProgram.isAvailable ? nil : "sqlite3 is not installed"
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
    ["history", "--keep-days", "100", "--yes"], ["containers", "discover", "tree", "--register"],
    ["forget", "tree/home"], ["scan", "tree/home"],
  ]

  private let sound: SoundCatalog
  private let attacks: [[CatalogAttack]]
  private let home: String

  init(_ campaign: Campaign) throws {
    let directory = TemporaryDirectory(at: campaign.directory("sound"))
    try TemporaryDirectory.makeDirectories(to: directory.path)
    home = directory.path.string
    sound = try SoundCatalog(in: directory, program: campaign.program)
    var random = campaign.random(Self.name, 0)
    attacks = try sound.attacks(&random)
  }

  func attempt(_ attempt: Attempt) throws {
    let kind = attacks[attempt.random.below(attacks.count)]
    let attack = kind[attempt.random.below(kind.count)]
    guard try sound.attack(by: attack, at: attempt.directory, "catalog.sqlite") else { return }
    let note = ["# \(attack)"]
    for arguments in Self.commands {
      // A saved search may say anything.
      let isSaved = arguments.contains("@texts")
      var runner = attempt.runner()
      runner.directory = home
      runner.limit = .seconds(300)
      let words = ["filecat"] + arguments + ["--catalog", attempt.catalog] + note
      try attempt.run(
        runner, bytes: (arguments + ["--catalog", attempt.catalog]).map { Array($0.utf8) },
        of: words, allowing: isSaved ? [0, 1, 3, 4, 64] : [0, 1, 3, 4])
    }
  }
}
