package import SystemPackage

/// One entry as the walker hands it over. Plain memory: no references, no allocation.
@usableFromInline
package struct EntryRecord: Sendable {
  @usableFromInline package var status = FileStatus()
  /// For a package: the files it holds.
  package var packagedFiles: Int64 = 0
  /// For a package: what tells its content from another.
  package var packageFingerprint: UInt64 = 0
  /// For a directory: its number within the walk; otherwise -1.
  package var directoryIndex: Int32 = -1
  /// The uniform type, in the numbers of whoever classifies.
  package var typeCode: Int32 = 0
  var nameOffset: UInt32 = 0
  var targetOffset: UInt32 = 0
  var nameLength: UInt16 = 0
  var targetLength: UInt16 = 0
  @usableFromInline package var kind = EntryKind.file
  @usableFromInline package var traits = Traits()

  @usableFromInline
  package struct Traits: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8
    @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The name was read but its values could not be.
    @inlinable package static var withoutStatus: Traits { Traits(rawValue: 1) }
    /// A symbolic link whose target did not exist when it was read.
    @inlinable package static var broken: Traits { Traits(rawValue: 2) }
    /// A directory that is a package, even where its content is walked.
    @inlinable package static var package: Traits { Traits(rawValue: 4) }
    /// A directory on another file system that is not entered.
    @inlinable package static var beyondBoundary: Traits { Traits(rawValue: 8) }
    /// Not all that a package holds could be read, or not what a symbolic link says.
    @inlinable package static var partialContent: Traits { Traits(rawValue: 16) }
    /// Not all that providers say of it could be found out.
    @inlinable package static var partialValues: Traits { Traits(rawValue: 32) }
    /// A directory of which could not be found out whether it is a package.
    @inlinable package static var undetermined: Traits { Traits(rawValue: 64) }
    /// What could not be read of a package or a link was taken from what is stored.
    @inlinable package static var storedContent: Traits { Traits(rawValue: 128) }

    /// Something of the entry could not be read, which is known perhaps from before.
    @inlinable package static var unread: Traits {
      [.withoutStatus, .partialContent, .partialValues, .undetermined]
    }

    /// Those that are kept with an entry; the others are about the walk.
    @inlinable package static var stored: Traits { [.withoutStatus, .broken, .package] }
  }

  package init() {}

  /// What tells a package's content from another; `nil` where not all of it could be read.
  package var provenPackageFingerprint: UInt64? {
    traits.isDisjoint(with: [.withoutStatus, .partialContent]) ? packageFingerprint : nil
  }
}

/// A file that has several names.
package struct LinkedFile: Sendable, Hashable {
  package var device: UInt64
  package var inode: UInt64
  /// Bytes on disk.
  package var allocated: Int64

  package init(device: UInt64, inode: UInt64, allocated: Int64) {
    self.device = device
    self.inode = inode
    self.allocated = allocated
  }

  package init(_ status: FileStatus) {
    device = status.device
    inode = status.inode
    allocated = status.allocated
  }
}

/// A piece of one directory's listing inside a batch.
package struct DirectorySection {
  /// The directory's number within the walk; the root is 0.
  package var directory: Int32
  package var depth: Int32
  /// Which records of the batch are its children.
  package var records: Range<Int>
  /// Which of the batch's ``EntryBatch/directories`` are among `records`.
  package var directories: Range<Int>
  /// The piece that completes the directory, successfully or not.
  package var isLast: Bool
  /// The sums over `records`.
  package var tally: DirectoryTally
  /// Of `records`.
  package var fingerprint = DirectoryFingerprint()
  /// How many of `records` are files with several names.
  package var linkedCount = 0
  /// How many of `records` could not be read as a whole (``EntryRecord/Traits/unread``).
  package var unreadCount = 0
  package var outcome: Outcome
  var pathOffset: Int
  var pathLength: Int

  package enum Outcome: Sendable {
    case read
    /// The directory's earlier content is neither confirmed nor gone.
    case unreadable(Errno)
  }
}

/// Sums over the direct children of a directory.
package struct DirectoryTally: Sendable, Hashable, BitwiseCopyable {
  /// Children that are not directories.
  package var files: Int64 = 0
  package var directories: Int64 = 0
  /// Bytes of the children that are not directories.
  package var size: Int64 = 0
  /// Bytes on disk of all children, the blocks of sub-directories among them.
  package var allocated: Int64 = 0
  /// The latest modification among the children.
  package var newestModified = FileStatus.unknownTime

  package init() {}

  @inline(__always)
  package mutating func add(_ record: borrowing EntryRecord) {
    if record.kind == .directory {
      directories += 1
    } else {
      files += 1
      size.add(clamped: record.status.size)
    }
    allocated.add(clamped: record.status.allocated)
    if record.status.modified > newestModified { newestModified = record.status.modified }
  }
}

extension Int64 {
  /// Adds a number of bytes or of things. A sum that no number holds becomes the last one that is: files
  /// with holes may have any size, and a catalog may be damaged.
  @inlinable @inline(__always)
  package mutating func add(clamped other: Int64) {
    let (sum, isBeyond) = addingReportingOverflow(other)
    self = isBeyond ? (other < 0 ? .min : .max) : sum
  }
}

/// Entries on their way from a walking thread to the one that writes: the records, and their names,
/// link targets and directory paths in one piece of memory. Batches are reused.
package final class EntryBatch: @unchecked Sendable {
  // Sendable: exactly one thread holds a batch at any time; the exchange passes it on.

  /// How many entries fit. Small enough to stay in the second-level cache.
  package static let capacity = 1024

  package let records: UnsafeMutablePointer<EntryRecord>
  package private(set) var count = 0
  package var sections: [DirectorySection] = []
  /// The positions of the records that are directories: whoever follows them need not touch the
  /// others, which another processor has just written.
  package var directories: [Int32] = []
  /// What could not be read.
  package var failures: [FileError] = []
  /// File systems met for the first time on the way down.
  package var volumes: [(device: UInt64, identity: VolumeIdentity)] = []
  /// Files with several names inside packages, by the position of the package's record; ascending.
  package var packagedLinks: [(record: Int, file: LinkedFile)] = []
  /// Further values of entries, by the position of their record.
  package var values: [(record: Int, key: String, value: ResourceValue)] = []

  /// The position in the order in which the batches are written.
  var sequence = 0

  private var bytes: UnsafeMutablePointer<UInt8>
  private var byteCapacity: Int
  private var byteCount = 0

  package init() {
    records = .allocate(capacity: Self.capacity)
    byteCapacity = 64 * 1024
    bytes = .allocate(capacity: byteCapacity)
  }

  deinit {
    records.deallocate()
    bytes.deallocate()
  }

  package var isFull: Bool { count == Self.capacity }
  var isEmpty: Bool { sections.isEmpty && failures.isEmpty }

  func reset() {
    count = 0
    byteCount = 0
    sections.removeAll(keepingCapacity: true)
    directories.removeAll(keepingCapacity: true)
    failures.removeAll(keepingCapacity: true)
    volumes.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    packagedLinks.removeAll(keepingCapacity: true)
  }

  /// The name of an entry. Valid until the batch is reused or grows.
  @inline(__always)
  package func name(of record: borrowing EntryRecord) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      start: bytes + Int(record.nameOffset), count: Int(record.nameLength))
  }

  /// The text of a symbolic link; empty when it could not be read.
  @inline(__always)
  package func target(of record: borrowing EntryRecord) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      start: bytes + Int(record.targetOffset), count: Int(record.targetLength))
  }

  /// The path of a section's directory below the root, without a leading slash; empty for the root.
  package func path(of section: DirectorySection) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + section.pathOffset, count: section.pathLength)
  }

  /// The names on the path of a section's directory below the root; none for the root.
  package func components(of section: DirectorySection) -> [[UInt8]] {
    path(of: section).split(separator: UInt8(ascii: "/")).map { Array($0) }
  }

  /// Room for one more record, which the caller fills. The batch must not be full.
  @inline(__always)
  package func append(
    name: UnsafePointer<CChar>, length: Int, kind: EntryKind, status: FileStatus
  ) -> UnsafeMutablePointer<EntryRecord> {
    let offset = appendBytes(UnsafeRawPointer(name), count: length)
    let record = records + count
    count += 1
    record.initialize(to: EntryRecord())
    record.pointee.nameOffset = UInt32(truncatingIfNeeded: offset)
    record.pointee.nameLength = UInt16(truncatingIfNeeded: length)
    record.pointee.kind = kind
    record.pointee.status = status
    return record
  }

  package func setTarget(
    _ target: UnsafeRawBufferPointer, of record: UnsafeMutablePointer<EntryRecord>
  ) {
    guard let start = target.baseAddress else { return }
    let offset = appendBytes(start, count: target.count)
    record.pointee.targetOffset = UInt32(truncatingIfNeeded: offset)
    record.pointee.targetLength = UInt16(truncatingIfNeeded: target.count)
  }

  /// Copies bytes into the batch and returns where they begin.
  @inline(__always)
  private func appendBytes(_ start: UnsafeRawPointer, count length: Int) -> Int {
    let offset = reserveBytes(length)
    (bytes + offset).update(from: start.assumingMemoryBound(to: UInt8.self), count: length)
    return offset
  }

  /// Room for `length` bytes, to be filled through ``withBytes(at:count:_:)``.
  @inline(__always)
  func reserveBytes(_ length: Int) -> Int {
    let offset = byteCount
    byteCount += length
    if byteCount > byteCapacity { growBytes(keeping: offset) }
    return offset
  }

  func withBytes(at offset: Int, count: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Void) {
    precondition(offset + count <= byteCount)
    body(bytes + offset)
  }

  /// Keeps a piece of a listing that is in another batch, which may be reused then.
  ///
  /// - Parameters:
  ///   - number: the number that its directory has here.
  ///   - wanted: the positions of the records that are kept. They must fit.
  ///   - numberOf: gives directories other numbers.
  package func append(
    _ section: DirectorySection, of other: EntryBatch, as number: Int32,
    keeping wanted: some Sequence<Int>, numberOf: (EntryRecord) -> Int32
  ) {
    var kept = section
    kept.directory = number
    let path = other.path(of: section)
    kept.pathOffset = append(path)
    let (first, firstDirectory) = (count, directories.count)
    for position in wanted {
      var record = other.records[position]
      let (name, target) = (other.name(of: record), other.target(of: record))
      record.nameOffset = UInt32(truncatingIfNeeded: append(name))
      record.targetOffset = UInt32(truncatingIfNeeded: append(target))
      if record.kind == .directory {
        record.directoryIndex = numberOf(record)
        directories.append(Int32(count))
      }
      for link in other.packagedLinks where link.record == position {
        packagedLinks.append((count, link.file))
      }
      for value in other.values where value.record == position {
        values.append((count, value.key, value.value))
      }
      (records + count).initialize(to: record)
      count += 1
    }
    kept.records = first..<count
    kept.directories = firstDirectory..<directories.count
    sections.append(kept)
  }

  private func append(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    text.baseAddress.map { appendBytes(UnsafeRawPointer($0), count: text.count) } ?? byteCount
  }

  private func growBytes(keeping used: Int) {
    byteCapacity = max(byteCapacity * 2, byteCount)
    let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCapacity)
    grown.update(from: bytes, count: used)
    bytes.deallocate()
    bytes = grown
  }
}
