import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("The stock sqlite3 program", .enabled(if: StockSQLite.isAvailable))
struct StockSQLiteTests {
  private func scanned() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.makeAwkwardTree()
    #expect(try sandbox.run("scan", "tree").status == 0)
    return sandbox
  }

  /// The views that are promised, with the columns that every version has.
  static let views: [(view: String, columns: String)] = [
    (
      "files",
      """
      id, root_id, root, parent_id, directory, name, path, kind, type, extension, size, allocated, \
      created, modified, changed, accessed, created_ns, modified_ns, changed_ns, accessed_ns, mode, \
      uid, gid, owner, group_name, inode, device, links, flags, is_hidden, is_package, link_target, \
      depth, first_seen_scan, last_changed_scan
      """
    ),
    (
      "directories",
      """
      id, root_id, path, depth, files, directories, size, allocated, total_files, \
      total_directories, total_size, total_allocated, newest_modified, state, error
      """
    ),
    ("types", "identifier, description, is_package, is_dynamic, source"),
    ("type_conformance", "identifier, ancestor"), ("type_tags", "identifier, class, tag, rank"),
    (
      "scans",
      """
      id, root_id, root, started_at, finished_at, state, entries, added, removed, modified, moved, \
      errors, seconds
      """
    ),
    ("scan_errors", "scan_id, path, operation, errno, message"),
  ]

  @Test("reads each promised view with its columns", .feature("P-45"), arguments: views)
  func promised(_ view: String, _ columns: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.sqlite(sandbox.catalog, "SELECT \(columns) FROM \(view)", "-readonly")
    let count = try sandbox.sqlite(sandbox.catalog, "SELECT count(*) FROM \(view)", "-readonly")
    if view != "scan_errors" { #expect(Int(count) ?? 0 > 0) }
  }

  @Test("reads every view that there is")
  func all() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let views = try sandbox.sqlite(
      sandbox.catalog, "SELECT name FROM sqlite_schema WHERE type = 'view'", "-readonly")
    #expect(views.split(separator: "\n").count >= Self.views.count)
    for view in views.split(separator: "\n") {
      try sandbox.sqlite(sandbox.catalog, "SELECT * FROM \(view)", "-readonly")
    }
  }

  @Test("finds the file marked, sound, private and alone")
  func marks() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let catalog = sandbox.catalog
    let directory = sandbox.home + "/data/filecat"
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["catalog.sqlite"])
    #expect(try sandbox.sqlite(catalog, "PRAGMA application_id", "-readonly") != "0")
    #expect(Int(try sandbox.sqlite(catalog, "PRAGMA user_version", "-readonly")) ?? 0 > 0)
    #expect(try sandbox.sqlite(catalog, "PRAGMA integrity_check", "-readonly") == "ok")
    #expect(try sandbox.sqlite(catalog, "PRAGMA foreign_key_check", "-readonly").isEmpty)
    let attributes = try FileManager.default.attributesOfItem(atPath: catalog)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    // A reader that may not write cannot remove the log it made; the next scan does.
    try sandbox.run("scan")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["catalog.sqlite"])
    #expect(try sandbox.sqlite(catalog, "PRAGMA integrity_check", "-readonly") == "ok")
  }

  /// What a column of `directories` must be, as a sum over `files`.
  static let sums: [(column: String, sum: String)] = [
    ("files", "SELECT count(*) FROM files f WHERE f.parent_id = d.id AND f.kind <> 'directory'"),
    (
      "directories",
      "SELECT count(*) FROM files f WHERE f.parent_id = d.id AND f.kind = 'directory'"
    ),
    (
      "size",
      "SELECT total(size) FROM files f WHERE f.parent_id = d.id AND f.kind <> 'directory'"
    ),
    (
      "total_files",
      """
      SELECT count(*) FROM files f
      WHERE f.kind <> 'directory' AND substr(f.path, 1, length(d.path) + 1) = d.path || '/'
      """
    ),
    (
      "total_size",
      """
      SELECT total(size) FROM files f
      WHERE f.kind <> 'directory' AND substr(f.path, 1, length(d.path) + 1) = d.path || '/'
      """
    ),
    (
      "total_allocated",
      """
      SELECT total(allocated) FROM files f
      WHERE f.path = d.path OR substr(f.path, 1, length(d.path) + 1) = d.path || '/'
      """
    ),
  ]

  @Test("sums files to what directories says", arguments: sums)
  func addsUp(_ column: String, _ sum: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let wrong = try sandbox.sqlite(
      sandbox.catalog,
      "SELECT d.path, d.\(column), (\(sum)) FROM directories d WHERE d.\(column) <> (\(sum))",
      "-readonly")
    #expect(wrong.isEmpty)
    #expect(try sandbox.sqlite(sandbox.catalog, "SELECT count(*) FROM directories") == "3")
  }
}
