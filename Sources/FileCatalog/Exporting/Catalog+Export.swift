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
    try await readingInBulk(named: "catalog export") { [self] reading in
      try writing(destination) {
        try requireFree(destination, existing)
        let file = try UnfinishedFile(for: destination)
        do {
          try Exporter(export: export, reading: reading).write(
            to: OutputFile(descriptor: file.descriptor.rawValue))
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
    try await readingInBulk(named: "catalog export") { reading in
      try Exporter(export: export, reading: reading).write(to: output)
    }
  }
}

/// Writes the rows of an export.
private struct Exporter {
  let export: Catalog.Export
  let reading: BulkReading

  func write(to output: OutputFile) throws {
    try reading.read { db in
      let rows = try ExportRows(export, db)
      switch export.format {
      case .parquet: try writeParquet(rows, db, to: output)
      case .ndjson: try print(rows, PrintedRows(objectsOf: rows.columns), as: .ndjson, to: output)
      case .csv: try print(rows, PrintedRows(linesOf: rows), as: .csv, to: output)
      }
    }
  }

  private func print(
    _ rows: ExportRows, _ printed: PrintedRows, as format: RowFormat, to output: OutputFile
  ) throws {
    var printer = RowPrinter(columns: printed.columns, format: format, to: output)
    try printer.begin()
    var count: Int64 = 0
    let forms = rows.columns.map(\.form)
    try rows.readAll { row in
      guard row.requireSound(forms) else { return }
      try printer.print(printed.cells(row))
      count += 1
      try reading.requireGoingOn(after: count)
    }
    try printer.finish()
  }

  private func writeParquet(_ rows: ExportRows, _ db: Connection, to output: OutputFile) throws {
    var file = try ParquetRows(rows, creator: export.creator, db, to: output)
    try rows.append(to: &file) { try reading.requireGoingOn(after: $0) }
    try file.finish()
  }
}
