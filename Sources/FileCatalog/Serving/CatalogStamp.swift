internal import SQLite

/// What answers of a catalog depend on: as long as it is the same, so are they, but for what is counted
/// from the present.
package struct CatalogStamp: Sendable, Hashable {
  /// A number of the stamp that hardly any other has.
  package let tag: String
  /// The last scan that was written.
  package let lastScan: Int64

  init(in db: Connection) throws {
    // Beside the entries, answers tell of scans, of roots that cannot be reached, and of limits.
    let more = SQL(
      """
      SELECT (SELECT ifnull(max(id), 0) FROM _scan_log),
        (SELECT ifnull(group_concat(part, '.'), '') FROM (
          SELECT r.id || r.state || '.' || r.last_scan_id || r.path || r.settings AS part FROM _roots r
          UNION ALL SELECT 's' || s.id || s.state || ifnull(s.finished, 0) FROM
            (SELECT * FROM _scan_log ORDER BY id DESC LIMIT 3) s
          UNION ALL SELECT key || value FROM _catalog_settings))
      """)
    let state = try CatalogState(in: db).description
    let (last, rest) = try db.first(cached: more) { ($0.integer(0), $0.text(1)) } ?? (0, "")
    lastScan = last
    // FNV-1a (isthe.com/chongo/tech/comp/fnv).
    let hash = "\(state)|\(rest)".utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    tag = String(hash, radix: 16)
  }
}

extension Catalog {
  /// What answers depend on now.
  package func stamp() async throws -> CatalogStamp {
    try await read { try CatalogStamp(in: $0) }
  }

  /// Says each time that somebody has written to the catalog, this process or another. What is not
  /// fetched in time is told once.
  ///
  /// - Parameter interval: how often it is looked for.
  package func commits(every interval: Duration) throws -> AsyncStream<Void> {
    let counter = try translatingErrors { try WriteCounter(store) }
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        var seen = try? await counter.value()
        while !Task.isCancelled {
          try? await Task.sleep(for: interval)
          guard let value = try? await counter.value(), value != seen else { continue }
          seen = value
          continuation.yield()
        }
        counter.close()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
