import TestSupport
import Testing

@testable import Console

@Suite("Properties of tables")
struct LayoutPropertyTests {
  @Test("Lines fit the terminal and columns begin in the same place", arguments: 1...60)
  func columnsAreStraight(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let width = Int.random(in: 24...100, using: &random)
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

  @Test("However narrow the terminal, no line is wider", arguments: 1...40)
  func linesFit(width: Int) throws {
    var random = SeededRandom(seed: UInt64(width))
    let columns = [Column("number"), .path("path"), Column("word"), .text("text")]
    let rows: [[Cell]] = (0..<1_200).map { _ in
      [
        .integer(Int64.random(in: 0..<1 << 40, using: &random) >> 20),
        .text(bytes: random.crookedText()), "word", .text(bytes: random.crookedText()),
      ]
    }
    let text = try printedText(
      rows, columns: columns, format: .table, terminal: Terminal(width: width))
    for line in text.split(separator: "\n") {
      #expect(DisplayWidth.of(line) <= width, "seed and width \(width): \(line)")
    }
  }

  @Test("Room is shared so that small columns keep their width")
  func sharing() {
    func widths(_ demands: [(Int, Bool)], _ available: Int) -> [Int] {
      TableLayout(
        demands.map { TableLayout.Demand(width: $0.0, isFlexible: $0.1) }, available: available
      ).widths
    }
    #expect(widths([(5, false), (50, true)], 80) == [5, 50])
    #expect(widths([(5, false), (50, true)], 40) == [5, 33])
    #expect(widths([(5, false), (50, true), (60, true), (9, true)], 60) == [5, 20, 20, 9])
    #expect(widths([(30, false), (50, true)], 32) == [15, 15])
    #expect(widths([(9, false), (9, false), (9, false)], 5) == [1, 2])
    #expect(widths([(9, false)], 1) == [1])
    #expect(widths([], 10) == [])
  }
}
