import FileCatalog
import FileSystem
import Foundation
import SQLite
import StandardDirectories
import SystemPackage
import TestSupport
import Testing

/// A catalog may come from anybody: whatever is in the file, every question about it is answered or
/// refused in words of ours, and every scan of it ends.
///
/// A few attacks of each kind are tried, always the same. `HOSTILE_CATALOGS` says how many instead, or
/// `all`, which takes minutes; then they are drawn anew each time. `HOSTILE_SEED` draws the same again, and
/// `HOSTILE_FROM` leaves out those before. What is being done stands in the file that `HOSTILE_TRACE`
/// names.
@Suite("A hostile catalog", .timeLimit(.minutes(60)))
struct HostileCatalogTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let wanted = environment["HOSTILE_CATALOGS"]
  private static let seed =
    environment["HOSTILE_SEED"].flatMap(UInt64.init)
    ?? (wanted == nil ? 1 : .random(in: 0 ... .max))

  private func attempt(
    _ kind: String, _ attacks: (CatalogUnderAttack, inout SeededRandom) throws -> [CatalogAttack]
  ) async throws {
    var random = SeededRandom(seed: Self.seed)
    try await withTemporaryDirectory { directory in
      let sound = try await CatalogUnderAttack(in: directory)
      var drawn = try attacks(sound, &random)
      let wanted = Self.wanted ?? "3"
      if wanted != "all" { drawn.shuffle(using: &random) }
      let first = Self.environment["HOSTILE_FROM"].flatMap(Int.init) ?? 0
      for (number, attack) in drawn.prefix(Int(wanted) ?? .max).enumerated() where number >= first {
        guard let file = try sound.attacked(by: attack) else { continue }
        let trace = Self.environment["HOSTILE_TRACE"].map { "\($0).\(kind)" }
        let faults = await sound.faults(of: file) { operation in
          let line = "\(number) of \(drawn.count), seed \(Self.seed): \(attack): \(operation)"
          if let trace { try? Data(line.utf8).write(to: URL(fileURLWithPath: trace)) }
        }
        #expect(faults.isEmpty, "\(attack), seed \(Self.seed)")
      }
    }
  }

  @Test("with impossible values answers or refuses every question")
  func values() async throws {
    try await attempt("values") { sound, _ in CatalogAttack.values(in: try sound.columns()) }
  }

  @Test("with rows that contradict each other answers or refuses every question")
  func structures() async throws {
    try await attempt("structures") { _, _ in CatalogAttack.structures }
  }

  @Test("with another schema answers or refuses every question")
  func schemas() async throws {
    try await attempt("schemas") { sound, _ in try sound.schemas() }
  }

  @Test("with bytes that nobody wrote answers or refuses every question")
  func bytes() async throws {
    try await attempt("bytes") { _, random in CatalogAttack.bytes(count: 400, &random) }
  }
}

extension CatalogUnderAttack {
  /// What may not come of questions about a catalog.
  fileprivate func faults(of file: FilePath, _ trace: (String) -> Void) async -> [String] {
    var faults: [String] = []
    for (name, operation) in operations {
      trace(name)
      let start = ContinuousClock.now
      do {
        let catalog = try Catalog(at: file, types: TypeSources())
        defer { try? catalog.close() }
        try await operation(catalog)
      } catch is CatalogError {
      } catch {
        faults.append("\(name): \(error)")
      }
      if ContinuousClock.now - start > .seconds(600) { faults.append("\(name) takes long") }
    }
    return faults
  }

  private typealias Operation = (name: String, run: (Catalog) async throws -> Void)

  /// All that can be asked of a catalog and done with it; what writes comes last.
  private var operations: [Operation] { questions + scans }

  private var questions: [Operation] {
    let (home, other) = (trees.home, trees.other)
    return [
      ("roots", { _ = try await $0.roots() }),
      ("entry", { _ = try await $0.entry(at: home.appending("Documents/a.txt")) }),
      ("details", { _ = try await $0.details(of: other.appending("linked")) }),
      ("directory", { _ = try await $0.details(of: home.appending("Documents")) }),
      ("entries", { _ = try await $0.entries(matching: Query()) }),
      (
        "query",
        {
          _ = try await $0.entries(
            matching: try Query(parsing: "size:>1 modified:<7d OR role:caches OR depth:<3"),
            in: .subtree(of: home), order: try SortOrder(parsing: "-size,type,owner"), limit: 5)
        }
      ),
      (
        "names",
        {
          _ = try await $0.entries(matching: Query(.name("a.txt")))
          _ = try await $0.count(of: Query(.name("*copy*")))
        }
      ),
      (
        "rows",
        { catalog in
          let request = TableRequest(Query(), columns: EntryColumn.allCases)
          try catalog.forEachRow(of: request) { _ = $0.map(\.string) }
        }
      ),
      ("totals", { _ = try await $0.totals(below: nil, depth: .max) }),
      ("some totals", { _ = try await $0.totals(below: home, depth: 2) }),
      ("changes", { _ = try await $0.changes(since: ScanID(rawValue: 0)) }),
      (
        "changes of scans",
        { catalog in
          for scan in 1...5 {
            try catalog.forEachChange(ofScan: ScanID(rawValue: Int64(scan))) { _ in }
          }
        }
      ),
      (
        "change sets",
        { catalog in
          for try await _ in catalog.changeSets(since: ScanID(rawValue: 0)).prefix(1) {}
        }
      ),
      (
        "reports",
        { catalog in
          for report in Report.all {
            for directory in [nil, home] {
              var failure: CatalogError?
              do {
                try catalog.forEachRow(of: ReportRequest(report, in: directory)) { _ in }
              } catch let error as CatalogError {
                failure = error
              }
              _ = failure
            }
          }
        }
      ),
      ("page", { _ = try await $0.reportPage() }),
      ("page of a directory", { _ = try await $0.reportPage(in: home) }),
      ("freed space", { _ = try await $0.freedSpace(deleting: home).freed }),
      ("duplicates", { _ = try await $0.duplicates(DuplicateGroup.Request()).wasted }),
      ("containers", { _ = try await $0.containers().map { $0.container.rules } }),
      (
        "usage by role",
        { _ = try await $0.usageByRole().map { ($0.backedUp, $0.contradicting, $0.reclaimable) } }
      ),
      ("contradictions", { _ = try await $0.backupContradictions() }),
      ("stale files", { _ = try await $0.staleFiles(before: .max) }),
      (
        "assets",
        { _ = try await $0.assets(named: "icon", on: AssetLookup.Device(scale: .two), in: home) }
      ),
      (
        "snapshot",
        { try await snapshot($0, TableRequest(Query(), order: try SortOrder(parsing: "path"))) }
      ),
      (
        "sizes",
        {
          let order = try SortOrder(parsing: "-total_size,depth,type")
          try await snapshot($0, TableRequest(Query(), order: order))
        }
      ),
      (
        "children",
        {
          try await snapshot(
            $0,
            TableRequest(
              Query(), in: .children(of: home), order: try SortOrder(parsing: "modified,-size")))
        }
      ),
      (
        "pages",
        { catalog in
          var start = Catalog.PageStart.beginning
          for _ in 0..<5 {
            let request = TableRequest(Query(), order: try SortOrder(parsing: "-size"), limit: 3)
            guard
              let next = try catalog.forEachRow(of: request, from: start, { _ in })
            else { break }
            start = .cursor(try PageCursor(parsing: next.description))
          }
        }
      ),
      (
        "SQL",
        {
          _ = try $0.runSQL(
            "SELECT * FROM files", timeout: 20, begin: { _ in }, row: { _ in })
        }
      ),
      ("searches", { _ = try? await $0.savedSearches() }),
      ("retention", { _ = try await $0.historyRetention() }),
      ("horizon", { _ = try await $0.historyHorizon() }),
      ("check", { _ = try await $0.check() }),
      ("verify", { _ = try await $0.verify { _ in } }),
    ]
  }

  private var scans: [Operation] {
    let (home, other) = (trees.home, trees.other)
    return [
      ("contents", { _ = try await $0.duplicates(DuplicateGroup.Request(.content)) }),
      ("scan of a part", { _ = try await $0.scan([home.appending("Documents/sub")]) }),
      ("scan", { _ = try await $0.scan() }),
      (
        "scan of content",
        {
          var request = ScanRequest()
          request.typing = .byContent
          request.loss = .accepted
          _ = try await $0.scan([home], request: request)
        }
      ),
      (
        "watch",
        { catalog in
          for try await _ in catalog.watch([other]).prefix(1) {}
        }
      ),
      ("check after", { _ = try await $0.check() }),
      (
        "retention",
        { try await $0.setHistoryRetention(HistoryRetention(days: 100, changes: 2)) }
      ),
      (
        "container",
        { _ = try await $0.register([try Container(at: other, style: .appleSandbox)]) }
      ),
      ("forgetting", { try await $0.forget(home) }),
      ("first scan", { _ = try await $0.scan([home]) }),
    ]
  }

  private func snapshot(_ catalog: Catalog, _ request: TableRequest) async throws {
    let first = try await catalog.snapshot(of: request)
    _ = try await first.rows(in: 0..<first.count)
    let second = try await catalog.snapshot(of: request)
    _ = first.diff(to: second)
  }
}
