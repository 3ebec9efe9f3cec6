import FileCatalog
import FileSystem
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// `FILECAT_FAULT_SEED` repeats a run, `FILECAT_FAULT_ROUNDS` makes it longer.
@Suite("A rescan in which any call fails")
struct RescanFaultTests {
  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment["FILECAT_FAULT_" + name].flatMap { UInt64($0) }
  }

  static let errors: [Errno] = [
    .permissionDenied, .ioError, .noSuchFileOrDirectory, .staleNFSFileHandle,
  ]

  @Test("keeps what it could not see, and the next one is exact", arguments: errors)
  func anyCall(_ error: Errno) async throws {
    let seed = Self.setting("SEED") ?? .random(in: 0 ... .max)
    let rounds = Self.setting("ROUNDS").map { Int($0) } ?? 10
    var random = SeededRandom(seed: seed)
    try await withFaultyLaboratory { lab, plan in
      var editor = TreeEditor(
        lab.tree, random: SeededRandom(seed: random.next()), isWide: false)
      for _ in 0..<60 { editor.edit() }
      try await lab.scan()
      plan.heal()
      _ = try await lab.difference()
      var calls = plan.calls
      for round in 0..<rounds {
        let place: Comment = "round \(round) of seed \(seed)"
        for _ in 0..<random.below(12) { editor.edit() }
        plan.fail(at: random.below(calls + 2), with: error)
        try await scanWithFault(lab, error, jobs: 1 + random.below(3), place)
        plan.heal()
        do {
          _ = try await lab.difference(ScanRequest())
        } catch let error as CatalogError where error.code == .tooManyRemoved {
          // The edits themselves may remove that much.
          plan.heal()
          _ = try await lab.difference()
        }
        calls = plan.calls
        let states = try lab.catalog.texts("SELECT DISTINCT state FROM directories")
        #expect(states == ["complete"], place)
        let differences = try await lab.differencesFromDisk()
        #expect(differences.isEmpty, place)
        if differences.count > 0 || states.count > 1 { break }
      }
    }
  }

  private func scanWithFault(
    _ lab: Laboratory, _ error: Errno, jobs: Int, _ place: Comment
  ) async throws {
    let before = try CatalogState(lab.catalog)
    var request = ScanRequest(jobs: jobs)
    request.loss = .accepted
    do {
      let summary = try #require(
        try await lab.catalog.scan([lab.tree.path], request: request).first)
      let after = try CatalogState(lab.catalog)
      let model = try DifferenceModel(
        from: before, to: after, by: summary.scanID, in: lab.catalog)
      #expect(model.problems.isEmpty, place)
      #expect((summary.state == .partial) == (summary.errors > 0), place)
      // What is gone by the file system's word is gone.
      if error != .noSuchFileOrDirectory { try expectNothingLost(lab, before, after, place) }
    } catch let failure as CatalogError {
      #expect(try CatalogState(lab.catalog).byID == before.byID, place)
      #expect(failure.code == .unreadableRoot, place)
    }
    try await expectSound(lab.catalog)
  }

  /// Everything that was known and is still on the disk has its row.
  private func expectNothingLost(
    _ lab: Laboratory, _ before: CatalogState, _ after: CatalogState, _ place: Comment
  ) throws {
    let walk = try IndependentWalk.entries(of: lab.tree.path)
    let kept = Set(after.byID.values.map(\.identity))
    for item in before.byID.values where !kept.contains(item.identity) {
      guard after.byPath[item.path] == nil, let inode = walk[item.path]?.inode,
        item.values["inode"] == .integer(Int64(bitPattern: inode))
      else { continue }
      Issue.record("\(String(decoding: item.path, as: UTF8.self)) is lost, \(place)")
    }
  }
}

extension Laboratory {
  /// What `verify` reports, one line each.
  func differencesFromDisk() async throws -> [String] {
    let lines = Mutex<[String]>([])
    _ = try await catalog.verify { change in
      lines.withLock { $0.append("\(change.kind) \(change.path) \(change.fields)") }
    }
    return lines.withLock { $0 }
  }
}
