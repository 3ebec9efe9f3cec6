internal import SQLite
internal import SystemPackage

/// What lies at a path, with the tags that the file has and those that the catalog alone has.
///
/// The file is written to before the catalog, so that the catalog never tells of what the file has not.
struct TaggedItem {
  /// Why a file system does not store an attribute, where the catalog keeps the tag instead.
  private static let refusals: Set<Errno> = [.notSupported, .notPermitted, .readOnlyFileSystem]

  /// The path without symbolic links, but for the last name, which is meant itself.
  private let place: FilePath
  private let db: Connection
  private let table: AttributeTable
  /// Its id in the catalog, or why it is not there.
  private let entry: Result<Int64, CatalogError>
  /// The tags of the catalog alone.
  private var own = TagList()

  init(at path: FilePath, in db: Connection) throws {
    self.db = db
    table = AttributeTable(db)
    let path = path.absolute
    let directory = path.removingLastComponent().resolved
    place = path.lastComponent.flatMap { directory?.appending($0) } ?? path
    do {
      // What a link leads to is another entry, so the disk has no say.
      entry = .success(try PathLookup(db, reach: .index).entry(at: place))
    } catch let error as CatalogError where error.code == .notInCatalog {
      entry = .failure(error)
    }
    if let id { own = TagList(try table.stored(TagTable.ownKey, of: id) ?? []) }
  }

  private var id: Int64? { try? entry.get() }

  /// The tags: those that the file has now, or if it cannot be read those that the catalog knows of it; then
  /// those of the catalog alone.
  func tags() throws -> [Tag] {
    do throws(FileError) {
      return tags(beside: TagList(try attribute() ?? []))
    } catch {
      guard let id else { throw error }
      return tags(beside: TagList(try table.stored(TagTable.attributeKey, of: id) ?? []))
    }
  }

  /// Adds a tag: to the file, or where that is refused to the catalog alone.
  mutating func add(_ tag: Tag) throws -> Tagging {
    var onFile = TagList()
    let isNew: Bool
    do throws(FileError) {
      onFile = TagList(try attribute() ?? [])
      isNew = !onFile.contains(tag.bytes)
      if isNew { try set(onFile.adding(tag.bytes)) }
    } catch {
      guard Self.refusals.contains(error.errno) else { throw error }
      return try keep(tag, beside: onFile, refused: error.errno)
    }
    let wasOwn = own.contains(tag.bytes)
    try noteAttribute()
    own.remove(tag.bytes)
    try noteOwn()
    return Tagging(
      tags: tags(beside: onFile.adding(tag.bytes)), hasChanged: isNew && !wasOwn, refusal: nil)
  }

  /// Removes a tag, wherever it is kept.
  mutating func remove(_ tag: Tag) throws -> Tagging {
    let wasOwn = own.contains(tag.bytes)
    var onFile = TagList()
    var isOnFile = false
    do throws(FileError) {
      onFile = TagList(try attribute() ?? [])
      isOnFile = onFile.contains(tag.bytes)
      onFile.remove(tag.bytes)
      if isOnFile { try set(onFile) }
    } catch {
      // What cannot be read has no tag that could be taken off, or its tag is here alone.
      guard error.operation == .attributes, wasOwn || error.errno == .notSupported else {
        throw error
      }
    }
    if isOnFile { try noteAttribute() }
    own.remove(tag.bytes)
    try noteOwn()
    return Tagging(tags: tags(beside: onFile), hasChanged: isOnFile || wasOwn, refusal: nil)
  }

  // MARK: - Steps

  private func tags(beside onFile: TagList) -> [Tag] {
    var all = onFile
    all.add(contentsOf: own)
    return all.tags
  }

  private func attribute() throws(FileError) -> [UInt8]? {
    try ExtendedAttributes.value(TagTable.attribute, of: place)
  }

  private func set(_ tags: TagList) throws(FileError) {
    try ExtendedAttributes.set(tags.isEmpty ? nil : tags.bytes, TagTable.attribute, of: place)
  }

  private mutating func keep(
    _ tag: Tag, beside onFile: TagList, refused errno: Errno
  ) throws -> Tagging {
    let id = try entry.get()
    let isNew = !own.contains(tag.bytes)
    own.add(tag.bytes)
    try noteOwn()
    let isLink = try StoredEntry.entry(id, db)?.kind == .symlink
    return Tagging(
      tags: tags(beside: onFile), hasChanged: isNew,
      refusal: isLink ? .symbolicLink : .fileSystem(errno))
  }

  /// Has the catalog know of the file, by all its names, what a scan would find.
  private func noteAttribute() throws {
    guard let id else { return }
    let value = try attribute()
    for name in [id] + (try table.otherNames(of: id)) {
      try table.set(value, TagTable.attributeKey, of: name)
    }
  }

  private func noteOwn() throws {
    guard let id else { return }
    try table.set(own.isEmpty ? nil : own.bytes, TagTable.ownKey, of: id)
  }
}

extension TagList {
  /// The tags as values.
  var tags: [Tag] { items.map { Tag(stored: $0) } }

  fileprivate func adding(_ tag: [UInt8]) -> TagList {
    var list = self
    list.add(tag)
    return list
  }
}
