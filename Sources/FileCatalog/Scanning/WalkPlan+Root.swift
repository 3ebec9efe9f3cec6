internal import FileSystem
internal import SQLite
internal import SystemPackage

extension WalkPlan {
  /// Stores what the providers say of the root itself, in place of what they said before. No
  /// directory lists the root, so no walk asks for it.
  ///
  /// - Returns: what went wrong, with paths below the root.
  func storeRootValues(of entry: Int64, in db: Connection) throws -> [FileError] {
    try db.execute("DELETE FROM entry_values WHERE entry_id = ?", [entry])
    let providers = try activeProviders()
    guard !providers.isEmpty, let stored = try StoredEntry.entry(entry, db)
    else { return [] }
    let root = ScannedEntry(path: location.path, kind: .directory, status: stored.status)
    let insert = try db.prepare(
      "INSERT OR REPLACE INTO entry_values (entry_id, key, value) VALUES (?, ?, ?)")
    var failures: [FileError] = []
    for provider in providers {
      do {
        for (key, value) in try provider.values(of: root) {
          insert.bind(entry, at: 1)
          insert.bind(key, at: 2)
          insert.bind(value.binding, at: 3)
          try insert.run()
        }
      } catch let error as SQLiteError {
        throw error
      } catch {
        failures.append(FileError(.attributes, "", providing: error))
      }
    }
    return failures
  }
}

extension FileError {
  /// What a provider has thrown.
  init(_ operation: Operation, _ path: FilePath, providing error: any Error) {
    self.init(
      operation, path, (error as? FileError)?.errno ?? (error as? Errno) ?? .ioError)
  }
}
