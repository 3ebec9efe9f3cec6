internal import Console
internal import FileCatalog
internal import HTTPTypes
internal import SystemPackage

/// Entries: many by a query, one with all that is known of it, those of a directory, and sums.
struct EntryEndpoints {
  let catalog: Catalog

  static let root = "/api/v1"

  var all: [Endpoint] { [entries, entry, children, totals] }

  private static let columns = Parameter(
    "columns", .text,
    "The columns, with commas between them, named as in the view files; all where it is left out.")
  static let order = Parameter(
    "sort", .text,
    "Sort keys, each descending with a leading -: size, modified, name …; directories-first before them."
  )
  private static let limit = Parameter("limit", .integer(1...1000), "At most so many rows; 100.")
  private static let cursor = Parameter("cursor", .text, "What the page before had as next.")
  static let query = Parameter("q", .text, "A query; everything where it is left out.")
  static let places = [
    Parameter(
      "in", .text, "An absolute path: only what is in or below it.", isRepeated: true),
    Parameter("in_base64", .text, "The same as Base64 of its bytes.", isRepeated: true),
  ]
  static let path = [
    Parameter("path", .text, "An absolute path."),
    Parameter("path_base64", .text, "The same as Base64 of its bytes."),
  ]

  private static let pageReply = Endpoint.Reply.json(
    .object([
      .member("columns", .list(.text)), .member("rows", .list(.named("Entry"))),
      .member("next", .optional(.text), "The cursor of the next page."),
      .member("state", .text, "The state of the catalog that the rows are of."),
    ]))

  // MARK: - Pages

  private var entries: Endpoint {
    Endpoint(
      .get, "\(Self.root)/entries", "Entries that match a query, a page at a time",
      parameters: [Self.query] + Self.places + [
        Self.order, Self.columns, Self.limit, Self.cursor,
      ], reply: Self.pageReply, validity: .whileCatalogStays, problems: [404]
    ) { ask in
      let directories = try ask.paths("in")
      return try await page(ask, try Query(parsing: ask.text("q") ?? ""), .inside(directories))
    }
  }

  private var children: Endpoint {
    Endpoint(
      .get, "\(Self.root)/children", "What is directly in a directory, or the roots",
      parameters: Self.path + [Self.order, Self.columns, Self.limit, Self.cursor],
      reply: Self.pageReply, validity: .whileCatalogStays, problems: [404]
    ) { ask in
      guard let path = try ask.path("path") else {
        return try await page(ask, Query(.depth(.exactly(0))), .everything)
      }
      return try await page(ask, Query(), .children(of: path))
    }
  }

  private func page(
    _ ask: Ask, _ query: Query, _ scope: TableRequest.Scope
  ) async throws -> Answer {
    let columns = try ask.word("columns").map { try TableColumn.sent($0) } ?? []
    let all = EntryColumn.allCases.filter { $0.form != .octets }.map { TableColumn.entry($0) }
    let shown = columns.isEmpty ? all : columns
    var request = TableRequest(
      query, in: scope, order: try SortOrder(sent: ask.text("sort") ?? ""),
      limit: try ask.integer("limit") ?? 100)
    request.columns = [.entry(.id)] + shown.filter { $0 != .entry(.id) }
    let start = try ask.word("cursor").map { Catalog.PageStart.cursor(try PageCursor(parsing: $0)) }
    let stamp = try await catalog.stamp()
    let (rows, next) = try await catalog.page(of: request, from: start ?? .beginning)
    return Answer.json { json in
      json.member("columns", texts: request.columns.map(\.name))
      json.member("rows", entries: rows, request.columns)
      json.member("next", next.map { .text($0.description) } ?? .null)
      json.member("state", .text(stamp.tag))
    }
  }

  // MARK: - One entry

  private var entry: Endpoint {
    Endpoint(
      .get, "\(Self.root)/entry", "All that is known of one entry", parameters: Self.path,
      reply: .json(
        .object([
          .member("entry", .named("Entry")),
          .member("values", .object([], others: .any), "Values of providers, by their keys."),
          .member("tags", .list(.text)), .member("totals", .optional(.named("Totals"))),
          .member(
            "errors",
            .list(
              .object([
                .member("path", .text), .maybe("path_base64", .text), .member("operation", .text),
                .member("errno", .integer()), .member("message", .text),
              ])), "What the last scan could not do with it."),
          .member("type_description", .optional(.text)), .member("supertypes", .list(.text)),
        ])), validity: .whileCatalogStays, problems: [404]
    ) { [catalog] ask in
      let path = try ask.requiredPath("path")
      let details = try await catalog.details(of: path)
      let exact = details.value(of: .path)?.path ?? path
      let failures = try await catalog.failures(at: exact)
      let type = details.value(of: .type)?.string
      let supertypes = try await catalog.supertypes(of: type ?? "")
      let isDirectory = details.value(of: .kind)?.string == "directory"
      let totals = isDirectory ? try await catalog.totals(below: exact, depth: 0).first : nil
      // Those that the catalog knows: the file itself is not looked at.
      let tags = TagTable.keys.compactMap { key in
        details.values.first { $0.key.text == key }?.value.text
      }.joined(separator: ",")
      return Answer.json { json in
        let columns = details.columns.map(\.column)
        json.key("entry")
        json.row(
          details.columns.map { Cell($0.value, $0.column.form) },
          of: JSONRows(columns: columns.map { Column($0) }))
        json.key("values")
        json.row(
          details.values.map { Cell($0.value) },
          of: JSONRows(
            columns: details.values.map { .value($0.key.text) }))
        json.member("tags", texts: tags.split(separator: ",").map(String.init))
        if let totals {
          json.key("totals")
          json.row(totals.cells, of: JSONRows(columns: DirectoryTotals.printedColumns))
        } else {
          json.member("totals", .null)
        }
        json.member(
          "errors",
          rows: failures.map {
            [
              .text(bytes: $0.path.bytes), .text($0.operation), .integer(Int64($0.errno)),
              .text($0.message),
            ]
          }, of: [.path("path"), .text("operation"), .number("errno"), .text("message")])
        json.member(
          "type_description", details.value(of: .typeDescription).map { Cell($0) } ?? .null)
        json.member("supertypes", texts: supertypes)
      }
    }
  }

  // MARK: - Sums

  /// More directories are not told at once: then fewer levels are.
  private static let totalsLimit = 20_000

  private var totals: Endpoint {
    Endpoint(
      .get, "\(Self.root)/totals",
      "The sums of a directory and of those below it: parents before what is in them, the largest first",
      parameters: Self.path + [
        Parameter("depth", .integer(0...8), "How many levels below it; 1."),
        Parameter("limit", .integer(1...10_000), "At most so many in each directory; 1000."),
      ],
      reply: .json(
        .object([
          .member("path", .optional(.text)),
          .member("depth", .integer(), "How many levels are told: fewer where there are too many."),
          .member("rows", .list(.named("Totals"))),
        ])), validity: .whileCatalogStays, problems: [404]
    ) { [catalog] ask in
      let path = try ask.path("path")
      var depth = try ask.integer("depth") ?? 1
      let limit = try ask.integer("limit") ?? 1000
      // Of all roots, these are the first level.
      let levels = path == nil ? max(0, depth - 1) : depth
      let found = try await catalog.totals(below: path, depth: levels)
      let tree = TotalsTree(found)
      var rows = tree.rows(levels: levels, limit: limit)
      while rows.count > Self.totalsLimit, depth > 1 {
        depth -= 1
        rows = tree.rows(levels: path == nil ? depth - 1 : depth, limit: limit)
      }
      return Answer.json { json in
        json.member("path", path.map { .text(bytes: $0.bytes) } ?? .null)
        json.member("depth", .integer(Int64(depth)))
        json.member("rows", rows: rows.map(\.cells), of: DirectoryTotals.printedColumns)
      }
    }
  }
}

/// Directories by what they are in.
private struct TotalsTree {
  private var tops: [DirectoryTotals] = []
  private var inside: [FilePath: [DirectoryTotals]] = [:]

  init(_ found: [DirectoryTotals]) {
    let known = Set(found.map(\.path))
    for directory in found.sorted(by: { $0.totalAllocated > $1.totalAllocated }) {
      let above = directory.path.removingLastComponent()
      if above != directory.path, known.contains(above) {
        inside[above, default: []].append(directory)
      } else {
        tops.append(directory)
      }
    }
  }

  /// Parents before what is in them.
  func rows(levels: Int, limit: Int) -> [DirectoryTotals] {
    var rows: [DirectoryTotals] = []
    var pending = tops.reversed().map { ($0, 0) }
    while let (directory, level) = pending.popLast() {
      rows.append(directory)
      guard level < levels else { continue }
      let largest = inside[directory.path, default: []].prefix(limit)
      pending += largest.reversed().map { ($0, level + 1) }
    }
    return rows
  }
}

extension DirectoryTotals {
  static let printedColumns: [Column] = [
    .number("id"), .path("path"), .path("name"), .number("depth"), .text("kind"), .number("size"),
    .number("allocated"), .number("files"), .number("directories"), .number("total_size"),
    .number("total_allocated"), .number("total_files"), .number("total_directories"),
    .number("newest_modified"), .text("state"), .text("error"),
  ]

  /// A value for each of ``printedColumns``.
  var cells: [Cell] {
    [
      .integer(id.rawValue), .text(bytes: path.bytes),
      .text(bytes: path.lastComponent?.bytes ?? path.bytes), .integer(Int64(depth)), "directory",
      .integer(size), .integer(allocated), .integer(Int64(files)), .integer(Int64(directories)),
      .integer(totalSize), .integer(totalAllocated), .integer(Int64(totalFiles)),
      .integer(Int64(totalDirectories)), newestModified.map { .integer($0) } ?? .null,
      .text(state.rawValue), error.map { .text($0) } ?? .null,
    ]
  }
}

extension JSONWriter {
  /// Writes a member that is a list of entries.
  mutating func member(_ name: String, entries: [[ColumnValue]], _ columns: [TableColumn]) {
    let objects = JSONRows(columns: columns.map { Column($0) })
    key(name)
    array { json in
      for values in entries {
        json.row(zip(columns, values).map { Cell($1, $0.form) }, of: objects)
      }
    }
  }
}
