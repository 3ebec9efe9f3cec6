internal import FileCatalog
internal import SystemPackage

extension BrowserState {
  // MARK: - Marks

  mutating func mark() {
    guard let row = listing.chosen else { return }
    if marks.removeValue(forKey: row.id) == nil { marks[row.id] = row }
    move(by: 1)
  }

  // MARK: - Acting

  /// What is marked, else what is chosen.
  private var targets: [BrowserRow] {
    guard marks.isEmpty else {
      return marks.values.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
    }
    return listing.chosen.map { [$0] } ?? []
  }

  mutating func askToTrash() {
    var rows: [BrowserRow] = []
    // What is in a directory goes along with it.
    for row in targets where !rows.contains(where: { row.path.starts(with: $0.path) }) {
      rows.append(row)
    }
    guard !rows.isEmpty else { return }
    guard !rows.contains(where: \.isRoot) else {
      message = Message("a root of the catalog is not moved to the trash from here", .fault)
      return
    }
    dialog = .trash(rows)
  }

  func copyPath() -> [BrowserEffect] {
    let paths = targets.map(\.path.bytes)
    return paths.isEmpty ? [] : [.copy(Array(paths.joined(separator: [UInt8(ascii: "\n")])))]
  }

  mutating func rescan() -> [BrowserEffect] {
    guard scanning == nil else {
      message = Message("a scan is going on; Esc stops it")
      return []
    }
    // Where all roots are shown, the one that is chosen.
    guard let place = here ?? listing.chosen?.path else { return [] }
    scanning = "scanning \(Words.path(place))"
    return [.rescan(place)]
  }

  // MARK: - Dialogs

  mutating func answer(_ key: Key) -> [BrowserEffect] {
    switch dialog {
    case .trash(let rows): return answer(key, trashing: rows)
    case .help(let top): scrollHelp(key, from: top)
    case .scans(let scans, let selected): return choose(key, among: scans, selected)
    case nil: break
    }
    return []
  }

  /// Anything but a plain yes is a no.
  private mutating func answer(_ key: Key, trashing rows: [BrowserRow]) -> [BrowserEffect] {
    dialog = nil
    guard key == .character("y") || key == .character("Y") else {
      message = Message("nothing was moved")
      return []
    }
    message = Message("moving to the trash…")
    return [.trash(rows.map(\.path))]
  }

  private mutating func scrollHelp(_ key: Key, from top: Int) {
    switch Binding.of(key)?.command {
    case .down: dialog = .help(top: top + 1)
    case .up: dialog = .help(top: max(0, top - 1))
    case .pageDown: dialog = .help(top: top + layout.table.rows.count)
    case .pageUp: dialog = .help(top: max(0, top - layout.table.rows.count))
    default: dialog = nil
    }
    if case .help(let top) = dialog {
      dialog = .help(top: min(top, HelpLines.lastTop(on: size)))
    }
  }

  private mutating func choose(
    _ key: Key, among scans: [ScanLine], _ selected: Int
  ) -> [BrowserEffect] {
    var next = selected
    switch Binding.of(key)?.command {
    case .down: next += 1
    case .up: next -= 1
    case .pageDown: next += 10
    case .pageUp: next -= 10
    case .first: next = 0
    case .last: next = scans.count - 1
    case .open:
      dialog = nil
      since = ChangesSince(scan: scans[selected].id, isChosen: true)
      guard search?.isShown != true else { return [] }
      return [
        .summarize(since: scans[selected].id, below: home, generation: listing.generation)
      ]
    default:
      dialog = nil
      return []
    }
    dialog = .scans(scans, selected: min(max(0, next), scans.count - 1))
    return []
  }
}
