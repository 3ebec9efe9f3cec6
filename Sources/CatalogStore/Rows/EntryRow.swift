public import FileSystem

/// A row of the table `_entries`.
///
/// The columns stand in three groups, since they change apart from each other: what follows from the
/// name, the type, and the values that the file system has.
@usableFromInline
package struct EntryRow: TableRow {
  @usableFromInline package let id: Int64
  /// `nil` for a root.
  @usableFromInline package let parent: Int64?
  @usableFromInline package let name: NameFacts
  @usableFromInline package let typeID: Int64
  @usableFromInline package let values: EntryValues
  @usableFromInline package let firstSeenScan: Int64
  @usableFromInline package let lastChangedScan: Int64

  @inlinable
  package init(
    id: Int64, parent: Int64?, name: NameFacts, typeID: Int64, values: EntryValues,
    firstSeenScan: Int64, lastChangedScan: Int64
  ) {
    self.id = id
    self.parent = parent
    self.name = name
    self.typeID = typeID
    self.values = values
    self.firstSeenScan = firstSeenScan
    self.lastChangedScan = lastChangedScan
  }

  package static let table = Table(
    "_entries",
    ["id", "parent_id"] + NameFacts.columns + ["type_id"] + EntryValues.columns
      + ["first_seen_scan", "last_changed_scan"])

  @inlinable @inline(__always)
  package func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.integer(parent)
    name.encode(into: &encoder)
    encoder.integer(typeID)
    values.encode(into: &encoder)
    encoder.integer(firstSeenScan)
    encoder.integer(lastChangedScan)
  }
}

/// What the file system has of an entry, and what it is.
@usableFromInline
package struct EntryValues: Sendable {
  @usableFromInline package let kind: EntryKind
  @usableFromInline package let status: FileStatus
  /// The catalog's number of the file system, which stands for the device number.
  @usableFromInline package let volume: Int64
  /// Those that are stored (``EntryRecord/Traits/stored``).
  @usableFromInline package let traits: EntryRecord.Traits

  @usableFromInline package static let columns = [
    "kind", "size", "allocated", "created", "modified", "changed", "accessed", "mode", "uid", "gid",
    "inode", "links", "attributes", "volume_id", "traits",
  ]

  /// - Parameter volume: the catalog's number of the file system.
  @inlinable @inline(__always)
  package init(_ record: borrowing EntryRecord, volume: Int64) {
    kind = record.kind
    status = record.status
    self.volume = volume
    traits = record.traits.intersection(.stored)
  }

  @inlinable @inline(__always)
  package func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.integer(Int64(kind.rawValue))
    if traits.contains(.withoutStatus) {
      // All but the first and the last.
      for _ in 0..<Self.columns.count - 2 { encoder.null() }
    } else {
      encoder.integer(status.size)
      encoder.integer(status.allocated)
      encoder.time(status.created)
      encoder.time(status.modified)
      encoder.time(status.changed)
      encoder.time(status.accessed)
      encoder.integer(Int64(status.mode))
      encoder.integer(Int64(status.uid))
      encoder.integer(Int64(status.gid))
      encoder.integer(Int64(bitPattern: status.inode))
      encoder.integer(Int64(status.links))
      encoder.integer(Int64(status.attributes))
      encoder.integer(volume)
    }
    encoder.integer(Int64(traits.rawValue))
  }

  package init(from row: inout RowDecoder) {
    kind = row.value(EntryKind.self) ?? .file
    var status = FileStatus()
    status.size = row.count()
    status.allocated = row.count()
    status.created = row.time()
    status.modified = row.time()
    status.changed = row.time()
    status.accessed = row.time()
    status.mode = row.number(UInt32.self)
    status.uid = row.number(UInt32.self)
    status.gid = row.number(UInt32.self)
    status.inode = UInt64(bitPattern: row.integer())
    status.links = row.number(UInt32.self)
    status.attributes = row.number(UInt32.self)
    self.status = status
    volume = row.count()
    traits = EntryRecord.Traits(rawValue: row.number(UInt8.self))
  }
}
