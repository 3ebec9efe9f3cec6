internal import Console
internal import FileCatalog
internal import SystemPackage

/// Draws what a browser shows.
package enum Screen {
  /// The screen of a state.
  package static func grid(of state: BrowserState) -> Grid {
    var grid = Grid(state.size)
    let layout = state.layout
    guard !layout.isTooSmall else {
      drawTooSmall(on: &grid)
      return grid
    }
    drawTitle(state, on: &grid)
    TableView(state).draw(on: &grid)
    if let details = state.details, let area = layout.details {
      DetailsView(details: details, area: area).draw(on: &grid)
    }
    drawWords(state, on: &grid)
    drawKeys(state, on: &grid)
    if let dialog = state.dialog { DialogView(state: state, dialog: dialog).draw(on: &grid) }
    return grid
  }

  private static func drawTooSmall(on grid: inout Grid) {
    let least = Layout.smallest
    grid.put(
      ScreenText("too small: \(least.columns)×\(least.rows) needed").shortened(
        to: grid.size.columns),
      at: ScreenPoint(row: 0, column: 0), .fault)
  }

  // MARK: - The line above

  private static func drawTitle(_ state: BrowserState, on grid: inout Grid) {
    let columns = grid.size.columns
    grid.fill(row: 0, columns: 0..<columns, .reversed)
    let facts = facts(of: state)
    let end = columns - 1 - ScreenText(facts).width
    let title: ScreenText
    if let search = state.search, search.isShown {
      let place = search.isHere ? state.home.map { " in \(Words.path($0))" } ?? "" : ""
      title = ScreenText("found\(place)")
    } else {
      title = state.home.map { ScreenText(name: $0.bytes) } ?? ScreenText("all roots")
    }
    grid.put(
      title.shortenedInMiddle(to: max(0, end - 3)), at: ScreenPoint(row: 0, column: 1),
      Look(nil, [.bold, .reversed]))
    grid.put(facts, at: ScreenPoint(row: 0, column: end), .reversed)
  }

  private static func facts(of state: BrowserState) -> String {
    let listing = state.listing
    guard let count = listing.count else { return "…" }
    if state.search?.isShown == true {
      let number = CountText(count).description
      if listing.isPartial { return "\(number) so far…" }
      let all = CountText(listing.whole.files + listing.whole.directories)
      return listing.isStale ? "…" : "\(number) of \(all)"
    }
    let sizes = state.question.sizes
    let bytes = sizes.words(sizes.bytes(of: listing.whole))
    return "\(bytes) · \(CountText(listing.whole.files, "file", "files"))"
  }

  // MARK: - The lines below

  private static func drawWords(_ state: BrowserState, on grid: inout Grid) {
    let row = state.layout.wordsRow
    let columns = grid.size.columns
    if let search = state.search, search.isTyping {
      return drawField(search, row: row, on: &grid)
    }
    if let message = state.message {
      grid.put(
        ScreenText(message.text).shortened(to: columns - 2),
        at: ScreenPoint(row: row, column: 1), message.tone == .fault ? .fault : .plain)
      return
    }
    var column = 1
    func put(_ text: String, _ look: Look = .plain) {
      let start = column == 1 ? text : "  \(text)"
      column = grid.put(
        ScreenText(start).shortened(to: columns - 1 - column),
        at: ScreenPoint(row: row, column: column), look)
    }
    if let scanning = state.scanning { put(scanning, Look(.cyan)) }
    if let fault = state.listing.whole.fault { put(fault, .fault) }
    if !state.marks.isEmpty {
      let bytes = state.question.sizes.words(for: state.marks.values)
      put(
        "\(CountText(state.marks.count)) marked, \(bytes)",
        Look(.yellow, .bold))
    }
    if let search = state.search { put("/\(search.text)", .bold) }
    if let since = state.since, since.isChosen {
      put("changes since scan \(since.scan): + added  ~ modified  » inside", Look(.cyan))
    }
    if state.access == .readOnly { put("read-only") }
  }

  private static func drawField(
    _ search: BrowserState.SearchField, row: Int, on grid: inout Grid
  ) {
    let columns = grid.size.columns
    let lead = search.isHere ? "/ here: " : "/ "
    let start = grid.put(lead, at: ScreenPoint(row: row, column: 1), .bold)
    let room = columns - start - 2
    let text = ScreenText(search.text).ending(in: search.fault == nil ? room : room / 2)
    let end = grid.put(text, at: ScreenPoint(row: row, column: start), .bold)
    if let fault = search.fault {
      grid.put(
        ScreenText(fault).shortened(to: columns - end - 3),
        at: ScreenPoint(row: row, column: end + 2), Look(.red))
    }
    grid.cursor = ScreenPoint(row: row, column: min(end, columns - 1))
  }

  private static func drawKeys(_ state: BrowserState, on grid: inout Grid) {
    let row = state.layout.keysRow
    let columns = grid.size.columns
    grid.fill(row: row, columns: 0..<columns, .reversed)
    let words =
      state.search?.isTyping == true
      ? "↵ choose  Tab here or everywhere  Esc leave"
      : columns < 110
        ? "? help  / search  ↵ open  ← out  ␣ mark  d trash  q quit"
        : "? help  / search  ↵ open  ← out  s n C M T sort  i details  S changes  ␣ mark"
          + "  d trash  r scan  q quit"
    let position = RowPosition(state.listing).text
    let end = columns - 1 - ScreenText(position).width
    grid.put(
      ScreenText(words).shortened(to: max(0, end - 2)), at: ScreenPoint(row: row, column: 1),
      .reversed)
    grid.put(position, at: ScreenPoint(row: row, column: end), .reversed)
  }
}

/// Where the chosen row stands among all.
struct RowPosition {
  let text: String

  init(_ listing: Listing) {
    guard let count = listing.count, count > 0 else {
      text = ""
      return
    }
    text = "\(CountText(listing.selected + 1))/\(CountText(count))"
  }
}
