import Console
import TestSupport
import Testing

@Suite("Manual pages")
struct ManualPageTests {
  private let page = ManualPage(
    name: "filecat-query", abstract: "what it is about",
    sections: [
      ManualPage.Section(
        "First things",
        [
          .paragraph("A word, `a|b`, and a few more words that do not fit one line of forty."),
          .table(
            ["Written", "Means"], [["a|b", "One, or `two`."], [".x 'y' \\ and more", "é"]]),
        ]),
      ManualPage.Section(
        "Others", [.table(["A", "B", "C"], [["1", "22", "3"], ["44", "5", "6"]])]),
    ])

  @Test("text is broken into lines, and tables are in columns")
  func text() {
    #expect(
      page.text(width: 40) == """
        what it is about.

        FIRST THINGS
          A word, a|b, and a few more words that
          do not fit one line of forty.

          a|b
              One, or two.
          .x 'y' \\ and more
              é

        OTHERS
          A   B   C
          1   22  3
          44  5   6
        """)
    #expect(
      page.text(width: 60).contains(
        "  WRITTEN            MEANS\n  a|b                One, or two.\n"))
    // No width is too small.
    #expect(page.text(width: 1) == page.text(width: 40))
  }

  @Test("a bar in a table of Markdown is not the end of the cell")
  func markdown() {
    let lines = page.markdown(title: "Title").split(separator: "\n").map(String.init)
    #expect(lines.first == "# Title")
    #expect(lines.contains("What it is about."))
    #expect(lines.contains("| `a\\|b` | One, or `two`. |"))
    #expect(lines.contains("| --- | --- | --- |"))
  }

  @Test("nothing in the text is a request of roff, and nothing is beyond ASCII")
  func roff() {
    let lines = page.roff.split(separator: "\n").map(String.init)
    #expect(lines[0...1] == [".SH NAME", "filecat\\-query \\- what it is about"])
    #expect(lines.contains(".SH FIRST THINGS"))
    #expect(lines.contains { $0.hasPrefix("A word, \\fBa|b\\fR, and a few") })
    #expect(lines.contains("\\fB\\&.x \\(aqy\\(aq \\e and more\\fR"))
    #expect(lines.contains("\\[u00E9]"))
    #expect(page.roff.utf8.allSatisfy { $0 < 0x7f })
    let requests = lines.filter { $0.hasPrefix(".") }.compactMap { $0.split(separator: " ").first }
    #expect(Set(requests).isSubset(of: [".SH", ".TP", ".PP", ".nf", ".fi"]))
  }
}
