internal import CatalogStore
internal import FileSystem
internal import SQLite

/// Takes the rows of a scan in the order of their ids.
///
/// A new catalog gets its pages written directly (``PageRowWriter``), which costs a tenth of SQL; one
/// that exists is written through statements (``StatementRowWriter``), with its locks and its journal.
protocol RowWriter: ~Copyable {
  /// Writes the entry, what its name says of assets, and how it is shown if it is not UTF-8.
  mutating func write(_ row: EntryRow) throws
  mutating func write(_ row: DirectoryRow) throws
  mutating func write(_ row: TotalsRow) throws
  mutating func write(_ row: SymlinkRow) throws
  mutating func write(_ row: PackageRow) throws
  mutating func write(_ row: PackagedLinkRow) throws
  /// Writes what a provider says of an entry, in place of what it said before.
  mutating func write(_ value: ResourceValue, _ key: String, of entry: Int64) throws
}

/// Writes rows with prepared statements, inside a transaction of its caller.
struct StatementRowWriter: RowWriter {
  private let entries: Insertion<EntryRow>
  private let directories: Insertion<DirectoryRow>
  private let totals: Insertion<TotalsRow>
  private let symlinks: Insertion<SymlinkRow>
  private let packages: Insertion<PackageRow>
  private let packagedLinks: Insertion<PackagedLinkRow>
  private let assets: Insertion<AssetRow>
  private let oddNames: Insertion<OddNameRow>
  private let values: Statement

  init(on db: Connection) throws(SQLiteError) {
    entries = try Insertion(on: db)
    directories = try Insertion(on: db)
    totals = try Insertion(on: db, .replaced)
    symlinks = try Insertion(on: db)
    packages = try Insertion(on: db)
    packagedLinks = try Insertion(on: db)
    assets = try Insertion(on: db)
    oddNames = try Insertion(on: db)
    values = try db.prepare(
      "INSERT OR REPLACE INTO _entry_values (entry_id, key, value) VALUES (?, ?, ?)")
  }

  @inline(__always)
  func write(_ row: EntryRow) throws {
    try entries.run(row)
    if let marks = row.name.marks(of: row.id) { try assets.run(marks) }
    if let odd = row.name.oddName(of: row.id) { try oddNames.run(odd) }
  }

  func write(_ row: DirectoryRow) throws { try directories.run(row) }
  func write(_ row: TotalsRow) throws { try totals.run(row) }
  func write(_ row: SymlinkRow) throws { try symlinks.run(row) }
  func write(_ row: PackageRow) throws { try packages.run(row) }
  func write(_ row: PackagedLinkRow) throws { try packagedLinks.run(row) }

  func write(_ value: ResourceValue, _ key: String, of entry: Int64) throws {
    values.bind(entry, at: 1)
    values.bind(key, at: 2)
    values.bind(value.binding, at: 3)
    try values.run()
  }
}

/// Inserts rows of one table.
struct Insertion<Row: TableRow> {
  private let statement: Statement

  /// What becomes of a row that there is already.
  enum Conflict {
    case refused
    case replaced
  }

  init(on db: Connection, _ conflict: Conflict = .refused) throws(SQLiteError) {
    let table = Row.table
    statement = try db.prepare(conflict == .replaced ? table.replacement : table.insertion)
  }

  @inline(__always)
  func run(_ row: Row) throws(SQLiteError) {
    if row.id == 0 { statement.bindNull(at: 1) } else { statement.bind(row.id, at: 1) }
    var encoder = StatementEncoder(statement, from: 2)
    row.encode(into: &encoder)
    try statement.run()
  }
}

/// Binds the values of a row to the parameters of a statement, one after the other.
struct StatementEncoder: RowEncoder {
  private let statement: Statement
  private(set) var position: Int32

  /// - Parameter first: the position of the first parameter to bind.
  init(_ statement: Statement, from first: Int32 = 1) {
    self.statement = statement
    position = first
  }

  private mutating func next() -> Int32 {
    defer { position += 1 }
    return position
  }

  mutating func null() { statement.bindNull(at: next()) }
  mutating func integer(_ value: Int64) { statement.bind(value, at: next()) }
  mutating func real(_ value: Double) { statement.bindReal(value, at: next()) }
  mutating func text(_ string: String) { statement.bind(string, at: next()) }
  mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {
    statement.bindText(bytes, at: next())
  }
  mutating func blob(_ bytes: UnsafeBufferPointer<UInt8>) {
    statement.bindBlob(bytes, at: next())
  }
}
