internal import CatalogStore
internal import SQLite

/// How a column of entries is made when all of them are read, one behind the other.
///
/// The view `files` looks some 25 values up for each of its rows. Nearly all of that is the same for many
/// entries, or there is nothing for most: so what is looked up is numbers here, which stand for what is in
/// memory, and further rows are read of the entries alone that have some. A test compares all columns with
/// those of the view.
struct BulkColumn {
  /// What a column is made of: an expression, and what is made of its value.
  struct Source {
    /// In SQL, over `_entries e`, and `_directory_paths d` of the directory that it is in.
    let value: String
    let making: Making

    init(_ value: String, _ making: Making = .value) {
      self.value = value
      self.making = making
    }

    /// The same for all: a number, or NULL.
    static func constant(_ number: Int64?) -> Source {
      Source(number.map { "\($0)" } ?? "NULL", .constant(number))
    }
  }

  /// What becomes of a value. NULL is NULL everywhere.
  enum Making {
    /// It stays as it is.
    case value
    /// Nobody has to read it.
    case constant(Int64?)
    /// What a number stands for, by a statement that selects numbers and what they stand for.
    case lookUp(String)
    /// Seconds of nanoseconds, rounded down.
    case seconds
    /// The path of a name, below the directory whose path another expression is.
    case path(below: String)
    /// Another expression, a text, without as many characters at its end.
    case stem(of: String)
    /// So many characters at the end of another expression, a text; nothing where that is none.
    case ending(of: String)
    /// Another expression, a text, without its last dot and what follows; all of it where there is no value.
    case withoutExtension(of: String)
  }

  /// Why an entry has a further row.
  enum Reason: CaseIterable {
    case directory
    case package
    case symlink
    /// The name, or the path of the directory, is not UTF-8.
    case oddName
    case oddPath
    /// The name has marks of an asset, and is none of a directory.
    case asset

    /// The value that tells, in SQL, over `_entries e`, `_directory_paths d` and ``assets``.
    var value: String {
      switch self {
      case .directory, .package, .symlink: "e.kind"
      case .oddName: "e.name"
      case .oddPath: "d.path_bytes"
      case .asset: "a.id"
      }
    }

    static let assets =
      "LEFT JOIN _assets a ON a.id = CASE WHEN e.kind IN (1, 3, 4) THEN e.id END"

    /// Whether the value tells so.
    @inline(__always)
    func holds(_ values: RowBuffer.Values, _ row: Int) -> Bool {
      switch self {
      case .directory: values.word(row) == 2
      case .package: values.word(row) == 3
      case .symlink: values.word(row) == 4
      case .oddName: values.storageClass(row) == .blob
      case .oddPath, .asset: values.storageClass(row) != .null
      }
    }

    /// Where the further row is, by the entry's number.
    var tables: String {
      let entry = "_entries e LEFT JOIN _directory_paths d ON d.id = e.parent_id"
      return switch self {
      case .directory:
        """
        _directory_paths own LEFT JOIN _directory_totals t ON t.id = own.id WHERE own.id = ?
        """
      case .package: "\(entry) LEFT JOIN _packages k ON k.id = e.id WHERE e.id = ?"
      case .symlink: "_symlinks s WHERE s.id = ?"
      case .oddName: "\(entry) LEFT JOIN _odd_names n ON n.id = e.id WHERE e.id = ?"
      case .oddPath: "\(entry) WHERE e.id = ?"
      case .asset: "_assets a JOIN _entries e ON e.id = a.id WHERE a.id = ?"
      }
    }
  }

  let usual: Source
  /// What it is made of where there is a reason; the first counts.
  let others: [(reason: Reason, source: Source)]

  init(_ usual: Source, _ others: [(Reason, Source)] = []) {
    self.usual = usual
    self.others = others.map { (reason: $0, source: $1) }
  }

  /// A column that is the same for all.
  init(_ value: String, _ making: Making = .value) {
    self.init(Source(value, making))
  }

  /// A column that only some entries have.
  init(only others: (Reason, String)...) {
    self.init(.constant(nil), others.map { ($0, Source($1)) })
  }
}

extension BulkColumn {
  /// A column of the view `files`.
  init(_ column: EntryColumn) {
    switch column {
    case .id: self.init("e.id")
    case .rootID: self.init("d.root_id")
    case .root: self.init("d.root_id", .lookUp("SELECT id, path FROM _roots"))
    case .parentID: self.init("e.parent_id")
    case .directory: self.init("d.path")
    case .name: self.init(Source("e.name"), [(.oddName, Source("n.name"))])
    case .path:
      self.init(
        Source("e.name", .path(below: "d.path")),
        [(.oddName, Source("n.name", .path(below: "d.path")))])
    case .kind: self.init("e.kind", .lookUp("SELECT id, name FROM _kinds"))
    case .type: self.init("e.type_id", .lookUp("SELECT id, identifier FROM _uniform_types"))
    case .extension: self.init("e.extension_id", .lookUp("SELECT id, name FROM _extensions"))
    case .size: self.init("e.size")
    case .allocated: self.init("e.allocated")
    case .created: self.init("e.created", .seconds)
    case .modified: self.init("e.modified", .seconds)
    case .changed: self.init("e.changed", .seconds)
    case .accessed: self.init("e.accessed", .seconds)
    case .createdNanoseconds: self.init("e.created")
    case .modifiedNanoseconds: self.init("e.modified")
    case .changedNanoseconds: self.init("e.changed")
    case .accessedNanoseconds: self.init("e.accessed")
    case .mode: self.init("e.mode")
    case .uid: self.init("e.uid")
    case .gid: self.init("e.gid")
    case .owner: self.init("e.uid", .lookUp("SELECT uid, name FROM _users"))
    case .groupName: self.init("e.gid", .lookUp("SELECT gid, name FROM _groups"))
    case .inode: self.init("e.inode")
    case .device: self.init("e.volume_id", .lookUp("SELECT id, device FROM _volumes"))
    case .links: self.init("e.links")
    case .flags: self.init("e.attributes")
    case .isHidden: self.init("e.name_shape & 1")
    case .isPackage: self.init("e.traits >> 2 & 1")
    case .linkTarget: self.init(only: (.symlink, "s.target"))
    case .depth: self.init("d.depth + 1")
    case .container:
      self.init(
        ofPlace: """
          SELECT p.id, c.name FROM _places p JOIN _known_containers c ON c.id = p.container_id
          """)
    case .role: self.init(ofRole: "r.name")
    case .backupPolicy: self.init(ofRole: "r.backup")
    case .purgeable: self.init(ofRole: "r.purge <> 'never'")
    case .assetStem:
      self.init(
        Source("CASE WHEN e.kind IN (1, 3, 4) THEN e.name_shape >> 1 END", .stem(of: "e.name")),
        [
          (
            .oddName,
            Source("CASE WHEN e.kind IN (1, 3, 4) THEN n.tail END", .stem(of: "n.name"))
          )
        ])
    case .assetScale: self.init(only: (.asset, "a.scale"))
    case .assetIdiom: self.init(only: (.asset, "a.idiom"))
    case .assetHeight: self.init(only: (.asset, "a.height"))
    case .assetHD:
      self.init(
        Source("CASE WHEN e.kind IN (1, 3, 4) THEN 0 END"), [(.asset, Source("a.hd"))])
    case .firstSeenScan: self.init("e.first_seen_scan")
    case .lastChangedScan: self.init("e.last_changed_scan")
    case .totalSize: self.init(ofTotal: "t.total_size", ofPackage: "e.size")
    case .totalAllocated: self.init(ofTotal: "t.total_allocated", ofPackage: "e.allocated")
    case .totalFiles: self.init(ofTotal: "t.total_files", ofPackage: "k.files")
    case .typeDescription:
      self.init("e.type_id", .lookUp("SELECT id, description FROM _uniform_types"))
    case .isBroken: self.init("e.kind = 4 AND (e.traits & 2) <> 0")
    case .rootState: self.init("d.root_id", .lookUp("SELECT id, state FROM _roots"))
    case .displayName:
      self.init(
        Source("e.extension_id", .withoutExtension(of: "e.name")),
        [(.oddName, Source("e.extension_id", .withoutExtension(of: "n.name")))])
    case .assetExtension:
      self.init(
        Source(
          "CASE WHEN e.kind IN (1, 3, 4) THEN (e.name_shape >> 1) - 1 END", .ending(of: "e.name")),
        [
          (
            .oddName,
            Source("CASE WHEN e.kind IN (1, 3, 4) THEN n.ending END", .ending(of: "n.name"))
          ), (.asset, Source("a.extension_length", .ending(of: "e.name"))),
        ])
    case .nameBytes: self.init(only: (.oddName, "n.bytes"))
    case .pathBytes:
      self.init(only: (.oddName, Self.exactPath), (.oddPath, Self.exactPath))
    }
  }

  private static let exactPath = "CAST(rtrim(d.exact_path, '/') || '/' || e.name AS BLOB)"

  /// What follows from where an entry is: a directory has a place of its own, and so have some packages.
  private init(ofPlace values: String) {
    let making = Making.lookUp(values)
    self.init(
      Source("d.place_id", making),
      [
        (.directory, Source("own.place_id", making)),
        (.package, Source("ifnull(k.place_id, d.place_id)", making)),
      ])
  }

  private init(ofRole value: String) {
    self.init(
      ofPlace: "SELECT p.id, \(value) FROM _places p JOIN _role_policies r ON r.id = p.role_id")
  }

  private init(ofTotal total: String, ofPackage value: String) {
    self.init(only: (.directory, total), (.package, value))
  }
}
