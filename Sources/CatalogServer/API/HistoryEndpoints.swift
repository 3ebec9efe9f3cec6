internal import Console
internal import FileCatalog
internal import HTTPTypes
internal import SystemPackage

/// What has changed, what scans there were, and how directories have grown.
struct HistoryEndpoints {
  let catalog: Catalog

  var all: [Endpoint] { [changes, scans, roots, growth] }

  // MARK: - Changes

  private var changes: Endpoint {
    Endpoint(
      .get, "\(EntryEndpoints.root)/changes", "What has changed, the newest scan first",
      parameters: [
        Parameter(
          "since", .text, "A scan, or a date or an age; all that is kept where it is left out."),
        Parameter("until", .text, "A scan, or a date or an age."),
      ] + EntryEndpoints.places + [
        Parameter("kind", .word(Change.Kind.allCases.map(\.rawValue)), "Only changes of a kind."),
        Parameter(
          "sort", .text,
          "Columns, each descending with a leading -: \(ChangeFilter.orderColumns.joined(separator: ", "))."
        ),
        Parameter("limit", .integer(1...10_000), "At most so many; 1000."),
        Parameter("cursor", .text, "What the page before had as next."),
      ],
      reply: .json(
        .object([
          .member("changes", .list(.named("Change"))),
          .member(
            "horizon", .optional(.integer()), "The last scan whose changes are not all kept."),
          .member("next", .optional(.text)),
        ])), validity: .whileCatalogStays, problems: [404, 410]
    ) { [catalog] ask in
      let horizon = try await catalog.historyHorizon()
      let limit = try ask.integer("limit") ?? 1000
      let directories = try ask.paths("in")
      let start = try ask.word("since").map { try HistoryPoint(parsing: $0) }
      var end = try ask.word("until").map { try HistoryPoint(parsingEnd: $0) }
      var offset = 0
      if let cursor = try ask.word("cursor").map({ try ChangeCursor(parsing: $0) }) {
        offset = cursor.offset
        end = .scan(ScanID(rawValue: cursor.last))
      }
      let stamp = try await catalog.stamp()
      let last = if case .scan(let scan)? = end { scan.rawValue } else { stamp.lastScan }
      var filter = ChangeFilter()
      filter.kinds = try ask.choice("kind").flatMap { Change.Kind(rawValue: $0) }.map { [$0] } ?? []
      filter.order = try ColumnOrder(
        parsing: ask.word("sort") ?? "-scan_id", among: ChangeFilter.orderColumns)
      // Several are looked for here.
      let isNarrowedHere = directories.count > 1
      filter.directory = isNarrowedHere ? nil : directories.first
      filter.limit = isNarrowedHere ? nil : offset + limit + 1
      var found = try await catalog.changes(
        since: start ?? .scan(horizon ?? ScanID(rawValue: 0)), until: end, filter: filter)
      if isNarrowedHere { found.removeAll { !$0.lies(in: directories) } }
      let page = found.dropFirst(offset).prefix(limit)
      let isLast = found.count <= offset + limit
      return Answer.json { json in
        json.member("changes", rows: page.map(\.cells), of: Change.printedColumns)
        json.member("horizon", horizon.map { .integer($0.rawValue) } ?? .null)
        let next = ChangeCursor(offset: offset + limit, last: last)
        json.member("next", isLast ? .null : .text(next.description))
      }
    }
  }

  // MARK: - Scans and roots

  private var scans: Endpoint {
    Endpoint(
      .get, "\(EntryEndpoints.root)/scans", "The scans that there were, the newest first",
      parameters: [
        Parameter("root", .text, "The path of a root, or its number."),
        Parameter("limit", .integer(1...10_000), "At most so many; 100."),
      ],
      reply: .json(.object([.member("scans", .list(.named("Scan")))])),
      validity: .whileCatalogStays, problems: [404]
    ) { [catalog] ask in
      var root: Int64?
      if let word = ask.word("root") {
        let known = try await catalog.roots()
        guard let found = known.first(where: { $0.path.string == word || "\($0.id)" == word })
        else { throw Problem(404, "not_a_root", "there is no root \(word)") }
        root = found.id
      }
      let rows = try await catalog.scanRows(of: root, limit: try ask.integer("limit") ?? 100)
      return Answer.json { $0.member("scans", rows: rows.rows, of: rows.columns) }
    }
  }

  private var roots: Endpoint {
    Endpoint(
      .get, "\(EntryEndpoints.root)/roots", "The roots that the catalog holds",
      reply: .json(.object([.member("roots", .list(.named("Root")))])),
      validity: .whileCatalogStays
    ) { [catalog] _ in
      let rows = try await catalog.rootRows()
      return Answer.json { $0.member("roots", rows: rows.rows, of: rows.columns) }
    }
  }

  // MARK: - Growth

  private var growth: Endpoint {
    Endpoint(
      .get, "\(EntryEndpoints.root)/growth",
      "The sums of a directory after each scan that changed them, and of its largest directories",
      parameters: EntryEndpoints.path + [
        Parameter("buckets", .integer(3...2000), "About so many points a line at most; 240.")
      ],
      reply: .json(
        .object([
          .member("path", .text), .maybe("path_base64", .text),
          .member("points", .list(.named("GrowthPoint"))),
          .member(
            "children",
            .list(
              .object([
                .member("path", .text), .maybe("path_base64", .text),
                .member("points", .list(.named("GrowthPoint"))),
              ]), atMost: 8)),
        ])), validity: .whileCatalogStays, problems: [404]
    ) { [catalog] ask in
      let (line, children) = try await catalog.growth(
        of: try ask.requiredPath("path"), points: try ask.integer("buckets") ?? 240, children: 8)
      return Answer.json { json in
        json.members(of: line)
        json.key("children")
        json.array { json in
          for child in children { json.object { $0.members(of: child) } }
        }
      }
    }
  }
}

/// A place between two pages of changes, which further scans do not move.
private struct ChangeCursor: CustomStringConvertible {
  let offset: Int
  /// The last scan that the pages tell of.
  let last: Int64

  init(offset: Int, last: Int64) {
    self.offset = offset
    self.last = last
  }

  init(parsing text: String) throws(Problem) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let last = Int64(parts[0]), let offset = Int(parts[1]), last >= 0,
      (0...10_000_000).contains(offset)
    else { throw Problem(400, "invalid_cursor", "“\(text)” is no cursor") }
    self.init(offset: offset, last: last)
  }

  var description: String { "\(last)-\(offset)" }
}

extension Change {
  fileprivate func lies(in directories: [FilePath]) -> Bool {
    directories.contains { path.starts(with: $0) || oldPath?.starts(with: $0) == true }
  }
}

extension JSONWriter {
  fileprivate mutating func members(of line: GrowthLine) {
    member("path", .text(bytes: line.path.bytes))
    if String(validating: line.path.bytes, as: UTF8.self) == nil {
      var digits: [UInt8] = []
      Base64.append(line.path.bytes, to: &digits)
      member("path_base64", .text(bytes: digits))
    }
    key("points")
    array { json in
      for point in line.points {
        json.object { json in
          json.member("scan_id", point.scan.map { .integer($0) } ?? .null)
          json.member("at", .integer(point.at))
          json.member("total_size", .integer(point.totalSize))
          json.member("total_allocated", .integer(point.totalAllocated))
          json.member("total_files", .integer(point.totalFiles))
        }
      }
    }
  }
}
