import Foundation
import SystemPackage
import TestSupport

/// Trees of names that a terminal, a shell, a spreadsheet or a decoder stumbles over: people are shown
/// nothing that a terminal obeys, programs get what they can parse, and each entry is found by its own
/// name.
struct HostileNames: Part {
  static let name = "names"
  static let tries = 60
  static let weight = 1.0

  init(_ campaign: Campaign) throws {}

  func attempt(_ attempt: Attempt) throws {
    let tree = attempt.directory("tree")
    var names = CrookedNames.all.shuffled(using: &attempt.random)
    names.removeLast(names.count / 2)
    for _ in 0..<30 { names.append(CrookedNames.random(using: &attempt.random)) }
    names.append([UInt8](repeating: 0x78, count: 255))
    names.append([UInt8](repeating: 0xFF, count: 255))
    var directories: [[UInt8]] = [Array(tree.string.utf8)]
    try TemporaryDirectory.makeDirectories(to: tree)
    var paths: Set<[UInt8]> = [directories[0]]
    for name in names {
      // Depth as well, but not beyond what a path may have.
      let parent = directories[attempt.random.below(directories.count)]
      let path = parent + [0x2F] + name
      guard path.count < 3500, paths.insert(path).inserted else { continue }
      let place = FilePath(platformString: path.map { CChar(bitPattern: $0) } + [0])
      switch attempt.random.below(5) {
      case 0, 1:
        try TemporaryDirectory.makeDirectories(to: place)
        directories.append(path)
      case 2:
        // A link of which the target is as crooked as its name.
        let target = FilePath(platformString: name.map { CChar(bitPattern: $0) } + [0])
        try attempt.directory.makeLink(place, to: target)
      default: try TemporaryDirectory(at: place.removingLastComponent()).write("x", to: place)
      }
    }
    let catalog = ["--catalog", attempt.catalog]
    guard let scan = try attempt.run(["scan", tree.string] + catalog) else { return }
    if scan.status != 0 { attempt.note(.difference, "scan: \(scan.status): \(scan.errors)") }
    let disk = try DiskRows.all(of: tree.string)
    let rows = try CatalogRows.all(in: attempt.catalog)
    if let fault = Scene.difference(of: rows, from: [tree.string: disk]) {
      attempt.note(.difference, fault)
    }
    try attempt.expectSound()
    try show(attempt, catalog, tree.string)
    try find(attempt, catalog, disk.keys.filter { $0 != Array(tree.string.utf8) })
  }

  private static let formats = ["table", "json", "ndjson", "csv", "tsv"]

  /// Every command that prints names, in every format.
  private func show(_ attempt: Attempt, _ catalog: [String], _ tree: String) throws {
    let commands: [[String]] = [
      ["find"], ["ls", tree], ["du", tree], ["changes"], ["roots"], ["check", "--verify"],
      ["report", "largest_files"], ["report", "broken_links"], ["report", "usage_by_extension"],
      ["duplicates"], ["duplicates", "--hash"], ["sql", "SELECT * FROM files"], ["show", tree],
      ["report", "usage_by_directory"], ["report", "duplicate_candidates"],
      ["scan", "--changes"], ["containers", "discover", tree],
    ]
    for command in commands {
      let format = Self.formats[attempt.random.below(Self.formats.count)]
      let words = command + ["--format", format] + catalog
      guard let run = try attempt.run(words) else { continue }
      // The summary of changes has columns.
      for harm in HostileText.harm(in: run.errorOutput) where harm != "U+9" {
        attempt.note(.dishonest, "standard error has \(harm)", of: ["filecat"] + words)
      }
      switch format {
      case "table":
        for harm in HostileText.harm(in: run.output).prefix(1) {
          attempt.note(.dishonest, "a terminal would get \(harm)", of: ["filecat"] + words)
        }
      case "json":
        if !isJSON(run.output) {
          attempt.note(.dishonest, "no JSON: \(run.text.prefix(100))", of: ["filecat"] + words)
        }
      case "ndjson":
        for line in run.output.split(separator: 0x0A) where !isJSON(Array(line)) {
          attempt.note(
            .dishonest, "no JSON: \(String(decoding: line, as: UTF8.self))",
            of: ["filecat"] + words)
        }
      default:
        if String(validating: run.output, as: UTF8.self) == nil {
          attempt.note(.dishonest, "not UTF-8", of: ["filecat"] + words)
        }
      }
    }
    let page = try attempt.run(["report", "--html", "-"] + catalog)
    // A browser obeys elements, and what breaks lines does not break a page.
    if let page,
      String(validating: page.output, as: UTF8.self) == nil
        || page.output.contains(where: { $0 < 0x20 && $0 != 0x0A })
    {
      attempt.note(.dishonest, "the page has controls", of: ["filecat", "report", "--html", "-"])
    }
  }

  private func isJSON(_ bytes: [UInt8]) -> Bool {
    bytes.isEmpty
      || (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
  }

  /// Each by its own name: as a path, and as a query.
  private func find(_ attempt: Attempt, _ catalog: [String], _ paths: [[UInt8]]) throws {
    let words = catalog.map { Array($0.utf8) }
    for path in paths.shuffled(using: &attempt.random).prefix(25) {
      let shown = [Array("show".utf8), path, Array("--format".utf8), Array("json".utf8)] + words
      if let run = try attempt.run(bytes: shown), run.status != 0 {
        attempt.note(.difference, "not found: \(path): \(run.errors)")
      }
      let name = path.split(separator: 0x2F).last.map(Array.init) ?? []
      let quoted = name.flatMap { "\\\"".utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
      let query = Array("case:yes name:=\"".utf8) + quoted + Array("\"".utf8)
      let found = [Array("find".utf8), Array("-0".utf8), query] + words
      guard let run = try attempt.run(bytes: found) else { continue }
      if !run.output.split(separator: 0).contains(path[...]) {
        attempt.note(.difference, "not found by its name: \(name): \(run.errors)")
      }
    }
    guard let all = try attempt.run(["find", "-0"] + catalog) else { return }
    let found = Set(all.output.split(separator: 0).map(Array.init))
    if !found.isSuperset(of: paths) {
      attempt.note(.difference, "find leaves out \(Set(paths).subtracting(found).first ?? [])")
    }
  }
}
