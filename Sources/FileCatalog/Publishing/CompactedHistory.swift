internal import Console
public import Fleet
internal import SystemPackage

/// History of many publications in few files, as an engine writes it.
enum CompactedHistory {
  /// The columns of a table: whose row it is, and those that it has in a publication. Nobody has to read the
  /// records of publications for them.
  static func columns(of table: FleetTable) -> [(name: String, form: ValueForm)] {
    [("catalog", .text), ("publication", .identifier), ("host", .text)]
      + PublishedTable.columns(of: table)
  }
}

/// What has become of a compaction.
public enum CompactionOutcome: Sendable {
  /// A compaction tells the history of so many publications. What follows records that could not be read is
  /// not part of it.
  case compacted(CompactionRecord, publications: Int, rows: Int64, faults: [FleetError])
  /// There are not two publications whose history no compaction tells.
  case upToDate(faults: [FleetError])
}

extension FleetEngine {
  /// Puts the history that many publications tell, each in files of its own, into few.
  ///
  /// The engine reads them and writes; then a record is put, after which the new files are read in place of
  /// the old ones. Those stay until ``/Fleet/Lake/expire(_:now:)`` removes them.
  ///
  /// - Throws: ``/Fleet/FleetError``, and ``FleetEngineError`` where the engine fails, or has written another
  ///   number of rows than there are. Nothing is compacted then. To be called from a thread that may block.
  public func compact(
    _ lake: Lake, running: Running = Running(), progress: (Progress) -> Void = { _ in }
  ) throws -> CompactionOutcome {
    let history = try LooseHistory(of: lake)
    guard history.publications > 1 else { return .upToDate(faults: history.faults) }
    let compaction = CompactionID.random()
    let record: CompactionRecord
    do {
      try lake.makeDirectories(for: compaction)
      try write(history, as: compaction, into: lake, running, progress)
      record = try lake.commit(compaction, of: history, now: Clock.now / 1_000_000_000)
    } catch {
      // It says why nothing was compacted; what is left behind, an expiry removes.
      try? lake.discard(compaction)
      throw error
    }
    return .compacted(
      record, publications: history.publications,
      rows: history.rows.values.reduce(0, +), faults: history.faults)
  }

  private func write(
    _ history: LooseHistory, as compaction: CompactionID, into lake: Lake, _ running: Running,
    _ progress: (Progress) -> Void
  ) throws {
    let path = try FleetViews.path(of: lake, for: dialect)
    let tables = FleetTable.allCases.filter { !$0.isState }
    let selections = tables.map { Self.selection(of: $0, history) }
    var statements = try FleetViews(of: lake, for: dialect)
      .statements(for: selections.joined(separator: "\n"))
    for (table, selection) in zip(tables, selections) {
      let directory = "\(path)/\(Lake.directory(ofCompacted: table, compaction))"
      statements.append(try store(selection, in: directory))
      // Views of their own: those of the lake read what has a record.
      let files = FleetViews.compacted(table, in: directory, keys: [])
      statements += dialect.view("written_\(table.rawValue)", of: files, where: nil)
    }
    let counts = tables.map { "(SELECT count(*) FROM written_\($0.rawValue)) AS \($0.rawValue)" }
    var written: [ColumnValue] = []
    try answer(
      "SELECT \(counts.joined(separator: ", "))", after: statements, running: running,
      names: { _ in }, row: { written = $0 }, progress: progress)
    guard written == tables.map({ .integer(history.rows[$0] ?? 0) }) else {
      throw FleetEngineError(
        .failed, "\(name.rawValue): it has written other rows than records tell of")
    }
  }

  /// The rows of all publications whose history is to be told, in the order of their catalogs.
  private static func selection(of table: FleetTable, _ history: LooseHistory) -> String {
    let ends = history.ends.map { "('\($0.key)', \($0.value))" }.sorted()
    let columns = PublishedTable.columns(of: table).map { "t.\($0.name) AS \($0.name)" }
    return """
      SELECT t.catalog AS catalog, t.publication AS publication, c.host AS host,
        \(columns.joined(separator: ", "))
      FROM published_\(table.rawValue) t
      JOIN loose_commits c ON c.catalog = t.catalog AND c.publication = t.publication
      JOIN (VALUES \(ends.joined(separator: ", "))) AS e (catalog, last_publication)
        ON e.catalog = t.catalog AND t.publication <= e.last_publication
      ORDER BY t.catalog, t.publication
      """
  }

  /// The statement that writes rows as Parquet.
  private func store(_ selection: String, in directory: String) throws -> String {
    switch name {
    case .duckdb:
      let file = FleetDialect.quoted("\(directory)/\(Lake.part)")
      return "COPY (\(selection)) TO \(file) (FORMAT parquet, COMPRESSION zstd)"
    case .spark:
      return """
        INSERT OVERWRITE DIRECTORY \(FleetDialect.quoted(directory))
        USING parquet OPTIONS (compression 'zstd')
        \(selection)
        """
    case .chdb:
      // It writes bytes that are no text as text, which others refuse to read.
      throw FleetEngineError(.failed, "\(name.rawValue) cannot write what others read")
    }
  }
}
