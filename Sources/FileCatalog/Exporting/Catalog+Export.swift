internal import Console
internal import FileSystem
internal import SQLite
public import SystemPackage

extension Catalog {
  /// Rows of a view for other programs, and how they are written.
  public struct Export: Sendable {
    /// How rows are written.
    public enum Format: String, Sendable, CaseIterable {
      /// [Parquet](https://parquet.apache.org): columns with types, compressed with zstd, and with what
      /// readers need to pass over most of them.
      case parquet
      /// One JSON object a line, as `filecat find --format ndjson` prints it.
      case ndjson
      /// Comma-separated values, with the names of the columns in the first line. Bytes are Base64.
      case csv

      /// The format of a file that is called like this; `nil` where its ending says nothing.
      public init?(ofFile path: FilePath) {
        let ending = path.extension?.lowercased()
        guard let format = Self.allCases.first(where: { $0.endings.contains(ending ?? "") }) else {
          return nil
        }
        self = format
      }

      /// How files of the format are called, after the last dot.
      public var endings: [String] { self == .ndjson ? ["ndjson", "jsonl"] : [rawValue] }
    }

    /// The name of the view.
    public var view = "files"
    /// How rows are written.
    public var format: Format
    /// Which entries, where the view is `files`.
    public var query = Query()
    /// Below which directories, where the view is `files`; empty for all roots.
    public var directories: [FilePath] = []
    /// What writes the file, as the file says.
    public var creator = "FileCatalog"

    /// Writes the view `files`, all of it, unless something else is set.
    public init(as format: Format) { self.format = format }
  }

  /// Writes rows of a view into a file for other programs.
  ///
  /// The rows are of one moment, whoever writes to the catalog meanwhile. The file has all columns of the
  /// view but `rowid`, with their types where the format has types, and only its owner may read it. It
  /// gets its name when it is complete and on the disk. The rows of `files` are in the order of their
  /// directories, and there in that of their names.
  ///
  /// Cancelling the task leaves everything as it was.
  ///
  /// - Parameter destination: the file; never the catalog itself.
  /// - Throws: ``/CatalogStore/CatalogError`` with ``/CatalogStore/CatalogError/Code/alreadyExists``,
  ///   ``/CatalogStore/CatalogError/Code/cannotWrite``, ``/CatalogStore/CatalogError/Code/diskFull``,
  ///   ``/CatalogStore/CatalogError/Code/viewNotFound``,
  ///   ``/CatalogStore/CatalogError/Code/notInCatalog`` for a directory,
  ///   ``/CatalogStore/CatalogError/Code/invalidArgument`` for what the format or the view cannot do,
  ///   ``/CatalogStore/CatalogError/Code/corrupt`` for a value that its column cannot have, and
  ///   ``/CatalogStore/CatalogError/Code/interrupted``.
  /// - Complexity: Reads each row once. Takes a few dozen megabytes of memory, however many there are.
  public func export(
    _ export: Export, to destination: FilePath, existing: ExistingFile = .kept
  ) async throws {
    try await running(export) { [self] exporter in
      try writing(destination) {
        try requireFree(destination, existing)
        let file = try UnfinishedFile(for: destination)
        do {
          try exporter.write(to: OutputFile(descriptor: file.descriptor.rawValue))
        } catch OutputError.failed(let code) {
          throw CatalogError(creating: destination, Errno(rawValue: code))
        }
        try publish(file, existing)
      }
    }
  }

  /// Writes rows of a view into a file, a pipe or a device that is open, and stays so.
  ///
  /// - Throws: as ``export(_:to:existing:)``; what was written until then is not complete.
  public func export(_ export: Export, to descriptor: FileDescriptor) async throws {
    let output = OutputFile(descriptor: descriptor.rawValue)
    try await running(export) { try $0.write(to: output) }
  }

  /// Calls `body` on a thread of its own with what writes the rows.
  private func running(
    _ export: Export, _ body: @escaping @Sendable (Exporter) throws -> Void
  ) async throws {
    let state = Exporter.State()
    do {
      try await withTaskCancellationHandler {
        try await WorkerThread.run(named: "catalog export") { [self] in
          try store.prepareForReading()
          try body(Exporter(export, of: path, state))
        }
      } onCancel: {
        state.cancel()
      }
    } catch let error as OutputError {
      throw error
    } catch {
      throw CatalogError(state.isCancelled ? CancellationError() : error, path: path)
    }
  }
}

/// Writes the rows of an export, from a connection of its own.
struct Exporter {
  /// Whether the work is to end, and what is to be ended for that.
  final class State: Sendable {
    private let values = Monitor<(isCancelled: Bool, interrupter: Interrupter?)>((false, nil))

    var isCancelled: Bool { values.withLock { $0.isCancelled } }

    func cancel() {
      values.withLock { values in
        values.isCancelled = true
        values.interrupter?.interrupt()
      }
    }

    func begin(_ db: Connection) {
      values.withLock { $0.interrupter = db.interrupter }
    }
  }

  /// The memory that SQLite gets for pages: each is read once.
  private static let cacheKilobytes = 2048
  /// After so many rows it is looked whether the work is to end.
  private static let step = 1024

  private let export: Catalog.Export
  private let path: FilePath
  private let state: State

  init(_ export: Catalog.Export, of path: FilePath, _ state: State) {
    self.export = export
    self.path = path
    self.state = state
  }

  func write(to output: OutputFile) throws {
    let db = try OpeningToRead(path).open(usually: .readOnly) { mode in
      let db = try Connection(path: path, mode)
      try CatalogStore.prepare(db)
      return db
    }
    state.begin(db)
    try db.execute("PRAGMA cache_size = -\(Self.cacheKilobytes)")
    try db.transaction(.deferred) {
      let rows = try ExportRows(export, db)
      switch export.format {
      case .parquet: try writeParquet(rows, db, to: output)
      case .ndjson: try print(rows, PrintedRows(objectsOf: rows), as: .ndjson, to: output)
      case .csv: try print(rows, PrintedRows(linesOf: rows), as: .csv, to: output)
      }
    }
    try db.close()
  }

  private func requireGoingOn() throws {
    if state.isCancelled { throw CancellationError() }
  }

  private func print(
    _ rows: ExportRows, _ printed: PrintedRows, as format: RowFormat, to output: OutputFile
  ) throws {
    var printer = RowPrinter(columns: printed.columns, format: format, to: output)
    try printer.begin()
    var count = 0
    let forms = rows.columns.map(\.form)
    try rows.readAll { row in
      guard row.requireSound(forms) else { return }
      try printer.print(printed.cells(row))
      count += 1
      if count % Self.step == 0 { try requireGoingOn() }
    }
    try printer.finish()
  }

  private func writeParquet(_ rows: ExportRows, _ db: Connection, to output: OutputFile) throws {
    var file = try ParquetRows(rows, creator: export.creator, db, to: output)
    var count = 0
    try rows.readAll { row in
      try file.append(row)
      count += 1
      if count % Self.step == 0 { try requireGoingOn() }
    }
    try file.finish()
  }
}
