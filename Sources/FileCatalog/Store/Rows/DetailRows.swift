internal import FileSystem
internal import StandardDirectories

// What only some entries have, each in a narrow table of its own.

/// A row of the table `folders`: what only directories have.
struct DirectoryRow: TableRow {
  let id: Int64
  let rootID: Int64
  /// The absolute path; must live until the row is written.
  let path: UnsafeBufferPointer<UInt8>
  /// How many levels below the root it is.
  let depth: Int32
  /// `nil` for a root.
  let parent: Int64?
  let inode: UInt64
  /// Where it is among the containers; `nil` leaves that to the end of the scan.
  var place: Int64?

  static let table = Table(
    "folders", ["id", "root_id", "path", "depth", "parent_id", "inode", "place_id"])

  func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.integer(rootID)
    encoder.name(path)
    encoder.integer(Int64(depth))
    encoder.integer(parent)
    encoder.integer(Int64(bitPattern: inode))
    encoder.integer(place)
  }
}

/// How far the content of a directory is known, by its number in the table `folder_totals`.
enum DirectoryState: Int64 {
  case complete = 0
  case unreadable = 1
  case unscanned = 2
}

/// A row of the table `folder_totals`: what the content of a directory adds up to.
struct TotalsRow: TableRow, Equatable {
  let id: Int64
  var state: DirectoryState
  /// Why the directory could not be read.
  var error: String?
  var own: DirectoryTally
  var total: DirectoryTally
  /// What tells the listing from any other; `nil` where that has to be compared row by row.
  var fingerprint: DirectoryFingerprint?

  private static let sumColumns = ["files", "directories", "size", "allocated"]
  static let table = Table(
    "folder_totals",
    ["id", "state", "error"] + sumColumns + sumColumns.map { "total_" + $0 }
      + ["newest_modified", "own_newest", "fingerprint_high", "fingerprint_low"])

  func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.integer(state.rawValue)
    if let error { encoder.text(error) } else { encoder.null() }
    own.encodeSums(into: &encoder)
    total.encodeSums(into: &encoder)
    encoder.time(total.newestModified)
    encoder.time(own.newestModified)
    encoder.integer(fingerprint.map { Int64(bitPattern: $0.high) })
    encoder.integer(fingerprint.map { Int64(bitPattern: $0.low) })
  }
}

extension TotalsRow {
  init(from row: inout RowDecoder) {
    id = row.integer()
    state = DirectoryState(rawValue: row.integer()) ?? .unscanned
    error = row.optionalText()
    own = DirectoryTally(from: &row)
    total = DirectoryTally(from: &row)
    total.newestModified = row.time()
    own.newestModified = row.time()
    let high = row.optionalInteger()
    let low = row.integer()
    fingerprint = high.map {
      DirectoryFingerprint(high: UInt64(bitPattern: $0), low: UInt64(bitPattern: low))
    }
  }
}

extension DirectoryTally {
  /// Gives the columns of one group of sums.
  fileprivate func encodeSums<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.integer(files)
    encoder.integer(directories)
    encoder.integer(size)
    encoder.integer(allocated)
  }

  fileprivate init(from row: inout RowDecoder) {
    self.init()
    files = row.integer()
    directories = row.integer()
    size = row.integer()
    allocated = row.integer()
  }
}

/// A row of the table `symlinks`.
struct SymlinkRow: TableRow {
  let id: Int64
  /// Must live until the row is written.
  let target: UnsafeBufferPointer<UInt8>

  static let table = Table("symlinks", ["id", "target"])

  func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.name(target)
  }
}

/// A row of the table `packages`, but for its place, which the end of a scan finds.
struct PackageRow: TableRow {
  let id: Int64
  let files: Int64
  let fingerprint: UInt64

  static let table = Table("packages", ["id", "files", "fingerprint"])

  init(id: Int64, _ record: borrowing EntryRecord) {
    self.id = id
    files = record.packagedFiles
    fingerprint = record.packageFingerprint
  }

  func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.integer(files)
    encoder.integer(Int64(bitPattern: fingerprint))
  }
}

/// A row of the table `packaged_links`: a file inside a package that has several names.
struct PackagedLinkRow: TableRow {
  /// Nothing refers to the row by its number: 0 leaves it to the table.
  let id: Int64 = 0
  let package: Int64
  let file: LinkedFile
  /// The catalog's number of the file system.
  let volume: Int64

  static let table = Table(
    "packaged_links", ["id", "package_id", "volume_id", "inode", "allocated"])

  func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.integer(package)
    encoder.integer(volume)
    encoder.integer(Int64(bitPattern: file.inode))
    encoder.integer(file.allocated)
  }
}

/// A row of the table `assets`: what the marks of a name say.
struct AssetRow: TableRow {
  let id: Int64
  let extensionLength: Int64
  let variant: AssetVariant

  static let table = Table(
    "assets", ["id", "extension_length", "scale", "idiom", "height", "hd"])

  func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.integer(extensionLength)
    // As SQLite stores a number of a NUMERIC column.
    if let scale = variant.scale {
      let (whole, part) = scale.millionths.quotientAndRemainder(dividingBy: 1_000_000)
      if part == 0 { encoder.integer(Int64(whole)) } else { encoder.real(scale.value) }
    } else {
      encoder.null()
    }
    if let idiom = variant.idiom { encoder.text(idiom.rawValue) } else { encoder.null() }
    encoder.integer(variant.height.map { Int64($0) })
    encoder.integer(variant.isHD ? 1 : 0)
  }
}
