internal import FileSystem

/// What a scan has brought, before it is recorded.
struct ScanResult {
  let rootEntryID: Int64
  /// The first id that is still free.
  let nextID: Int64
  /// The entries of the root now, itself included.
  let entries: Int
  var added = 0
  var removed = 0
  var modified = 0
  var moved = 0
  let size: Int64
  let allocated: Int64
  /// Whether any row of an entry was written.
  let hasChanges: Bool
  let failures: [FileError]
  let met: MetOnTheWay
}
