/// A program that answers SQL from Parquet, and how it is told where the files are.
///
/// All that differs between engines is here; the views of ``FleetViews`` are the same for all of them.
public enum FleetDialect: String, Sendable, CaseIterable {
  /// [DuckDB](https://duckdb.org), tried with version 1.5.
  case duckdb
  /// [Apache Spark](https://spark.apache.org), tried with version 4.3.
  case spark
  /// [ClickHouse](https://clickhouse.com), tried with version 26.9 as the library chdb.
  case clickhouse
  /// [Trino](https://trino.io), with its Hive connector; not tried, only parsed.
  case trino

  /// What is said before all else.
  var beginning: [String] {
    switch self {
    case .duckdb, .spark: []
    case .clickhouse:
      // NULL and the names of columns as in standard SQL.
      ["SET join_use_nulls = 1, prefer_column_name_to_alias = 1, cast_keep_nullable = 1"]
    case .trino: ["USE \(Self.trinoCatalog).\(Self.trinoSchema)"]
    }
  }

  private static let trinoCatalog = "hive"
  private static let trinoSchema = "fleet"

  /// Makes a view.
  func view(_ name: String, _ statement: String) -> String {
    let isTemporary = self == .spark
    return "CREATE OR REPLACE \(isTemporary ? "TEMPORARY " : "")VIEW \(name) AS\n\(statement)"
  }

  // MARK: - Files

  /// What is in files: names, types, and in which directories of the lake they are.
  struct Source {
    let columns: [(name: String, type: ColumnType)]
    /// Those of which the names of directories tell, such as `catalog=…`.
    let keys: [(name: String, type: ColumnType)]
    let directory: String
    /// The names of files in the directories of all keys.
    let files: String
    let isJSON: Bool
    /// The values of the first key that count; `nil` for all.
    let chosen: [String]?
  }

  /// A type as all engines have it.
  enum ColumnType: Sendable {
    case integer
    case real
    case text
    case bytes
    case truth
  }

  /// The statements that make a view of files.
  ///
  /// - Parameter condition: what holds for the rows that count. Where it is of the keys alone, files for
  ///   which it does not hold are not opened.
  func view(_ name: String, of source: Source, where condition: String?) -> [String] {
    let suffix = condition.map { "\nWHERE \($0)" } ?? ""
    let place = source.directory
    let keys = source.keys.map(\.name)
    func paths(_ first: String) -> String {
      let directories = keys.isEmpty ? [] : [first] + keys.dropFirst().map { _ in "*" }
      return ([place] + directories + [source.files]).joined(separator: "/")
    }
    let files = Self.quoted(paths("*"))
    switch self {
    case .duckdb:
      // The first file tells the columns, whatever is asked: it must not be one that does not count.
      let files =
        source.chosen.map { values in
          "[" + values.map { Self.quoted(paths(keys[0] + "=" + $0)) }.joined(separator: ", ") + "]"
        } ?? files
      let types = source.keys.map { "\($0.name): \(type($0.type))" }.joined(separator: ", ")
      let partitions =
        keys.isEmpty
        ? "hive_partitioning = false" : "hive_partitioning = true, hive_types = {\(types)}"
      guard source.isJSON else {
        return [view(name, "SELECT * FROM read_parquet(\(files),\n  \(partitions))\(suffix)")]
      }
      let columns = source.columns.map { "\($0.name): '\(type($0.type))'" }.joined(separator: ", ")
      return [
        view(
          name,
          """
          SELECT * FROM read_json(\(files), format = 'newline_delimited', ignore_errors = true,
            \(partitions), columns = {\(columns)})\(suffix)
          """)
      ]
    case .spark:
      let columns = (source.columns + source.keys).map { "`\($0.name)` \(type($0.type))" }
      let read = """
        (\(columns.joined(separator: ", ")))
        USING \(source.isJSON ? "json" : "parquet")
        OPTIONS (path \(Self.quoted(place)), pathGlobFilter \(Self.quoted(source.files)))
        """
      guard let condition else { return ["CREATE OR REPLACE TEMPORARY VIEW \(name) \(read)"] }
      return [
        "CREATE OR REPLACE TEMPORARY VIEW all_\(name) \(read)",
        view(name, "SELECT * FROM all_\(name)\nWHERE \(condition)"),
      ]
    case .clickhouse:
      let columns = source.columns.map { "`\($0.name)` \(type($0.type))" }.joined(separator: ", ")
      let values = source.keys.map { key in
        let text = "extract(_path, '\(key.name)=([^/]+)')"
        return key.type == .text ? "\(text) AS \(key.name)" : "toInt64(\(text)) AS \(key.name)"
      }
      let form = source.isJSON ? "JSONEachRow" : "Parquet"
      let function = place.hasPrefix("s3:") ? "s3" : "file"
      return [
        view(
          name,
          """
          SELECT \((["*"] + values).joined(separator: ", "))
          FROM \(function)(\(files), \(form), \(Self.quoted(columns)))\(suffix)
          """)
      ]
    case .trino:
      let columns = (source.columns + source.keys).map { "\"\($0.name)\" \(type($0.type))" }
      let table = condition == nil ? name : "all_\(name)"
      let location = place.hasPrefix("/") ? "file://\(place)" : place
      let names = keys.map { "'\($0)'" }.joined(separator: ", ")
      let partitions = keys.isEmpty ? "" : ",\n  partitioned_by = ARRAY[\(names)]"
      let create = """
        CREATE TABLE \(table) (\(columns.joined(separator: ", ")))
        WITH (format = '\(source.isJSON ? "JSON" : "PARQUET")', external_location = \(Self.quoted(location))\(partitions))
        """
      let find = """
        CALL \(Self.trinoCatalog).system.sync_partition_metadata(
          schema_name => '\(Self.trinoSchema)', table_name => '\(table)', mode => 'FULL')
        """
      let statements = keys.isEmpty ? [create] : [create, find]
      guard let condition else { return statements }
      return statements + [view(name, "SELECT * FROM \(table)\nWHERE \(condition)")]
    }
  }

  private func type(_ type: ColumnType) -> String {
    switch (self, type) {
    case (.clickhouse, .integer): "Nullable(Int64)"
    case (.clickhouse, .real): "Nullable(Float64)"
    case (.clickhouse, .text), (.clickhouse, .bytes): "Nullable(String)"
    case (.clickhouse, .truth): "Nullable(Bool)"
    case (_, .integer): "BIGINT"
    case (_, .real): "DOUBLE"
    case (.trino, .text), (.duckdb, .text): "VARCHAR"
    case (_, .text): "STRING"
    case (.trino, .bytes): "VARBINARY"
    case (.duckdb, .bytes): "BLOB"
    case (_, .bytes): "BINARY"
    case (_, .truth): "BOOLEAN"
    }
  }

  // MARK: - Expressions

  static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  /// Seconds since 1970, now.
  var now: String {
    switch self {
    case .duckdb: "CAST(floor(epoch(now())) AS BIGINT)"
    case .spark: "unix_timestamp()"
    case .clickhouse: "toInt64(toUnixTimestamp(now()))"
    case .trino: "CAST(floor(to_unixtime(now())) AS BIGINT)"
    }
  }

  /// The bytes of a text.
  func bytes(_ text: String) -> String {
    switch self {
    case .duckdb: "encode(\(text))"
    case .spark: "encode(\(text), 'UTF-8')"
    case .clickhouse: text
    case .trino: "to_utf8(\(text))"
    }
  }
}

extension ValueForm {
  /// The type of a column of a lake.
  var columnType: FleetDialect.ColumnType {
    switch storageClass {
    case .integer: self == .truth ? .truth : .integer
    case .real: .real
    case .text: .text
    case .blob, .any: .bytes
    }
  }
}
