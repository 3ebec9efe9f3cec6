package import CatalogStore
internal import FileSystem
package import SQLite
internal import SystemPackage

/// Makes up for what an ``IntegrityCheck`` finds, from what the catalog holds alone.
///
/// It goes in rounds: what is found is made up for, and then it is looked again, since rows that were
/// in the way of others are gone, and what referred to them is left.
package struct CatalogRepair {
  private let db: Connection
  private var tried: Set<Remedy> = []
  /// What has been done, by what did it.
  private var actions: [Remedy: String] = [:]
  private var done: [IntegrityRepair] = []

  package init(_ db: Connection) {
    self.db = db
  }

  /// Runs in a transaction of the caller that writes.
  package mutating func run() throws -> [IntegrityRepair] {
    while true {
      let problems = try IntegrityCheck(db).run()
      // In a file that is damaged otherwise than in its indexes, every change may hit something else.
      if problems.isEmpty || problems.contains(where: { $0.rule == .file && $0.remedy == nil }) {
        try NameIndex.fillGaps(in: db)
        return done
      }
      let open = problems.filter { $0.remedy.map { !tried.contains($0) } ?? false }
      // Sums follow from rows that are right.
      let isAboutRows = problems.contains { $0.remedy?.isOfSums == false }
      let next = open.filter { $0.remedy?.isOfSums == !isAboutRows }
      if !next.isEmpty {
        try repair(next)
      } else if let first = problems.first, !tried.contains(.dropAllEntries) {
        // What has been tried has not helped, and all entries can be had from the disk.
        try repair([first], by: .dropAllEntries)
      } else {
        return done
      }
    }
  }

  /// Makes up for some problems. A root that goes takes its entries along.
  private mutating func repair(_ problems: [IntegrityProblem]) throws {
    let droppedRoots = Set(
      problems.compactMap { problem -> Int64? in
        if case .dropRoot(let root) = problem.remedy { root } else { nil }
      })
    for problem in problems {
      guard var remedy = problem.remedy else { continue }
      if case .dropEntries(let root) = remedy, droppedRoots.contains(root) {
        remedy = .dropRoot(root)
      }
      try repair([problem], by: remedy)
    }
  }

  private mutating func repair(_ problems: [IntegrityProblem], by remedy: Remedy) throws {
    let action = try describe(remedy)
    if tried.insert(remedy).inserted {
      do {
        try db.transaction(.immediate) { try perform(remedy) }
      } catch let error as SQLiteError where [.error, .constraint].contains(error.code) {
        // Sums that no number holds, or names that stand twice: the rows are wrong.
        return
      }
      actions[remedy] = action
    }
    guard let action = actions[remedy] else { return }
    done += problems.map { IntegrityRepair(problem: $0, action: action) }
  }

  // MARK: - Remedies

  private func perform(_ remedy: Remedy) throws {
    switch remedy {
    case .rebuildIndex(let index):
      let name = index.split(separator: "\"", omittingEmptySubsequences: false)
        .joined(separator: "\"\"")
      try db.execute("REINDEX \"\(name)\"")
    case .removeRows(let table, let condition):
      try db.execute("DELETE FROM \(table) WHERE \(condition)")
      if table.hasPrefix("_uniform_type") { try forgetTypes() }
    case .forgetVolumes:
      try db.execute(
        "UPDATE _roots SET volume_id = NULL WHERE volume_id NOT IN (SELECT id FROM _volumes)")
    case .forgetExcludes(let root): try RootTable.removeExcludes(of: root, in: db)
    case .dropRoot(let root): try RootTable.remove(root, in: db)
    case .dropEntries(let root):
      try RootTable.removeEntries(of: root, in: db)
      try RootTable.reset(root, in: db)
      try forgetTypes()
    case .dropAllEntries:
      try RootTable.resetAll(in: db)
      try forgetTypes()
    case .settlePlaces:
      try PlaceSettlement(ContainerTable(db).map(), in: db).run(.everything)
    case .sumUp(let root): try TotalsRepair(in: db).run(root)
    case .sumUpAll:
      for root in try RootTable.all(in: db) { try TotalsRepair(in: db).run(root.id) }
    case .sumUpUsage: try UsageSums.rebuild(in: db)
    case .rebuildNames: try NameIndex.rebuild(in: db)
    case .dropFingerprints(let root):
      let drop = try db.prepare(
        "UPDATE _directory_totals SET fingerprint_high = NULL, fingerprint_low = NULL WHERE id = ?")
      for directory in try IntegrityCheck(db).directoriesWithWrongFingerprint(of: root) {
        drop.bind(directory, at: 1)
        try drop.run()
      }
    }
  }

  /// Lets the next scan write the declared types again: some may be missing.
  private func forgetTypes() throws {
    try db.execute("DELETE FROM _catalog_settings WHERE key = 'type_registry'")
  }

  /// What a remedy does, told before it is done: the root may be gone then.
  private func describe(_ remedy: Remedy) throws -> String {
    switch remedy {
    case .rebuildIndex(let index): "made the index \(index) anew"
    case .removeRows(let table, _): "removed the row from \(table)"
    case .forgetVolumes: "forgot which volume the root is on; the next scan finds it out"
    case .forgetExcludes(let root):
      "forgot what \(try path(ofRoot: root)) leaves out; say it again with the next scan"
    case .dropRoot(let root): "dropped the root \(try path(ofRoot: root)) with its entries"
    case .dropEntries(let root):
      "dropped the entries of \(try path(ofRoot: root)); the next scan makes them anew"
    case .dropAllEntries: "dropped the entries of all roots; the next scan makes them anew"
    case .settlePlaces: "told the places of directories from the containers anew"
    case .sumUp(let root): "added up \(try path(ofRoot: root)) anew"
    case .sumUpAll: "added up all roots anew"
    case .sumUpUsage: "added up what reports tell anew"
    case .rebuildNames: "collected the names anew"
    case .dropFingerprints: "dropped the fingerprint; the next scan compares each row"
    }
  }

  private func path(ofRoot root: Int64) throws -> String {
    let path = SQL("SELECT exact_path FROM _roots WHERE id = ?", [.integer(root)])
    return try db.first(path) { $0.path(0).string } ?? "a root that is gone"
  }
}
