/// The ways to print rows, named as the values of `--format`.
public enum RowFormat: String, Sendable, CaseIterable {
  /// Columns for people.
  case table
  /// The path of each row and nothing else.
  case paths
  /// One JSON array with an object a row.
  case json
  /// One JSON object a line.
  case ndjson
  /// Comma-separated values (RFC 4180, but with lines that end in a line feed).
  case csv
  /// Tab-separated values, with tabs, line ends and backslashes escaped.
  case tsv
}

/// How a table shows numbers of bytes.
public enum SizeStyle: Sendable {
  /// Rounded, with a unit: `1.5M`.
  case human
  /// Every digit, in groups: `1,572,864`.
  case exact
}
