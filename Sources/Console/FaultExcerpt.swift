/// The part of a text around a fault, and a line of marks to print under it.
///
/// ```
/// size:>10Q kind:file
///      ^~~~
/// ```
package struct FaultExcerpt: Sendable, Equatable {
  /// The text as it may be printed, with `…` for what is left out.
  package let text: DisplayText
  /// A caret under the first character of the fault, and `~` under the others.
  package let marks: DisplayText

  /// Takes what fits a line.
  ///
  /// - Parameters:
  ///   - source: the text, which may be anything.
  ///   - fault: where the fault is, in UTF-8 bytes; an empty range stands for what is missing there.
  ///   - columns: the width of the terminal; 20 at least.
  package init(of source: String, around fault: Range<Int>, columns: Int = 100) {
    let columns = max(columns, 20)
    var cells: [(text: DisplayText, isFault: Bool)] = []
    var offset = 0
    var firstFault: Int?
    for character in source {
      let end = offset + character.utf8.count
      if end > fault.lowerBound, firstFault == nil { firstFault = cells.count }
      let isFault = offset < fault.upperBound && end > fault.lowerBound
      cells.append((DisplayText(String(character)), isFault))
      offset = end
    }
    let caret = firstFault ?? cells.count

    // Takes cells around the caret, a third of the width before it.
    var first = caret
    var width = 0
    while first > 0, width + cells[first - 1].text.width <= columns / 3 {
      first -= 1
      width += cells[first].text.width
    }
    var end = caret
    while end < cells.count, width + cells[end].text.width <= columns - 4 {
      width += cells[end].text.width
      end += 1
    }
    while first > 0, width + cells[first - 1].text.width <= columns - 4 {
      first -= 1
      width += cells[first].text.width
    }

    var text = first > 0 ? "…" : ""
    var marks = first > 0 ? " " : ""
    for (index, cell) in zip(first..., cells[first..<end]) {
      text += cell.text.string
      if index == caret {
        marks += "^" + String(repeating: "~", count: max(0, cell.text.width - 1))
      } else if cell.isFault {
        marks += String(repeating: "~", count: cell.text.width)
      } else if index < caret {
        marks += String(repeating: " ", count: cell.text.width)
      }
    }
    if caret == end { marks += "^" }
    if end < cells.count { text += "…" }
    self.text = DisplayText(text)
    self.marks = DisplayText(marks)
  }
}
