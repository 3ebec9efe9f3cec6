/// Why the text of a query makes no sense, and where.
///
/// ```swift
/// do {
///   _ = try Query(parsing: "sise:>10M")
/// } catch {
///   print(error.rendered())
/// }
/// // sise:>10M
/// // ^~~~~
/// // unknown term “sise:”; did you mean “size:”?
/// // expected a term such as name: or size:, or quotes around a text with a colon
/// ```
public struct QueryError: Error, Hashable, Sendable {
  /// The text that was parsed.
  public let query: String
  /// What is wrong, without a full stop.
  public let message: String
  /// Where it is wrong, in UTF-8 bytes from the start of ``query``. Empty where something is
  /// missing.
  public let range: Range<Int>
  /// What would have been right there.
  public let expected: String
  /// A known word near to the one at fault.
  public let suggestion: String?

  init(
    query: String, message: String, range: Range<Int>, expected: String, suggestion: String? = nil
  ) {
    self.query = query
    self.message = message
    self.range = range
    self.expected = expected
    self.suggestion = suggestion
  }
}

extension QueryError: CustomStringConvertible {
  /// The message, the suggestion and what was expected, on one line.
  public var description: String {
    "\(headline); expected \(expected)"
  }

  private var headline: String {
    suggestion.map { "\(message); did you mean “\($0)”?" } ?? message
  }
}

extension QueryError {
  /// The query with a caret under the fault, then the message and what was expected.
  ///
  /// Control characters are escaped. Of a long query only the part around the fault is shown.
  /// The lines are not ended by a newline.
  ///
  /// - Parameter columns: the width of the terminal, for the line with the query.
  public func rendered(columns: Int = 100) -> String {
    let line = ExcerptLine(of: query, around: range, columns: max(columns, 20))
    return """
      \(line.text)
      \(line.marks)
      \(headline)
      expected \(expected)
      """
  }
}

/// The part of a text around a fault, and the line of marks under it.
private struct ExcerptLine {
  var text = ""
  var marks = ""

  init(of source: String, around fault: Range<Int>, columns: Int) {
    var cells: [(text: String, width: Int, isFault: Bool)] = []
    var offset = 0
    var firstFault: Int?
    for scalar in source.unicodeScalars {
      let isFault = fault.contains(offset)
      if offset >= fault.lowerBound, firstFault == nil { firstFault = cells.count }
      let shown = TerminalText.escaped(scalar)
      cells.append((shown, TerminalText.width(of: shown), isFault))
      offset += UTF8.width(scalar)
    }
    let caret = firstFault ?? cells.count

    // Takes cells around the caret, a third of the width before it.
    var first = caret
    var width = 0
    while first > 0, width + cells[first - 1].width <= columns / 3 {
      first -= 1
      width += cells[first].width
    }
    var end = caret
    while end < cells.count, width + cells[end].width <= columns - 4 {
      width += cells[end].width
      end += 1
    }
    while first > 0, width + cells[first - 1].width <= columns - 4 {
      first -= 1
      width += cells[first].width
    }

    if first > 0 {
      text = "…"
      marks = " "
    }
    for (index, cell) in zip(first..., cells[first..<end]) {
      text += cell.text
      if index == caret {
        marks += "^" + String(repeating: "~", count: max(0, cell.width - 1))
      } else if cell.isFault {
        marks += String(repeating: "~", count: cell.width)
      } else if index < caret {
        marks += String(repeating: " ", count: cell.width)
      }
    }
    if caret == end { marks += "^" }
    if end < cells.count { text += "…" }
  }
}
