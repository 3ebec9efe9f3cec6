package import SystemPackage

/// Two trees of which a catalog has something in each of its tables, as they change from one scan to the
/// next: what attacks on catalogs begin with.
package struct AttackedTrees: Sendable {
  package let directory: TemporaryDirectory

  /// A container in Apple's style.
  package var home: FilePath { directory("tree/home") }
  /// Whatever else there is.
  package var other: FilePath { directory("tree/other") }

  /// What the first scan finds.
  package init(in directory: TemporaryDirectory) throws {
    self.directory = directory
    let block = String(repeating: "x", count: 2000)
    for name: FilePath in [
      "Documents/a.txt", "Library/Caches/b.bin", "tmp/c", "Documents/sub/deep/deeper/d",
    ] {
      try directory.write(block, to: FilePath("tree/home").pushing(name))
    }
    try directory.write(
      "Signature: 8a477f597d28d172789f06886806bc55\n", to: "tree/home/cache/CACHEDIR.TAG")
    try directory.write("{\\rtf1}", to: "tree/home/Notes.rtfd/TXT.rtf")
    try directory.write("1", to: "tree/home/Pictures/icon@2x.png")
    try directory.write("12", to: "tree/home/Pictures/icon.png")
    try directory.write("%PDF-1.4", to: "tree/other/unnamed")
    try directory.write("1", to: "tree/other/removed/x")
    try directory.write("12", to: "tree/other/moved/here/y.txt")
    // No UTF-8.
    let bad = "tree/other/bad".utf8CString.dropLast() + [CChar(bitPattern: 0xFF), 0]
    try directory.write("123", to: FilePath(platformString: Array(bad)))
    try directory.make([
      .symlink("tree/other/link", to: "../home/Documents/a.txt"),
      .hardLink("tree/other/linked", to: "tree/home/Documents/a.txt"),
      .hardLink("tree/home/Notes.rtfd/linked", to: "tree/home/Documents/a.txt"),
      .attribute("tree/other/unnamed", name: "user.xdg.tags", value: "red"),
    ])
  }

  /// Makes what the second scan finds.
  package func change() throws {
    try directory.write("new", to: "tree/home/Documents/new.txt")
    try directory.write(
      String(repeating: "x", count: 2000), to: "tree/home/Documents/a copy.txt")
    try directory.remove("tree/other/removed")
    try directory.rename("tree/other/moved", to: "tree/home/Documents/moved")
  }

  /// Makes what the scans of attacked catalogs find. After that the trees stay as they are, so that any
  /// number of catalogs may be attacked and scanned.
  package func changeAgain() throws {
    try directory.write("newer", to: "tree/home/Documents/newer.txt")
    try directory.write("changed", to: "tree/home/Documents/new.txt")
    try directory.write("1", to: "tree/home/Notes.rtfd/more")
    try directory.remove("tree/home/Library/Caches/b.bin")
    try directory.rename("tree/home/Documents/moved", to: "tree/other/again/moved")
  }

  /// Rows that the trees give no reason for.
  package static let furtherRows = """
    INSERT INTO _scan_failures (scan_id, path, operation, errno, message)
    SELECT max(id), 'tree/other/closed', 'open', 13, 'Permission denied' FROM _scan_log;
    UPDATE _packages SET place_id = (SELECT max(id) FROM _places);
    INSERT OR REPLACE INTO _catalog_settings VALUES ('history_days', 300), ('history_changes', 1000),
      ('history_horizon', 0)
    """

  /// The tables, indexes and views of a schema, one a row.
  package static let definitions = """
    SELECT type, name FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%'
    """
  /// The columns of a schema, one a row: their tables, their names, and whether rows have numbers.
  package static let columns = """
    SELECT m.name, c.name, m.sql NOT LIKE '%WITHOUT ROWID'
    FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'
    """
}
