internal import SQLite
public import SystemPackage

extension Catalog {
  /// Puts a tag on what lies at a path, behind those that it has.
  ///
  /// The file itself keeps it, in the extended attribute `user.xdg.tags`; what the catalog knows of the
  /// file is brought up to date at once. Where the file system stores no such attributes, and for symbolic
  /// links, which are not followed, the catalog alone keeps the tag: rescans leave it there.
  ///
  /// - Throws: `FileError` when the attribute cannot be read or written, and
  ///   ``/CatalogStore/CatalogError/Code/notInCatalog`` where only the catalog could keep the tag.
  @discardableResult
  public func addTag(_ tag: Tag, to path: FilePath) async throws -> Tagging {
    try await write { db in
      try Self.reaching {
        var item = try TaggedItem(at: path, in: db)
        return try item.add(tag)
      }
    }.get()
  }

  /// Takes a tag off what lies at a path, be it the file or the catalog that keeps it.
  ///
  /// - Throws: `FileError` when the attribute cannot be read or written.
  @discardableResult
  public func removeTag(_ tag: Tag, from path: FilePath) async throws -> Tagging {
    try await write { db in
      try Self.reaching {
        var item = try TaggedItem(at: path, in: db)
        return try item.remove(tag)
      }
    }.get()
  }

  /// The tags of what lies at a path: those that the file has now, or if it cannot be read those that the
  /// catalog knows of it; then those that the catalog alone keeps.
  ///
  /// - Throws: `FileError` for a file that cannot be read and is not in the catalog.
  public func tags(of path: FilePath) async throws -> [Tag] {
    try await read { db in try Self.reaching { try TaggedItem(at: path, in: db).tags() } }.get()
  }

  /// All entries that have tags, as far as the catalog knows, by path.
  ///
  /// What is on files it knows of those that were tagged through it, and where scans store extended attributes
  /// (``/CatalogScan/ExtendedAttributeValues``).
  public func taggedEntries() async throws -> [TaggedEntry] {
    try await read { db in
      let tags = try TagTable(db).all()
      return try EntryTable(db).entries(tags.keys.sorted())
        .map { TaggedEntry(entry: $0, tags: (tags[$0.id.rawValue] ?? TagList()).tags) }
        .sorted { $0.entry.path.bytes.lexicographicallyPrecedes($1.entry.path.bytes) }
    }
  }

  /// What `body` says, or why a file could not be reached, which is no error of the catalog.
  private static func reaching<Answer: Sendable>(
    _ body: () throws -> Answer
  ) throws -> Result<Answer, FileError> {
    do {
      return .success(try body())
    } catch let error as FileError {
      return .failure(error)
    }
  }
}
