import CZstd
import Foundation
import SQLite
import SystemPackage
import TestSupport
import Testing

@testable import CatalogScan
@testable import CatalogStore

@Suite("The template of new catalogs")
struct CatalogTemplateTests {
  /// What SQL makes: the schema, and the types of the built-in table.
  private func make(at path: FilePath) throws {
    let db = try Connection(path: path, .create)
    try db.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    try CatalogStore.prepareOwn(db)
    try Schema.update(db)
    try db.transaction(.immediate) {
      _ = try TypeTables(in: db).synchronize(with: TypeLayers(.builtIn))
    }
    try db.close()
  }

  /// What is in a file: the settings of its header, the schema, and all rows.
  private func content(of path: FilePath) throws -> [String: [String]] {
    let db = try Connection(path: path, .readOnly)
    var content: [String: [String]] = [:]
    func read(_ key: String, _ expression: String, from source: String) throws {
      var rows: [String] = []
      try db.forEach(SQL("SELECT \(expression) FROM \(source) ORDER BY 1")) {
        rows.append($0.text(0))
      }
      content[key] = rows
    }
    for setting in [
      "application_id", "user_version", "page_size", "encoding", "journal_mode", "auto_vacuum",
    ] {
      try db.forEach(SQL("PRAGMA \(setting)")) { content[setting] = [$0.text(0)] }
    }
    try read("schema", "type || ' ' || name || ' ' || coalesce(sql, '')", from: "sqlite_master")
    try read("tables", "name", from: "sqlite_master WHERE type = 'table'")
    for table in content["tables"] ?? [] {
      try read("columns", "'quote(\"' || name || '\")'", from: "pragma_table_info('\(table)')")
      try read(table, content["columns", default: []].joined(separator: " || "), from: table)
    }
    try db.close()
    return content
  }

  @Test("is what SQL makes of the migrations, the views and the built-in types")
  func isCurrent() throws {
    try withTemporaryDirectory { directory in
      try make(at: directory("made.sqlite"))
      // How a new one is put into its place: Scripts/template.
      if let place = ProcessInfo.processInfo.environment["FILECAT_TEMPLATE"] {
        let made = try directory.bytes(of: "made.sqlite")
        var compressed = [UInt8](repeating: 0, count: ZSTD_compressBound(made.count))
        let size = ZSTD_compress(&compressed, compressed.count, made, made.count, 19)
        try #require(ZSTD_isError(size) == 0)
        try Data(compressed[..<size]).write(to: URL(fileURLWithPath: place))
        return
      }
      try directory.write(CatalogTemplate.image(), to: "template.sqlite")
      let (made, template) = try (
        content(of: directory("made.sqlite")), content(of: directory("template.sqlite"))
      )
      for (key, rows) in made {
        #expect(template[key] == rows, "\(key) differs: run Scripts/template")
      }
      #expect(template.count == made.count)
    }
  }
}
