internal import Console
internal import FileCatalog
internal import SystemPackage

/// The table: headings and rows.
struct TableView {
  private let state: BrowserState
  private let area: Layout.Area
  private let columns: [ScreenColumn]
  /// Where names begin.
  private let nameColumn: Int

  init(_ state: BrowserState) {
    self.state = state
    area = state.layout.table
    columns = ScreenColumn.fitting(state, width: area.columns.count)
    nameColumn =
      area.columns.lowerBound + Self.signs + columns.reduce(0) { $0 + $1.width + 1 }
  }

  /// A mark, what has changed, and a blank.
  private static let signs = 3

  func draw(on grid: inout Grid) {
    drawHeadings(on: &grid)
    let listing = state.listing
    guard let count = listing.count else { return }
    if count == 0, !listing.isStale {
      grid.put(
        state.search?.isShown == true ? "nothing matches" : "nothing in it",
        at: ScreenPoint(row: area.rows.lowerBound, column: nameColumn))
    }
    for (row, index) in zip(area.rows, listing.top..<max(listing.top, count)) {
      guard let entry = listing.rows[index] else { continue }
      draw(entry, row: row, isChosen: index == listing.selected, on: &grid)
    }
  }

  private func drawHeadings(on grid: inout Grid) {
    let row = area.rows.lowerBound - 1
    let arrow = state.question.direction == .ascending ? "↑" : "↓"
    var start = area.columns.lowerBound + Self.signs
    for column in columns {
      let isKey = column.key == state.question.key
      let text = column.heading + (isKey ? arrow : "")
      let look = isKey ? Look(nil, [.bold, .underlined]) : Look(nil, .underlined)
      if column.alignment == .trailing {
        grid.put(text, row: row, endingAt: start + column.width, look)
      } else {
        grid.put(text, at: ScreenPoint(row: row, column: start), look)
      }
      start += column.width + 1
    }
    let isKey = state.question.key == .name
    grid.put(
      (state.search?.isShown == true ? "PATH" : "NAME") + (isKey ? arrow : ""),
      at: ScreenPoint(row: row, column: start),
      isKey ? Look(nil, [.bold, .underlined]) : Look(nil, .underlined),
      before: area.columns.upperBound)
  }

  private func draw(_ entry: BrowserRow, row: Int, isChosen: Bool, on grid: inout Grid) {
    if isChosen { grid.fill(row: row, columns: area.columns, .reversed) }
    func look(_ look: Look) -> Look { isChosen ? look.chosen() : look }
    var start = area.columns.lowerBound
    if state.marks[entry.id] != nil {
      grid.put("*", at: ScreenPoint(row: row, column: start), look(Look(.yellow, .bold)))
    }
    let change = state.change(of: entry)
    if let change {
      grid.put(
        change.sign, at: ScreenPoint(row: row, column: start + 1), look(Look(change.color, .bold)))
    }
    start += Self.signs
    for column in columns {
      let cell = column.cell(of: entry, state)
      if column.alignment == .trailing {
        grid.put(cell.text, row: row, endingAt: start + column.width, look(cell.look))
      } else {
        grid.put(
          ScreenText(cell.text).shortened(to: column.width),
          at: ScreenPoint(row: row, column: start), look(cell.look))
      }
      start += column.width + 1
    }
    let room = area.columns.upperBound - start
    grid.put(
      name(of: entry, room: room), at: ScreenPoint(row: row, column: start),
      look(nameLook(entry, change)), before: area.columns.upperBound)
  }

  private func name(of entry: BrowserRow, room: Int) -> ScreenText {
    let isPath = state.search?.isShown == true || state.home == nil
    var bytes = isPath ? entry.path.bytes : entry.path.lastComponent?.bytes ?? entry.path.bytes
    switch entry.kind {
    case .directory where bytes != [UInt8(ascii: "/")]: bytes.append(UInt8(ascii: "/"))
    case .symlink: bytes.append(UInt8(ascii: "@"))
    case .fifo: bytes.append(UInt8(ascii: "|"))
    case .socket: bytes.append(UInt8(ascii: "="))
    default: break
    }
    let text = ScreenText(name: bytes)
    return isPath ? text.shortenedInMiddle(to: room) : text.shortened(to: room)
  }

  private func nameLook(_ entry: BrowserRow, _ change: RowChange?) -> Look {
    // What has changed since a scan that somebody has chosen matters more than what it is.
    if let change, change != .inside { return Look(change.color, entry.isDirectory ? .bold : []) }
    switch entry.kind {
    case .directory: return Look(.blue, .bold)
    case .package: return Look(.magenta, .bold)
    case .symlink: return entry.isBroken ? Look(.red) : Look(.cyan)
    case .file: return entry.mode & 0o111 != 0 ? Look(.green) : .plain
    case .fifo, .socket, .blockDevice, .characterDevice: return Look(.magenta)
    }
  }
}

extension RowChange {
  var sign: String {
    switch self {
    case .added: "+"
    case .modified: "~"
    case .inside: "»"
    }
  }

  var color: Look.Color {
    switch self {
    case .added: .green
    case .modified: .yellow
    case .inside: .cyan
    }
  }
}
