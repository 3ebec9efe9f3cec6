internal import CatalogStore
internal import FileSystem
internal import SQLite
internal import StandardDirectories
internal import SystemPackage

/// Which of the files called `CACHEDIR.TAG` make their directory a cache: that is told by how they
/// begin.
///
/// They are found by their key, not by a look at all names, and read once and again when they have
/// changed: what a scan spends on them depends on them alone.
struct CacheTags {
  private let db: Connection

  init(in db: Connection) throws {
    self.db = db
  }

  /// Reads the tags of a root that are new or have changed.
  func update(_ root: Int64) throws {
    for tag in try unread(root) {
      // What cannot be read now is tried again by the next scan.
      guard
        let beginning = try? LocalFiles().contents(
          of: tag.path, atMost: CacheDirectoryTag.signature.count)
      else { continue }
      try db.execute(
        "INSERT OR REPLACE INTO cache_tags (id, size, modified, is_tag) VALUES (?, ?, ?, ?)",
        [
          tag.id, tag.size, tag.modified, CacheDirectoryTag.isTag(beginning: beginning),
        ])
    }
  }

  private func unread(
    _ root: Int64
  ) throws -> [(id: Int64, path: FilePath, size: Int64, modified: Int64)] {
    let name = Array(CacheDirectoryTag.fileName.utf8)
    let key = NameFacts.assetKey(of: name)
    var tags: [(id: Int64, path: FilePath, size: Int64, modified: Int64)] = []
    try db.forEach(
      SQL(
        """
        SELECT e.id, d.path, e.size, e.modified
        FROM entries e JOIN directory_paths d ON d.id = e.parent_id
        LEFT JOIN cache_tags t ON t.id = e.id
        WHERE e.asset_key = ? AND e.name = ? AND e.kind = 1 AND d.root_id = ?
          AND e.size IS NOT NULL AND e.modified IS NOT NULL
          AND (t.size, t.modified) IS NOT (e.size, e.modified)
        """, [.integer(key), .name(name), .integer(root)])
    ) { row in
      tags.append(
        (row.integer(0), row.path(1).appending(name), row.integer(2), row.integer(3)))
    }
    return tags
  }
}

extension FilePath {
  /// The path of what has this name here, byte for byte.
  fileprivate func appending(_ name: [UInt8]) -> FilePath { pushing(FilePath(bytes: name)) }
}
