internal import Console
internal import FileCatalog
internal import FileSystem
internal import SystemPackage

/// Asks a catalog what a browser wants to know, and has done what it wants done, in tasks of its own.
/// Answers are posted as events.
final class CatalogWorker: Sendable {
  private let catalog: Catalog
  private let post: @Sendable (BrowserEvent) -> Void
  private let state = Monitor(State())

  private struct State {
    /// What makes the table, and follows it.
    var showing: Task<Void, Never>?
    var shown: ShownTable?
    var scanning: Task<Void, Never>?
    var watching: Task<Void, Never>?
    /// Moves to the trash, which are not left half done.
    var trashing: Task<Void, Never>?
  }

  init(_ catalog: Catalog, post: @escaping @Sendable (BrowserEvent) -> Void) {
    self.catalog = catalog
    self.post = post
  }

  /// Begins what is asked for.
  func perform(_ effect: BrowserEffect) {
    switch effect {
    case .show(let question, let path, let generation):
      let showing = Task { await show(question, selecting: path, generation) }
      state.withLock { state in
        state.showing?.cancel()
        state.showing = showing
      }
    case .read(let range, let generation): Task { await read(range, generation) }
    case .describe(let path): Task { await describe(path) }
    case .listScans: Task { await listScans() }
    case .summarize(let scan, let directory, let generation):
      Task { await summarize(scan, directory, generation) }
    case .trash(let paths):
      state.withLock { state in
        // One after the other, so that the last is the one to wait for.
        state.trashing = Task { [before = state.trashing] in
          await before?.value
          await trash(paths)
        }
      }
    case .rescan(let path):
      let scanning = Task { await rescan(path) }
      state.withLock { $0.scanning = scanning }
    case .stopRescan: state.withLock { $0.scanning?.cancel() }
    case .openInProgram, .runShell, .copy, .redraw, .quit: break
    }
  }

  /// Keeps all roots current from now on.
  func watch() {
    let watching = Task { [catalog, post] in
      do {
        for try await event in catalog.watch() {
          if case .failed(let root, let error) = event {
            post(.said(Message("\(Words.path(root)): \(error)", .fault)))
          }
        }
      } catch {
        guard !Task.isCancelled else { return }
        post(.said(Message("the disk is not watched: \(error)", .fault)))
      }
    }
    state.withLock { $0.watching = watching }
  }

  /// Ends all that goes on; what is moved to the trash gets there.
  func end() {
    let (tasks, trashing) = state.withLock { state in
      ([state.showing, state.scanning, state.watching], state.trashing)
    }
    for task in tasks { task?.cancel() }
    guard let trashing else { return }
    let isDone = Monitor(false)
    Task {
      await trashing.value
      isDone.withLockNotifying { $0 = true }
    }
    isDone.wait { $0 ? () : nil }
  }

  // MARK: - Tables

  /// How long somebody types on before what is typed is looked for.
  private static let typingPause = Duration.milliseconds(20)
  /// How often it is looked whether somebody has written to the catalog. Sums of directories change while
  /// no row does, so the events of a table do not tell.
  private static let followingPause = Duration.milliseconds(100)

  private func show(
    _ question: TableQuestion, selecting path: FilePath?, _ generation: Int
  ) async {
    do {
      if case .matches = question.scope {
        try await Task.sleep(for: Self.typingPause)
        try await glimpse(question, generation)
      }
      let (scope, table) = try await table(for: question)
      let shown = ShownTable(table, await table.snapshot, scope: scope, generation: generation)
      var opened = OpenedTable(
        generation: generation, scope: scope, count: shown.snapshot.count,
        whole: try await whole(of: scope), lastScan: try await lastScan()
      ) { [snapshot = shown.snapshot] in snapshot.index(of: $0) }
      if let path { opened.selected = try? await shown.snapshot.index(of: path) }
      try Task.checkCancellation()
      state.withLock { $0.shown = shown }
      post(.opened(opened))
      try await follow(shown)
    } catch {
      guard !Task.isCancelled else { return }
      post(.failed(Message("\(error)", .fault), generation: generation))
    }
  }

  /// The first rows that match, of which only some are looked for.
  private func glimpse(_ question: TableQuestion, _ generation: Int) async throws {
    let columns = RowColumns.all
    let rows = try await catalog.glimpse(of: question.request, columns: columns, limit: 100)
    try Task.checkCancellation()
    post(.glimpsed(rows.compactMap { RowColumns.row($0) }, generation: generation))
  }

  /// The table of a question; of a directory that is gone, that of the nearest one above it that is not.
  private func table(
    for question: TableQuestion
  ) async throws -> (TableQuestion.Scope, ObservedTable) {
    var question = question
    while true {
      do {
        return (question.scope, try await ObservedTable(catalog, question.request))
      } catch let error as CatalogError
        where [.notInCatalog, .notADirectory].contains(error.code)
      {
        guard case .children(let path) = question.scope else { throw error }
        let above = path.removingLastComponent()
        question.scope = above == path ? .roots : .children(of: above)
      }
    }
  }

  private func whole(of scope: TableQuestion.Scope) async throws -> Listing.Whole {
    var whole = Listing.Whole()
    switch scope {
    case .children(let path):
      let totals = try await catalog.totals(of: path)
      whole.size = totals.totalSize
      whole.allocated = totals.totalAllocated
      whole.files = Int64(totals.totalFiles)
      whole.directories = Int64(totals.totalDirectories)
      switch totals.state {
      case .complete: break
      case .unreadable: whole.fault = "could not be read: \(totals.error ?? "")"
      case .unscanned: whole.fault = "what is in it was not scanned"
      }
    case .roots, .matches:
      for root in try await catalog.roots() {
        whole.size += root.size
        whole.allocated += root.allocated
        whole.files += Int64(root.files)
        whole.directories += Int64(root.directories) + 1
      }
    }
    return whole
  }

  private func lastScan() async throws -> Int64 {
    try await catalog.roots().compactMap(\.lastScan?.rawValue).max() ?? 0
  }

  /// Tells of each state that the catalog gets while the table is shown.
  private func follow(_ shown: ShownTable) async throws {
    while true {
      try await Task.sleep(for: Self.followingPause)
      guard try await !shown.snapshot.isCurrent() else { continue }
      // The table reads itself anew once the catalog has been left alone for a moment.
      let snapshot = await shown.table.snapshot
      if try await snapshot.isCurrent() { try await change(shown, to: snapshot) }
    }
  }

  private func change(_ shown: ShownTable, to snapshot: TableSnapshot) async throws {
    let whole: Listing.Whole
    do {
      whole = try await self.whole(of: shown.scope)
    } catch let error as CatalogError where error.code == .notInCatalog {
      let message = Message("it is not there any more: ← leads out", .fault)
      return post(.failed(message, generation: shown.generation))
    }
    shown.follow(snapshot)
    post(
      .changed(
        ChangedTable(generation: shown.generation, count: snapshot.count, whole: whole) {
          snapshot.index(of: $0)
        }))
  }

  private func read(_ range: Range<Int>, _ generation: Int) async {
    guard let shown = state.withLock({ $0.shown }), shown.generation == generation else { return }
    do {
      let values = try await shown.snapshot.values(of: RowColumns.all, in: range)
      post(
        .read(
          values.compactMap { RowColumns.row($0) }, from: range.lowerBound, generation: generation))
    } catch let error as CatalogError where error.code == .snapshotTooOld {
      do {
        try await shown.table.refresh()
        try await change(shown, to: await shown.table.snapshot)
      } catch {
        post(.failed(Message("\(error)", .fault), generation: generation))
      }
    } catch {
      post(.failed(Message("\(error)", .fault), generation: generation))
    }
  }

  // MARK: - Facts

  /// Dates once more, in another unit, and parts of the path.
  private static let repeatedDetails: Set<String> = Set(
    [
      EntryColumn.createdNanoseconds, .modifiedNanoseconds, .changedNanoseconds,
      .accessedNanoseconds, .name, .directory, .displayName,
    ].map(\.rawValue))
  private static let lesserDetails: Set<String> = Set(
    [
      EntryColumn.id, .rootID, .root, .parentID, .uid, .gid, .inode, .device, .flags, .depth,
      .firstSeenScan, .lastChangedScan, .isHidden, .isPackage, .isBroken, .rootState,
    ].map(\.rawValue))

  private func describe(_ path: FilePath) async {
    do {
      let details = try await catalog.details(of: path)
      let lines = details.printedLines
        .filter { !Self.repeatedDetails.contains($0.name) }
        .map { DetailLine($0.name, $0.cell.shown.string) }
      // What few people look for comes last, where it may have no room.
      post(
        .described(
          lines.filter { !Self.lesserDetails.contains($0.name) }
            + lines.filter { Self.lesserDetails.contains($0.name) }, of: path))
    } catch {
      post(.described([DetailLine("", "\(error)")], of: path))
    }
  }

  private static let scansSQL = """
    SELECT id, finished_at, root, added, removed, modified, moved FROM scans
    WHERE state IN ('complete', 'quick', 'partial') ORDER BY id DESC LIMIT 500
    """

  private func listScans() async {
    do {
      let scans = try await Blocking.run { [catalog] in
        var scans: [ScanLine] = []
        _ = try catalog.runSQL(Self.scansSQL, begin: { _ in }) { row in
          scans.append(
            ScanLine(
              id: row[0].integer ?? 0, finished: row[1].integer, root: row[2].string ?? "",
              added: row[3].integer ?? 0, removed: row[4].integer ?? 0,
              modified: row[5].integer ?? 0, moved: row[6].integer ?? 0))
        }
        return scans
      }
      post(.scans(scans))
    } catch {
      post(.said(Message("\(error)", .fault)))
    }
  }

  private func summarize(_ scan: Int64, _ directory: FilePath?, _ generation: Int) async {
    var filter = ChangeFilter()
    filter.directory = directory
    do {
      let summaries = try await catalog.changeSummary(
        since: .scan(ScanID(rawValue: scan)), filter: filter, depth: directory == nil ? 0 : 1)
      post(.summarized(summaries, generation: generation))
    } catch {
      post(.said(Message("\(error)", .fault)))
    }
  }

  // MARK: - Acting

  private func trash(_ paths: [FilePath]) async {
    let results = await catalog.coordinator().delete(paths, .toTrash, onFailure: .goOn)
    post(.trashed(results))
  }

  private func rescan(_ path: FilePath) async {
    do {
      let summaries = try await catalog.scan([path]) { [post] progress in
        post(
          .scanning(
            "scanning \(Words.path(path)): \(CountText(progress.entries, "entry", "entries"))"))
      }
      post(.scanning(nil))
      for summary in summaries {
        let counts =
          "+\(summary.added) -\(summary.removed) ~\(summary.modified) >\(summary.moved)"
        let errors =
          summary.errors > 0 ? ", \(CountText(summary.errors, "error", "errors"))" : ""
        post(
          .said(
            Message(
              "scanned \(Words.path(path)): \(counts)\(errors)",
              summary.errors > 0 ? .fault : .fact)))
      }
    } catch {
      post(.scanning(nil))
      let isStopped = Task.isCancelled
      post(
        .said(
          isStopped
            ? Message("the scan was stopped; nothing has changed")
            : Message("\(error)", .fault)))
    }
  }
}

/// The table that is on the screen, and the state of it that rows are read from.
private final class ShownTable: Sendable {
  let table: ObservedTable
  let scope: TableQuestion.Scope
  let generation: Int
  private let current: Monitor<TableSnapshot>

  init(
    _ table: ObservedTable, _ snapshot: TableSnapshot, scope: TableQuestion.Scope, generation: Int
  ) {
    self.table = table
    self.scope = scope
    self.generation = generation
    current = Monitor(snapshot)
  }

  var snapshot: TableSnapshot { current.withLock { $0 } }

  func follow(_ snapshot: TableSnapshot) { current.withLock { $0 = snapshot } }
}

/// What rows are read of.
enum RowColumns {
  static let all: [EntryColumn] = [
    .id, .path, .kind, .size, .allocated, .totalSize, .totalAllocated, .totalFiles,
    .modifiedNanoseconds, .type, .owner, .mode, .isBroken, .firstSeenScan, .lastChangedScan,
    .parentID,
  ]

  /// - Returns: `nil` for values that no row has.
  static func row(_ values: [ColumnValue]) -> BrowserRow? {
    guard values.count == all.count, let id = values[0].integer, let path = values[1].path,
      let kind = values[2].string.flatMap({ EntryKind(name: $0) })
    else { return nil }
    let size = values[3].integer ?? 0
    let allocated = values[4].integer ?? 0
    return BrowserRow(
      id: EntryID(rawValue: id), path: path, kind: kind, size: values[5].integer ?? size,
      allocated: values[6].integer ?? allocated, files: values[7].integer,
      modified: values[8].integer, type: values[9].string ?? "", owner: values[10].string ?? "",
      mode: UInt32(truncatingIfNeeded: values[11].integer ?? 0),
      isBroken: values[12].integer == 1, isRoot: values[15] == .null,
      firstSeen: values[13].integer ?? 0, lastChanged: values[14].integer ?? 0)
  }
}
