import FileCatalog
import FileSystem
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What tables of a large catalog cost: made by a scan of a simulated tree, without a disk.
@Sendable func measureTables(_ entries: String) async throws {
  guard let count = Int(entries), count > 0 else {
    throw BenchmarkError("name a number of entries, such as 1000000")
  }
  let directory = try ScratchDirectory()
  let root = directory.path.appending("tree")
  guard mkdir(root.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
  let catalog = try Catalog(at: directory.path.appending("catalog.sqlite")) {
    SimulatedTree(entries: count)
  }
  var rows = 0
  let scan = try await timed {
    rows = try await catalog.scan([root]).reduce(0) { $0 + $1.entries }
  }
  let millions = Double(rows) / 1e6
  report("scan of \(grouped(rows)) simulated entries", scan)

  for order in ["-size", "modified", "name"] {
    let order = try SortOrder(parsing: order)
    report(
      "first page by \(order) without a snapshot",
      try await timed {
        _ = try await catalog.entries(matching: Query(), order: order, limit: 100)
      }, perMillion: millions)
  }
  try await measureOrders(catalog, millions)
  try await measurePages(catalog)
  try await measureCounts(catalog, millions)
  try await measureChildren(catalog, of: root.appending("branch-1"))
  try await measureDiffs(catalog)
  try catalog.close()
}

/// Every order from nothing, and again when it is known.
private func measureOrders(_ catalog: Catalog, _ millions: Double) async throws {
  for order in ["name", "-size", "modified", "path", "kind", "owner", "extension", "depth,-name"] {
    let request = TableRequest(order: try SortOrder(parsing: order))
    let first = try await timed { _ = try await firstPage(of: request, in: catalog) }
    report("first page by \(order), the first time", first, perMillion: millions)
    let again = try await timed { _ = try await firstPage(of: request, in: catalog) }
    report("  and when the order is known", again)
  }
  let size = TableRequest(
    Query(.size(>1.mebibytes)), order: try SortOrder(parsing: "-size"))
  var count = 0
  let filtered = try await timed { count = try await catalog.snapshot(of: size).count }
  report("snapshot of \(grouped(count)) rows by a filter", filtered, perMillion: millions)
}

private func firstPage(of request: TableRequest, in catalog: Catalog) async throws -> [Entry] {
  try await catalog.snapshot(of: request).rows(in: 0..<100)
}

private func measurePages(_ catalog: Catalog) async throws {
  let request = TableRequest(order: SortOrder([SortOrder.Term(.modified, .descending)]))
  let snapshot = try await catalog.snapshot(of: request)
  report(
    "snapshot of \(grouped(snapshot.count)) rows, order known",
    try await timed { _ = try await catalog.snapshot(of: request) })
  var worst = Times()
  for step in 0..<100 {
    let start = snapshot.count / 100 * step
    worst = .max(worst, try await timed { _ = try await snapshot.rows(in: start..<start + 100) })
  }
  report("a page of 100 rows anywhere, the slowest of 100", worst)
  worst = Times()
  for step in 0..<100 {
    let index = snapshot.count / 100 * step
    worst = .max(worst, try await timed { _ = try await snapshot.row(at: index) })
  }
  report("one row anywhere, the slowest of 100", worst)
  let last = try snapshot.id(at: snapshot.count - 1)
  report("index of the last row", try await timed { _ = snapshot.index(of: last) })
}

private func measureCounts(_ catalog: Catalog, _ millions: Double) async throws {
  for text in [
    "size:>10M", "modified:<1y", "*.png", "readme", "kind:image", "ext:pdf", "owner:root",
  ] {
    let query = try Query(parsing: text)
    report(
      "count of \(text)", try await timed { _ = try await catalog.count(of: query) },
      perMillion: millions)
  }
}

private func measureChildren(_ catalog: Catalog, of directory: FilePath) async throws {
  for order in ["name", "-size", "directories-first,name"] {
    let request = TableRequest(
      in: .children(of: directory), order: try SortOrder(parsing: order))
    var count = 0
    let first = try await timed { count = try await catalog.snapshot(of: request).count }
    report("\(grouped(count)) children of a directory by \(order), the first time", first)
    var again: [Times] = []
    for _ in 0..<21 {
      again.append(try await timed { _ = try await catalog.snapshot(of: request) })
    }
    report("  and again, the middle of \(again.count)", .median(of: again))
  }
}

private func measureDiffs(_ catalog: Catalog) async throws {
  let orders = ["-modified", "modified", "name", "-size"]
  let first = try await catalog.snapshot(
    of: TableRequest(order: try SortOrder(parsing: "modified")))
  for order in orders {
    let other = try await catalog.snapshot(of: TableRequest(order: try SortOrder(parsing: order)))
    var diff = TableDiff()
    let time = try await timed { diff = first.diff(to: other) }
    report(
      "diff of \(grouped(first.count)) rows, by modified and by \(order), "
        + "\(grouped(diff.changeCount)) changes", time)
  }
  let some = try await catalog.snapshot(
    of: TableRequest(Query(.not(.extensions(["png"]))), order: SortOrder(parsing: "modified")))
  var diff = TableDiff()
  let time = try await timed { diff = first.diff(to: some) }
  report("diff of a filter, \(grouped(diff.changeCount)) changes", time)
}

/// How long something took, on the clock and in the processor: on a busy machine, the second tells
/// more.
private struct Times {
  var wall = Duration.zero
  var processor = Duration.zero

  /// The larger of each.
  static func max(_ a: Times, _ b: Times) -> Times {
    Times(wall: Swift.max(a.wall, b.wall), processor: Swift.max(a.processor, b.processor))
  }

  /// The one in the middle by the clock.
  static func median(of times: [Times]) -> Times {
    times.sorted { $0.wall < $1.wall }[times.count / 2]
  }
}

/// Measures once: the shortest of several rounds would hide what happens the first time.
private func timed(_ body: () async throws -> Void) async throws -> Times {
  let clock = ContinuousClock()
  let start = (wall: clock.now, processor: processorTime)
  try await body()
  return Times(wall: clock.now - start.wall, processor: processorTime - start.processor)
}

/// What all threads of the process have used.
private var processorTime: Duration {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

private func report(_ what: String, _ times: Times, perMillion millions: Double? = nil) {
  let share = millions ?? 1
  let wall = rounded(times.wall.nanoseconds / 1e6 / share)
  let processor = rounded(times.processor.nanoseconds / 1e6 / share)
  print(
    "tables: \(what): \(wall) ms, \(processor) ms of processor"
      + (millions == nil ? "" : ", a million entries"))
}
