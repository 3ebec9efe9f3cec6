package import SystemPackage

/// Fills empty tables of a new database by writing its pages, without SQLite.
///
/// The file must be private until it is finished: there are no locks and no journal. SQLite makes
/// it and its schema, and may fill other tables; then it closes it. The loader writes the rows of
/// the tables that are named, in the [file format of SQLite](https://www.sqlite.org/fileformat2.html).
///
/// ```swift
/// var file = try PageLoader(path: "new.sqlite")
/// var entries = try file.table("entries")
/// var byParent = try file.integerTextIndex("entries_by_parent", memoryLimit: 1 << 30)
/// for row in rows {  // in ascending order of the id
///   try entries.begin(row.id)
///   entries.null()  // id INTEGER PRIMARY KEY
///   entries.integer(row.parent)
///   entries.text(row.name)
///   try entries.end()
///   try byParent.append(row.parent, .text(row.name), rowid: row.id)
/// }
/// try entries.finish()
/// let duplicates = try byParent.finish()
/// try file.finish().synchronize()
/// ```
///
/// Every index of a filled table must be filled too, or be created or reindexed through SQL before
/// anything else is done with the table. The numbers of `AUTOINCREMENT` and the statistics of
/// `ANALYZE` are SQL's affair as well, and so are constraints: the loader checks none but the
/// uniqueness of an index.
///
/// After any error, and when ``finish()`` was not called, delete the file. One thread uses a
/// loader and everything it hands out.
package struct PageLoader: ~Copyable {
  private let writer: PageWriter
  private let schema: Schema
  private var rootsInUse: Set<UInt32> = []

  /// Opens a database that SQLite made.
  ///
  /// - Throws: ``PageLoaderError`` when it is not a plain one: rollback journal, closed, UTF-8, no
  ///   reserved bytes, no auto_vacuum, schema format 4.
  package init(path: FilePath) throws(PageLoaderError) {
    try self.init(path: path, lockByte: 1 << 30)
  }

  init(path: FilePath, lockByte: Int) throws(PageLoaderError) {
    (writer, schema) = try Self.open(path: path, lockByte: lockByte)
  }

  private static func open(
    path: FilePath, lockByte: Int
  ) throws(PageLoaderError) -> (PageWriter, Schema) {
    let file = try DatabaseFile(path: path)
    func unsupported(_ problem: PageLoaderError.FileProblem) -> PageLoaderError {
      PageLoaderError(.unsupportedFile(problem), path: path)
    }
    guard let header = DatabaseHeader(try file.read(DatabaseHeader.size, at: 0)) else {
      throw unsupported(.notADatabase)
    }
    if let problem = header.problem { throw unsupported(problem) }
    if file.hasCompanion("-journal") || file.hasCompanion("-wal") {
      throw unsupported(.openTransaction)
    }
    let fileSize = try file.size()
    let pageCount = header.pageCount(fileSize: fileSize)
    guard fileSize >= Int(pageCount) * header.pageSize else { throw unsupported(.truncated) }

    let format = PageFormat(pageSize: header.pageSize, lockByte: lockByte)
    let writer = PageWriter(file: file, format: format, pageCount: pageCount)
    var reader = SchemaReader(writer, pageCount: pageCount)
    return (writer, try reader.read())
  }

  // MARK: - Tables and indexes

  /// Begins to fill an empty rowid table.
  package mutating func table(_ name: String) throws(PageLoaderError) -> TableLoader {
    guard let entry = schema.entry(type: "table", name: name), entry.root > 0 else {
      throw writer.error(.noSuchTable(name))
    }
    let page = try writer.read(entry.root)
    if page[0] == PageKind.leafIndex.rawValue || page[0] == PageKind.interiorIndex.rawValue {
      throw writer.error(.withoutRowid(name))
    }
    try take(entry, page, kind: .leafTable)
    return try TableLoader(root: entry.root, writer: writer)
  }

  /// Begins to fill an empty index on one INTEGER column.
  ///
  /// - Parameter memoryLimit: How many bytes the keys may take in memory, with what their sorting
  ///   needs. What is more is sorted in parts in an unnamed file beside the database.
  package mutating func integerIndex(
    _ name: String, memoryLimit: Int
  ) throws(PageLoaderError) -> IntegerIndexLoader {
    IntegerIndexLoader(try index(name, on: .integer), memoryLimit: memoryLimit)
  }

  /// Begins to fill an empty index on one column of TEXT or BLOB values.
  package mutating func textIndex(
    _ name: String, memoryLimit: Int
  ) throws(PageLoaderError) -> TextIndexLoader {
    TextIndexLoader(try index(name, on: .bytes), memoryLimit: memoryLimit)
  }

  /// Begins to fill an empty index on an INTEGER column and one of TEXT or BLOB values.
  package mutating func integerTextIndex(
    _ name: String, memoryLimit: Int
  ) throws(PageLoaderError) -> TextIndexLoader {
    TextIndexLoader(try index(name, on: [.integer, .bytes]), memoryLimit: memoryLimit)
  }

  private mutating func index(
    _ name: String, on columns: IndexSlot.Columns
  ) throws(PageLoaderError) -> IndexSlot {
    guard let entry = schema.entry(type: "index", name: name), entry.root > 0 else {
      throw writer.error(.noSuchIndex(name))
    }
    guard !schema.mayHaveOwnOrder(entry) else {
      throw writer.error(.unsupportedIndex(name))
    }
    try take(entry, try writer.read(entry.root), kind: .leafIndex)
    return IndexSlot(
      writer: writer, root: entry.root, isUnique: schema.isUnique(entry), columns: columns)
  }

  /// Makes sure that the tree is an empty leaf that nobody else fills.
  private mutating func take(
    _ entry: Schema.Entry, _ page: [UInt8], kind: PageKind
  ) throws(PageLoaderError) {
    let isEmpty = page[0] == kind.rawValue && page[3] == 0 && page[4] == 0
    guard isEmpty, rootsInUse.insert(entry.root).inserted else {
      throw writer.error(.notEmpty(entry.name))
    }
  }

  // MARK: - The end

  /// Makes the new pages part of the database. All tables and indexes must be finished.
  package consuming func finish() throws(PageLoaderError) -> FinishedFile {
    try writer.finish()
    return FinishedFile(writer)
  }
}

/// A loaded database, which may not have reached the disk yet.
package struct FinishedFile: ~Copyable {
  private let writer: PageWriter

  init(_ writer: PageWriter) {
    self.writer = writer
  }

  /// Waits until the whole file is on the disk.
  package func synchronize() throws(PageLoaderError) {
    try writer.synchronize()
  }
}
