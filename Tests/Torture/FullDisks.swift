import SystemPackage
import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Disks that are full, and files that may not grow, at any size.
struct FullDisks: Part {
  static let name = "disks"
  static let tries = 400
  static let weight = 1.5

  private let scenes: [Scene]
  private let mayMount = MountedFileSystem.isPermitted

  init(_ campaign: Campaign) throws {
    scenes = try campaign.scenery().scenes
  }

  var leftOut: String? { mayMount ? nil : "full disks, as nothing may be mounted here" }

  func attempt(_ attempt: Attempt) throws {
    let scene = scenes[attempt.random.below(scenes.count)]
    if mayMount, attempt.random.below(3) > 0 {
      try onFullDisk(attempt, scene)
    } else {
      try withSmallFiles(attempt, scene)
    }
  }

  private func onFullDisk(_ attempt: Attempt, _ scene: Scene) throws {
    let base = scene.base.flatMap { try? size(of: $0) } ?? 0
    let kilobytes = base / 1024 + 16 + attempt.random.below(2200)
    let place = attempt.directory("disk")
    try TemporaryDirectory.makeDirectories(to: place)
    let disk = try MountedFileSystem(at: place, kilobytes: kilobytes)
    defer { disk.unmount() }
    let catalog = place.appending("catalog.sqlite").string
    try scene.begin(at: catalog)
    let environment = attempt.random.below(2) == 0 ? ["TMPDIR": place.string] : [:]
    let arguments = scene.arguments + ["--catalog", catalog]
    let words = ["filecat"] + arguments + ["# on a disk of \(kilobytes) kB"]
    guard let result = try attempt.run(arguments, environment: environment) else { return }
    // To look at it takes room, too.
    let copy = attempt.catalog
    for ending in ["", "-wal", "-journal"] where access(catalog + ending, F_OK) == 0 {
      try Scenery.copy(catalog + ending, to: copy + ending)
    }
    try expect(attempt, scene, result, words)
  }

  private func withSmallFiles(_ attempt: Attempt, _ scene: Scene) throws {
    try scene.begin(at: attempt.catalog)
    let blocks = attempt.random.below(2000)
    let arguments = scene.arguments + ["--catalog", attempt.catalog]
    let words = ["filecat"] + arguments + ["# files of at most \(blocks) kB"]
    // Whoever does not ignore the signal is ended by it.
    let shell = ["bash", "-c", "trap '' XFSZ; ulimit -f \(blocks); exec \"$@\"", "bash"]
    guard let result = try attempt.run(arguments, within: shell, mayBeSilent: true) else { return }
    try expect(attempt, scene, result, words)
  }

  private func expect(
    _ attempt: Attempt, _ scene: Scene, _ result: CommandResult, _ words: [String]
  ) throws {
    try attempt.expectSound()
    let rows = try CatalogRows.all(in: attempt.catalog)
    let error = result.errors.suffix(300)
    switch result.status {
    case 0, 1:
      if let fault = Scene.difference(of: rows, from: scene.after) {
        attempt.note(
          .dishonest, "status \(result.status), but not done: \(fault) \(error)", of: words)
      }
    case 4:
      if let fault = Scene.difference(of: rows, from: scene.before) {
        attempt.note(.dishonest, "status 4, but not as before: \(fault) \(error)", of: words)
      }
    default:
      if let fault = scene.fault(of: rows) {
        attempt.note(.difference, "status \(result.status): \(fault) \(error)", of: words)
      }
    }
    // With room again it works.
    let arguments = scene.arguments + ["--catalog", attempt.catalog]
    guard let again = try attempt.run(arguments) else { return }
    let healed = try CatalogRows.all(in: attempt.catalog)
    if again.status > 1 {
      attempt.note(.difference, "again: status \(again.status): \(again.errors)", of: words)
    } else if let fault = Scene.difference(of: healed, from: scene.after) {
      attempt.note(.difference, "done again: \(fault)", of: words)
    }
  }

  private func size(of path: String) throws -> Int {
    Int(try DiskRows.status(of: Array(path.utf8)).st_size)
  }
}
