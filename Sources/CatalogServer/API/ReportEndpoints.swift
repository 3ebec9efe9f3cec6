internal import Console
internal import FileCatalog
internal import HTTPTypes
internal import SystemPackage

/// What occupies the disk, as the canned reports tell it.
struct ReportEndpoints {
  let catalog: Catalog

  var all: [Endpoint] { [list, report] }

  private var list: Endpoint {
    Endpoint(
      .get, "\(EntryEndpoints.root)/reports", "The reports that there are",
      reply: .json(
        .object([
          .member(
            "reports",
            .list(
              .object([
                .member("name", .text), .member("title", .text), .member("abstract", .text),
                .member("columns", .list(.named("Column"))), .member("measure", .optional(.text)),
                .member("about_time", .truth),
              ])))
        ])), validity: .whileCatalogStays
    ) { _ in
      Answer.json { json in
        json.key("reports")
        json.array { json in
          for report in Report.all {
            json.object { json in
              json.member("name", .text(report.name))
              json.member("title", .text(Self.title(of: report.name)))
              json.member("abstract", .text(report.abstract))
              json.member(columnsOf: report)
              json.member("measure", report.measure.map { .text($0) } ?? .null)
              json.member("about_time", .boolean(report.isAboutTime))
            }
          }
        }
      }
    }
  }

  /// A name of the schema as people write it.
  private static func title(of name: String) -> String {
    name.prefix(1).uppercased() + name.dropFirst().map { $0 == "_" ? " " : $0 }
  }

  private var report: Endpoint {
    Endpoint(
      .get, "\(EntryEndpoints.root)/reports/{name}", "The rows of a report",
      parameters: [
        Parameter("name", .text, "The name of the report.", place: .path, isRequired: true)
      ] + EntryEndpoints.places.map { Parameter($0.name, $0.schema, $0.meaning) } + [
        Parameter("since", .text, "In a report about time: a scan, or a date or an age."),
        Parameter("until", .text, "In a report about time: a scan, or a date or an age."),
        Parameter("sort", .text, "Columns of the report, each descending with a leading -."),
        Parameter("limit", .integer(1...10_000), "At most so many rows; 100."),
      ],
      reply: .json(
        .object([
          .member("name", .text), .member("columns", .list(.named("Column"))),
          .member("measure", .optional(.text)),
          .member("rows", .list(.object([], others: .any))),
          .member("sql", .optional(.text), "The statement; null where SQL cannot tell it."),
        ])), validity: .whileCatalogStays, problems: [404, 410]
    ) { [catalog] ask in
      let report = try Report(named: ask.variable("name"))
      let (since, until) = (ask.word("since"), ask.word("until"))
      if let name = since != nil ? "since" : until != nil ? "until" : nil, !report.isAboutTime {
        throw Problem.parameter(name, "goes with reports about time, such as growth_by_directory")
      }
      let request = ReportRequest(
        report, in: try ask.path("in"),
        order: try ask.word("sort").map {
          try ColumnOrder(parsing: $0, among: report.columns.map(\.name))
        },
        limit: try ask.integer("limit") ?? 100,
        since: try since.map { try HistoryPoint(parsing: $0) },
        until: try until.map { try HistoryPoint(parsingEnd: $0) })
      let rows = try await catalog.rows(of: request)
      let statement = try await catalog.statement(of: request)
      return Answer.json { json in
        json.member("name", .text(report.name))
        json.member(columnsOf: report)
        json.member("measure", report.measure.map { .text($0) } ?? .null)
        json.member(
          "rows", rows: rows.map { zip($0, report.columns).map { Cell($0, $1.form) } },
          of: report.columns.map { Column($0.name, of: $0.form) })
        json.member("sql", statement.map { .text($0) } ?? .null)
      }
    }
  }
}

extension JSONWriter {
  /// Writes what the columns of a report are.
  fileprivate mutating func member(columnsOf report: Report) {
    key("columns")
    array { json in
      for column in report.columns {
        json.object { json in
          json.member("name", .text(column.name))
          json.member("unit", column.form.unit.isEmpty ? .null : .text(column.form.unit))
          json.member(
            "meaning", .text(Glossary.term(column.name, of: report.name)?.meaning ?? ""))
        }
      }
    }
  }
}
