import Console
import FileCatalog
import FileSystem
import SystemPackage

/// What rows are read from.
enum RowSource {
  case now(Catalog)
  case past(PastState)

  func forEachRow(of request: TableRequest, _ body: ([ColumnValue]) throws -> Void) throws {
    switch self {
    case .now(let catalog): try catalog.forEachRow(of: request, body)
    case .past(let state): try state.forEachRow(of: request, body)
    }
  }

  func forEachPath(
    of request: TableRequest, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    switch self {
    case .now(let catalog): try catalog.forEachPath(of: request, body)
    case .past(let state): try state.forEachPath(of: request, body)
    }
  }

  func count(of query: Query, in scope: TableRequest.Scope) async throws -> Int {
    switch self {
    case .now(let catalog): try await catalog.count(of: query, in: scope)
    case .past(let state): try await state.count(of: query, in: scope)
    }
  }

  /// Whether it is a state that is over.
  var isPast: Bool {
    if case .past = self { true } else { false }
  }

  /// What is at a path; `nil` if there is nothing.
  func kind(at path: FilePath) async throws -> EntryKind? {
    switch self {
    case .now(let catalog): try await catalog.entry(at: path)?.kind
    case .past(let state): try await state.kind(of: path)
    }
  }

  /// The sums of directories; see ``Catalog/totals(below:depth:)``.
  func totals(below directory: FilePath?, depth: Int) async throws -> [DirectoryTotals] {
    switch self {
    case .now(let catalog): try await catalog.totals(below: directory, depth: depth)
    case .past(let state): try await state.totals(below: directory, depth: depth)
    }
  }

  /// The columns that there are of an entry.
  var columns: [EntryColumn] {
    switch self {
    case .now: EntryColumn.allCases
    case .past: PastState.columns
    }
  }
}

/// Prints tables of entries.
enum EntryRows {
  /// The columns of `-l`, without what the rows are called.
  static let details: [EntryColumn] = [.mode, .links, .owner, .groupName, .size, .modified]

  /// Prints what a request finds: all of it, or the page that `options` ask for.
  ///
  /// - Parameter relative: how paths are shown, if not as they are.
  static func print(
    _ request: TableRequest, from source: RowSource, _ options: TableOptions,
    _ output: OutputOptions, piped: RowFormat = .paths, relative: RelativePaths? = nil
  ) throws -> Outcome {
    var rows = EntryRowPrinter(
      request.columns, of: source, options, output, options.format(output, piped: piped),
      relative)
    guard let after = options.after, case .now(let catalog) = source else {
      try rows.printAll(request, from: source)
      return try rows.finish()
    }
    let start: Catalog.PageStart =
      after == "start" ? .beginning : .cursor(try PageCursor(parsing: after))
    let next = try rows.print(request) { request, printPath in
      try catalog.forEachPath(of: request, from: start, printPath)
    } rows: { request, printRow in
      try catalog.forEachRow(of: request, from: start, printRow)
    }
    let outcome = try rows.finish()
    if let next { Message.print("next page: --after \(next)") }
    return outcome
  }

  /// Prints what several requests for the same columns find, one after the other.
  static func print(
    _ requests: [TableRequest], from source: RowSource, _ options: TableOptions,
    _ output: OutputOptions, piped: RowFormat
  ) throws -> Outcome {
    var rows = EntryRowPrinter(
      requests.first?.columns ?? [], of: source, options, output,
      options.format(output, piped: piped), nil)
    for request in requests {
      var request = request
      request.limit = request.limit.map { max(0, $0 - rows.count) }
      try rows.printAll(request, from: source)
    }
    return try rows.finish()
  }
}

/// Prints rows of entries, or nothing but their paths.
private struct EntryRowPrinter: ~Copyable {
  private(set) var count = 0
  private let format: RowFormat
  private let relative: RelativePaths?
  private let cells: EntryCells
  private var printer: RowPrinter

  init(
    _ columns: [TableColumn], of source: RowSource, _ options: TableOptions,
    _ output: OutputOptions, _ format: RowFormat, _ relative: RelativePaths?
  ) {
    self.format = format
    self.relative = relative
    let settings = Settings.current
    let isChosen =
      options.columns != nil || [settings.columnsOfLs, settings.columnsOfFind].contains(columns)
    let printed = columns.map { column in
      // Paths are long: beside them only the size is worth its room.
      let isOptional =
        column == .entry(.type)
        || column == .entry(.modified) && columns.contains(.entry(.path))
      return isOptional && !isChosen ? Column(column).whereItFits : Column(column)
    }
    printer = output.printer(printed, as: format)
    cells = EntryCells(columns, of: source, format, relative, hasLooks: printer.hasLooks)
  }

  /// Prints all that a request finds.
  mutating func printAll(_ request: TableRequest, from source: RowSource) throws {
    try print(request) { request, printPath in
      try source.forEachPath(of: request, printPath)
    } rows: { request, printRow in
      try source.forEachRow(of: request, printRow)
    }
  }

  /// Prints what `paths` or `rows` reads.
  @discardableResult
  mutating func print<Result>(
    _ request: TableRequest,
    paths: (TableRequest, (UnsafeRawBufferPointer) throws -> Void) throws -> Result,
    rows: (TableRequest, ([ColumnValue]) throws -> Void) throws -> Result
  ) throws -> Result {
    guard format != .paths || printer.hasLooks else {
      return try paths(request) { path in
        count += 1
        guard let relative else { return try printer.printPath(path) }
        try relative.shown(Array(path)).withUnsafeBytes { try printer.printPath($0) }
      }
    }
    var request = request
    request.columns = cells.columns
    return try rows(request) { values in
      count += 1
      try printer.print(cells.row(values), look: cells.look(values))
    }
  }

  /// Prints the end, and tells whether there was anything.
  mutating func finish() throws -> Outcome {
    try printer.finish()
    return count == 0 ? .nothing : .done
  }
}

extension SortOrder {
  /// The order in which rows of a format are sorted: where directories are shown with what they hold, they
  /// stand where that puts them.
  func shown(as format: RowFormat) -> SortOrder {
    guard format == .table else { return self }
    var order = self
    for index in order.terms.indices {
      switch order.terms[index].key {
      case .size: order.terms[index].key = .fullSize
      case .allocated: order.terms[index].key = .fullAllocated
      default: break
      }
    }
    return order
  }
}

/// Makes cells, and what a name looks like, of the values of entries.
private struct EntryCells {
  /// What has to be read of each entry.
  private(set) var columns: [TableColumn]

  private let shown: [TableColumn]
  private let isForPeople: Bool
  private let relative: RelativePaths?
  private let colors: FileColors?
  private var places: [TableColumn: Int] = [:]

  init(
    _ shown: [TableColumn], of source: RowSource, _ format: RowFormat,
    _ relative: RelativePaths?, hasLooks: Bool
  ) {
    self.relative = relative
    self.shown = format == .paths ? [.entry(.path)] : shown
    isForPeople = format == .table
    colors = hasLooks ? FileColors.ofEnvironment() : nil
    var further: [EntryColumn] = []
    if isForPeople {
      if shown.contains(.entry(.size)) { further += [.kind, .totalSize] }
      if shown.contains(.entry(.allocated)) { further += [.kind, .totalAllocated] }
      if shown.contains(.entry(.type)) { further.append(.typeDescription) }
      if !shown.contains(.entry(.rootState)) { further.append(.rootState) }
    }
    if hasLooks { further += [.path, .kind, .mode, .links, .isBroken] }
    columns = self.shown + further.filter(source.columns.contains).map { .entry($0) }
    for (place, column) in columns.enumerated() { places[column] = place }
  }

  func row(_ values: [ColumnValue]) -> [Cell] {
    zip(shown, values).map { column, value in
      if column == .entry(.path) || column == .entry(.name), case .text(let name) = value {
        let name = column == .entry(.path) ? relative?.shown(name) ?? name : name
        return .text(bytes: isForPeople ? marked(name, values) : name)
      }
      return isForPeople ? cell(for: column, value, values) : Cell(value, column.form)
    }
  }

  /// A name, with a mark where nobody can reach it now.
  private func marked(_ name: [UInt8], _ values: [ColumnValue]) -> [UInt8] {
    let isOffline = value(.rootState, values).string == RootState.offline.rawValue
    return isOffline && !shown.contains(.entry(.rootState)) ? name + " (offline)".utf8 : name
  }

  /// People are shown what a directory holds, not how long its list of names is.
  private func cell(
    for column: TableColumn, _ value: ColumnValue, _ values: [ColumnValue]
  ) -> Cell {
    guard case .entry(let entryColumn) = column else { return Cell(value) }
    switch entryColumn {
    case .mode: return ModeText.cell(value)
    case .size where self.value(.kind, values).string == "directory":
      return Cell(self.value(.totalSize, values), column.form)
    case .allocated where self.value(.kind, values).string == "directory":
      return Cell(self.value(.totalAllocated, values), column.form)
    case .type:
      let description = self.value(.typeDescription, values)
      return Cell(description == .null ? value : description, column.form)
    default: return Cell(value, column.form)
    }
  }

  func look(_ values: [ColumnValue]) -> RowLook {
    guard let colors, case .text(let path) = value(.path, values) else { return RowLook() }
    let item = FileColors.Item(
      kind(value(.kind, values).string),
      mode: value(.mode, values).integer.map { UInt32(truncatingIfNeeded: $0) } ?? 0,
      links: value(.links, values).integer ?? 1, isBroken: value(.isBroken, values).integer == 1)
    let name = path.lastIndex(of: UInt8(ascii: "/")).map { Array(path[($0 + 1)...]) } ?? path
    return RowLook(emphasis: colors.emphasis(of: item, named: name), target: path)
  }

  private func kind(_ name: String?) -> FileColors.Item.Kind {
    switch name {
    case "directory", "package": .directory
    case "symlink": .symlink
    case "fifo": .fifo
    case "socket": .socket
    case "block_device": .blockDevice
    case "character_device": .characterDevice
    default: .file
    }
  }

  private func value(_ column: EntryColumn, _ values: [ColumnValue]) -> ColumnValue {
    places[.entry(column)].map { values[$0] } ?? .null
  }
}

/// Paths as somebody in a directory would type them.
struct RelativePaths {
  private let directory: [UInt8]

  /// Paths below the directory that this process is in.
  init() {
    let path = FilePath(".").absolute.bytes
    directory = path == [UInt8(ascii: "/")] ? path : path + [UInt8(ascii: "/")]
  }

  /// The part of a path below the directory, `.` for the directory itself, and other paths as they are.
  func shown(_ path: [UInt8]) -> [UInt8] {
    if path.starts(with: directory), path.count > directory.count {
      return Array(path.dropFirst(directory.count))
    }
    return path + [UInt8(ascii: "/")] == directory || path == directory ? [UInt8(ascii: ".")] : path
  }
}
