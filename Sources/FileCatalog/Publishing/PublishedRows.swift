internal import FileSystem
internal import Fleet
internal import Parquet
internal import SystemPackage

/// A table of a catalog as a machine has published it: the rows of a full publication and of those that follow
/// it, of each number the newest one.
///
/// All files have their rows in the order of numbers, and behind them those of what is gone. So they are merged
/// as they are read; what is kept in memory is, beside some rows of each file, the numbers that the
/// publications after the full one tell of.
struct PublishedRows: ~Copyable {
  private var files: [PublishedFile] = []
  /// The last publication that tells of a number, of those after the first.
  private var newest: [Int64: Int] = [:]
  /// The file with the row.
  private var current: Int?

  /// - Parameter records: those of a full publication and of what follows, in order.
  init(_ table: FleetTable, of records: [CommitRecord], in lake: Lake) throws {
    let columns = PublishedTable.columns(of: table)
    for (index, record) in records.enumerated() {
      let source = try PublishedFile.open(table, of: record, in: lake)
      if index > 0 {
        let numbers = try PublishedFile(source, columns.filter { $0.name == "id" })
        while try numbers.next() { newest[try numbers.id] = index }
      }
      let file = try PublishedFile(source, columns)
      try file.advance()
      files.append(file)
    }
  }

  /// The facts that the last publication tells.
  var facts: String? {
    files.last?.source.parquet.metadata.first { $0.key == PublishedFacts.key }?.value
  }

  /// Goes to the next row; ``row`` is it then.
  ///
  /// - Returns: `false` when there is none.
  mutating func next() throws -> Bool {
    while true {
      if let current { try files[current].advance() }
      current = nil
      for index in files.indices {
        guard let id = files[index].nextID else { continue }
        if current.flatMap({ files[$0].nextID }).map({ id < $0 }) ?? true { current = index }
      }
      guard let current, let id = files[current].nextID else { return false }
      if newest[id, default: 0] == current { return true }
    }
  }

  /// The row.
  var row: PublishedFile { files[current ?? 0] }
}

/// The file of a table in one publication, row by row.
final class PublishedFile {
  /// An open file that is what its record says.
  struct Source: Sendable {
    let place: String
    let parquet: ParquetFile
  }

  /// A file that is closed when nobody reads it any more.
  private final class OpenedFile: Sendable {
    let descriptor: FileDescriptor

    init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    deinit {
      try? descriptor.close()
    }

    func read(_ offset: Int64, _ memory: UnsafeMutableRawBufferPointer) throws {
      var done = 0
      while done < memory.count {
        let count = try descriptor.read(
          fromAbsoluteOffset: offset + Int64(done),
          into: UnsafeMutableRawBufferPointer(rebasing: memory[done...]))
        guard count > 0 else { throw ParquetError.damaged("it has become shorter") }
        done += count
      }
    }
  }

  let source: Source
  private var reader: ParquetReader
  /// Where columns are among those that are read; -1 for one that the file does not have: it was written by an
  /// older version.
  private let places: [Int]
  private let idPlace: Int
  private let removedPlace: Int?
  private var index = -1

  /// Opens the file of a table.
  ///
  /// - Throws: ``FleetError``, also where the file is not what its record says.
  static func open(_ table: FleetTable, of record: CommitRecord, in lake: Lake) throws -> Source {
    let place = lake(Lake.place(of: table, record.catalog, record.publication))
    guard let told = record.files.first(where: { $0.table == table }) else {
      throw FleetError(.invalidRecord, place, "no record tells of the file")
    }
    return try naming(place) {
      let file = OpenedFile(try lake.open(told, of: record))
      let parquet = try ParquetFile(size: told.size) { try file.read($0, $1) }
      guard parquet.rowCount == told.rows else {
        throw FleetError(.damaged, place, "the file has not the rows that its record tells of")
      }
      return Source(place: place, parquet: parquet)
    }
  }

  init(_ source: Source, _ columns: [(name: String, form: ValueForm)]) throws {
    let parquet = source.parquet
    var selection: [Int] = []
    var places: [Int] = []
    for column in columns {
      guard let place = parquet.column(column.name) else {
        places.append(-1)
        continue
      }
      guard parquet.columns[place].type == column.form.parquetType else {
        throw FleetError(.damaged, source.place, "the column \(column.name) has another type")
      }
      places.append(selection.count)
      selection.append(place)
    }
    guard let idPlace = columns.firstIndex(where: { $0.name == "id" }), places[idPlace] >= 0 else {
      throw FleetError(.damaged, source.place, "the file has no column id")
    }
    self.source = source
    self.places = places
    self.idPlace = places[idPlace]
    removedPlace = columns.firstIndex { $0.name == "removed" }.map { places[$0] }
    reader = try ParquetReader(parquet, columns: selection)
  }

  fileprivate static func naming<Result>(
    _ place: String, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as ParquetError {
      throw FleetError(.damaged, place, error.description)
    } catch let error as Errno {
      throw FleetError(.cannotRead, place, "\(error)")
    }
  }

  // MARK: - Rows

  /// Goes to the next row.
  fileprivate func next() throws -> Bool {
    index += 1
    if index < reader.rows.count { return true }
    index = 0
    return try Self.naming(source.place) { try reader.next() }
  }

  fileprivate var id: Int64 {
    get throws {
      guard let id = reader.rows.columns[idPlace].integer(index) else {
        throw FleetError(.damaged, source.place, "a row has no id")
      }
      return id
    }
  }

  /// The number of the row that comes next; `nil` where there is none but of what is gone.
  fileprivate private(set) var nextID: Int64?

  /// Goes to the next row that is not about what is gone.
  fileprivate func advance() throws {
    let last = nextID
    nextID = nil
    while try next() {
      if let place = removedPlace, place >= 0, reader.rows.columns[place].integer(index) == 1 {
        continue
      }
      let id = try id
      guard last.map({ $0 < id }) ?? true else {
        throw FleetError(.damaged, source.place, "its rows are not in the order of their ids")
      }
      nextID = id
      return
    }
  }

  /// The number in a column, 0 or 1 for a truth; `nil` where there is none.
  @inline(__always)
  func integer(_ column: Int) -> Int64? {
    let place = places[column]
    return place < 0 ? nil : reader.rows.columns[place].integer(index)
  }

  /// Puts the text in a column into memory that is used again; nothing where there is none.
  ///
  /// - Returns: whether there is one.
  @inline(__always)
  @discardableResult
  func copyText(_ column: Int, to text: inout [UInt8]) -> Bool {
    text.removeAll(keepingCapacity: true)
    let place = places[column]
    guard place >= 0, let range = reader.rows.columns[place].text(index) else { return false }
    text += reader.rows.columns[place].bytes[range]
    return true
  }

  /// Whether a column has the same text as it had when it was copied.
  @inline(__always)
  func hasText(_ column: Int, _ known: [UInt8]) -> Bool {
    let place = places[column]
    guard place >= 0, let range = reader.rows.columns[place].text(index),
      range.count == known.count
    else { return false }
    return reader.rows.columns[place].bytes[range].elementsEqual(known)
  }
}
