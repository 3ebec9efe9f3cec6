/// Prints rows one after the other, in any ``RowFormat``.
///
/// ```swift
/// var printer = RowPrinter(
///   columns: [.number("size"), .path("path")],
///   format: .table,
///   to: .output
/// )
/// try printer.print([.byteCount(1_572_864), "/usr/bin/vim"])
/// try printer.finish()
/// ```
///
/// Memory stays bounded however many rows there are. Nothing is complete before ``finish()``.
package struct RowPrinter: ~Copyable, Sendable {
  /// Choices that most commands leave as they are.
  package struct Options: Sendable {
    /// How tables show numbers of bytes.
    package var sizes: SizeStyle
    /// Where tables show dates.
    package var timeZone: DisplayTimeZone
    /// What ends a path in the format ``RowFormat/paths``.
    package var pathEnding: PathLines.Ending
    /// What becomes of text in ``RowFormat/csv`` that a spreadsheet would run.
    package var formulas: FormulaPolicy
    /// Whether names stand out by colours.
    package var color: ColorPolicy
    /// Whether paths can be clicked.
    package var hyperlinks: HyperlinkPolicy

    /// The usual choices, or others.
    package init(
      sizes: SizeStyle = .human,
      timeZone: DisplayTimeZone = .local,
      pathEnding: PathLines.Ending = .newline,
      formulas: FormulaPolicy = .kept,
      color: ColorPolicy = .auto,
      hyperlinks: HyperlinkPolicy = .never
    ) {
      self.sizes = sizes
      self.timeZone = timeZone
      self.pathEnding = pathEnding
      self.formulas = formulas
      self.color = color
      self.hyperlinks = hyperlinks
    }
  }

  private enum Phase { case ready, printing, finished }

  /// The format of the rows.
  package let format: RowFormat

  /// Whether the look of a row makes a difference.
  package let hasLooks: Bool

  /// Where the rows go.
  private(set) var sink: ByteSink

  private var phase = Phase.ready
  private var hasRows = false
  private let pathIndex: Int
  private let paths: PathLines
  private let json: JSONRows
  private let delimited: DelimitedRows
  private var table: TableRows

  /// A printer that has printed nothing yet.
  package init(
    columns: [Column], format: RowFormat, to stream: StandardStream,
    options: Options = Options()
  ) {
    self.init(
      columns: columns, format: format, sink: stream.sink,
      terminal: Terminal(
        descriptor: stream.rawValue, color: options.color, hyperlinks: options.hyperlinks),
      options: options)
  }

  /// A printer into a file that is open.
  package init(columns: [Column], format: RowFormat, to file: OutputFile) {
    self.init(
      columns: columns, format: format, sink: ByteSink(descriptor: file.descriptor),
      terminal: Terminal(descriptor: file.descriptor))
  }

  /// A printer into a sink, for the device behind it.
  init(
    columns: [Column],
    format: RowFormat,
    sink: consuming ByteSink,
    terminal: Terminal,
    options: Options = Options()
  ) {
    self.format = format
    let isShown = format == .table || format == .paths && options.pathEnding == .newline
    hasLooks = terminal.hasLooks && isShown
    self.sink = sink
    pathIndex =
      columns.firstIndex { $0.isPath } ?? columns.firstIndex { $0.content == .otherPath } ?? 0
    paths = PathLines(ending: options.pathEnding, terminal: terminal)
    json = JSONRows(columns: columns)
    delimited = DelimitedRows(
      columns: columns,
      dialect: format == .tsv ? .tsv : .csv,
      controls: terminal.isTerminal ? .escaped : .kept,
      formulas: options.formulas)
    table = TableRows(
      columns: columns,
      terminal: terminal,
      cells: HumanCells(sizes: options.sizes, timeZone: options.timeZone))
  }

  /// Prints what comes before the first row: a header line, or the opening bracket of JSON.
  ///
  /// ``print(_:look:)`` and ``finish()`` do so themselves when it has not been done.
  package mutating func begin() throws(OutputError) {
    guard phase == .ready else { return }
    phase = .printing
    switch format {
    case .json: sink.buffer.append(UInt8(ascii: "["))
    case .csv, .tsv: delimited.appendHeader(to: &sink.buffer)
    case .table, .paths, .ndjson: break
    }
    try sink.drainIfFull()
  }

  /// Prints a row. After ``finish()`` there is no place for one, and it is dropped.
  ///
  /// - Parameters:
  ///   - row: A cell for each column, in their order. Those that are missing are null, those
  ///     without a column are left out.
  ///   - look: How the path of the row looks on a terminal with colours or links.
  package mutating func print(_ row: [Cell], look: RowLook = RowLook()) throws(OutputError) {
    try begin()
    guard phase == .printing else { return }
    switch format {
    case .table:
      table.append(row, look: look, to: &sink.buffer)
    case .paths:
      appendPath(of: row, look)
    case .json:
      sink.buffer.append(contentsOf: hasRows ? ",\n".utf8 : "\n".utf8)
      json.append(row, to: &sink.buffer)
    case .ndjson:
      json.append(row, to: &sink.buffer)
      sink.buffer.append(UInt8(ascii: "\n"))
    case .csv, .tsv:
      delimited.append(row, to: &sink.buffer)
    }
    hasRows = true
    try sink.drainIfFull()
  }

  /// Prints the path of a row, for callers in a hurry that use the format ``RowFormat/paths``.
  ///
  /// Nothing is allocated for a path that needs no escaping. In the other formats this prints a
  /// row of which nothing but the path is known.
  package mutating func printPath(_ path: UnsafeRawBufferPointer) throws(OutputError) {
    guard format == .paths else {
      var row = [Cell](repeating: .null, count: pathIndex + 1)
      row[pathIndex] = .text(bytes: Array(path))
      return try print(row)
    }
    guard phase != .finished else { return }
    phase = .printing
    paths.append(path, to: &sink.buffer)
    try sink.drainIfFull()
  }

  /// A part of a line that is no row.
  package enum LinePart: Sendable {
    /// Words of the program.
    case text(DisplayText)
    /// A path, which looks as in the format ``RowFormat/paths``.
    case path([UInt8])
  }

  /// Prints a line of its own form between the rows.
  package mutating func printLine(_ parts: LinePart...) throws(OutputError) {
    phase = .printing
    for part in parts {
      switch part {
      case .text(let text): sink.buffer.append(contentsOf: text.bytes)
      case .path(let path): path.withUnsafeBytes { paths.appendPath($0, to: &sink.buffer) }
      }
    }
    sink.buffer.append(UInt8(ascii: "\n"))
    try sink.drainIfFull()
  }

  /// Makes everything printed so far visible.
  ///
  /// A table settles the widths of its columns by the rows that it has seen.
  package mutating func flush() throws(OutputError) {
    if format == .table { table.settle(into: &sink.buffer) }
    try sink.flush()
  }

  /// Prints what comes after the last row, and flushes. Called again, it does nothing.
  package mutating func finish() throws(OutputError) {
    guard phase != .finished else { return }
    try begin()
    phase = .finished
    if format == .json {
      sink.buffer.append(contentsOf: hasRows ? "\n]\n".utf8 : "]\n".utf8)
    }
    try flush()
  }

  /// Ends the use of the printer and gives its sink back.
  consuming func takeSink() -> ByteSink {
    sink
  }

  private mutating func appendPath(of row: [Cell], _ look: RowLook) {
    switch row.indices.contains(pathIndex) ? row[pathIndex] : .null {
    case .text(let bytes):
      bytes.withUnsafeBytes { paths.append($0, look, to: &sink.buffer) }
    case let other:
      // Rows without a path, such as the result of a query, still print their first value.
      var text: [UInt8] = []
      MachineCells.append(other, timeUnit: .seconds, to: &text)
      text.withUnsafeBytes { paths.append($0, look, to: &sink.buffer) }
    }
  }
}

/// The ways to print rows, named as the values of `--format`.
package enum RowFormat: String, Sendable, CaseIterable {
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

/// Writes paths, one after the other, as the bytes that the file system has for them.
///
/// Only on a terminal, where a name could otherwise move the cursor or hide text, control
/// characters are escaped. Paths that end in NUL are always raw.
package struct PathLines: Sendable {
  /// What ends a path.
  package enum Ending: Sendable {
    /// A line feed.
    case newline
    /// The byte that no path contains.
    case null
  }

  private let ending: Ending
  private let escapes: Bool
  /// Where paths have a look; `nil` where they are bytes and nothing more.
  private let terminal: Terminal?

  /// A writer of paths for a device.
  package init(ending: Ending, terminal: Terminal) {
    self.ending = ending
    escapes = ending == .newline && terminal.isTerminal
    self.terminal = ending == .newline && terminal.hasLooks ? terminal : nil
  }

  /// Appends a path and its end.
  package func append(
    _ path: UnsafeRawBufferPointer, _ look: RowLook = RowLook(), to bytes: inout [UInt8]
  ) {
    appendPath(path, look, to: &bytes)
    bytes.append(ending == .newline ? UInt8(ascii: "\n") : 0)
  }

  /// Appends a path without an end.
  func appendPath(
    _ path: UnsafeRawBufferPointer, _ look: RowLook = RowLook(), to bytes: inout [UInt8]
  ) {
    guard escapes || terminal != nil else { return bytes.append(contentsOf: path) }
    let text = escapes ? DisplayText(escaping: path).bytes : Array(path)
    if let terminal {
      terminal.append(text, look, to: &bytes)
    } else {
      bytes.append(contentsOf: text)
    }
  }
}
