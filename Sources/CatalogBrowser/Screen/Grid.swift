/// A place on the screen, counted from 0 at the top left.
package struct ScreenPoint: Hashable, Sendable {
  package var row: Int
  package var column: Int

  package init(row: Int, column: Int) {
    self.row = row
    self.column = column
  }
}

/// How large a screen is.
package struct ScreenSize: Hashable, Sendable {
  package var rows: Int
  package var columns: Int

  package init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }
}

/// What a terminal is to show: a value that is drawn without one.
package struct Grid: Hashable, Sendable {
  /// What stands at a place.
  package struct Cell: Hashable, Sendable {
    /// A character with its marks; empty behind one that takes two columns.
    package var text: String
    package var look: Look

    static let blank = Cell(text: " ", look: .plain)
  }

  package let size: ScreenSize
  /// Row by row.
  private var cells: [Cell]
  /// Where the cursor is seen; `nil` for nowhere.
  package var cursor: ScreenPoint?

  package init(_ size: ScreenSize) {
    self.size = size
    cells = Array(repeating: .blank, count: size.rows * size.columns)
  }

  /// The cells of a row.
  package func row(_ row: Int) -> ArraySlice<Cell> {
    cells[row * size.columns..<(row + 1) * size.columns]
  }

  /// Puts text at a place, as far as there is room.
  ///
  /// - Parameter limit: the column at which others begin; `nil` for the end of the row.
  /// - Returns: the column behind it.
  @discardableResult
  package mutating func put(
    _ text: ScreenText, at point: ScreenPoint, _ look: Look = .plain, before limit: Int? = nil
  ) -> Int {
    guard (0..<size.rows).contains(point.row), point.column >= 0 else { return point.column }
    let end = min(limit ?? size.columns, size.columns)
    var column = point.column
    for glyph in text.glyphs {
      guard column + glyph.width <= end else { break }
      let place = point.row * size.columns + column
      clear(place, in: point.row)
      cells[place] = Cell(text: glyph.text, look: look)
      if glyph.width == 2 {
        clear(place + 1, in: point.row)
        cells[place + 1] = Cell(text: "", look: look)
      }
      column += glyph.width
    }
    return column
  }

  /// Puts words at a place.
  @discardableResult
  package mutating func put(
    _ text: String, at point: ScreenPoint, _ look: Look = .plain, before limit: Int? = nil
  ) -> Int {
    put(ScreenText(text), at: point, look, before: limit)
  }

  /// Puts text so that it ends before a column.
  package mutating func put(
    _ text: String, row: Int, endingAt end: Int, _ look: Look = .plain
  ) {
    let text = ScreenText(text)
    put(text, at: ScreenPoint(row: row, column: end - text.width), look, before: end)
  }

  /// Fills columns of a row with blanks.
  package mutating func fill(row: Int, columns: Range<Int>, _ look: Look = .plain) {
    guard (0..<size.rows).contains(row) else { return }
    for column in columns.clamped(to: 0..<size.columns) {
      let place = row * size.columns + column
      clear(place, in: row)
      cells[place] = Cell(text: " ", look: look)
    }
  }

  /// What is half covered is gone: a wide character has no halves.
  private mutating func clear(_ place: Int, in row: Int) {
    if cells[place].text.isEmpty, place > row * size.columns { cells[place - 1].text = " " }
    let next = place + 1
    if next < (row + 1) * size.columns, cells[next].text.isEmpty { cells[next].text = " " }
  }

  /// The rows as text, without blanks at their ends.
  package var lines: [String] {
    (0..<size.rows).map { row in
      var line = self.row(row).map(\.text).joined()
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
