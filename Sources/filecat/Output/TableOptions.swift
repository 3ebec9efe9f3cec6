import ArgumentParser
import Console
import FileCatalog

/// Order, columns and page of a table of entries.
struct TableOptions: ParsableArguments {
  // A descending key begins with a dash, and is a value all the same.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Sort keys, each descending with a leading -: \
      \(SortKey.allCases.map(\.rawValue).joined(separator: ", ")). With \
      \(SortOrder.directoriesFirst) before them, directories come first.
      """, valueName: "key,…"))
  var sort: String?

  @Option(
    help: ArgumentHelp(
      "The columns to print, named as in the SQL view files.", valueName: "column,…"))
  var columns: String?

  @Option(help: ArgumentHelp("Print at most so many rows.", valueName: "n"))
  var limit: Int?

  @Option(help: ArgumentHelp("Leave out so many rows at the beginning.", valueName: "n"))
  var offset = 0

  @Option(
    help: ArgumentHelp(
      """
      Print the page behind this cursor, or the first with “start”. With --limit, the cursor for the \
      next page is printed on standard error.
      """, valueName: "cursor"))
  var after: String?

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit takes a number from 0 on") }
    if offset < 0 { throw ValidationError("--offset takes a number from 0 on") }
  }

  /// The request for a table whose rows are printed as `format`.
  func request(
    _ query: Query, in scope: TableRequest.Scope, format: RowFormat,
    columns standard: [EntryColumn], order: SortOrder
  ) throws -> TableRequest {
    let columns =
      try columns.map { try EntryColumn.parse($0) }
      ?? (format == .json || format == .ndjson ? EntryColumn.allCases : standard)
    return TableRequest(
      query, in: scope, order: try sort.map { try SortOrder(parsing: $0) } ?? order,
      columns: columns, limit: limit, offset: offset)
  }
}
