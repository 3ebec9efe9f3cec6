/// Where things stand on a screen of a size.
package struct Layout: Hashable, Sendable {
  /// A rectangle of the screen.
  package struct Area: Hashable, Sendable {
    package var rows: Range<Int>
    package var columns: Range<Int>
  }

  /// What is smaller shows a line that says so.
  package static let smallest = ScreenSize(rows: 8, columns: 40)

  package let size: ScreenSize
  /// The rows of the table.
  package let table: Area
  /// The details of an entry.
  package let details: Area?

  package init(_ size: ScreenSize, hasDetails: Bool) {
    self.size = size
    // Above: the title and the headings. Below: a line for words, and one for keys.
    let rows = min(2, size.rows)..<max(min(2, size.rows), size.rows - 2)
    let columns = 0..<size.columns
    guard hasDetails else {
      table = Area(rows: rows, columns: columns)
      details = nil
      return
    }
    if size.columns >= 110 {
      let edge = size.columns - max(44, size.columns * 2 / 5)
      table = Area(rows: rows, columns: 0..<edge)
      details = Area(rows: 1..<rows.upperBound, columns: edge..<size.columns)
    } else {
      let edge = max(rows.lowerBound, rows.upperBound - max(3, rows.count / 2))
      table = Area(rows: rows.lowerBound..<edge, columns: columns)
      details = Area(rows: edge..<rows.upperBound, columns: columns)
    }
  }

  package var isTooSmall: Bool {
    size.rows < Self.smallest.rows || size.columns < Self.smallest.columns
  }

  package var wordsRow: Int { size.rows - 2 }
  package var keysRow: Int { size.rows - 1 }
}
