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
  private let rootID: Int64
  private let rootPath: FilePath
  private let db: Connection

  init(of rootID: Int64, at rootPath: FilePath, in db: Connection) {
    self.rootID = rootID
    self.rootPath = rootPath
    self.db = db
  }

  private struct Tag {
    let id: Int64
    let path: FilePath
    let inode: UInt64
    let size: Int64
    let modified: Int64
  }

  /// Reads the tags that are new or have changed.
  ///
  /// - Returns: what could not be read, with paths below the root. It stays as it was known, and is tried
  ///   again by the next scan.
  func update() throws -> [FileError] {
    let tags = try unread()
    if tags.isEmpty { return [] }
    let root: OpenRoot
    do throws(Errno) {
      root = try OpenRoot(rootPath)
    } catch {
      return [FileError(.open, "", error)]
    }
    var failures: [FileError] = []
    let files = FileBeginning(length: CacheDirectoryTag.signature.count)
    for tag in tags {
      let read: (status: FileStatus, isTag: Bool)
      do throws(Errno) {
        read = try files.read(root.open(tag.path)) { CacheDirectoryTag.isTag(beginning: $0) }
      } catch {
        if !error.saysReplaced {
          failures.append(FileError(.open, tag.path.below(rootPath), error))
        }
        continue
      }
      guard read.status.inode == tag.inode else { continue }
      try db.execute(
        "INSERT OR REPLACE INTO _cache_tags (id, size, modified, is_tag) VALUES (?, ?, ?, ?)",
        [tag.id, tag.size, tag.modified, read.isTag])
    }
    return failures
  }

  private func unread() throws -> [Tag] {
    let name = Array(CacheDirectoryTag.fileName.utf8)
    let key = NameFacts.assetKey(of: name)
    var tags: [Tag] = []
    try db.forEach(
      SQL(
        """
        SELECT e.id, d.exact_path, e.inode, e.size, e.modified
        FROM _entries e JOIN _directory_paths d ON d.id = e.parent_id
        LEFT JOIN _cache_tags t ON t.id = e.id
        WHERE e.asset_key = ? AND e.name = ? AND e.kind = 1 AND d.root_id = ?
          AND e.size IS NOT NULL AND e.modified IS NOT NULL
          AND (t.size, t.modified) IS NOT (e.size, e.modified)
        """, [.integer(key), .name(name), .integer(rootID)])
    ) { row in
      tags.append(
        Tag(
          id: row.integer(0), path: row.path(1).appending(name),
          inode: UInt64(bitPattern: row.integer(2)), size: row.integer(3),
          modified: row.integer(4)))
    }
    return tags
  }
}

extension FilePath {
  /// The path of what has this name here, byte for byte.
  fileprivate func appending(_ name: [UInt8]) -> FilePath { pushing(FilePath(bytes: name)) }
}
