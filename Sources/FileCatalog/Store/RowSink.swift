internal import FileSystem

/// Takes the rows of a scan in the order of their ids.
///
/// A new catalog gets its pages written directly (``PageRowSink``), which costs a tenth of SQL; one
/// that exists is written through SQL (``SQLRowSink``), with its locks and its journal.
protocol RowSink: ~Copyable {
  /// `parent` is `nil` for a root; `record.typeCode` is the number of the type.
  mutating func writeEntry(
    id: Int64, parent: Int64?, name: UnsafeBufferPointer<UInt8>, _ record: borrowing EntryRecord,
    volume: Int64
  ) throws
  mutating func writeFolder(_ folder: FolderRow, path: UnsafeBufferPointer<UInt8>) throws
  mutating func writeTotals(_ folder: FolderTotals.Folder, error: String?) throws
  mutating func writeSymlink(id: Int64, target: UnsafeBufferPointer<UInt8>) throws
  mutating func writePackage(id: Int64, _ record: borrowing EntryRecord) throws
  /// A file with several names inside a package.
  mutating func writePackagedLink(package: Int64, _ file: LinkedFile, volume: Int64) throws
  mutating func writeValue(id: Int64, key: String, _ value: ResourceValue) throws
}

/// What is kept of a directory beside its entry and its path.
struct FolderRow {
  let id: Int64
  /// `nil` for a root.
  let parent: Int64?
  let inode: UInt64
  let depth: Int32
  /// Where it is among the containers; `nil` leaves that to the end of the scan.
  var place: Int64?
}
