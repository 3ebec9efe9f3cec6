internal import FileSystem
internal import SQLite
internal import StandardDirectories
internal import SystemPackage

/// Writes rows as pages of a new database that nobody else has open yet.
///
/// The columns stand in the order of the tables in `Migrations`.
struct PageRowSink: RowSink, ~Copyable {
  private let rootID: Int64
  private let scanID: Int64
  private let file: PageLoader
  private var entries: TableLoader
  private var entriesByParent: TextIndexLoader
  private var entriesByType: IntegerIndexLoader
  private var entriesByAsset: IntegerIndexLoader
  private var assets: TableLoader
  private var folders: TableLoader
  private var foldersByPath: TextIndexLoader
  private var totals: TableLoader
  private var symlinks: TableLoader
  private var packages: TableLoader
  private var packagedLinks: TableLoader

  /// Index keys beyond this many bytes are sorted on the disk.
  private static let textMemory = 80 << 20
  private static let integerMemory = 40 << 20

  init(path: String, scanID: Int64, rootID: Int64) throws(PageLoaderError) {
    var file = try PageLoader(path: path)
    let entries = try file.table("entries")
    let entriesByParent = try file.integerTextIndex(
      "entries_by_parent", memoryLimit: Self.textMemory)
    let entriesByType = try file.integerIndex(
      "entries_by_type", memoryLimit: Self.integerMemory)
    let entriesByAsset = try file.integerIndex(
      "entries_by_asset", memoryLimit: Self.integerMemory)
    let assets = try file.table("assets")
    let folders = try file.table("folders")
    let foldersByPath = try file.textIndex("folders_by_path", memoryLimit: Self.textMemory)
    let totals = try file.table("folder_totals")
    let symlinks = try file.table("symlinks")
    let packages = try file.table("packages")
    let packagedLinks = try file.table("packaged_links")
    self.entries = entries
    self.entriesByParent = entriesByParent
    self.entriesByType = entriesByType
    self.entriesByAsset = entriesByAsset
    self.assets = assets
    self.folders = folders
    self.foldersByPath = foldersByPath
    self.totals = totals
    self.symlinks = symlinks
    self.packages = packages
    self.packagedLinks = packagedLinks
    self.file = file
    self.scanID = scanID
    self.rootID = rootID
  }

  @inline(__always)
  mutating func writeEntry(
    id: Int64, parent: Int64?, name: UnsafeBufferPointer<UInt8>, _ record: borrowing EntryRecord,
    volume: Int64
  ) throws {
    let isText = UTF8Validity.isValid(name)
    try entries.begin(id)
    entries.null()
    if let parent { entries.integer(parent) } else { entries.null() }
    if isText { entries.text(name) } else { entries.blob(name) }
    entries.integer(Int64(record.kind.rawValue))
    entries.integer(Int64(record.typeCode))
    if record.traits.contains(.withoutStatus) {
      for _ in 0..<13 { entries.null() }
    } else {
      entries.integer(record.status.size)
      entries.integer(record.status.allocated)
      entries.time(record.status.created)
      entries.time(record.status.modified)
      entries.time(record.status.changed)
      entries.time(record.status.accessed)
      entries.integer(Int64(record.status.mode))
      entries.integer(Int64(record.status.uid))
      entries.integer(Int64(record.status.gid))
      entries.integer(Int64(bitPattern: record.status.inode))
      entries.integer(Int64(record.status.links))
      entries.integer(volume)
      entries.integer(Int64(record.status.attributes))
    }
    entries.integer(Int64(record.traits.rawValue))
    entries.integer(scanID)
    entries.integer(scanID)
    let facts = AssetFacts(name, isText: isText)
    entries.integer(facts.key)
    try entries.end()
    try entriesByParent.append(parent, isText ? .text(name) : .blob(name), rowid: id)
    try entriesByType.append(Int64(record.typeCode), rowid: id)
    try entriesByAsset.append(facts.key, rowid: id)
    if facts.needsRow { try writeAsset(id: id, name: name, facts.layout) }
  }

  private mutating func writeAsset(
    id: Int64, name: UnsafeBufferPointer<UInt8>, _ layout: AssetName.Layout
  ) throws {
    try assets.begin(id)
    assets.null()
    assets.name(UnsafeBufferPointer(rebasing: name[layout.stem]))
    assets.name(UnsafeBufferPointer(rebasing: name[layout.extension ?? 0..<0]))
    switch layout.variant.scale?.number {
    case .integer(let scale): assets.integer(scale)
    case .real(let scale): assets.real(scale)
    case nil: assets.null()
    }
    if let idiom = layout.variant.idiom { assets.text(idiom.rawValue) } else { assets.null() }
    if let height = layout.variant.height {
      assets.integer(Int64(height))
    } else {
      assets.null()
    }
    assets.integer(layout.variant.isHD ? 1 : 0)
    try assets.end()
  }

  mutating func writeFolder(_ folder: FolderRow, path: UnsafeBufferPointer<UInt8>) throws {
    let isText = UTF8Validity.isValid(path)
    try folders.begin(folder.id)
    folders.null()
    folders.integer(rootID)
    if isText { folders.text(path) } else { folders.blob(path) }
    folders.integer(Int64(folder.depth))
    if let parent = folder.parent { folders.integer(parent) } else { folders.null() }
    folders.integer(Int64(bitPattern: folder.inode))
    // The index of directories without a place is not loaded: here none is.
    folders.integer(folder.place ?? PlaceMap.outside)
    try folders.end()
    try foldersByPath.append(isText ? .text(path) : .blob(path), rowid: folder.id)
  }

  mutating func writeTotals(_ folder: FolderTotals.Folder, error: String?) throws {
    try totals.begin(folder.id)
    totals.null()
    totals.integer(folder.state.rawValue)
    if let error { totals.text(error) } else { totals.null() }
    for value in folder.sums { totals.integer(value) }
    totals.time(folder.total.newestModified)
    totals.time(folder.own.newestModified)
    if let fingerprint = folder.provenFingerprint {
      totals.integer(Int64(bitPattern: fingerprint.high))
      totals.integer(Int64(bitPattern: fingerprint.low))
    } else {
      totals.null()
      totals.null()
    }
    try totals.end()
  }

  mutating func writeSymlink(id: Int64, target: UnsafeBufferPointer<UInt8>) throws {
    try symlinks.begin(id)
    symlinks.null()
    if UTF8Validity.isValid(target) { symlinks.text(target) } else { symlinks.blob(target) }
    try symlinks.end()
  }

  mutating func writePackage(id: Int64, _ record: borrowing EntryRecord) throws {
    try packages.begin(id)
    packages.null()
    packages.integer(record.packagedFiles)
    packages.integer(Int64(bitPattern: record.packageFingerprint))
    try packages.end()
  }

  mutating func writePackagedLink(package: Int64, _ file: LinkedFile, volume: Int64) throws {
    try packagedLinks.begin(Int64(packagedLinks.count) + 1)
    packagedLinks.integer(package)
    packagedLinks.integer(volume)
    packagedLinks.integer(Int64(bitPattern: file.inode))
    packagedLinks.integer(file.allocated)
    try packagedLinks.end()
  }

  /// Values have no table that could be loaded: a scan that stores some is written through SQL.
  mutating func writeValue(id: Int64, key: String, _ value: ResourceValue) throws {
    throw CatalogError(.database, "resource values cannot be loaded as pages")
  }

  /// What SQL has to do when the pages are written.
  struct Leftovers {
    /// Small indexes that are empty yet.
    let indexes = ["entries_linked", "packaged_links_by_package"]
    /// Entries that a directory listed twice while it was changed.
    let duplicates: [Int64]
  }

  /// Completes the file.
  consuming func finish() throws -> Leftovers {
    try entries.finish()
    let duplicates = try entriesByParent.finish()
    _ = try entriesByType.finish()
    _ = try entriesByAsset.finish()
    try assets.finish()
    try folders.finish()
    _ = try foldersByPath.finish()
    try totals.finish()
    try symlinks.finish()
    try packages.finish()
    try packagedLinks.finish()
    _ = try file.finish()
    return Leftovers(duplicates: duplicates.map(\.rowid))
  }
}

extension TableLoader {
  /// TEXT when it is UTF-8, else a BLOB with the bytes.
  fileprivate mutating func name(_ name: UnsafeBufferPointer<UInt8>) {
    if UTF8Validity.isValid(name) { text(name) } else { blob(name) }
  }

  @inline(__always)
  fileprivate mutating func time(_ time: Int64) {
    if time == FileStatus.unknownTime { null() } else { integer(time) }
  }
}
