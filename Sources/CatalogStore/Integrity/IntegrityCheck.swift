internal import FileSystem
package import SQLite

/// Proves that a catalog is whole, from what it holds alone.
package struct IntegrityCheck {
  private let db: Connection
  /// More of the same would only scroll by.
  private static let limit: Int64 = 100

  package init(_ db: Connection) throws {
    self.db = db
  }

  package func run() throws -> [IntegrityProblem] {
    var problems = try damage()
    // What follows would only stumble over a damaged file.
    guard !problems.contains(where: { $0.rule == .file }) else { return problems }
    let values = try ColumnRules(of: db).findings { try findings($0) }
    // SQLite tells of some as well, and of what to do about none.
    problems.removeAll { $0.rule == .value && !values.isEmpty }
    problems += values + (try wrongExcludes())
    for rule in IntegrityRule.ofRows + IntegrityRule.ofSums { problems += try findings(rule) }
    // Where rows are wrong, so is what they come to.
    if problems.isEmpty { problems = try IntegrityRule.ofUsage.flatMap(findings) + wrongNames() }
    // Rows with such values have no fingerprint.
    return problems.contains { $0.rule == .value } ? problems : problems + (try wrongFingerprints())
  }

  private func findings(_ rule: IntegrityRule) throws -> [IntegrityProblem] {
    var problems: [IntegrityProblem] = []
    do {
      try db.forEach(SQL(rule.sql, [.integer(Self.limit)])) { row in
        // In a row that is wrong, this may be anything.
        let root = row.storageClass(1) == .integer ? row.integer(1) : nil
        problems.append(
          IntegrityProblem(
            rule: rule.rule, description: row.text(0), remedy: rule.remedy(root)))
      }
    } catch let error as SQLiteError where error.code == .error {
      // Sums that no number holds.
      problems.append(
        IntegrityProblem(rule: rule.rule, description: error.message, remedy: rule.remedy(nil)))
    }
    return problems
  }

  // MARK: - The file

  private func damage() throws -> [IntegrityProblem] {
    var problems: [IntegrityProblem] = []
    try db.forEach(SQL("PRAGMA integrity_check(100)")) { row in
      let text = row.text(0)
      if text != "ok" { problems.append(Self.problem(told: text)) }
    }
    try db.forEach(SQL("PRAGMA foreign_key_check")) { row in
      let (table, other) = (row.text(0), row.text(2))
      problems.append(
        IntegrityProblem(
          rule: .reference,
          description: "row \(row.integer(1)) of \(table) refers to a missing row of \(other)",
          remedy: Self.remedy(forReferencesOf: table, to: other)))
    }
    return problems
  }

  private static func remedy(forReferencesOf table: String, to other: String) -> Remedy {
    switch table {
    case "_roots": .forgetVolumes
    case "_searched_directories":
      .removeRows(table: table, condition: "search NOT IN (SELECT name FROM \(other))")
    default: .removeRows(table: table, condition: "scan_id NOT IN (SELECT id FROM \(other))")
    }
  }

  /// What SQLite has found, by its words: damage of indexes, of which the tables have everything; values
  /// that columns do not have; and what nobody can make up for.
  private static func problem(told text: String) -> IntegrityProblem {
    let words = text.split(separator: " ")
    if let place = words.lastIndex(of: "index"), place + 1 < words.count,
      !text.hasPrefix("Tree "), !text.hasPrefix("***")
    {
      let index = String(words[place + 1])
      return IntegrityProblem(rule: .file, description: text, remedy: .rebuildIndex(index))
    }
    let isOfValue = words.count >= 4 && words[1...2] == ["value", "in"]
    return IntegrityProblem(rule: isOfValue ? .value : .file, description: text, remedy: nil)
  }

  // MARK: - Settings

  private func wrongExcludes() throws -> [IntegrityProblem] {
    try RootTable.excludes(in: db).compactMap { root, excludes -> IntegrityProblem? in
      do throws(CatalogError) {
        _ = try ExcludeRules(excludes)
        return nil
      } catch {
        return IntegrityProblem(
          rule: .value, description: "what root \(root) leaves out: \(error)",
          remedy: .forgetExcludes(root: root))
      }
    }
  }

  // MARK: - Names

  private func wrongNames() throws -> [IntegrityProblem] {
    try NameIndex(db).wrongBlocks(most: Int(Self.limit)).map { number, description in
      IntegrityProblem(
        rule: .names, description: "names of block \(number): \(description)",
        remedy: .rebuildNames)
    }
  }

  // MARK: - Fingerprints

  /// Compares the fingerprints of directories that were read to their end with those of their rows.
  private func wrongFingerprints() throws -> [IntegrityProblem] {
    var problems: [IntegrityProblem] = []
    try forEachWrongFingerprint(of: nil) { _, root, path in
      guard problems.count < Self.limit else { return }
      problems.append(
        IntegrityProblem(
          rule: .fingerprint,
          description: "\(path): the fingerprint is not that of its rows",
          remedy: .dropFingerprints(root: root)))
    }
    return problems
  }

  /// The directories of a root whose fingerprints are not those of their rows.
  package func directoriesWithWrongFingerprint(of root: Int64) throws -> [Int64] {
    var directories: [Int64] = []
    try forEachWrongFingerprint(of: root) { id, _, _ in directories.append(id) }
    return directories
  }

  private func forEachWrongFingerprint(
    of root: Int64?, _ body: (_ id: Int64, _ root: Int64, _ path: String) -> Void
  ) throws {
    let directories = SQL(
      """
      SELECT f.id, f.root_id, f.exact_path, t.fingerprint_high, t.fingerprint_low
      FROM _directory_paths f JOIN _directory_totals t ON t.id = f.id
      WHERE t.state = 0 AND t.fingerprint_high IS NOT NULL AND f.root_id = ifnull(?, f.root_id)
      ORDER BY f.id
      """, [root.binding])
    try db.forEach(directories) { row in
      let stored = DirectoryFingerprint(
        high: UInt64(bitPattern: row.integer(3)), low: UInt64(bitPattern: row.integer(4)))
      guard try fingerprint(of: row.integer(0)) != stored else { return }
      body(row.integer(0), row.integer(1), row.text(2))
    }
  }

  private func fingerprint(of directory: Int64) throws -> DirectoryFingerprint {
    var fingerprint = DirectoryFingerprint()
    try StoredEntry.forEachChild(of: directory, db) { entry in
      let record = entry.record
      entry.name.withUnsafeBufferPointer { name in
        entry.target.withUnsafeBufferPointer { target in
          fingerprint.add(record, name: name, target: target)
        }
      }
    }
    return fingerprint
  }
}
