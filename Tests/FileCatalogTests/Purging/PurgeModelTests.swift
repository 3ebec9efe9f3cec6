import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Random containers", .feature("SB-03", "SB-05"))
struct PurgeModelTests {
  /// A file of the model, one for each name.
  private struct File {
    let path: FilePath
    let role: Role?
    /// The day of its last use.
    let day: Int
    let allocated: Int64
    /// What tells the file from others.
    let inode: UInt64
    let links: Int
  }

  private static let places: [(path: FilePath, role: Role?)] = [
    ("Library/Caches", .caches), ("Library/Caches/x", .caches), ("Library/Caches/x/y", .caches),
    ("tmp", .temporary), ("tmp/z", .temporary), ("Documents", .documents), ("other", nil),
  ]

  @Test("lose what a model says, in its order, and nothing else", arguments: [UInt64](1...30))
  func model(_ seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    try await withLaboratory { lab in
      for place in Self.places { try lab.tree.makeDirectory(place.path) }
      let files = try Self.makeFiles(in: lab, &random)
      try await lab.scanSandbox()
      let request = try Self.request(&random)
      let before = try lab.disk()
      let plan = try await lab.catalog.purge(request, rehearsal: .dryRun)
      #expect(try lab.disk() == before, "seed \(seed)")

      let expected = Self.expected(files, request)
      let taken = plan.results.filter { $0.item.kind != .directory }
      #expect(
        taken.map { lab.relative($0.item.path.bytes) ?? "" } == expected.map(\.path.string),
        "seed \(seed)")
      #expect(
        taken.reduce(0) { $0 + $1.freed } == Self.freed(by: expected), "seed \(seed)")

      let report = try await lab.catalog.purge(request)
      #expect(report.results.map(\.item) == plan.results.map(\.item), "seed \(seed)")
      #expect(report.results.allSatisfy { $0.outcome == .removed }, "seed \(seed)")
      var left = before
      for file in expected { left[file.path.string] = nil }
      for directory in Self.emptied(by: expected, left) { left[directory] = nil }
      #expect(try lab.disk() == left, "seed \(seed)")
      #expect(try lab.paths() == Set(left.keys), "seed \(seed)")
      try await expectSound(lab.catalog)
    }
  }

  private static func makeFiles(in lab: Laboratory, _ random: inout SeededRandom) throws -> [File] {
    var made: [(path: FilePath, role: Role?, day: Int)] = []
    for number in 0..<random.below(40) {
      let place = places[random.below(places.count)]
      let path = place.path.appending("f\(number)")
      if let old = made.randomElement(using: &random), random.below(4) == 0 {
        try lab.tree.make(.hardLink(path, to: old.path))
        made.append((path, place.role, old.day))
      } else {
        let day = random.below(12)
        try lab.tree.make([.file(path, bytes: random.below(3) * 5000), .used(path, day: day)])
        made.append((path, place.role, day))
      }
    }
    return try made.map { file in
      let status = try FileStatus(ofPath: lab.tree(file.path))
      return File(
        path: file.path, role: file.role, day: file.day, allocated: status.allocated,
        inode: status.inode, links: Int(status.links))
    }
  }

  private static func request(_ random: inout SeededRandom) throws -> PurgeRequest {
    var request = PurgeRequest()
    if random.below(3) == 0 { request.roles = [[.caches, .temporary][random.below(2)]] }
    if random.below(2) == 0 {
      let days = (Int(time(nil)) - 1_577_836_800) / 86_400 - random.below(12)
      request.olderThan = .days(try #require(UInt32(exactly: days)))
    }
    switch random.below(3) {
    case 0: request.extent = .freeing(Int64(random.below(60_000)))
    case 1: request.extent = .untilFree([1, .max][random.below(2)])
    default: break
    }
    return request
  }

  /// What goes, in order.
  private static func expected(_ files: [File], _ request: PurgeRequest) -> [File] {
    let roles: Set<Role> = request.roles.isEmpty ? [.caches, .temporary] : request.roles
    let now = Int(time(nil))
    let chosen = files.filter { file in
      guard let role = file.role, roles.contains(role) else { return false }
      guard let age = request.olderThan else { return true }
      return Int64(now - (1_577_836_800 + file.day * 86_400)) >= age.seconds
    }
    let names = Dictionary(grouping: chosen, by: \.inode)
    func first(_ file: File) -> String {
      (names[file.inode] ?? [file]).map(\.path.string).min() ?? ""
    }
    let order = chosen.sorted {
      ($0.day, first($0), $0.path.string) < ($1.day, first($1), $1.path.string)
    }
    let useful = order.filter { $0.allocated > 0 && names[$0.inode]?.count == $0.links }
    switch request.extent {
    case .everything: return order
    case .untilFree(let bytes): return bytes == 1 ? [] : useful
    case .freeing(let bytes):
      var taken: [File] = []
      for file in useful where freed(by: taken) < bytes { taken.append(file) }
      return taken
    }
  }

  /// What is free when all names of a file are gone.
  private static func freed(by files: [File]) -> Int64 {
    Dictionary(grouping: files, by: \.inode).values.reduce(0) { sum, names in
      sum + (names.count == names[0].links ? names[0].allocated : 0)
    }
  }

  /// The directories that have lost their last entry.
  private static func emptied(by files: [File], _ left: [String: String]) -> [String] {
    var left = left
    var emptied: [String] = []
    let own = ["Library/Caches", "tmp"]
    var directories = Set(files.map { $0.path.removingLastComponent().string })
    while let directory = directories.max(by: { $0.count < $1.count }) {
      directories.remove(directory)
      guard !own.contains(directory),
        !left.keys.contains(where: { $0.hasPrefix(directory + "/") })
      else { continue }
      emptied.append(directory)
      left[directory] = nil
      directories.insert(FilePath(directory).removingLastComponent().string)
    }
    return emptied
  }
}
