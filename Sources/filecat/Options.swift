import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

/// Which catalog a command works on.
struct CatalogOptions: ParsableArguments {
  @Option(
    name: .customLong("catalog"),
    help: ArgumentHelp("The catalog's file.", valueName: "file"),
    completion: .file())
  var file: PathArgument?

  func open(_ access: Catalog.Access = .existing) throws -> Catalog {
    let path = try file?.path ?? Self.usualPath(Settings.current.catalog)
    return try Catalog(at: path, access: access, contentHost: ContentProcess.host)
  }

  /// The file where no option names one: the environment's, else that of the settings, else the
  /// standard one.
  static func usualPath(_ set: FilePath?) throws -> FilePath {
    guard let set, Settings.environment(Settings.catalogVariable) == nil else {
      return try Catalog.defaultPath
    }
    return set
  }
}

extension Catalog {
  /// Ends the work on a catalog: what is still in its write-ahead log goes into the file. Where that
  /// cannot be, nothing is lost, and whoever opens the file next does it.
  func closeQuietly() {
    try? close()
  }
}

/// Order, columns and page of a table of entries.
struct TableOptions: ParsableArguments {
  // A descending key begins with a dash, and is a value all the same.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Sort keys, each descending with a leading -: \
      \(SortOrder.Key.allCases.map(\.name).joined(separator: ", ")); \
      value:KEY and xattr:NAME sort by further values, and entries without one come last. With \
      \(SortOrder.directoriesFirst) before them, directories come first. In tables for people, size \
      and allocated are the sizes shown there: those of directories with all that is in them \
      (full_size, full_allocated).
      """, valueName: "key,…"),
    completion: .sortKeys(SortOrder.Key.allCases.map(\.name)))
  var sort: String?

  @Option(
    help: ArgumentHelp(
      """
      The columns to print, named as in the SQL view files; value:KEY and xattr:NAME are those of \
      further values.
      """, valueName: "column,…"),
    completion: .names(EntryColumn.allCases.map(\.rawValue)))
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

  @OptionGroup var past: PastOptions

  func validate() throws {
    try limit?.validateAsLimit()
    if offset < 0 { throw ValidationError("--offset takes a number from 0 on") }
    if past.at != nil, after != nil {
      throw ValidationError("--after goes on in the catalog as it is now; use --offset with --at")
    }
  }

  /// The format to use. Into a pipe goes `piped`, unless there are columns that were asked for.
  func format(_ output: OutputOptions, piped: RowFormat = .paths) -> RowFormat {
    output.format(piped: columns == nil ? piped : .tsv)
  }

  /// The request for a table whose rows are printed as `format`.
  ///
  /// - Parameter set: the columns of tables for people, where the user has set them. What programs
  ///   read stays as it is.
  func request(
    _ query: Query, in scope: TableRequest.Scope, format: RowFormat,
    columns standard: [EntryColumn], set: [TableColumn]? = nil, order: SortOrder,
    from source: RowSource? = nil
  ) throws -> TableRequest {
    let known = source?.columns ?? EntryColumn.allCases
    let isJSON = format == .json || format == .ndjson
    let order = try sort.map { try SortOrder(parsing: $0) } ?? order
    var request = TableRequest(
      query, in: scope, order: order.shown(as: format),
      columns: isJSON ? known.filter { $0.form != .octets } : standard.filter(known.contains),
      limit: limit, offset: offset)
    if let columns {
      request.columns = try TableColumn.parse(columns)
    } else if let set, format == .table {
      request.columns = set.filter { column in
        guard case .entry(let column) = column else { return source?.isPast != true }
        return known.contains(column)
      }
    }
    return request
  }
}

/// A state of the catalog that is asked for instead of that of now.
struct PastOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Show what was there after this scan, or at this date: 42, 2026-01-31, yesterday, 7d. The history has \
      names, kinds, sizes and dates of modification.
      """, valueName: "scan|date"))
  var at: String?

  /// The state that is asked for; `nil` for that of now.
  func state(of catalog: Catalog) async throws -> PastState? {
    guard let at else { return nil }
    return try await catalog.state(at: HistoryPoint(parsing: at))
  }
}

extension Int {
  /// Refuses what cannot be a number of rows.
  func validateAsLimit() throws {
    if self < 0 { throw ValidationError("--limit takes a number from 0 on") }
  }
}

/// Options that may do without a value. The parser would take the next word for it, which is a path.
enum ValuelessOptions {
  private static let values = ["--hyperlink": "auto", "--summary": "1"]

  /// Those of commands that take no words: a number behind one is its value.
  private static let numeric: Set = ["--summary"]

  /// The words of the command line, in which each of them has its value.
  static func completed(in words: [String]) -> [String] {
    let end = words.firstIndex(of: "--") ?? words.endIndex
    let next = words[..<end].dropFirst().map { Optional($0) } + [nil]
    let completed = zip(words[..<end], next).map { word, next in
      if numeric.contains(word), let next, Int(next) != nil { return word }
      return values[word].map { "\(word)=\($0)" } ?? word
    }
    return completed + words[end...]
  }
}

extension RowFormat: ExpressibleByArgument {}
extension ColorPolicy: ExpressibleByArgument {}
extension HyperlinkPolicy: ExpressibleByArgument {}

extension ByteSize: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}

/// How rows are printed; the same on every command that prints some.
struct OutputOptions: ParsableArguments {
  @Option(help: "How to print: \(RowFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
  var format: RowFormat?

  @Flag(name: [.customShort("0"), .customLong("null")], help: "Print paths ended by NUL.")
  var null = false

  @Flag(name: [.customShort("b"), .long], help: "Show exact numbers of bytes.")
  var bytes = false

  @Option(
    help: ArgumentHelp(
      "Colours: auto (on a terminal, as LS_COLORS says), always, never.", valueName: "when"))
  var color: ColorPolicy?

  @Option(
    help: ArgumentHelp(
      """
      Make links of paths, for terminals that know them: auto (on a terminal, and without a value), \
      always, never.
      """, valueName: "when"))
  var hyperlink: HyperlinkPolicy?

  @Flag(
    help: """
      With --format csv: an apostrophe before text that a spreadsheet would run as a formula, that is \
      text beginning with =, +, -, @, a tab or a carriage return.
      """)
  var spreadsheet = false

  func validate() throws {
    if spreadsheet, format != .csv {
      throw ValidationError("--spreadsheet is about the cells of --format csv; add it")
    }
    if null, let format, format != .paths {
      throw ValidationError("-0 prints paths; leave out --format \(format.rawValue)")
    }
  }

  /// The format to use. `piped` is what it is when nobody asked and there is no terminal.
  func format(piped: RowFormat) -> RowFormat {
    if null { return .paths }
    return format ?? (StandardStream.output.terminal.isTerminal ? .table : piped)
  }

  /// What JSON makes of rows.
  enum Objects {
    /// One array.
    case array
    /// Objects of their own, one a line: for a single row, or for rows that come one by one.
    case lines
  }

  func printer(
    _ columns: [Column], piped: RowFormat, objects: Objects = .array,
    to stream: StandardStream = .output
  ) -> RowPrinter {
    let format = format(piped: piped)
    return printer(
      columns, as: format == .json && objects == .lines ? .ndjson : format, to: stream)
  }

  func printer(
    _ columns: [Column], as format: RowFormat, to stream: StandardStream = .output
  ) -> RowPrinter {
    RowPrinter(
      columns: columns, format: format, to: stream,
      options: RowPrinter.Options(
        sizes: bytes ? .exact : .human, pathEnding: null ? .null : .newline,
        formulas: spreadsheet ? .guarded : .kept,
        color: color ?? Settings.current.colorInForce,
        hyperlinks: hyperlink ?? Settings.current.hyperlink ?? .never))
  }
}
