import FileCatalog
import Foundation
import Parquet
import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Entries as Parquet")
struct ParquetExportTests {
  /// The rows of a file: the names of its columns, and the values.
  private struct Table {
    let names: [String]
    private(set) var rows: [[ColumnValue]] = []

    init(_ bytes: [UInt8]) throws {
      let file = try ParquetFile(size: Int64(bytes.count)) { offset, memory in
        memory.copyBytes(from: bytes[Int(offset)..<Int(offset) + memory.count])
      }
      names = file.columns.map(\.name)
      var reader = try ParquetReader(file, columns: Array(file.columns.indices))
      while try reader.next() {
        for row in 0..<reader.rows.count {
          rows.append(reader.rows.columns.map { Self.value($0, row) })
        }
      }
    }

    private static func value(_ values: ParquetValues, _ row: Int) -> ColumnValue {
      guard values.hasValue(row) else { return .null }
      switch values.column.type {
      case .boolean, .int32, .int64: return .integer(values.integer(row) ?? 0)
      case .double: return .real(Double(bitPattern: UInt64(bitPattern: values.integer(row) ?? 0)))
      case .string, .binary:
        return .text(values.text(row).map { Array(values.bytes[$0]) } ?? [])
      }
    }
  }

  private func exported(
    _ catalog: Catalog, _ query: String = "", in directories: [FilePath] = []
  ) async throws -> Table {
    var export = Catalog.Export(as: .parquet)
    export.query = try Query(parsing: query)
    export.directories = directories
    return try await withTemporaryDirectory { directory in
      try await catalog.export(export, to: directory("files.parquet"))
      return try Table(directory.bytes(of: "files.parquet"))
    }
  }

  /// The rows of the view, in the order of an export.
  private func viewed(_ catalog: Catalog, where condition: String = "1") throws -> [[ColumnValue]] {
    let columns = EntryColumn.allCases.map(\.rawValue)
    return try catalog.rows(
      """
      SELECT \(columns.map { "f.\($0)" }.joined(separator: ", ")) FROM files f
      JOIN _entries e ON e.id = f.id LEFT JOIN _directory_paths d ON d.id = f.parent_id
      WHERE \(condition)
      ORDER BY f.parent_id IS NOT NULL, ifnull(d.path, f.path), ifnull(d.id, f.id), e.name
      """
    ).map { row in
      columns.map { column in
        guard column == "asset_scale", let scale = row[column]?.integer else {
          return row[column] ?? .null
        }
        return .real(Double(scale))
      }
    }
  }

  private func expectEqual(
    _ table: Table, _ wanted: [[ColumnValue]], _ place: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let names = EntryColumn.allCases.map(\.rawValue)
    #expect(table.names == names, "\(place)", sourceLocation: sourceLocation)
    #expect(table.rows.count == wanted.count, "\(place)", sourceLocation: sourceLocation)
    for (found, wanted) in zip(table.rows, wanted) where found != wanted {
      for (name, values) in zip(names, zip(found, wanted)) where values.0 != values.1 {
        Issue.record(
          "\(place): \(name) is \(values.0) and not \(values.1), of \(wanted)",
          sourceLocation: sourceLocation)
      }
      return
    }
  }

  /// Directories of a container, assets, packages with files that have further names, links, and odd names
  /// everywhere.
  private static let pieces: [Piece] = [
    .file("home/Library/Caches/x", bytes: 3), .file("home/Documents/y.txt", bytes: 4),
    .file("home/tmp/Bag.rtfd/TXT.rtf", bytes: 5_000), .directory("home/tmp/empty"),
    .file("icons/a@2x~ipad.png", bytes: 1), .file("icons/a-568h@1.5x.png"),
    .file("icons/Notes@2x.rtfd/text", bytes: 9), .directory("icons/dir@2x.d"),
    .symlink("icons/link@3x.png", to: "a@2x~ipad.png"), .file("icons/é-hd@2x.tar.gz"),
    .hardLink("other name", to: "home/tmp/Bag.rtfd/TXT.rtf"),
    .hardLink("third@2x.png", to: "other name"),
    .symlink("broken", to: "nowhere"), .fifo("pipe@2x"), .socket("socket"), .file(".hidden.x"),
    .file("before.txt", bytes: 1), .times("before.txt", accessed: -5, modified: -7_000_000_001),
    .mode("home/tmp/empty", 0o1777),
  ]

  @Test(
    "are, column by column and row by row, what the view says", .feature("P-43"),
    arguments: [UInt64.random(in: 0 ... .max)])
  func asInTheView(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    try await withLaboratory { lab in
      var editor = TreeEditor(lab.tree, random: SeededRandom(seed: random.next()), isWide: false)
      for _ in 0..<100 { editor.edit() }
      try makeOdd(in: lab.tree.path, levels: 3, using: &random)
      try lab.tree.make(Self.pieces)
      for number in 0..<12 {
        try lab.tree.make(.file(FilePath(bytes: [0xff, 0x2f, 0x61 + UInt8(number), 0xfe])))
      }
      for number in 0..<600 {
        let mark = ["", "@2x", "~ipad", "-hd"][random.below(4)]
        try lab.tree.make(.file(FilePath("many/\(number % 7)/\(number)\(mark).e\(number % 40)")))
      }
      try await lab.catalog.register([Container(.appleSandbox, root: lab.tree("home"))])
      try await withTree([.file("p/q", bytes: 9)]) { other in
        try makeOdd(in: other.path, levels: 1, using: &random)
        let root = other.path.appending("a root")
        try other.make(.file("a root/in it", bytes: 1))
        _ = try await lab.catalog.scan([lab.tree.path, other("p"), root])
        try await expectSound(lab.catalog)
        let table = try await exported(lab.catalog)
        expectEqual(table, try viewed(lab.catalog), "seed \(seed)")
        #expect(
          try lab.catalog.number("SELECT count(*) FROM files WHERE role IS NOT NULL") ?? 0 > 3)
        #expect(try lab.catalog.number("SELECT count(path_bytes) FROM files") ?? 0 > 10)
        try await expectNarrowed(lab, seed)
      }
    }
  }

  private func expectNarrowed(_ lab: Laboratory, _ seed: UInt64) async throws {
    for (query, directories) in [
      ("kind:directory OR links:>1", []), ("depth:0", []), ("name:*@2x* kind:file", []),
      ("", ["icons", "many/3"]), ("kind:symlink OR kind:package", ["icons"]), ("size:>1T", []),
    ] as [(String, [FilePath])] {
      let directories = directories.map { lab.tree($0) }
      let scope: TableRequest.Scope =
        directories.isEmpty ? .everything : .subtrees(of: directories, levels: nil)
      let found = try await lab.catalog.entries(matching: Query(parsing: query), in: scope)
      let ids = found.map { "\($0.id.rawValue)" }.joined(separator: ",")
      let table = try await exported(lab.catalog, query, in: directories)
      expectEqual(
        table, try viewed(lab.catalog, where: "f.id IN (\(ids))"), "\(query), seed \(seed)")
    }
  }

  /// Makes files, links and directories of names that mean something to somebody, or are not UTF-8.
  private func makeOdd(
    in directory: FilePath, levels: Int, using random: inout SeededRandom
  ) throws {
    for _ in 0..<12 {
      let path = directory.pushing(FilePath(bytes: CrookedNames.random(using: &random)))
      // A name may be taken.
      switch random.below(4) {
      case 0 where levels > 0:
        guard path.withPlatformString({ mkdir($0, 0o755) }) == 0 else { continue }
        try makeOdd(in: path, levels: levels - 1, using: &random)
      case 1:
        let target = FilePath(bytes: CrookedNames.random(using: &random))
        _ = target.withPlatformString { target in
          path.withPlatformString { symlink(target, $0) }
        }
      default:
        try? FileDescriptor.open(
          path, .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite
        ).close()
      }
    }
  }

  private func damage(_ catalog: Catalog, _ statement: String) throws {
    let run = try CommandRunner("sqlite3").run([catalog.path.string, statement])
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test("are nothing where numbers stand for nothing, and no wrong text")
  func unknownNumbers() async throws {
    try await withLaboratory([.file("a.txt")]) { lab in
      try await lab.scan()
      try damage(lab.catalog, "UPDATE _entries SET type_id = 999999, uid = -7 WHERE name = 'a.txt'")
      expectEqual(try await exported(lab.catalog), try viewed(lab.catalog), "")
      try damage(lab.catalog, "UPDATE _kinds SET name = CAST(x'ff61' AS TEXT) WHERE id = 1")
      try await expectError(.corrupt) { _ = try await exported(lab.catalog) }
    }
  }
}
