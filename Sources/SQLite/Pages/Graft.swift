internal import CSQLite

/// What makes pages behind the end of a database part of it.
///
/// All of them are written. What is left is in three places: the header has to count them, the list of
/// free pages has to name those that belong to no tree any more, and the schema has to say where the
/// trees begin that have moved.
package struct Graft: Sendable {
  /// How many pages the database has with them. The last one is free, and all that ``trunk`` names.
  let pageCount: UInt32
  /// How many pages are in the list of free pages.
  let freePageCount: UInt32
  /// The first page as it is to be.
  let first: [UInt8]
  /// The page with which the list of free pages begins: one that belonged to a tree.
  let trunkPage: UInt32
  /// That page as it is to be.
  let trunk: [UInt8]
  let roots: [(old: UInt32, new: UInt32)]
  let pageSize: Int
}

/// What a transaction has done that may have appended pages.
package enum Loading<Loaded, Result> {
  /// Everything, with statements.
  case written(Result)
  /// It has appended pages, and has changed nothing else that is to stay.
  case appended(Graft, Loaded)
}

extension Connection {
  /// Calls `body` in a transaction that writes, and in which pages can be appended to the file.
  ///
  /// Where `body` has appended pages, what it did with statements is taken back. Then the pages become
  /// part of the database, and `complete` is called, all in the same transaction. Others see nothing of it
  /// until it is committed. Whoever is killed before leaves bytes behind the end of the database, which the
  /// next pages are written over.
  ///
  /// - Parameter body: Gets `nil` where pages cannot be appended: somebody still reads what is only in
  ///   the write-ahead log, or was in it before.
  package func transaction<Loaded, Result>(
    _ body: (LiveFile?) throws -> Loading<Loaded, Result>,
    completing complete: (Loaded) throws -> Result
  ) throws -> Result {
    precondition(transactionDepth == 0, "this is no part of a transaction")
    let file = try beginAppending()
    transactionDepth = 1
    defer { transactionDepth = 0 }
    do {
      let result: Result
      switch try body(file) {
      case .written(let written): result = written
      case .appended(let graft, let loaded):
        guard let file else { throw SQLiteError(.misuse, "there is no file to append pages to") }
        // Before anything refers to the pages they are on the disk.
        try file.synchronize()
        try adopt(graft, in: file)
        result = try complete(loaded)
      }
      try control("COMMIT")
      return result
    } catch {
      if isInTransaction {
        file?.takeBack()
        try? control("ROLLBACK")
      }
      // No page that was laid over the file may be taken for one of it.
      sqlite3_db_release_memory(handle)
      throw error
    }
  }

  /// Begins a transaction that writes and that can be taken back without being ended.
  ///
  /// - Returns: the file, if nothing is in the write-ahead log that is not in the file as well.
  private func beginAppending() throws -> LiveFile? {
    while true {
      let version = try dataVersion()
      let isSettled = checkpoint()
      // Only a transaction that begins with a savepoint goes on when all of it is taken back. The number is
      // the one that is there: writing it takes the lock.
      let number = try integer("PRAGMA user_version") ?? 0
      try control("SAVEPOINT appending")
      do {
        try control("PRAGMA user_version = \(number)")
        if try dataVersion() == version { return isSettled ? try LiveFile(of: self) : nil }
      } catch {
        if isInTransaction { try? control("ROLLBACK") }
        throw error
      }
      // Somebody else was faster.
      try control("ROLLBACK")
    }
  }

  /// Puts what is in the write-ahead log into the file, as far as nobody reads the state before.
  ///
  /// - Returns: whether that was all.
  private func checkpoint() -> Bool {
    var inLog: Int32 = -1
    var inFile: Int32 = -1
    let code = sqlite3_wal_checkpoint_v2(
      handle, "main", SQLITE_CHECKPOINT_PASSIVE, &inLog, &inFile)
    return code == SQLITE_OK && inLog >= 0 && inLog == inFile
  }

  /// Takes back what the transaction has done so far and makes pages part of the database.
  private func adopt(_ graft: Graft, in file: LiveFile) throws {
    // What was written is read anew when it is taken back: this goes for the first page.
    let number = try integer("PRAGMA user_version") ?? 0
    try control("PRAGMA user_version = \(number)")
    try file.withOverlay(graft) {
      try control("ROLLBACK TO appending")
      sqlite3_db_release_memory(handle)
      guard try integer("PRAGMA page_count") == Int64(graft.pageCount),
        try integer("PRAGMA freelist_count") == Int64(graft.freePageCount)
      else { throw PageLoaderError(.pagesNotSeen, path: file.path) }
      // This takes the last page, so that SQLite knows how far the database goes, and gives it back. With
      // that it writes both pages that are laid over the file.
      try execute("CREATE TABLE _grafting (page); DROP TABLE _grafting")
    }
    try withWritableSchema {
      let move = try prepare("UPDATE sqlite_master SET rootpage = ? WHERE rootpage = ?")
      for root in graft.roots { try move.run([Int64(root.new), Int64(root.old)]) }
    }
  }
}
