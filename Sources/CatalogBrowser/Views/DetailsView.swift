/// What is known of one entry, a line a value.
struct DetailsView {
  let details: BrowserState.Details
  let area: Layout.Area

  func draw(on grid: inout Grid) {
    let isBeside = area.columns.lowerBound > 0
    let left = area.columns.lowerBound + (isBeside ? 2 : 1)
    let end = area.columns.upperBound - 1
    for row in area.rows {
      grid.fill(row: row, columns: area.columns)
      if isBeside {
        grid.put("│", at: ScreenPoint(row: row, column: area.columns.lowerBound))
      }
    }
    var row = area.rows.lowerBound
    if !isBeside {
      grid.put(
        String(repeating: "─", count: area.columns.count),
        at: ScreenPoint(row: row, column: area.columns.lowerBound))
      row += 1
    }
    let nameWidth = min(19, area.columns.count / 3)
    for line in details.lines {
      guard row < area.rows.upperBound else { return }
      grid.put(
        ScreenText(line.name).shortened(to: nameWidth), at: ScreenPoint(row: row, column: left),
        Look(.cyan))
      let start = left + nameWidth + 1
      grid.put(
        ScreenText(line.value).shortenedInMiddle(to: max(0, end - start)),
        at: ScreenPoint(row: row, column: start), before: end)
      row += 1
    }
  }
}
