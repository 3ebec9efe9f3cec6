package import Console

/// Text as cells of a terminal: what stands in each, and how many columns it takes.
///
/// What is seen is what is counted: a cell has one character that takes room, with the marks that stand on it.
/// Characters that some terminals join into one and others do not are shown as their parts, everywhere in the
/// same number of columns.
package struct ScreenText: Hashable, Sendable {
  /// What stands in a cell.
  package struct Glyph: Hashable, Sendable {
    /// A character and its marks.
    package var text: String
    /// The columns that it takes: 1 or 2.
    package var width: Int
  }

  package private(set) var glyphs: [Glyph]
  /// The columns that it takes.
  package private(set) var width: Int

  /// So many marks can stand on a character in a cell of a terminal.
  private static let mostMarks = 4

  private init(_ glyphs: [Glyph]) {
    self.glyphs = glyphs
    width = glyphs.reduce(0) { $0 + $1.width }
  }

  /// Text that can be shown, as cells.
  package init(_ text: DisplayText) {
    var glyphs: [Glyph] = []
    glyphs.reserveCapacity(text.width)
    var marks = 0
    for scalar in text.string.unicodeScalars {
      let width = DisplayWidth.of(scalar)
      if width > 0 {
        glyphs.append(Glyph(text: String(scalar), width: width))
        marks = 0
      } else if Self.joins(scalar, glyphs.last) {
        continue
      } else if marks < Self.mostMarks {
        if glyphs.isEmpty { glyphs.append(Glyph(text: " ", width: 1)) }
        glyphs[glyphs.count - 1].text.unicodeScalars.append(scalar)
        marks += 1
      }
    }
    self.init(glyphs)
  }

  /// Words, or a name, with its control characters escaped.
  package init(_ text: String) {
    self.init(DisplayText(text))
  }

  /// A name that need not be UTF-8: the bytes that are none of it are escaped, such as `\xff`.
  package init(name: [UInt8]) {
    self.init(DisplayText(escaping: name, faultyBytes: .escaped))
  }

  /// Whether a scalar only says how the ones around it are drawn, which terminals do not agree on: the joiner
  /// of pictographs, and the choice between a picture and a sign.
  private static func joins(_ scalar: Unicode.Scalar, _ last: Glyph?) -> Bool {
    switch scalar.value {
    case 0x200D: last?.width == 2
    case 0xFE0E, 0xFE0F: true
    default: false
    }
  }

  /// The text cut down to a number of columns, with `…` in place of its end.
  package func shortened(to limit: Int) -> ScreenText {
    guard width > limit else { return self }
    guard limit > 0 else { return ScreenText([]) }
    return ScreenText(prefix(limit - 1) + [Self.ellipsis])
  }

  /// The same with the end kept, which of a path says most: its last component, if it fits.
  package func shortenedInMiddle(to limit: Int) -> ScreenText {
    guard width > limit else { return self }
    guard limit > 0 else { return ScreenText([]) }
    let room = limit - 1
    let component = glyphs.lastIndex { $0.text == "/" }.map { Self.width(of: glyphs[$0...]) } ?? 0
    let tail = suffix(component > 1 && component <= room ? max(component, room / 2) : room / 2)
    return ScreenText(prefix(room - Self.width(of: tail)) + [Self.ellipsis] + tail)
  }

  /// The last columns of a text, for a field in which somebody types.
  package func ending(in limit: Int) -> ScreenText {
    ScreenText(Array(suffix(limit)))
  }

  private static let ellipsis = Glyph(text: "…", width: 1)

  private static func width(of glyphs: ArraySlice<Glyph>) -> Int {
    glyphs.reduce(0) { $0 + $1.width }
  }

  private func prefix(_ room: Int) -> [Glyph] {
    var used = 0
    return Array(
      glyphs.prefix { glyph in
        used += glyph.width
        return used <= room
      })
  }

  private func suffix(_ room: Int) -> ArraySlice<Glyph> {
    var used = 0
    var start = glyphs.count
    while start > 0, used + glyphs[start - 1].width <= room {
      start -= 1
      used += glyphs[start].width
    }
    return glyphs[start...]
  }
}
