internal import FileSystem
internal import SQLite
internal import SystemPackage

extension Catalog {
  /// Finds files that are there more than once, several hard links of a file not counted.
  ///
  /// By content, files of the same size are read: their first and last block, and those of which
  /// these are the same as a whole. What was read is remembered in the catalog until the file changes.
  /// Cancelling the task stops within a moment.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/notInCatalog`` and ``/CatalogStore/CatalogError/Code/notADirectory`` for the
  ///   directory of the request. What cannot be read is no error, but in
  ///   ``DuplicateGroup/Findings/failures``.
  public func duplicates(_ request: DuplicateGroup.Request) async throws -> DuplicateGroup.Findings
  {
    switch request.evidence {
    case .nameAndSize:
      return try await read { try DuplicateCandidates($0).sameNames(request) }
    case .content:
      let (classes, roots) = try await read { db in
        (
          try DuplicateCandidates(db).sameSizes(request),
          try RootTable.all(in: db).map(\.location.path)
        )
      }
      if request.directory == nil, request.minimumSize == 1 { forgetOldHashes() }
      return try await compare(classes, in: roots)
    }
  }

  private func compare(
    _ classes: [[ContentCandidate]], in roots: [FilePath]
  ) async throws -> DuplicateGroup.Findings {
    let comparison = ContentComparison(in: roots) { files in self.remember(files) }
    do {
      return try await withTaskCancellationHandler {
        try await WorkerThread.run(named: "catalog hashing") { try comparison.run(classes) }
      } onCancel: {
        comparison.cancel()
      }
    } catch {
      throw CatalogError(error, path: path)
    }
  }

  /// A catalog that may not be written to, or is being written to, answers all the same.
  private func remember(_ files: [ContentCandidate]) {
    try? store.pool.write { db in
      let insert = try db.cached(
        """
        INSERT OR REPLACE INTO _content_hashes
          (volume_id, inode, size, modified, changed, ends, whole) VALUES (?, ?, ?, ?, ?, ?, ?)
        """)
      for file in files {
        guard let ends = file.ends else { continue }
        try insert.run([
          file.volume, file.inode, file.size, file.modified, file.changed,
          Binding.blob(ends), file.whole.map { Binding.blob($0) },
        ])
      }
    }
  }

  private func forgetOldHashes() {
    try? store.pool.write { db in
      try db.execute(
        """
        DELETE FROM _content_hashes WHERE (volume_id, inode, size, modified, changed) NOT IN (
          SELECT volume_id, inode, size, modified, changed FROM _entries
          WHERE kind = 1 AND size > 0 AND modified IS NOT NULL AND changed IS NOT NULL)
        """)
    }
  }
}
