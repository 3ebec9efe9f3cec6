internal import Console
internal import FileSystem
internal import SQLite
internal import SystemPackage
internal import UniformTypes

/// Reads from the catalog what the page shows.
struct ReportPageReader {
  /// As many directories as a picture can show; the largest ones.
  private static let directoryLimit = 2000
  /// As many rows of a report as anybody reads on a page; the rest is for programs.
  private static let rowLimit = 100

  /// A report as it stands on the page.
  private struct Choice {
    var report: String
    var title: String
    var columns: String
    var isWide = false
    /// What the rows are; `nil` where the view says it in words that fit a page.
    var about: String?
    /// Why there are no rows, where there are none.
    var emptiness = ReportPageReader.nothing
  }

  private static let nothing = "There is nothing in the catalog."

  /// The reports of the page, in their order.
  private static let choices = [
    Choice(
      report: "usage_by_directory", title: "Directories",
      columns: "path newest_modified files directories size allocated", isWide: true),
    Choice(
      report: "largest_files", title: "Largest files",
      columns: "path type owner modified size allocated", isWide: true,
      emptiness: "There is no file."),
    Choice(
      report: "usage_by_type", title: "Types", columns: "description type files size allocated",
      isWide: true),
    Choice(
      report: "usage_by_extension", title: "Extensions", columns: "extension files size allocated"),
    Choice(
      report: "usage_by_age", title: "Age", columns: "age files size allocated",
      about: "How long ago files and directories were modified."),
    Choice(
      report: "usage_by_access_age", title: "Last read", columns: "age files size allocated",
      about: "How long ago files and directories were read, as exact as the mount options allow."),
    Choice(
      report: "usage_by_size", title: "Sizes", columns: "size_class files size allocated",
      about: "How many files there are of which size."),
    Choice(report: "usage_by_kind", title: "Kinds", columns: "kind files size allocated"),
    Choice(report: "usage_by_owner", title: "Owners", columns: "owner uid files size allocated"),
    Choice(
      report: "usage_by_group", title: "Groups", columns: "group_name gid files size allocated"),
    Choice(
      report: "usage_by_role", title: "Roles",
      columns: "role backup_policy purgeable files size allocated", isWide: true,
      about: "What the files of each role of containers take, and what becomes of them.",
      emptiness: "Nothing is in a container, so nothing has a role."),
    Choice(
      report: "growth_by_directory", title: "Growth",
      columns: "path total_files total_directories total_size total_allocated", isWide: true,
      about: "What all scans together found directories to hold more or less, the most first.",
      emptiness: "No scan after the first has found a directory that grew or shrank."),
    Choice(
      report: "duplicate_candidates", title: "Duplicates",
      columns: "path copies modified size wasted", isWide: true,
      emptiness: "No two files have the same name and the same size."),
    Choice(
      report: "hard_links", title: "Hard links",
      columns: "path links names outside freed_with freed allocated", isWide: true,
      emptiness: "No file has more than one name."),
    Choice(
      report: "broken_links", title: "Broken links", columns: "path link_target owner modified",
      isWide: true, emptiness: "No symbolic link leads nowhere."),
    Choice(
      report: "asset_gaps", title: "Asset gaps",
      columns: "path stem extension idiom scales missing_scales has_plain", isWide: true,
      emptiness: "No asset lacks a variant."),
  ]

  private static let omissions = [
    "hard_link_names": "every single name of the files that are under Hard links."
  ]

  private let db: Connection
  private let statements: ReportStatement
  private let directory: FoundDirectory?

  init(_ db: Connection, directory: FilePath?) throws {
    self.db = db
    self.directory = try directory.map { try PathLookup(db).directory(at: $0) }
    statements = try ReportStatement(db)
  }

  func page() throws -> ReportPage {
    let tops = try tops()
    let history = try history(of: tops)
    let choices = try Self.choices.map { ($0, try Report(named: $0.report)) }
    return ReportPage(
      directory: directory?.path,
      subject: Self.subject(of: tops),
      made: Clock.now / 1_000_000_000,
      sums: tops.reduce(into: ReportPage.Sums()) { $0.add($1.sums) },
      tops: try table(of: tops),
      map: try map(),
      history: history,
      reports: try choices.map { choice, report in
        var table = try table(of: report, choice)
        if tops.isEmpty { table.emptiness = Self.nothing }
        if report.isAboutTime, history.isEmpty, !tops.isEmpty {
          table.emptiness = "There has been one scan: growth is what later ones find."
        }
        return (report, table)
      },
      omissions: Report.all.filter { report in !choices.contains { $0.1 == report } }.map {
        ReportPage.Omission(report: $0, reason: Self.omissions[$0.name] ?? $0.abstract)
      })
  }

  // MARK: - Roots

  /// The paths, as far as a line has room for them.
  private static func subject(of tops: [Top]) -> [UInt8] {
    switch tops.count {
    case 0: Array("an empty catalog".utf8)
    case 1...3: Array(tops.map(\.path).joined(separator: ", ".utf8))
    default: Array("\(tops.count) roots".utf8)
    }
  }

  /// A root, or the directory that the page is about.
  private struct Top {
    var id: Int64
    var rootID: Int64
    var path: [UInt8]
    var sums: ReportPage.Sums
    var isOnline: Bool
  }

  private func tops() throws -> [Top] {
    var tops: [Top] = []
    let statement =
      SQL(
        """
        SELECT d.id, d.root_id, d.path, d.total_files, d.total_directories, d.total_size,
          d.total_allocated, (SELECT r.state FROM _roots r WHERE r.id = d.root_id) = 'online'
        FROM directories d WHERE 
        """) + (directory.map { SQL("d.id = ?", [.integer($0.id)]) } ?? SQL("d.depth = 0"))
      + SQL(" ORDER BY d.total_allocated DESC, d.path")
    try db.forEach(statement) { row in
      tops.append(
        Top(
          id: row.integer(0), rootID: row.integer(1), path: Array(row.bytes(2)),
          sums: ReportPage.Sums(
            files: row.integer(3), directories: row.integer(4), size: row.integer(5),
            allocated: row.integer(6)),
          isOnline: row.integer(7) != 0))
    }
    return tops
  }

  private func table(of tops: [Top]) throws -> ReportPageTable {
    var table = ReportPageTable(
      name: "roots", title: directory == nil ? "Roots" : "Directory",
      about: "What was scanned, and when for the last time.",
      columns: [
        ReportPageTable.Column(name: "path", title: "Path", form: .path),
        ReportPageTable.Column(name: "state", title: "State", form: .text),
        ReportPageTable.Column(name: "finished_at", title: "Last scan", form: .seconds),
        ReportPageTable.Column(name: "files", title: "Files", form: .number),
        ReportPageTable.Column(name: "directories", title: "Directories", form: .number),
        ReportPageTable.Column(name: "size", title: "Size", form: .bytes),
        ReportPageTable.Column(name: "allocated", title: "On disk", form: .bytes),
      ],
      measure: .share, order: (6, .descending), isWide: true, rowCount: Int64(tops.count),
      emptiness: "The catalog has no roots: nothing was scanned.")
    table.rows = try tops.prefix(Self.rowLimit).map { top in
      let last = SQL(
        """
        SELECT state, errors, finished_at FROM scans
        WHERE root_id = ? AND finished_at IS NOT NULL ORDER BY id DESC LIMIT 1
        """, [.integer(top.rootID)])
      let scan = try db.first(last) { ($0.text(0), $0.integer(1), $0.integer(2)) }
      var state = scan?.0 ?? "not scanned"
      if let errors = scan?.1, errors > 0 { state += ", \(CountText(errors, "error", "errors"))" }
      if !top.isOnline { state = "offline; \(state)" }
      return [
        .text(top.path), .text(Array(state.utf8)), scan.map { .integer($0.2) } ?? .null,
        .integer(top.sums.files), .integer(top.sums.directories), .integer(top.sums.size),
        .integer(top.sums.allocated),
      ]
    }
    return table
  }

  // MARK: - Map

  /// The largest directories, parents before children: a parent is never smaller.
  private func map() throws -> ReportPageMap {
    var positions: [Int64: Int] = [:]
    var directories: [ReportPageMap.Directory] = []
    let condition = directory.map { $0.isAtOrAbove() } ?? SQL("1")
    let statement =
      SQL(
        """
        SELECT d.id, e.parent_id, d.path, e.name, d.total_files, d.total_size, d.total_allocated
        FROM directories d JOIN _entries e ON e.id = d.id WHERE
        """) + SQL(" ") + condition
      + SQL(
        " ORDER BY d.total_allocated DESC, d.total_size DESC, d.depth LIMIT ?",
        [.integer(Int64(Self.directoryLimit))])
    try db.forEach(statement) { row in
      let parent = row.optionalInteger(1).flatMap { positions[$0] }
      let isTop = parent == nil
      guard !isTop || directories.isEmpty || row.optionalInteger(1) == nil else { return }
      positions[row.integer(0)] = directories.count
      directories.append(
        ReportPageMap.Directory(
          parent: parent, name: Array(row.bytes(isTop ? 2 : 3)), files: row.integer(4),
          size: row.integer(5), allocated: row.integer(6)))
    }
    let count = SQL("SELECT count(*) FROM directories WHERE ") + condition
    return ReportPageMap(
      directories: directories, count: try db.first(count) { $0.integer(0) } ?? 0)
  }

  // MARK: - History

  /// What was there at the end of each scan, reckoned back from what is there today.
  private func history(of tops: [Top]) throws -> ReportPageHistory {
    let horizon = try HistoryTable(db).horizon
    var lines: [ReportPageHistory.Line] = []
    var count = 0
    for top in tops {
      let changes = try growth(of: top)
      var points: [ReportPageHistory.Point] = []
      var allocated = top.sums.allocated
      var next = changes.count
      let scans = SQL(
        """
        SELECT id, finished_at FROM scans
        WHERE root_id = ? AND id >= ? AND finished_at IS NOT NULL
          AND state IN ('complete', 'quick', 'partial')
        ORDER BY id DESC
        """, [.integer(top.rootID), .integer(horizon)])
      try db.forEach(scans) { row in
        while next > 0, changes[next - 1].scan > row.integer(0) {
          next -= 1
          allocated.add(clamped: 0 - max(changes[next].allocated, -.max))
        }
        points.append(
          ReportPageHistory.Point(time: row.integer(1), allocated: max(0, allocated)))
      }
      guard points.count > 1 else { continue }
      count += 1
      guard lines.count < ReportPageHistory.lineLimit else { continue }
      lines.append(ReportPageHistory.Line(path: top.path, points.sorted { $0.time < $1.time }))
    }
    return ReportPageHistory(
      lines: lines, lineCount: count, emptiness: "There has been one scan: a line needs two.")
  }

  /// By how much each scan changed what a directory takes.
  private func growth(of top: Top) throws -> [(scan: Int64, allocated: Int64)] {
    var changes: [(scan: Int64, allocated: Int64)] = []
    let statement = SQL(
      """
      SELECT scan_id, total_allocated FROM growth_by_directory
      WHERE directory_id = ? ORDER BY scan_id
      """, [.integer(top.id)])
    try db.forEach(statement) { changes.append((scan: $0.integer(0), allocated: $0.integer(1))) }
    return changes
  }

  // MARK: - Reports

  private func table(
    of report: Report, _ choice: Choice
  ) throws -> ReportPageTable {
    let names = choice.columns.split(separator: " ").map(String.init)
    let columns = names.map { name in
      ReportPageTable.Column(
        name: name, title: Self.title(name),
        form: report.columns.first { $0.name == name }?.form ?? .text,
        absence: Self.absence(name))
    }
    var table = ReportPageTable(
      name: choice.report, title: choice.title, about: choice.about ?? report.abstract,
      columns: columns,
      measure: report.measure == nil ? nil : report.isAboutTime ? .change : .share,
      order: Self.order(of: report, names), isWide: choice.isWide, emptiness: choice.emptiness)
    // All rows: that is quicker than to ask for some and for how many there are.
    let request = ReportRequest(report, in: directory?.path)
    let places = names.map { name in report.columns.firstIndex { $0.name == name } }
    let type = report.columns.firstIndex { $0.name == "type" }.map { Int32($0) }
    try db.forEach(try statements.fragment(for: request)) { row in
      table.rowCount += 1
      guard table.rows.count < Self.rowLimit else { return }
      table.rows.append(
        zip(names, places).map { name, place in
          let value = place.map { row.value(Int32($0)) } ?? .null
          return switch (name, value) {
          case ("description", .null):
            type.map { Self.description(ofType: row.value($0)) } ?? .null
          case ("type", let value): Self.declared(value)
          default: value
          }
        })
    }
    // That everything is without a role is no report.
    if report.name == "usage_by_role", table.rowCount == 1, table.rows[0][0] == .null {
      (table.rows, table.rowCount) = ([], 0)
    }
    return table
  }

  /// The first column by which the rows are in order, where it is on the page.
  private static func order(
    of report: Report, _ columns: [String]
  ) -> (column: Int, ReportPageTable.Order)? {
    let term = report.order.split(separator: ",")[0].split(separator: " ")
    guard let name = term.first, let column = columns.firstIndex(of: String(name)) else {
      return nil
    }
    return (column, term.count > 1 ? .descending : .ascending)
  }

  /// What a type without a description is called: by the extension that it stands for, or by its
  /// identifier.
  private static func description(ofType type: ColumnValue) -> ColumnValue {
    guard let identifier = type.string,
      let tag = (try? DynamicIdentifier(parsing: identifier))?.tags.first
    else { return type }
    return .text(Array("undeclared, .".utf8) + tag.value)
  }

  /// A type that somebody has declared. Others have identifiers that only programs can read.
  private static func declared(_ type: ColumnValue) -> ColumnValue {
    guard let identifier = type.string, (try? DynamicIdentifier(parsing: identifier)) != nil else {
      return type
    }
    return .null
  }

  /// What stands in place of a value that there is not.
  private static func absence(_ name: String) -> String {
    switch name {
    case "extension": "no extension"
    case "owner": "no name"
    case "role": "no role"
    case "type": "undeclared"
    case "description": "no type"
    default: "–"
    }
  }

  /// A name of the schema as people write it.
  private static func title(_ name: String) -> String {
    switch name {
    case "allocated": "On disk"
    case "total_allocated": "On disk"
    case "total_size": "Size"
    case "total_files": "Files"
    case "total_directories": "Directories"
    case "uid": "UID"
    case "backup_policy": "Backup"
    case "link_target": "Target"
    case "missing_scales": "Missing"
    case "has_plain": "Plain"
    case "newest_modified": "Last change"
    default: name.prefix(1).uppercased() + name.dropFirst().map { $0 == "_" ? " " : $0 }
    }
  }
}
