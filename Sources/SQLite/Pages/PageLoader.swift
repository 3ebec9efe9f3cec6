package import SystemPackage

/// Fills tables of a database by writing pages, without SQLite.
///
/// The tables of a file of one's own must be empty. It must be private until it is finished: there are no
/// locks and no journal. SQLite makes it and its schema, and may fill other tables; then it closes it. In
/// a file that others have open, rows and keys are added to those that are there (``LiveFile``).
///
///  The loader writes the rows of
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
    let file = try DatabaseFile(path: path)
    let (writer, schema) = try Self.open(file, isLive: false, lockByte: lockByte)
    if file.hasCompanion("-journal") || file.hasCompanion("-wal") {
      throw PageLoaderError(.unsupportedFile(.openTransaction), path: path)
    }
    (self.writer, self.schema) = (writer, schema)
  }

  /// Begins to append to a file that others have open.
  package init(_ file: LiveFile) throws(PageLoaderError) {
    (writer, schema) = try Self.open(file, isLive: true, lockByte: 1 << 30)
  }

  private static func open(
    _ file: any PageFile, isLive: Bool, lockByte: Int
  ) throws(PageLoaderError) -> (PageWriter, Schema) {
    func unsupported(_ problem: PageLoaderError.FileProblem) -> PageLoaderError {
      PageLoaderError(.unsupportedFile(problem), path: file.path)
    }
    guard let header = DatabaseHeader(try file.read(DatabaseHeader.size, at: 0)) else {
      throw unsupported(.notADatabase)
    }
    if let problem = header.problem(isLive: isLive) { throw unsupported(problem) }
    let fileSize = try file.size()
    let pageCount = header.pageCount(fileSize: fileSize)
    guard fileSize >= Int(pageCount) * header.pageSize else { throw unsupported(.truncated) }

    let format = PageFormat(pageSize: header.pageSize, lockByte: lockByte)
    let writer = PageWriter(file: file, isLive: isLive, format: format, pageCount: pageCount)
    var reader = SchemaReader(writer, pageCount: pageCount)
    return (writer, try reader.read())
  }

  // MARK: - Tables and indexes

  /// Begins to fill a rowid table.
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

  /// Begins to fill an index on one INTEGER column.
  ///
  /// - Parameter memoryLimit: How many bytes the keys may take in memory, with what their sorting
  ///   needs. What is more is sorted in parts in an unnamed file beside the database.
  package mutating func integerIndex(
    _ name: String, memoryLimit: Int
  ) throws(PageLoaderError) -> IntegerIndexLoader {
    IntegerIndexLoader(try index(name, on: .integer), memoryLimit: memoryLimit)
  }

  /// Begins to fill an index on one column of TEXT or BLOB values.
  package mutating func textIndex(
    _ name: String, memoryLimit: Int
  ) throws(PageLoaderError) -> TextIndexLoader {
    TextIndexLoader(try index(name, on: .bytes), memoryLimit: memoryLimit)
  }

  /// Begins to fill an index on an INTEGER column and one of TEXT or BLOB values.
  package mutating func integerTextIndex(
    _ name: String, memoryLimit: Int
  ) throws(PageLoaderError) -> TextIndexLoader {
    TextIndexLoader(try index(name, on: [.integer, .bytes]), memoryLimit: memoryLimit)
  }

  /// Begins to fill an index on four INTEGER columns, none of them NULL. It may hold some of the rows
  /// only: which, is told by what is appended.
  package mutating func integersIndex(
    _ name: String, memoryLimit: Int
  ) throws(PageLoaderError) -> TextIndexLoader {
    TextIndexLoader(try index(name, on: .integers, .some), memoryLimit: memoryLimit)
  }

  /// Which rows of its table an index has.
  private enum Rows {
    case all
    case some
  }

  private mutating func index(
    _ name: String, on columns: IndexSlot.Columns, _ rows: Rows = .all
  ) throws(PageLoaderError) -> IndexSlot {
    guard let entry = schema.entry(type: "index", name: name), entry.root > 0 else {
      throw writer.error(.noSuchIndex(name))
    }
    guard !schema.mayHaveOwnOrder(entry, orRows: rows == .all) else {
      throw writer.error(.unsupportedIndex(name))
    }
    try take(entry, try writer.read(entry.root), kind: .leafIndex)
    return IndexSlot(
      writer: writer, root: entry.root, isUnique: schema.isUnique(entry), columns: columns)
  }

  /// Makes sure that nobody else fills the tree, and that it is an empty leaf in a file of one's own.
  private mutating func take(
    _ entry: Schema.Entry, _ page: [UInt8], kind: PageKind
  ) throws(PageLoaderError) {
    let isEmpty = page[0] == kind.rawValue && page[3] == 0 && page[4] == 0
    guard isEmpty || writer.isLive, rootsInUse.insert(entry.root).inserted else {
      throw writer.error(.notEmpty(entry.name))
    }
  }

  // MARK: - The end

  /// Whether others have the file open: then ``graft()`` ends the loading.
  package var isLive: Bool { writer.isLive }

  /// What makes the new pages part of a database that others have open. All tables and indexes must be
  /// finished.
  package consuming func graft() throws(PageLoaderError) -> Graft {
    try writer.graft()
  }

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
