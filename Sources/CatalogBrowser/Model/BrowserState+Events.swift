internal import Console
internal import FileCatalog
internal import FileCoordination
internal import SystemPackage

extension BrowserState {
  /// What an event makes of the browser, and what is to be done for it.
  package mutating func take(_ event: BrowserEvent) -> [BrowserEffect] {
    var effects: [BrowserEffect] = []
    switch event {
    case .key(let key): effects = take(key)
    case .mouse(let action, let point, let milliseconds):
      effects = take(action, at: point, milliseconds)
    case .resized(let size): self.size = size
    case .opened(let table): effects = take(table)
    case .glimpsed(let rows, let generation):
      guard generation == listing.generation, listing.isStale else { break }
      listing.take(rows, from: 0)
      listing.count = rows.count
      listing.isPartial = true
      listing.selected = 0
      listing.top = 0
    case .changed(let table): effects = take(table)
    case .read(let rows, let start, let generation):
      if generation == listing.generation { listing.take(rows, from: start) }
    case .described(let lines, let path):
      if details?.path == path { details?.lines = lines }
    case .scans(let scans): take(scans)
    case .summarized(let summaries, let generation):
      guard generation == listing.generation else { break }
      since?.summaries = Dictionary(
        summaries.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
    case .scanning(let text): scanning = text?.string
    case .trashed(let results): take(results)
    case .said(let message): self.message = message
    case .failed(let message, let generation):
      guard generation == listing.generation else { break }
      self.message = message
      listing.awaited = nil
    }
    return effects + settle()
  }

  /// Asks for what the screen needs and does not have.
  private mutating func settle() -> [BrowserEffect] {
    var effects: [BrowserEffect] = []
    let height = layout.table.rows.count
    listing.settle(height: height)
    if let missing = listing.missing(height: height) {
      effects.append(.read(missing, generation: listing.generation))
    }
    if details != nil, let path = listing.chosen?.path, details?.path != path {
      details = Details(path: path, lines: details?.lines ?? [])
      effects.append(.describe(path))
    }
    return effects
  }

  // MARK: - Tables

  /// Shows what is asked for now; what was there stays to be seen until it comes.
  mutating func show(selecting path: FilePath? = nil) -> [BrowserEffect] {
    if let query = search?.query {
      question.scope = .matches(query, below: search?.isHere == true ? home : nil)
    } else {
      question.scope = home.map { .children(of: $0) } ?? .roots
    }
    listing.generation += 1
    listing.isStale = true
    listing.awaited = nil
    return [.show(question, selecting: path, generation: listing.generation)]
  }

  private mutating func take(_ table: OpenedTable) -> [BrowserEffect] {
    guard table.generation == listing.generation else { return [] }
    switch table.scope {
    case .children(let path): home = path
    case .roots: home = nil
    case .matches: break
    }
    question.scope = table.scope
    let generation = listing.generation
    listing = Listing()
    listing.generation = generation
    listing.count = table.count
    listing.selected = table.selected ?? 0
    // What was chosen stands in the middle, unless it is on the first screen.
    listing.top = max(0, listing.selected - layout.table.rows.count / 2)
    if listing.selected < layout.table.rows.count { listing.top = 0 }
    listing.whole = table.whole
    listing.place = table.place
    if since == nil { since = ChangesSince(scan: table.lastScan) }
    since?.summaries = [:]
    return summarize(table.lastScan)
  }

  private mutating func take(_ table: ChangedTable) -> [BrowserEffect] {
    guard table.generation == listing.generation, !listing.isStale else { return [] }
    let chosen = listing.chosen
    let offset = listing.selected - listing.top
    let wasAtTop = listing.top == 0
    listing.count = table.count
    listing.whole = table.whole
    listing.place = table.place
    listing.awaited = nil
    if let chosen, let index = table.place(chosen.id) {
      // What is chosen stays, whatever comes before it: else a key would be for another entry. It stays where
      // it is seen, unless the top of the table is.
      listing.selected = index
      listing.top = wasAtTop && index < layout.table.rows.count ? 0 : max(0, index - offset)
    }
    // They are of the state before, and are read anew.
    listing.rows = [:]
    details?.path = nil
    return summarize(.max)
  }

  /// Asks what has changed in directories, where something has.
  private func summarize(_ lastScan: Int64) -> [BrowserEffect] {
    guard let since, lastScan > since.scan, search?.isShown != true else { return [] }
    return [.summarize(since: since.scan, below: home, generation: listing.generation)]
  }

  // MARK: - Answers

  private mutating func take(_ scans: [ScanLine]) {
    guard !scans.isEmpty else {
      message = Message("there is no scan in the history", .fault)
      return
    }
    let chosen = scans.firstIndex { $0.id == since?.scan } ?? 0
    dialog = .scans(scans, selected: chosen)
  }

  private mutating func take(_ results: [Deletion.Result]) {
    var failures: [(FilePath, String)] = []
    var done = 0
    for result in results {
      switch result.outcome {
      case .trashed, .deleted:
        done += 1
        marks = marks.filter { $0.value.path != result.path }
      case .failed(let error): failures.append((result.path, error.reason))
      case .notTried: failures.append((result.path, "left alone"))
      }
    }
    if let (path, reason) = failures.first {
      let rest = failures.count > 1 ? ", and \(failures.count - 1) more" : ""
      message = Message(
        "\(Words.name(of: path)) is where it was: \(reason)\(rest)", .fault)
    } else {
      message = Message("\(CountText(done, "entry", "entries")) moved to the trash")
    }
  }
}
