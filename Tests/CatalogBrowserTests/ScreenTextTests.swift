import CatalogBrowser
import Testing

@Suite("Text as cells of a terminal")
struct ScreenTextTests {
  @Test(
    "what takes room has a cell, with its marks",
    arguments: [
      ("abc", ["a", "b", "c"], 3),
      ("e\u{301}a", ["e\u{301}", "a"], 2),
      ("写真", ["写", "真"], 4),
      ("\u{301}x", [" \u{301}", "x"], 2),
      // A joiner and a choice of presentation are where terminals disagree: the parts are shown.
      ("👨\u{200D}👩", ["👨", "👩"], 4),
      ("❤\u{FE0F}", ["❤"], 1),
      ("", [], 0),
      ("a\tb", ["a", "\\", "t", "b"], 4),
    ])
  func cells(text: String, cells: [String], width: Int) {
    let screen = ScreenText(text)
    #expect(screen.glyphs.map(\.text) == cells)
    #expect(screen.width == width)
  }

  @Test("bytes that are not UTF-8 are shown by their numbers, and what a terminal obeys is escaped")
  func names() {
    let text = ScreenText(name: [0x61, 0xFF, 0x1B, 0x62, 0xE5, 0x86])
    #expect(text.glyphs.map(\.text).joined() == "a\\xff\\u{1b}b\\xe5\\x86")
  }

  @Test(
    "text is cut down to a width, never wider, and characters stay whole",
    arguments: [
      ("abcdef", 4, "abc…"), ("abcd", 4, "abcd"), ("写真写真", 4, "写…"), ("写真", 1, "…"),
      ("abc", 0, ""),
    ])
  func shortened(text: String, limit: Int, result: String) {
    let cut = ScreenText(text).shortened(to: limit)
    #expect(cut.glyphs.map(\.text).joined() == result)
    #expect(cut.width <= limit)
  }

  @Test(
    "the last component of a path stays",
    arguments: [
      ("/a/long/way/to/name.txt", 14, "/a/l…/name.txt"), ("/usr", 10, "/usr"),
      ("/a/b/a-name-without-end", 10, "/a/b/…-end"),
    ])
  func shortenedInMiddle(text: String, limit: Int, result: String) {
    let cut = ScreenText(text).shortenedInMiddle(to: limit)
    #expect(cut.glyphs.map(\.text).joined() == result)
    #expect(cut.width <= limit)
  }
}

@Suite("A grid of cells")
struct GridTests {
  private func grid(_ rows: Int = 2, _ columns: Int = 6) -> Grid {
    Grid(ScreenSize(rows: rows, columns: columns))
  }

  @Test("text goes as far as there is room, and not over the edge")
  func edges() {
    var grid = grid()
    #expect(grid.put("abcdefgh", at: ScreenPoint(row: 0, column: 2)) == 6)
    grid.put("x", at: ScreenPoint(row: 5, column: 0))
    grid.put("写真", at: ScreenPoint(row: 1, column: 3))
    #expect(grid.lines == ["  abcd", "   写"])
  }

  @Test("a wide character of which a half is covered is gone")
  func halves() {
    var grid = grid()
    grid.put("写真写", at: ScreenPoint(row: 0, column: 0))
    grid.put("x", at: ScreenPoint(row: 0, column: 1))
    grid.put("y", at: ScreenPoint(row: 0, column: 2))
    #expect(grid.lines[0] == " xy 写")
    #expect(grid.row(0).map(\.text) == [" ", "x", "y", " ", "写", ""])
  }

  @Test("text that ends at a column ends there, and blanks cover what was there")
  func ends() {
    var grid = grid()
    grid.put("zzzzzz", at: ScreenPoint(row: 0, column: 0))
    grid.fill(row: 0, columns: 1..<9)
    grid.put("ab", row: 0, endingAt: 5)
    #expect(grid.lines[0] == "z  ab")
  }
}
