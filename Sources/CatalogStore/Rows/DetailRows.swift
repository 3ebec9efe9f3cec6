package import FileSystem
package import StandardDirectories

// What only some entries have, each in a narrow table of its own.

/// A row of the table `_directory_paths`: what only directories have.
package struct DirectoryRow: TableRow {
  package let id: Int64
  package let rootID: Int64
  /// The absolute path; must live until the row is written.
  package let path: UnsafeBufferPointer<UInt8>
  /// How many levels below the root it is.
  package let depth: Int32
  /// `nil` for a root.
  package let parent: Int64?
  package let inode: UInt64
  /// Where it is among the containers; `nil` leaves that to the end of the scan.
  package var place: Int64?

  package init(
    id: Int64, rootID: Int64, path: UnsafeBufferPointer<UInt8>, depth: Int32, parent: Int64?,
    inode: UInt64, place: Int64? = nil
  ) {
    self.id = id
    self.rootID = rootID
    self.path = path
    self.depth = depth
    self.parent = parent
    self.inode = inode
    self.place = place
  }

  package static let table = Table(
    "_directory_paths",
    [
      "id", "root_id", "path", "depth", "parent_id", "inode", "place_id",
      "path_bytes",
    ])

  package func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.integer(rootID)
    encoder.shown(path)
    encoder.integer(Int64(depth))
    encoder.integer(parent)
    encoder.integer(Int64(bitPattern: inode))
    encoder.integer(place)
    encoder.oddBytes(path)
  }
}

/// How far the content of a directory is known, by its number in the table `_directory_totals`.
package enum DirectoryState: Int64, BitwiseCopyable {
  case complete = 0
  case unreadable = 1
  case unscanned = 2
}

/// A row of the table `_directory_totals`: what the content of a directory adds up to.
package struct TotalsRow: TableRow, Equatable {
  package let id: Int64
  package var state: DirectoryState
  /// Why the directory could not be read.
  package var error: String?
  package var own: DirectoryTally
  package var total: DirectoryTally
  /// What tells the listing from any other; `nil` where that has to be compared row by row.
  package var fingerprint: DirectoryFingerprint?

  package init(
    id: Int64, state: DirectoryState, error: String? = nil, own: DirectoryTally,
    total: DirectoryTally, fingerprint: DirectoryFingerprint? = nil
  ) {
    self.id = id
    self.state = state
    self.error = error
    self.own = own
    self.total = total
    self.fingerprint = fingerprint
  }

  private static let sumColumns = ["files", "directories", "size", "allocated"]
  package static let table = Table(
    "_directory_totals",
    ["id", "state", "error"] + sumColumns + sumColumns.map { "total_" + $0 }
      + ["newest_modified", "own_newest", "fingerprint_high", "fingerprint_low"])

  package func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
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
  package init(from row: inout RowDecoder) {
    id = row.id()
    state = row.value(DirectoryState.self) ?? .unscanned
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
    files = row.count()
    directories = row.count()
    size = row.count()
    allocated = row.count()
  }
}

/// A row of the table `_symlinks`.
package struct SymlinkRow: TableRow {
  package let id: Int64
  /// Must live until the row is written.
  package let target: UnsafeBufferPointer<UInt8>

  package init(id: Int64, target: UnsafeBufferPointer<UInt8>) {
    self.id = id
    self.target = target
  }

  package static let table = Table("_symlinks", ["id", "target", "target_bytes"])

  package func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.shown(target)
    encoder.oddBytes(target)
  }
}

/// A row of the table `_odd_names`: how a name is shown that is not UTF-8.
package struct OddNameRow: TableRow {
  package let id: Int64
  /// The name itself; must live until the row is written.
  package let bytes: UnsafeBufferPointer<UInt8>
  /// How many characters are behind the stem of an asset, and in what follows all its marks.
  package let tail: Int64
  package let ending: Int64

  package static let table = Table("_odd_names", ["id", "name", "bytes", "tail", "ending"])

  package func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.shown(bytes)
    encoder.blob(bytes)
    encoder.integer(tail)
    encoder.integer(ending)
  }
}

/// A row of the table `_packages`, but for its place, which the end of a scan finds.
package struct PackageRow: TableRow {
  package let id: Int64
  package let files: Int64
  /// `nil` where not all that the package holds could be read.
  package let fingerprint: UInt64?

  package static let table = Table("_packages", ["id", "files", "fingerprint"])

  package init(id: Int64, _ record: borrowing EntryRecord) {
    self.id = id
    files = record.packagedFiles
    fingerprint = record.provenPackageFingerprint
  }

  package func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.integer(files)
    encoder.integer(fingerprint.map { Int64(bitPattern: $0) })
  }
}

/// A row of the table `_packaged_links`: a file inside a package that has several names.
package struct PackagedLinkRow: TableRow {
  /// Nothing refers to the row by its number: 0 leaves it to the table.
  package let id: Int64 = 0
  package let package: Int64
  package let file: LinkedFile
  /// The catalog's number of the file system.
  package let volume: Int64

  package init(package: Int64, file: LinkedFile, volume: Int64) {
    self.package = package
    self.file = file
    self.volume = volume
  }

  package static let table = Table(
    "_packaged_links", ["id", "package_id", "volume_id", "inode", "allocated"])

  package func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
    encoder.integer(package)
    encoder.integer(volume)
    encoder.integer(Int64(bitPattern: file.inode))
    encoder.integer(file.allocated)
  }
}

/// A row of the table `_assets`: what the marks of a name say.
package struct AssetRow: TableRow {
  package let id: Int64
  package let extensionLength: Int64
  package let variant: AssetVariant

  package static let table = Table(
    "_assets", ["id", "extension_length", "scale", "idiom", "height", "hd"])

  package func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder) {
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
