import SystemPackage
import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `kill -9` at any moment of whatever writes.
struct Kills: Part {
  static let name = "kills"
  static let tries = 1000
  static let weight = 3.0

  private let scenes: [Scene]

  init(_ campaign: Campaign) throws {
    // Those that scan are worth more tries.
    scenes = try campaign.scenery().scenes.flatMap { scene in
      Array(repeating: scene, count: scene.isScan ? 2 : 1)
    }
  }

  func attempt(_ attempt: Attempt) throws {
    let place = attempt.random.below(scenes.count + 2)
    if place >= scenes.count { return try watch(attempt) }
    let scene = scenes[place]
    let arguments = scene.arguments + ["--catalog", attempt.catalog]
    try scene.begin(at: attempt.catalog)
    let time = scene.duration * 1.3
    let microseconds = attempt.random.below(
      Int(time.components.seconds * 1_000_000 + time.components.attoseconds / 1_000_000_000_000) + 1
    )
    let words = ["filecat"] + arguments + ["# killed after \(microseconds) µs"]
    let running = try attempt.runner().start(arguments)
    usleep(UInt32(microseconds))
    running.crash()

    try attempt.expectSound()
    if let fault = scene.fault(of: try CatalogRows.all(in: attempt.catalog)) {
      attempt.note(.difference, fault, of: words)
    }
    let isPublished = access(attempt.catalog, F_OK) == 0
    // What was not done can be done now; what was done is no longer to do.
    guard let again = try attempt.run(arguments) else { return }
    if again.status > 1 {
      attempt.note(.difference, "again: status \(again.status): \(again.errors)", of: words)
    }
    if let fault = Scene.difference(
      of: try CatalogRows.all(in: attempt.catalog), from: scene.after)
    {
      attempt.note(.difference, "done again: \(fault)", of: words)
    }
    try attempt.expectSound()
    // What a killed first scan leaves behind goes with the next one.
    let left = try attempt.directory.names().filter { $0.contains(".new-") }
    if !isPublished, !left.isEmpty {
      attempt.note(.difference, "left behind: \(left.sorted())", of: words)
    }
  }

  /// Watching, while a tree is edited.
  private func watch(_ attempt: Attempt) throws {
    let tree = attempt.directory("tree").string
    var maker = try TreeMaker(
      TemporaryDirectory(at: attempt.directory("tree")), SeededRandom(seed: attempt.random.next()))
    let arguments = ["watch", tree, "--format", "ndjson", "--catalog", attempt.catalog]
    let running = try attempt.runner().start(arguments)
    let rounds = attempt.random.below(12)
    for _ in 0..<rounds {
      try maker.edit(1 + attempt.random.below(4))
      usleep(UInt32(attempt.random.below(60_000)))
    }
    usleep(UInt32(attempt.random.below(200_000)))
    let hasEnded = !running.isRunning
    running.crash()
    let words = ["filecat"] + arguments
    if hasEnded { attempt.note(.dishonest, "it ended by itself", of: words) }
    try attempt.expectSound()
    guard let scan = try attempt.run(["scan", tree, "--catalog", attempt.catalog]) else { return }
    if scan.status != 0 {
      attempt.note(.difference, "the next scan: \(scan.status): \(scan.errors)", of: words)
    }
    let rows = try CatalogRows.all(in: attempt.catalog)
    if let fault = Scene.difference(of: rows, from: [tree: try DiskRows.all(of: tree)]) {
      attempt.note(.difference, "after the next scan: \(fault)", of: words)
    }
    try attempt.expectSound()
  }
}
