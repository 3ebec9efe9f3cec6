internal import CatalogScan
internal import FileSystem
internal import Fleet

/// The entries of a catalog as a machine has published them, for ``RootsImport``.
struct PublishedEntries: ForeignEntries, ~Copyable {
  /// After so many rows it is looked whether the work is to end.
  private static let step = 1024

  private var rows: PublishedRows
  private let isCancelled: @Sendable () -> Bool
  private var count = 0

  /// What a column was called last, and the number of that: neighbours are alike.
  private struct Word {
    let column: Int
    var text: [UInt8] = []
    var number: Int64 = -1
  }

  private var kind = Word(column: Column.kind)
  private var type = Word(column: Column.type)
  private var owner = Word(column: Column.owner)
  private var group = Word(column: Column.group)
  private var kinds: [[UInt8]: EntryKind] = [:]
  private var types: [[UInt8]: Int64] = [:]
  private var text: [UInt8] = []

  /// Where columns are among those of the table.
  private enum Column {
    static let names = PublishedTable.columns(of: .entries).map(\.name)
    static let id = place("id")
    static let parent = place("parent_id")
    static let name = place("name")
    static let nameBytes = place("name_bytes")
    static let kind = place("kind")
    static let type = place("type")
    static let typeDescription = place("type_description")
    static let size = place("size")
    static let allocated = place("allocated")
    static let files = place("files")
    static let created = place("created_ns")
    static let modified = place("modified_ns")
    static let changed = place("changed_ns")
    static let accessed = place("accessed_ns")
    static let mode = place("mode")
    static let uid = place("uid")
    static let gid = place("gid")
    static let owner = place("owner")
    static let group = place("group_name")
    static let inode = place("inode")
    static let volume = place("volume_id")
    static let links = place("links")
    static let target = place("link_target")
    static let targetBytes = place("link_target_bytes")
    static let flags = place("flags")
    static let isPackage = place("is_package")
    static let isBroken = place("is_broken")
    static let packagedLinks = place("packaged_links")

    private static func place(_ name: String) -> Int { names.firstIndex(of: name) ?? -1 }
  }

  init(
    of records: [CommitRecord], in lake: Lake, unless isCancelled: @escaping @Sendable () -> Bool
  ) throws {
    rows = try PublishedRows(.entries, of: records, in: lake)
    self.isCancelled = isCancelled
    kinds = Dictionary(uniqueKeysWithValues: EntryKind.allCases.map { (Array($0.name.utf8), $0) })
  }

  mutating func next(_ entry: inout ForeignEntry, _ words: inout ForeignWords) throws -> Bool {
    count += 1
    if count % Self.step == 0, isCancelled() { throw CancellationError() }
    guard try rows.next() else { return false }
    let row = rows.row
    entry.id = row.integer(Column.id) ?? 0
    entry.parent = row.integer(Column.parent)
    if !row.copyText(Column.nameBytes, to: &entry.name) {
      row.copyText(Column.name, to: &entry.name)
    }
    var record = EntryRecord()
    record.kind = try readKind(row)
    record.traits = traits(row)
    if !record.traits.contains(.withoutStatus) {
      record.status = try status(row)
      entry.volume = try required(row, Column.volume, 0...Int64(Int32.max))
      noteOwners(row, record.status, &words)
    }
    entry.target.removeAll(keepingCapacity: true)
    entry.links.removeAll(keepingCapacity: true)
    switch record.kind {
    case .symlink:
      if !row.copyText(Column.targetBytes, to: &entry.target) {
        row.copyText(Column.target, to: &entry.target)
      }
    case .package:
      record.packagedFiles = try required(row, Column.files, 0...Int64.max)
      // What would tell its content from another is not published.
      record.traits.insert(.partialContent)
      try readLinks(row, &entry)
    default: break
    }
    entry.record = record
    entry.type = try readType(row, &words)
    return true
  }

  // MARK: - Values

  private func required(
    _ row: PublishedFile, _ column: Int, _ range: ClosedRange<Int64>
  ) throws -> Int64 {
    guard let value = row.integer(column), range.contains(value) else {
      throw fault(row, column)
    }
    return value
  }

  private func fault(_ row: PublishedFile, _ column: Int) -> ForeignFault {
    ForeignFault("entry \(row.integer(Column.id) ?? 0) has no sound \(Column.names[column])")
  }

  private func traits(_ row: PublishedFile) -> EntryRecord.Traits {
    var traits: EntryRecord.Traits = []
    if row.integer(Column.mode) == nil { traits.insert(.withoutStatus) }
    if row.integer(Column.isBroken) == 1 { traits.insert(.broken) }
    if row.integer(Column.isPackage) == 1 { traits.insert(.package) }
    return traits
  }

  private func status(_ row: PublishedFile) throws -> FileStatus {
    let words: ClosedRange<Int64> = 0...Int64(UInt32.max)
    var status = FileStatus()
    status.size = try required(row, Column.size, 0...Int64.max)
    status.allocated = try required(row, Column.allocated, 0...Int64.max)
    status.created = row.integer(Column.created) ?? FileStatus.unknownTime
    status.modified = row.integer(Column.modified) ?? FileStatus.unknownTime
    status.changed = row.integer(Column.changed) ?? FileStatus.unknownTime
    status.accessed = row.integer(Column.accessed) ?? FileStatus.unknownTime
    status.mode = UInt32(try required(row, Column.mode, words))
    status.uid = UInt32(try required(row, Column.uid, words))
    status.gid = UInt32(try required(row, Column.gid, words))
    status.inode = UInt64(
      bitPattern: try required(row, Column.inode, Int64.min...Int64.max))
    status.links = UInt32(try required(row, Column.links, words))
    let flags = row.integer(Column.flags) ?? 0
    guard words.contains(flags) else { throw fault(row, Column.flags) }
    status.attributes = UInt32(flags)
    return status
  }

  private mutating func readKind(_ row: PublishedFile) throws -> EntryKind {
    if !row.hasText(kind.column, kind.text) || kind.number < 0 {
      row.copyText(kind.column, to: &kind.text)
      guard let known = kinds[kind.text] else { throw fault(row, kind.column) }
      kind.number = Int64(known.rawValue)
    }
    return EntryKind(rawValue: UInt8(kind.number)) ?? .file
  }

  private mutating func readType(
    _ row: PublishedFile, _ words: inout ForeignWords
  ) throws -> Int64 {
    if row.hasText(type.column, type.text), type.number >= 0 { return type.number }
    guard row.copyText(type.column, to: &type.text) else { throw fault(row, type.column) }
    if let known = types[type.text] {
      type.number = known
    } else {
      let isDescribed = row.copyText(Column.typeDescription, to: &text)
      type.number = words.number(
        ofType: String(decoding: type.text, as: UTF8.self),
        described: isDescribed ? String(decoding: text, as: UTF8.self) : nil)
      types[type.text] = type.number
    }
    return type.number
  }

  private mutating func noteOwners(
    _ row: PublishedFile, _ status: FileStatus, _ words: inout ForeignWords
  ) {
    if owner.number != Int64(status.uid) {
      owner.number = Int64(status.uid)
      if row.copyText(owner.column, to: &owner.text) {
        words.note(user: String(decoding: owner.text, as: UTF8.self), owner.number)
      }
    }
    if group.number != Int64(status.gid) {
      group.number = Int64(status.gid)
      if row.copyText(group.column, to: &group.text) {
        words.note(group: String(decoding: group.text, as: UTF8.self), group.number)
      }
    }
  }

  /// Reads the volume, inode and bytes on disk of each file in a package that has several names.
  private mutating func readLinks(_ row: PublishedFile, _ entry: inout ForeignEntry) throws {
    guard row.copyText(Column.packagedLinks, to: &text) else { return }
    let numbers = text.split(separator: UInt8(ascii: " ")).map {
      Int64(String(decoding: $0, as: UTF8.self))
    }
    guard numbers.count % 3 == 0 else { throw fault(row, Column.packagedLinks) }
    for start in stride(from: 0, to: numbers.count, by: 3) {
      guard let volume = numbers[start], 0...Int64(Int32.max) ~= volume,
        let inode = numbers[start + 1], let allocated = numbers[start + 2], allocated >= 0
      else { throw fault(row, Column.packagedLinks) }
      entry.links.append(
        LinkedFile(
          device: UInt64(bitPattern: volume), inode: UInt64(bitPattern: inode),
          allocated: allocated))
    }
  }
}
