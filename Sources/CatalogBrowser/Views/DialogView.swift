internal import Console
internal import FileCatalog
internal import SystemPackage

/// What is to be answered, or left, before anything else: a frame in the middle of the screen.
struct DialogView {
  let state: BrowserState
  let dialog: BrowserState.Dialog

  func draw(on grid: inout Grid) {
    switch dialog {
    case .help(let top): drawHelp(from: top, on: &grid)
    case .trash(let rows): drawQuestion(about: rows, on: &grid)
    case .scans(let scans, let selected): draw(scans, selected, on: &grid)
    }
  }

  /// A frame with a title; returns the places for lines in it.
  private func frame(
    _ title: String, height: Int, width: Int, look: Look = .bold, on grid: inout Grid
  ) -> [ScreenPoint] {
    let width = min(width, grid.size.columns - 2)
    let height = min(height, grid.size.rows - 4)
    let left = (grid.size.columns - width) / 2
    let top = max(1, (grid.size.rows - height - 2) / 2)
    let line = String(repeating: "─", count: width - 2)
    for row in top...top + height + 1 {
      grid.fill(row: row, columns: left..<left + width)
      let text = row == top ? "┌\(line)┐" : row == top + height + 1 ? "└\(line)┘" : "│"
      grid.put(text, at: ScreenPoint(row: row, column: left))
      if text == "│" { grid.put(text, at: ScreenPoint(row: row, column: left + width - 1)) }
    }
    grid.put(
      ScreenText(" \(title) ").shortened(to: width - 4),
      at: ScreenPoint(row: top, column: left + 2), look)
    return (0..<height).map { ScreenPoint(row: top + 1 + $0, column: left + 2) }
  }

  private func drawHelp(from top: Int, on grid: inout Grid) {
    let lines = HelpLines.all
    let height = min(lines.count, HelpLines.height(on: grid.size))
    let places = frame("Keys", height: height, width: 56, on: &grid)
    for (place, line) in zip(places, lines.dropFirst(top)) {
      if line.words.isEmpty {
        grid.put(line.keys, at: place, Look(nil, [.bold, .underlined]))
      } else {
        grid.put(line.keys, at: place, Look(.cyan))
        grid.put(line.words, at: ScreenPoint(row: place.row, column: place.column + 22))
      }
    }
  }

  private func drawQuestion(about rows: [BrowserRow], on grid: inout Grid) {
    let shown = rows.prefix(5)
    let bytes = state.question.sizes.words(for: rows)
    let width = min(grid.size.columns - 4, 76)
    let places = frame(
      "Move to the trash?", height: shown.count + 3, width: width, look: .fault, on: &grid)
    for (place, row) in zip(places, shown) {
      grid.put(
        ScreenText(name: row.path.bytes).shortenedInMiddle(to: width - 4), at: place)
    }
    guard places.count >= 2 else { return }
    let rest = rows.count > shown.count ? "…and \(CountText(rows.count - shown.count)) more. " : ""
    let count = CountText(rows.count, "entry", "entries")
    grid.put("\(rest)\(count), \(bytes)", at: places[places.count - 2])
    grid.put("y moves, any other key does not", at: places[places.count - 1], .bold)
  }

  private func draw(_ scans: [ScanLine], _ selected: Int, on grid: inout Grid) {
    let height = min(scans.count, max(1, grid.size.rows - 8))
    let width = min(grid.size.columns - 4, 90)
    let places = frame("Show changes since the scan…", height: height, width: width, on: &grid)
    let top = max(0, min(selected - height / 2, scans.count - height))
    for (place, index) in zip(places, top..<scans.count) {
      let scan = scans[index]
      let date = scan.finished.map { DateText(nanoseconds: $0 * 1_000_000_000).description } ?? ""
      let text =
        "\(scan.id)".leftPadded(to: 5) + "  \(date)  +\(scan.added) -\(scan.removed)"
        + " ~\(scan.modified) >\(scan.moved)  \(scan.root)"
      let look: Look = index == selected ? .reversed : .plain
      if index == selected {
        grid.fill(row: place.row, columns: place.column..<place.column + width - 4, look)
      }
      grid.put(ScreenText(text).shortened(to: width - 4), at: place, look)
    }
  }
}

extension String {
  fileprivate func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
