internal import Console

/// Rows on the page, and what is to be said of them.
struct ReportPageTable: Sendable {
  struct Column: Sendable {
    var name: String
    var title: String
    var form: ValueForm
    /// What stands in place of a value that there is not.
    var absence = "–"
  }

  /// How the number that matters most is shown.
  enum Measure: Sendable {
    /// As a part of everything on disk.
    case share
    /// As more or less than before.
    case change
  }

  enum Order: String, Sendable {
    case ascending, descending
  }

  /// What the address of the table ends in.
  var name: String
  var title: String
  /// What the rows are, in one sentence.
  var about: String
  /// The columns; the first says what a row is about, and the last is the measure, where there is one.
  var columns: [Column]
  var measure: Measure?
  /// The column that rows are in the order of.
  var order: (column: Int, Order)?
  /// Whether it takes the whole width of the page.
  var isWide: Bool
  /// As many rows as the page shows.
  var rows: [[ColumnValue]] = []
  /// How many rows there are altogether.
  var rowCount: Int64 = 0
  /// Why there are no rows, where there are none.
  var emptiness: String

  /// Whether there are more rows than the page shows.
  var isCut: Bool { rowCount > rows.count }
}

// MARK: - Markup

extension ReportPageTable {
  /// The table with all that is said of it.
  ///
  /// - Parameters:
  ///   - whole: what shares are of.
  ///   - advice: how to get the rows that are not here.
  func section(whole: Int64, advice: String? = nil) -> Markup {
    var section: Markup = """
      <section id=\(name) class=\(isWide ? "wide" : "half") aria-labelledby=\(name)-title>
      <h2 id=\(name)-title>\(title)</h2>
      <p class=about>\(about)</p>

      """
    if rows.isEmpty {
      section += "<p class=empty>\(emptiness)</p>\n"
    } else {
      section += table(whole: whole)
      if isCut {
        section += "<p class=cut>\(CountText(rows.count)) of \(CountText(rowCount)) rows"
        if let advice { section += "; the rest: <code>\(advice)</code>" }
        section += "</p>\n"
      }
    }
    section += "</section>\n"
    return section
  }

  private func table(whole: Int64) -> Markup {
    let longest = rows.map { magnitude($0) }.max() ?? 0
    var table: Markup = "<table class=\"\(hiding)\" aria-labelledby=\(name)-title>\n<thead><tr>"
    for (place, column) in columns.enumerated() {
      table += "<th scope=col\(isNumeric(column) ? " class=n" : "")"
      if let order, order.column == place { table += " aria-sort=\(order.1.rawValue)" }
      table += ">\(column.title)"
    }
    if measure == .share { table += "<th scope=col class=n>Share" }
    table += "</thead>\n<tbody>\n"
    for row in rows {
      table += "<tr>"
      for (place, value) in row.enumerated() {
        table += cell(value, at: place, longest: longest)
      }
      if measure == .share {
        let part = magnitude(row)
        table += "<td class=s style=--w:\(Self.width(part, of: longest))>"
        table += "\(Self.share(part, of: whole.magnitude))"
      }
      table += "\n"
    }
    table += "</tbody></table>\n"
    return table
  }

  /// The columns that a narrow screen has no room for, as classes.
  private var hiding: String {
    let kept = measure == nil ? 2 : 1
    let hidden = columns.indices.dropFirst(kept).dropLast(measure == nil ? 0 : 1)
    return hidden.map { "h\($0 + 1)" }.joined(separator: " ")
  }

  private func isNumeric(_ column: Column) -> Bool {
    [.bytes, .number, .identifier, .seconds].contains(column.form)
  }

  private func magnitude(_ row: [ColumnValue]) -> UInt64 { (row.last?.integer ?? 0).magnitude }

  private func cell(_ value: ColumnValue, at place: Int, longest: UInt64) -> Markup {
    let column = columns[place]
    switch value {
    case .null:
      let classes: Markup = isNumeric(column) ? "\"none n\"" : "none"
      return "<td class=\(classes)>\(column.absence)"
    case .real(let number): return "<td>\("\(number)")"
    case .integer(let number):
      let text = text(number, column.form)
      if measure == .change, isNumeric(column) {
        let sign: Markup = number < 0 ? "−" : "+"
        guard place == columns.count - 1 else { return "<td data-n=\(number)>\(sign)\(text)" }
        return """
          <td class="s\(number < 0 ? " loss" : "")" \
          style=--w:\(Self.width(number.magnitude, of: longest)) data-n=\(number)>\(sign)\(text)
          """
      }
      return isNumeric(column) ? "<td data-n=\(number)>\(text)" : "<td>\(text)"
    case .text(let bytes):
      let text = ReadableText(bytes)
      guard place == 0, column.form == .path else { return "<td>\(text)" }
      return "<td><div>\(Self.path(text.bytes))</div>"
    }
  }

  private func text(_ number: Int64, _ form: ValueForm) -> Markup {
    let magnitude = measure == .change ? Int64(clamping: number.magnitude) : number
    return switch form {
    case .bytes: "\(ByteCountText(magnitude))"
    case .number: "\(CountText(magnitude))"
    case .seconds: "\(Self.day(number))"
    case .truth: number == 0 ? "no" : "yes"
    default: "\(number)"
    }
  }

  /// A path whose directory may be shortened before its name is.
  private static func path(_ path: [UInt8]) -> Markup {
    let name = path.count > 1 ? path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0 : 0
    if name == 0 { return "<b>\(path)</b>" }
    return "<span>\(Array(path[..<name]))</span><b>\(Array(path[name...]))</b>"
  }

  /// The day of a moment, in local time.
  static func day(_ seconds: Int64) -> String {
    let (nanoseconds, isBeyond) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if isBeyond { return "\(seconds)" }
    return String("\(DateText(nanoseconds: nanoseconds))".prefix { $0 != " " })
  }

  /// How long a bar is, in percent of the longest one.
  private static func width(_ part: UInt64, of longest: UInt64) -> String {
    guard part > 0, longest > 0 else { return "0" }
    let tenths = (Double(part) / Double(longest) * 1000).rounded()
    return "\(max(5, min(tenths, 1000)) / 10)"
  }

  /// A part in percent: `12.3%`. What is not nothing does not look like nothing, and what is not all
  /// does not look like all.
  static func share(_ part: UInt64, of whole: UInt64) -> String {
    guard part > 0, whole > 0 else { return "0%" }
    if part >= whole { return "100%" }
    let tenths = (Double(part) / Double(whole) * 1000).rounded()
    if tenths < 1 { return "<0.1%" }
    let shown = UInt64(min(tenths, 999))
    return "\(shown / 10).\(shown % 10)%"
  }
}
