internal import CatalogStore
internal import FileSystem
internal import SQLite

/// Writes rows as pages, with their keys in all indexes: of a new database that nobody else has open yet,
/// or behind the end of one.
struct PageRowWriter: RowWriter, ~Copyable {
  private let file: PageLoader
  private var entries: TableLoader
  private var entriesByParent: TextIndexLoader
  private var entriesByType: IntegerIndexLoader
  private var entriesByAsset: IntegerIndexLoader
  private var linkedEntries: TextIndexLoader
  private var assets: TableLoader
  private var oddNames: TableLoader
  private var names: TableLoader
  private var trigrams: TableLoader
  private let nameBlocks: NameBlockBuilder
  /// How many were begun.
  private var nameBlockCount = 0
  private var directories: TableLoader
  private var directoriesByPath: TextIndexLoader
  private var totals: TableLoader
  private var symlinks: TableLoader
  private var packages: TableLoader
  private var packagedLinks: TableLoader
  private var packagedLinksByPackage: IntegerIndexLoader
  private var lastPackagedLink: Int64

  /// Index keys beyond this many bytes are sorted on the disk.
  private static let textMemory = 20 << 20
  private static let integerMemory = 10 << 20

  init(_ file: consuming PageLoader) throws {
    // All at once: what cannot be copied is either there or not.
    let entries = try file.table(EntryRow.table.name)
    let entriesByParent = try file.integerTextIndex(
      "entries_by_parent", memoryLimit: Self.textMemory)
    let entriesByType = try file.integerIndex("entries_by_type", memoryLimit: Self.integerMemory)
    let entriesByAsset = try file.integerIndex("entries_by_asset", memoryLimit: Self.integerMemory)
    let linkedEntries = try file.integersIndex("entries_linked", memoryLimit: Self.textMemory)
    let assets = try file.table(AssetRow.table.name)
    let oddNames = try file.table(OddNameRow.table.name)
    let names = try file.table(NameBlockRow.table.name)
    let trigrams = try file.table(NameTrigramsRow.table.name)
    let nameBlocks = try NameBlockBuilder()
    let directories = try file.table(DirectoryRow.table.name)
    let directoriesByPath = try file.textIndex("directories_by_path", memoryLimit: Self.textMemory)
    let totals = try file.table(TotalsRow.table.name)
    let symlinks = try file.table(SymlinkRow.table.name)
    let packages = try file.table(PackageRow.table.name)
    let packagedLinks = try file.table(PackagedLinkRow.table.name)
    let packagedLinksByPackage = try file.integerIndex(
      "packaged_links_by_package", memoryLimit: Self.integerMemory)
    self.entries = entries
    self.entriesByParent = entriesByParent
    self.entriesByType = entriesByType
    self.entriesByAsset = entriesByAsset
    self.linkedEntries = linkedEntries
    self.assets = assets
    self.oddNames = oddNames
    self.names = names
    self.trigrams = trigrams
    self.nameBlocks = nameBlocks
    self.directories = directories
    self.directoriesByPath = directoriesByPath
    self.totals = totals
    self.symlinks = symlinks
    self.packages = packages
    lastPackagedLink = packagedLinks.lastRowid ?? 0
    self.packagedLinks = packagedLinks
    self.packagedLinksByPackage = packagedLinksByPackage
    self.file = file
  }

  @inline(__always)
  mutating func write(_ row: EntryRow) throws {
    // Spelled out, for this is called for every entry of a first scan: what is appended by its protocol
    // is encoded by it as well.
    try entries.begin(row.id)
    entries.null()
    row.encode(into: &entries)
    try entries.end()
    let name = row.name
    try entriesByParent.append(
      row.parent, name.isText ? .text(name.bytes) : .blob(name.bytes), rowid: row.id)
    try entriesByType.append(row.typeID, rowid: row.id)
    try entriesByAsset.append(name.assetKey, rowid: row.id)
    if !nameBlocks.isWithin(row.id) {
      try endNameBlock()
      nameBlocks.begin(with: row.id)
      nameBlockCount += 1
    }
    nameBlocks.add(name.bytes, of: row.id)
    if row.values.status.links > 1 { try appendLinked(row) }
    if let marks = name.marks(of: row.id) { try assets.append(marks, id: row.id) }
    if let odd = name.oddName(of: row.id) { try oddNames.append(odd, id: row.id) }
  }

  private mutating func endNameBlock() throws {
    // In a catalog that has others, names of theirs are in the first block, too: it is made of the rows.
    if file.isLive, nameBlockCount == 1 { return }
    try nameBlocks.end { block, trigrams in
      try names.append(block, id: block.id)
      try self.trigrams.append(trigrams, id: trigrams.id)
    }
  }

  /// Adds the key of a file that has several names; the index has no others.
  private mutating func appendLinked(_ row: EntryRow) throws {
    let values = row.values
    guard let parent = row.parent, values.kind != .directory, values.kind != .package,
      !values.traits.contains(.withoutStatus)
    else { return }
    try KeyBytes.withIntegers(
      values.volume, Int64(bitPattern: values.status.inode), parent, values.status.allocated
    ) { try linkedEntries.append($0, rowid: row.id) }
  }

  mutating func write(_ row: DirectoryRow) throws {
    try directories.append(row, id: row.id)
    if UTF8Validity.isValid(row.path) {
      try directoriesByPath.append(.text(row.path), rowid: row.id)
    } else {
      var shown = String(decoding: row.path, as: UTF8.self)
      try shown.withUTF8 { try directoriesByPath.append(.text($0), rowid: row.id) }
    }
  }

  mutating func write(_ row: TotalsRow) throws { try totals.append(row, id: row.id) }
  mutating func write(_ row: SymlinkRow) throws { try symlinks.append(row, id: row.id) }
  mutating func write(_ row: PackageRow) throws { try packages.append(row, id: row.id) }

  mutating func write(_ row: PackagedLinkRow) throws {
    lastPackagedLink += 1
    try packagedLinks.append(row, id: lastPackagedLink)
    try packagedLinksByPackage.append(row.package, rowid: lastPackagedLink)
  }

  /// Values have no table that could be loaded: a scan that stores some is written through SQL.
  mutating func write(_ value: ResourceValue, _ key: String, of entry: Int64) throws {
    throw CatalogError(.database, "resource values cannot be loaded as pages")
  }

  /// What the pages need.
  struct Written {
    /// What makes them part of a database that others have open.
    let graft: Graft?
    /// Entries that a directory listed twice while it was changed.
    let duplicates: [Int64]
  }

  /// Writes what is left.
  consuming func finish() throws -> Written {
    try endNameBlock()
    try entries.finish()
    let duplicates = try entriesByParent.finish()
    _ = try entriesByType.finish()
    _ = try entriesByAsset.finish()
    _ = try linkedEntries.finish()
    try assets.finish()
    try oddNames.finish()
    try names.finish()
    try trigrams.finish()
    try directories.finish()
    _ = try directoriesByPath.finish()
    try totals.finish()
    try symlinks.finish()
    try packages.finish()
    try packagedLinks.finish()
    _ = try packagedLinksByPackage.finish()
    let rows = duplicates.map(\.rowid)
    if file.isLive { return Written(graft: try file.graft(), duplicates: rows) }
    _ = try file.finish()
    return Written(graft: nil, duplicates: rows)
  }
}

extension TableLoader: RowEncoder {
  @inline(__always)
  fileprivate mutating func append(_ row: borrowing some TableRow, id: Int64) throws {
    try begin(id)
    // The column that is the rowid.
    null()
    row.encode(into: &self)
    try end()
  }
}
