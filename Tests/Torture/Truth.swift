import SQLite
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The entries of a root: what is known of each, as one text, by path.
typealias Rows = [[UInt8]: String]

/// A walk with `opendir` and `lstat` that shares no code with the scanner.
enum DiskRows {
  /// Everything at and below a root.
  ///
  /// Directories by the name of `*.rtfd` are packages: what is in them belongs to them.
  static func all(of root: String) throws -> Rows {
    var rows: Rows = [:]
    try visit(Array(root.utf8), &rows)
    return rows
  }

  private static func visit(_ path: [UInt8], _ rows: inout Rows) throws {
    let status = try status(of: path)
    guard status.st_mode & S_IFMT == S_IFDIR else {
      rows[path] = text(status, kind(of: status), target: try target(of: path, status))
      return
    }
    if path.suffix(5) == Array(".rtfd".utf8) {
      var package = status
      package.st_size = try size(below: path)
      rows[path] = text(package, "package", target: "")
      return
    }
    rows[path] = text(status, "directory", target: "")
    for name in try names(in: path) { try visit(path + [0x2F] + name, &rows) }
  }

  /// What the files below a directory have, added up.
  private static func size(below path: [UInt8]) throws -> off_t {
    var sum: off_t = 0
    for name in try names(in: path) {
      let below = path + [0x2F] + name
      let status = try status(of: below)
      sum += status.st_mode & S_IFMT == S_IFDIR ? try size(below: below) : status.st_size
    }
    return sum
  }

  static func names(in path: [UInt8]) throws -> [[UInt8]] {
    guard let stream = opendir(terminated(path)) else { throw Errno(rawValue: errno) }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while let item = readdir(stream) {
      let bytes = withUnsafeBytes(of: &item.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if bytes != [46], bytes != [46, 46] { names.append(bytes) }
    }
    return names
  }

  static func status(of path: [UInt8]) throws -> stat {
    var status = stat()
    guard lstat(terminated(path), &status) == 0 else { throw Errno(rawValue: errno) }
    return status
  }

  static func kind(of status: stat) -> String {
    switch status.st_mode & S_IFMT {
    case S_IFREG: "file"
    case S_IFDIR: "directory"
    case S_IFLNK: "symlink"
    case S_IFIFO: "fifo"
    case S_IFSOCK: "socket"
    case S_IFBLK: "block_device"
    default: "character_device"
    }
  }

  private static func target(of path: [UInt8], _ status: stat) throws -> String {
    guard status.st_mode & S_IFMT == S_IFLNK else { return "" }
    var bytes = [CChar](repeating: 0, count: 4096)
    let length = readlink(terminated(path), &bytes, bytes.count)
    return String(
      decoding: bytes.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func text(_ status: stat, _ kind: String, target: String) -> String {
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    let modified = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    return
      "\(kind) size \(status.st_size) modified \(modified) mode \(status.st_mode) "
      + "inode \(status.st_ino) links \(status.st_nlink) \(status.st_uid):\(status.st_gid) \(target)"
  }

  private static func terminated(_ path: [UInt8]) -> [CChar] {
    path.map { CChar(bitPattern: $0) } + [0]
  }
}

/// What a catalog says, read without the libraries above SQLite.
enum CatalogRows {
  /// The rows of each root; none where there is no catalog.
  static func all(in catalog: String) throws -> [String: Rows] {
    guard access(catalog, F_OK) == 0 else { return [:] }
    let db = try Connection(path: FilePath(catalog), .readOnly)
    defer { try? db.close() }
    var roots: [String: Rows] = [:]
    try db.forEach(
      SQL(
        """
        SELECT root, ifnull(path_bytes, path), kind, size, modified_ns, mode, inode, links, uid, gid,
        coalesce(link_target, '') FROM files
        """)
    ) { row in
      let path = Array(row.bytes(1))
      let text =
        "\(row.text(2)) size \(row.integer(3)) modified \(row.integer(4)) mode \(row.integer(5)) "
        + "inode \(row.integer(6)) links \(row.integer(7)) \(row.integer(8)):\(row.integer(9)) "
        + row.text(10)
      roots[row.text(0), default: [:]][path] = text
    }
    return roots
  }

  /// What one statement answers in its first column.
  static func texts(_ sql: String, in catalog: String) throws -> [String] {
    let db = try Connection(path: FilePath(catalog), .readOnly)
    defer { try? db.close() }
    var texts: [String] = []
    try db.forEach(SQL(sql)) { texts.append($0.text(0)) }
    return texts
  }

  static func integrity(of catalog: String) throws -> [String] {
    try texts("PRAGMA integrity_check", in: catalog)
  }
}

extension Rows {
  /// How these rows differ from those that should be, in short; `nil` where they do not.
  func difference(from expected: Rows) -> String? {
    if self == expected { return nil }
    let missing = expected.keys.filter { self[$0] == nil }
    let surplus = keys.filter { expected[$0] == nil }
    let other = keys.filter { key in expected[key].map { $0 != self[key] } ?? false }
    func example(_ paths: [[UInt8]]) -> String {
      paths.min { $0.lexicographicallyPrecedes($1) }
        .map { " (\(String(decoding: $0, as: UTF8.self)))" } ?? ""
    }
    var text =
      "\(missing.count) missing\(example(missing)), \(surplus.count) too many\(example(surplus)), "
      + "\(other.count) different"
    if let path = other.min(by: { $0.lexicographicallyPrecedes($1) }) {
      text += " (\(String(decoding: path, as: UTF8.self)): \(self[path] ?? "") "
      text += "instead of \(expected[path] ?? ""))"
    }
    return text
  }
}
