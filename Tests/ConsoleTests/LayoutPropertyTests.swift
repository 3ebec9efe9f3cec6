import TestSupport
import Testing

@testable import Console

@Suite("Properties of tables")
struct LayoutPropertyTests {
  @Test("Lines fit the terminal and columns begin in the same place", arguments: 1...60)
  func columnsAreStraight(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    // Wide enough for the column that is never shortened.
    let width = Int.random(in: 36...100, using: &random)
    // Each cell begins with a letter that only its column has, to find it in the line again.
    let letters = ["A", "B", "C"]
    let columns = [
      Column("Apath", alignment: .leading, shortening: .inMiddle, content: .path),
      Column("Bnote", alignment: .leading, shortening: .atEnd),
      Column("Ckind", alignment: .leading),
    ].map { column in
      var column = column
      column.title = column.name
      return column
    }
    let rows: [[Cell]] = (0..<40).map { _ in
      letters.map { .text(bytes: Array($0.utf8) + random.crookedText().prefix($0 == "C" ? 2 : 90)) }
    }
    let text = try printedText(
      rows, columns: columns, format: .table, terminal: Terminal(width: width))
    let lines = text.split(separator: "\n")
    #expect(lines.count == rows.count + 1, "seed \(seed)")
    var starts: Set<[Int?]> = []
    for line in lines {
      // The first column begins every line, even where `…` stands in place of its letter.
      #expect(DisplayWidth.of(line) <= width, "seed \(seed), width \(width): \(line)")
      starts.insert(
        letters.dropFirst().map { letter in
          line.unicodeScalars.firstIndex(of: Unicode.Scalar(letter) ?? " ").map {
            DisplayWidth.of(line[..<$0])
          }
        })
    }
    #expect(starts.count == 1, "seed \(seed), width \(width)")
    #expect(starts.first?.contains(nil) == false)
  }

  @Test(
    "However narrow the terminal, numbers are whole and lines fit where they can", arguments: 1...90
  )
  func linesFit(width: Int) throws {
    var random = SeededRandom(seed: UInt64(width))
    let columns = [
      Column("n1", alignment: .trailing), .path("path"), Column("n2", shortening: .atEnd),
      .text("text"), Column("n3", alignment: .trailing).whereItFits,
    ]
    var longest: [Int] = [2, 2, 2]
    // No digits but those of the numbers.
    let words = (0..<1_200).map { _ in
      let word = random.crookedText()
      let hasDigits = DisplayText(escaping: word).string.contains { $0.isASCII && $0.isNumber }
      return hasDigits ? Array("日本/e\u{301}tude".utf8) : word
    }
    let rows: [[Cell]] = words.enumerated().map { index, word in
      let numbers = (0..<3).map { _ in Int64.random(in: 0..<1 << 40, using: &random) >> 20 }
      for (place, number) in numbers.enumerated() {
        longest[place] = max(longest[place], "\(number)".count)
      }
      return [
        .integer(numbers[0]), .text(bytes: word), .integer(numbers[1]),
        .text(bytes: words[words.count - 1 - index]), .integer(numbers[2]),
      ]
    }
    let text = try printedText(
      rows, columns: columns, format: .table, terminal: Terminal(width: width))
    let lines = text.split(separator: "\n")
    #expect(lines.count == rows.count + 1)
    // What cannot be done without: two numbers, and a little of a path and of a text.
    let least = longest[0] + longest[1] + 8 + 8 + 3 * TableLayout.gap
    for (line, row) in zip(lines.dropFirst(), rows) {
      #expect(DisplayWidth.of(line) <= max(width, least), "seed and width \(width): \(line)")
      let digits = line.split { !$0.isASCII || !$0.isNumber }.map(String.init)
      let numbers = [row[0], row[2], row[4]].map { cell in
        if case .integer(let number) = cell { "\(number)" } else { "" }
      }
      // The column that need not be there is there as a whole, or not at all.
      #expect(
        digits == Array(numbers.prefix(2)) || digits == numbers, "seed and width \(width): \(line)")
    }
  }

  @Test("Optional columns go, from the right, before a path is shortened, which keeps its end")
  func optionalColumns() throws {
    let path = "/a/rather/long/path/to/a/file-with-a-name.txt"
    let columns: [Column] = [
      .path("path"), .number("size"), Column("date").whereItFits, Column("kind").whereItFits,
    ]
    for width in 10...90 {
      let text = try printedText(
        [[.text(path), .byteCount(1_572_864), "2026-01-31", "plain"]], columns: columns,
        format: .table, terminal: Terminal(width: width))
      let line = text.split(separator: "\n")[1]
      #expect(line.contains("1.5M"))
      #expect(line.contains("2026") || !line.contains("plain"))
      #expect(line.contains(path) || !line.contains("2026"), "\(width): \(line)")
      #expect(line.contains("txt"), "\(width): \(line)")
      // 45 columns of path, 4 of size, 10 of a date and 5 of a word, with two between them.
      #expect(line.contains(path) == (width >= 51))
      #expect(line.contains("2026") == (width >= 63))
      #expect(line.contains("plain") == (width >= 70))
    }
  }

  @Test("Columns that were there stay when a later number needs more room")
  func laterNumbers() throws {
    let columns: [Column] = [.path("path"), .number("n"), Column("kind").whereItFits]
    let name = String(repeating: "x", count: 20)
    let rows: [[Cell]] =
      Array(repeating: [.text(name), 1, "word"], count: 1_000)
      + [[.text(name), .integer(123_456_789), "word"]]
    let text = try printedText(
      rows, columns: columns, format: .table, terminal: Terminal(width: 30))
    let last = try #require(text.split(separator: "\n").last)
    #expect(last.hasSuffix("  123456789  word") && DisplayWidth.of(last) <= 30)
  }

  @Test("Sentences go on below in their column")
  func wrapping() throws {
    let columns: [Column] = [Column("name"), .prose("meaning")]
    let sentence = "one two three four five six seven eight nine ten eleven twelve"
    let rows: [[Cell]] = [["first", .text(sentence)], ["second", "short"]]
    let text = try printedText(
      rows, columns: columns, format: .table, terminal: Terminal(width: 40))
    #expect(
      text == """
        NAME    MEANING
        first   one two three four five six
                seven eight nine ten eleven
                twelve
        second  short

        """)
    let piped = try printedText(rows, columns: columns, format: .table)
    #expect(piped.contains("first   \(sentence)\n"))
  }

  @Test("Room is shared so that small columns keep their width, and only text gives way")
  func sharing() {
    typealias Demand = TableLayout.Demand
    func layout(_ demands: [Demand], _ available: Int?) -> [Int] {
      TableLayout(demands, available: available).widths
    }
    func number(_ width: Int) -> Demand { Demand(width: width) }
    func path(_ width: Int) -> Demand { Demand(width: width, shortening: .inMiddle) }
    func text(_ width: Int, number: Int = 0) -> Demand {
      Demand(width: width, number: number, shortening: .atEnd)
    }
    #expect(layout([number(5), path(50)], 80) == [5, 50])
    #expect(layout([number(5), path(50)], 40) == [5, 33])
    #expect(layout([number(5), path(50), path(60), path(9)], 60) == [5, 20, 20, 9])
    // Text gives way before paths do.
    #expect(layout([text(50), path(50)], 80) == [28, 50])
    #expect(layout([text(50), path(50)], 40) == [8, 30])
    // A number in a column of text is no text.
    #expect(layout([text(50, number: 20), path(50)], 40) == [20, 18])
    #expect(layout([number(30), path(50)], 32) == [30, 8])
    #expect(layout([number(9), number(9), number(9)], 5) == [9, 9, 9])
    #expect(layout([number(9)], 1) == [9])
    #expect(layout([path(50)], nil) == [50])
    #expect(layout([], 10) == [])
  }
}
