/// A page of a manual: the same text for a terminal, as Markdown, and as `man` shows it.
///
/// What stands between backquotes is literal, as somebody types it.
package struct ManualPage: Sendable {
  /// A part of a page, with a title.
  package struct Section: Sendable {
    /// The title, as in a sentence.
    package let title: String
    /// What it says, in order.
    package let blocks: [Block]

    package init(_ title: String, _ blocks: [Block]) {
      self.title = title
      self.blocks = blocks
    }
  }

  /// A piece of text.
  package enum Block: Sendable {
    /// Sentences, which are broken into lines as needed.
    case paragraph(String)
    /// Rows of cells under titles. The first cell of each row is literal.
    case table([String], [[String]])
  }

  /// The name of the page: `filecat-query`.
  package let name: String
  /// What it is about, as a fragment without a full stop.
  package let abstract: String
  /// The parts, in order.
  package let sections: [Section]

  package init(name: String, abstract: String, sections: [Section]) {
    self.name = name
    self.abstract = abstract
    self.sections = sections
  }
}

// MARK: - Text

extension ManualPage {
  /// The page for a terminal.
  ///
  /// - Parameter width: the columns of a line; 40 at least.
  package func text(width: Int) -> String {
    let width = max(width, 40)
    var lines = Self.wrapped(abstract + ".", width: width)
    for section in sections {
      lines += ["", section.title.uppercased()]
      for (index, block) in section.blocks.enumerated() {
        if index > 0 { lines.append("") }
        switch block {
        case .paragraph(let text):
          lines += Self.wrapped(Self.plain(text), width: width - 2).map { "  " + $0 }
        case .table(let titles, let rows):
          lines += Self.aligned(titles, rows, width: width - 2).map { "  " + $0 }
        }
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The text without the marks of what is literal.
  private static func plain(_ text: String) -> String { text.filter { $0 != "`" } }

  /// The lines of a text, broken between words.
  private static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, DisplayWidth.of(line) + 1 + DisplayWidth.of(word) > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
    }
    return lines + [line]
  }

  /// Rows in columns; the last one is broken into lines. Where there is little room for it, it stands
  /// below the others.
  private static func aligned(_ titles: [String], _ rows: [[String]], width: Int) -> [String] {
    let gap = 2
    let rows = [titles.map { $0.uppercased() }] + rows.map { $0.map(plain) }
    let widths = titles.indices.dropLast().map { column in
      rows.map { DisplayWidth.of($0[column]) }.max() ?? 0
    }
    let indent = widths.reduce(0) { $0 + $1 + gap }
    if titles.count == 2, width - indent < 28 {
      return rows.dropFirst().flatMap { row in
        [row[0]] + wrapped(row[1], width: width - 4).map { "    " + $0 }
      }
    }
    return rows.flatMap { row in
      var head = ""
      for (cell, width) in zip(row, widths) {
        head += cell + String(repeating: " ", count: width - DisplayWidth.of(cell) + gap)
      }
      let tail = wrapped(row.last ?? "", width: max(width - indent, 20))
      return tail.enumerated().map { index, line in
        index == 0 ? head + line : String(repeating: " ", count: indent) + line
      }
    }
  }
}

// MARK: - Markdown

extension ManualPage {
  /// The page as Markdown.
  ///
  /// - Parameter title: the heading of the page.
  package func markdown(title: String) -> String {
    var parts = ["# \(title)", abstract.prefix(1).uppercased() + abstract.dropFirst() + "."]
    for section in sections {
      parts.append("## \(section.title)")
      for block in section.blocks {
        switch block {
        case .paragraph(let text):
          parts.append(Self.wrapped(text, width: 100).joined(separator: "\n"))
        case .table(let titles, let rows):
          let rule = titles.map { _ in "---" }
          let cells = rows.map { ["`\($0[0])`"] + $0.dropFirst() }
          parts.append(
            ([titles, rule] + cells).map { row in
              "| " + row.map(Self.cell).joined(separator: " | ") + " |"
            }.joined(separator: "\n"))
        }
      }
    }
    return parts.joined(separator: "\n\n")
  }

  /// A cell of a table, in which a bar would be the next cell's.
  private static func cell(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}

// MARK: - Roff

extension ManualPage {
  /// The page with the macros of `man`, but for its heading (`.TH`), which has a date.
  package var roff: String {
    var lines = [".SH NAME", Self.escaped("\(name)") + " \\- " + Self.escaped(abstract)]
    for section in sections {
      lines.append(".SH " + Self.escaped(section.title.uppercased()))
      for (index, block) in section.blocks.enumerated() {
        switch block {
        case .paragraph(let text):
          if index > 0 { lines.append(".PP") }
          lines.append(Self.marked(text))
        case .table(_, let rows) where rows.allSatisfy { $0.count == 2 }:
          for row in rows { lines += [".TP", Self.literal(row[0]), Self.marked(row[1])] }
        case .table(let titles, let rows):
          let text = Self.aligned(titles, rows, width: 100)
          lines += [".PP", ".nf"] + text.map(Self.escaped) + [".fi"]
        }
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func literal(_ text: some StringProtocol) -> String {
    "\\fB" + escaped(text) + "\\fR"
  }

  /// A text with what is literal in bold.
  private static func marked(_ text: String) -> String {
    let pieces = text.split(separator: "`", omittingEmptySubsequences: false)
    let roff = pieces.enumerated().map { index, piece in
      index % 2 == 1 ? literal(piece) : escaped(piece, isStart: index == 0)
    }
    return roff.joined()
  }

  /// Text as roff wants it: hyphens that can be copied, nothing that is taken for a request, and no
  /// character beyond ASCII.
  ///
  /// - Parameter isStart: whether the text stands at the beginning of a line.
  private static func escaped(_ text: some StringProtocol, isStart: Bool) -> String {
    var roff = isStart && (text.first == "." || text.first == "'") ? "\\&" : ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": roff += "\\e"
      case "-": roff += "\\-"
      case "'": roff += "\\(aq"
      case "^": roff += "\\(ha"
      case "~": roff += "\\(ti"
      case "`": roff += "\\(ga"
      case "\u{20}"..."\u{7e}": roff.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        roff += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
      }
    }
    return roff
  }

  private static func escaped(_ text: some StringProtocol) -> String {
    escaped(text, isStart: true)
  }
}
