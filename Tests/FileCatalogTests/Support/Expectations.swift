import FileCatalog
import SystemPackage
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Expects that the catalog has exactly the entries that an independent walk finds, with the same
/// values in every column that `fstatat` tells about.
///
/// - Parameters:
///   - after: a later walk. Reading a directory or a link moves its time of access, which may lie
///     anywhere between two walks.
///   - packages: paths whose sums stand for their content.
func expectSameEntries(
  _ view: FilesView, as walk: [[UInt8]: WalkedEntry], after: [[UInt8]: WalkedEntry],
  packages: Set<[UInt8]> = [], sourceLocation: SourceLocation = #_sourceLocation
) {
  let rows = view.byPath
  #expect(rows.count == view.rows.count, "a path stands twice", sourceLocation: sourceLocation)
  let missing = Set(walk.keys).subtracting(rows.keys).map { String(decoding: $0, as: UTF8.self) }
  let extra = Set(rows.keys).subtracting(walk.keys).map { String(decoding: $0, as: UTF8.self) }
  #expect(missing.isEmpty, "not in the catalog", sourceLocation: sourceLocation)
  #expect(extra.isEmpty, "not on the disk", sourceLocation: sourceLocation)
  for (path, entry) in walk {
    guard let row = rows[path] else { continue }
    let name = String(decoding: path, as: UTF8.self)
    for (column, value) in expectedColumns(of: entry, isPackage: packages.contains(path)) {
      #expect(row[column] == value, "\(column) of \(name)", sourceLocation: sourceLocation)
    }
    let parent = entry.parent.flatMap { rows[$0] }
    #expect(
      row["parent_id"].integer == parent?.id, "parent of \(name)", sourceLocation: sourceLocation)
    let accessed = row["accessed_ns"].integer ?? 0
    let latest = after[path] ?? entry
    #expect(
      accessed >= WalkedEntry.nanoseconds(entry.status.st_atim)
        && accessed <= WalkedEntry.nanoseconds(latest.status.st_atim),
      "accessed of \(name)", sourceLocation: sourceLocation)
  }
}

/// The columns of `files` that follow from `fstatat` and the place in the tree.
private func expectedColumns(
  of entry: WalkedEntry, isPackage: Bool
) -> [(String, ColumnValue)] {
  let status = entry.status
  let modified = WalkedEntry.nanoseconds(status.st_mtim)
  let changed = WalkedEntry.nanoseconds(status.st_ctim)
  var columns: [(String, ColumnValue)] = [
    ("path", .shown(entry.path)),
    ("name", .shown(entry.name)),
    ("directory", entry.parent.map { .shown($0) } ?? .null),
    ("depth", .integer(Int64(entry.depth))),
    ("kind", .text(Array(kindName(entry, isPackage: isPackage).utf8))),
    ("modified_ns", .integer(modified)),
    ("changed_ns", .integer(changed)),
    ("modified", .integer(seconds(modified))),
    ("changed", .integer(seconds(changed))),
    ("mode", .integer(Int64(status.st_mode))),
    ("uid", .integer(Int64(status.st_uid))),
    ("gid", .integer(Int64(status.st_gid))),
    ("owner", name(getpwuid(status.st_uid)?.pointee.pw_name)),
    ("group_name", name(getgrgid(status.st_gid)?.pointee.gr_name)),
    ("inode", .integer(Int64(bitPattern: UInt64(status.st_ino)))),
    ("device", .integer(Int64(bitPattern: UInt64(status.st_dev)))),
    ("links", .integer(Int64(status.st_nlink))),
    ("link_target", entry.linkTarget.map { .shown($0) } ?? .null),
    ("is_hidden", .integer(entry.name.first == UInt8(ascii: ".") ? 1 : 0)),
    ("extension", fileExtension(of: entry.name).map { .shown($0) } ?? .null),
  ]
  if !isPackage {
    columns.append(("size", .integer(Int64(status.st_size))))
    columns.append(("allocated", .integer(entry.allocated)))
  }
  return columns
}

/// The text after the last dot, by the words of the reference: none for a leading dot, a trailing
/// dot or a space after the dot.
func fileExtension(of name: [UInt8]) -> [UInt8]? {
  guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0, dot < name.count - 1 else {
    return nil
  }
  let text = Array(name[(dot + 1)...])
  return text.contains(UInt8(ascii: " ")) ? nil : text
}

private func kindName(_ entry: WalkedEntry, isPackage: Bool) -> String {
  switch entry.type {
  case 0o100000: "file"
  case 0o040000: isPackage ? "package" : "directory"
  case 0o120000: "symlink"
  case 0o010000: "fifo"
  case 0o140000: "socket"
  case 0o060000: "block_device"
  default: "character_device"
  }
}

private func seconds(_ nanoseconds: Int64) -> Int64 {
  let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
  return remainder < 0 ? quotient - 1 : quotient
}

private func name(_ start: UnsafeMutablePointer<CChar>?) -> ColumnValue {
  start.map { .text(Array(String(cString: $0).utf8)) } ?? .null
}
