internal import CatalogStore
internal import FileSystem

/// In what an entry differs from its row.
struct EntryDifference {
  /// The columns that differ.
  var fields: [EntryColumn] = []
  /// A package whose sums are the same, but not its content.
  var isPackageContent = false
  /// The row has to be written, even where nobody would call it a change.
  var isStored = false

  var isEmpty: Bool { fields.isEmpty && !isPackageContent }

  /// No difference.
  init() {}

  /// Compares an entry as it was listed with its row. The time of the last reading is no difference.
  ///
  /// - Parameters:
  ///   - target: the text of a symbolic link.
  ///   - volume: the catalog's number of the file system that the entry is on now.
  init(
    of listed: EntryRecord, target: UnsafeBufferPointer<UInt8>, volume: Int64,
    from row: StoredEntry
  ) {
    // The values could not be read: what was known stays.
    guard !listed.traits.contains(.withoutStatus) else { return }
    let (old, new) = (row.status, listed.status)
    // Of an entry without values, whatever is known now differs.
    let isUnknown = row.traits.contains(.withoutStatus)
    func compare<Value: Equatable>(_ column: EntryColumn, _ a: Value, _ b: Value) {
      if isUnknown || a != b { fields.append(column) }
    }
    if row.kind != listed.kind {
      fields.append(.kind)
      if row.typeID != Int64(listed.typeCode) { fields.append(.type) }
      if (row.kind == .package) != (listed.kind == .package) { fields.append(.isPackage) }
    }
    compare(.size, old.size, new.size)
    compare(.allocated, old.allocated, new.allocated)
    // Times may be unknown by themselves.
    if old.created != new.created { fields.append(.created) }
    if old.modified != new.modified { fields.append(.modified) }
    if old.changed != new.changed { fields.append(.changed) }
    compare(.mode, old.mode, new.mode)
    compare(.uid, old.uid, new.uid)
    compare(.gid, old.gid, new.gid)
    compare(.inode, old.inode, new.inode)
    compare(.device, row.volume, volume)
    compare(.links, old.links, new.links)
    compare(.flags, old.attributes, new.attributes)
    if !row.target.elementsEqual(target) { fields.append(.linkTarget) }
    if row.kind == .package, listed.kind == .package, let fingerprint = row.packageFingerprint {
      isPackageContent =
        fingerprint != listed.packageFingerprint || row.packagedFiles != listed.packagedFiles
    }
    isStored =
      !isEmpty || row.traits != listed.traits.intersection(.stored)
      || row.kind == .package && row.packageFingerprint != listed.provenPackageFingerprint
  }
}

extension EntryBatch {
  /// Takes what could not be read of a listed entry from its row: what a package holds, what a link says.
  ///
  /// - Parameter volume: the catalog's number of the file system that the entry is on now.
  func complete(_ position: Int, volume: Int64, from row: StoredEntry) {
    let listed = records + position
    let identity = EntryIdentity(
      volume: volume, inode: listed.pointee.status.inode, created: listed.pointee.status.created)
    guard listed.pointee.traits.contains(.partialContent), listed.pointee.kind == row.kind,
      row.identity == identity, row.isContentKnown
    else { return }
    if row.kind == .package {
      listed.pointee.status.size = row.status.size
      listed.pointee.status.allocated = row.status.allocated
      listed.pointee.packagedFiles = row.packagedFiles
      listed.pointee.packageFingerprint = row.packageFingerprint ?? 0
    } else {
      row.target.withUnsafeBytes { setTarget($0, of: listed) }
      listed.pointee.traits.formUnion(row.traits.intersection(.broken))
    }
    listed.pointee.traits.remove(.partialContent)
    listed.pointee.traits.insert(.storedContent)
  }
}

extension [EntryColumn] {
  /// What changes of a directory when something is added to it or removed from it.
  private static let ofContent: Set<EntryColumn> = [
    .size, .allocated, .modified, .changed, .links,
  ]

  /// Whether the columns differ only because the content of a directory changed.
  var areContentOnly: Bool { allSatisfy { Self.ofContent.contains($0) } }
}

/// What a listed entry means for the rows of its directory.
///
/// First scans, rescans, scans of parts and comparisons with the disk all go by this: they differ in
/// what they make of it.
struct EntryChange {
  enum Kind {
    /// Nothing is to be written, but perhaps values of providers.
    case none
    /// What is known beside the values differs, which nobody would call a change.
    case restatement
    /// No row is the entry's: it is new, or it is a file that has come from elsewhere.
    case addition
    /// A directory whose row is elsewhere.
    case move
    /// The entry of the row has other values.
    case modification
    /// Another entry has the name of the row, and for now the row.
    case replacement
    /// A directory counts as a package now. The disk has not changed.
    case becamePackage
    /// A package counts as a directory now. The disk has not changed.
    case becameDirectory
  }

  let kind: Kind
  /// The row that has the name is another entry's, which has to make room.
  let displaces: Bool
  /// In what the entry differs from the row.
  let difference: EntryDifference

  private init(_ kind: Kind, displaces: Bool = false, _ difference: EntryDifference = .init()) {
    self.kind = kind
    self.displaces = displaces
    self.difference = difference
  }

  /// The row that a listed directory has.
  enum DirectoryRow: Equatable {
    /// The row with this number.
    case known(Int64)
    /// None yet; it gets this number, or has it since the directory was listed before.
    case new(Int64)
  }

  /// What a directory means that is listed.
  ///
  /// - Parameters:
  ///   - directory: its row, which who-is-who decides (``DirectoryMatcher``).
  ///   - row: the row that has the name in the directory; `nil` where there is none.
  init(
    ofDirectory listed: EntryRecord, _ directory: DirectoryRow, volume: Int64,
    from row: StoredEntry?
  ) {
    let empty = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    switch (directory, row) {
    case (.known(let id), let row?) where row.id == id:
      self.init(EntryDifference(of: listed, target: empty, volume: volume, from: row))
    case (.new(let id), let row?) where row.id == id:
      // Listed already, or a package before.
      let difference = EntryDifference(of: listed, target: empty, volume: volume, from: row)
      if row.kind == .package {
        self.init(.becameDirectory, difference)
      } else {
        self.init(difference)
      }
    case (.known, _): self.init(.move, displaces: row != nil)
    case (.new, _): self.init(.addition, displaces: row != nil)
    }
  }

  /// What an entry means that is no directory.
  ///
  /// - Parameters:
  ///   - identity: which entry it is, in the catalog's numbers of file systems.
  ///   - row: the row that has the name in the directory; `nil` where there is none.
  init(
    of listed: EntryRecord, target: UnsafeBufferPointer<UInt8>, identity: EntryIdentity,
    from row: StoredEntry?
  ) {
    guard let row else {
      self.init(.addition)
      return
    }
    if row.kind == .directory {
      let isSame = listed.kind == .package && row.identity == identity
      self.init(isSame ? .becamePackage : .addition, displaces: !isSame)
      return
    }
    // Nothing is known but the name, which the row has.
    if listed.traits.contains(.withoutStatus) {
      self.init(.none)
      return
    }
    let difference = EntryDifference(
      of: listed, target: target, volume: identity.volume, from: row)
    if row.identity == identity {
      self.init(difference)
    } else {
      self.init(.replacement, difference)
    }
  }

  /// The entry of a row, with other values or not.
  private init(_ difference: EntryDifference) {
    self.init(
      !difference.isStored ? .none : difference.isEmpty ? .restatement : .modification, difference)
  }
}
