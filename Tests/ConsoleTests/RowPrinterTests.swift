import TestTraits
import Testing

@testable import Console

@Suite("Rows in every format")
struct RowPrinterTests {
  @Test("A table is aligned, and shows sizes and dates as people read them")
  func table() throws {
    let text = try printedText(Sample.rows, columns: Sample.columns, format: .table)
    #expect(
      text == """
        SIZE  MODIFIED          LINKS  PATH
        1.5M  2026-11-21 14:05      1  /usr/bin/vim
                                   12  /données/日本語.txt
           7  1969-12-31 23:59      3  /a\\nb\u{FFFD}

        """)
  }

  @Test("A narrow terminal shortens paths and leaves numbers alone")
  func narrowTable() throws {
    let text = try printedText(
      Sample.rows, columns: Sample.columns, format: .table, terminal: Terminal(width: 42))
    #expect(
      text == """
        SIZE  MODIFIED          LINKS  PATH
        1.5M  2026-11-21 14:05      1  /usr/…n/vim
                                   12  /donné….txt
           7  1969-12-31 23:59      3  /a\\nb\u{FFFD}

        """)
  }

  @Test("On a terminal with colour the header is bold and the path has the emphasis of its row")
  func colors() throws {
    var printer = RowPrinter(
      columns: [.number("n"), .path("path")], format: .table, sink: .memory,
      terminal: Terminal(width: 80, style: .ansi))
    try printer.print([1, "/x"], look: RowLook(emphasis: .blue))
    try printer.finish()
    #expect(
      printer.sink.text == "\u{1b}[1mN\u{1b}[0m  \u{1b}[1mPATH\u{1b}[0m\n1  \u{1b}[34m/x\u{1b}[0m\n"
    )
  }

  @Test("JSON is one array with an object a line, and raw bytes of a path in Base64")
  func json() throws {
    let text = try printedText(Sample.rows, columns: Sample.columns, format: .json)
    #expect(
      text == """
        [
        {"size":1572864,"modified":1795269900,"links":1,"path":"/usr/bin/vim"},
        {"size":null,"modified":null,"links":12,"path":"/données/日本語.txt"},
        {"size":7,"modified":-1,"links":3,"path":"/a\\nb\u{FFFD}","path_base64":"L2EKYv8="}
        ]

        """)
  }

  @Test("JSON lines are objects and nothing else", .feature("P-41"))
  func ndjson() throws {
    let text = try printedText(
      [
        [.list(["a", 1]), .boolean(true), .real(.infinity), .duration(nanoseconds: 1_250_000_000)]
      ],
      columns: [Column("a"), Column("b"), Column("c"), Column("d")], format: .ndjson)
    #expect(text == "{\"a\":[\"a\",1],\"b\":true,\"c\":null,\"d\":1.25}\n")
  }

  @Test("Columns of the same name get keys of their own in JSON")
  func equalNames() throws {
    let text = try printedText(
      [[1, 2, 3]], columns: [Column("a"), Column("a"), Column("a_2")], format: .ndjson)
    #expect(text == "{\"a\":1,\"a_2\":2,\"a_2_2\":3}\n")
  }

  @Test("CSV quotes what has to be quoted, and tells empty text from null")
  func csv() throws {
    let text = try printedText(
      [["a,b", "say \"x\""], ["", .null], ["l\nm", .integer(-5)]],
      columns: [Column("one"), Column("two")], format: .csv)
    #expect(text == "one,two\n\"a,b\",\"say \"\"x\"\"\"\n\"\",\n\"l\nm\",-5\n")
  }

  @Test("For a spreadsheet text that it would run gets an apostrophe, and numbers are left alone")
  func spreadsheet() throws {
    let texts = ["=1+2", "+x", "-x", "@x", "\tx", "\rx", "a=b", "'=x", " =x", ""]
    let text = try printedText(
      [texts.map { Cell.text($0) } + [.integer(-5), .real(-0.5), .list(["=1", "a"])]],
      columns: texts.map { Column($0) } + [Column("i"), Column("r"), Column("l")], format: .csv,
      options: RowPrinter.Options(formulas: .guarded))
    let cells = "'=1+2,'+x,'-x,'@x,'\tx,\"'\rx\",a=b,'=x, =x,\"\""
    #expect(text == "\(cells),i,r,l\n\(cells),-5,-0.5,\"'=1,a\"\n")
    for format in RowFormat.allCases where format != .csv {
      let row: [[Cell]] = [["=1", .text("\tx")]]
      let columns = [Column("a"), Column("b")]
      #expect(
        try printed(
          row, columns: columns, format: format, options: RowPrinter.Options(formulas: .guarded))
          == printed(row, columns: columns, format: format))
    }
  }

  @Test("A line between the rows has raw paths in a pipe, and no control characters on a terminal")
  func lines() throws {
    let path: [UInt8] = [0x2F, 0x0A, 0xFF]
    for (terminal, expected) in [
      (Terminal.absent, Array("+ ".utf8) + path),
      (Terminal(width: 9), Array("+ /\\n\u{FFFD}".utf8)),
    ] {
      var printer = RowPrinter(
        columns: [], format: .table, sink: .memory, terminal: terminal)
      try printer.printLine(.text("+ "), .path(path))
      #expect(printer.sink.bytes == expected + [0x0A])
    }
  }

  @Test("TSV escapes tabs, line ends and backslashes")
  func tsv() throws {
    let text = try printedText(
      [["a\tb", "c\\n\n"]], columns: [Column("one"), Column("two")], format: .tsv)
    #expect(text == "one\ttwo\na\\tb\tc\\\\n\\n\n")
  }

  @Test("Paths are raw bytes, except that a terminal gets no control characters")
  func paths() throws {
    let raw: [UInt8] = [0x2F, 0x0A, 0xFF]
    let rows: [[Cell]] = [[1, .text(bytes: raw)]]
    let columns: [Column] = [.number("n"), .path("path")]
    #expect(try printed(rows, columns: columns, format: .paths) == raw + [0x0A])
    #expect(
      try printedText(rows, columns: columns, format: .paths, terminal: Terminal(width: 80))
        == "/\\n\u{FFFD}\n")
    let null = RowPrinter.Options(pathEnding: .null)
    for terminal in [Terminal.absent, Terminal(width: 80, style: .ansi)] {
      #expect(
        try printed(rows, columns: columns, format: .paths, terminal: terminal, options: null)
          == raw + [0])
    }
  }

  @Test(
    "Without rows the output is empty, but still a document in its format",
    arguments: [
      (RowFormat.table, ""), (.paths, ""), (.json, "[]\n"), (.ndjson, ""), (.csv, "a\n"),
      (.tsv, "a\n"),
    ])
  func noRows(format: RowFormat, expected: String) throws {
    #expect(try printedText([], columns: [Column("a")], format: format) == expected)
  }

  @Test("Cells that are missing are null, and those without a column are left out")
  func raggedRows() throws {
    let text = try printedText(
      [[1], [1, 2, 3]], columns: [Column("a"), Column("b")], format: .ndjson)
    #expect(text == "{\"a\":1,\"b\":null}\n{\"a\":1,\"b\":2}\n")
  }

  @Test("A raw path can be printed in every format")
  func rawPath() throws {
    for (format, expected) in [
      (RowFormat.paths, "/x\n"), (.ndjson, "{\"n\":null,\"path\":\"/x\"}\n"),
    ] {
      var printer = RowPrinter(
        columns: [.number("n"), .path("path")], format: format, sink: .memory,
        terminal: .absent)
      try "/x".utf8.withContiguousStorageIfAvailable { try printer.printPath(.init($0)) }
      try printer.finish()
      #expect(printer.sink.text == expected)
    }
  }

  @Test("A flush shows the rows of a table that were held back")
  func flushSettles() throws {
    var printer = RowPrinter(
      columns: [.number("n")], format: .table, sink: .memory, terminal: .absent)
    try printer.print([1])
    #expect(printer.sink.text == "")
    try printer.flush()
    #expect(printer.sink.text == "N\n1\n")
    try printer.print([1000])
    try printer.finish()
    #expect(printer.sink.text == "N\n1\n1000\n")
  }

  @Test("A later number that is wider moves the columns and is not cut; a later path is cut")
  func laterRows() throws {
    var printer = RowPrinter(
      columns: [.number("n"), .path("path"), Column("k")], format: .table, sink: .memory,
      terminal: Terminal(width: 16))
    try printer.print([1, "/usr", "a"])
    try printer.flush()
    try printer.print([2, "/usr/bin/vim", "b"])
    try printer.print([12345, "/usr", "c"])
    try printer.finish()
    #expect(
      printer.sink.text == """
        N  PATH  K
        1  /usr  a
        2  /u…m  b
        12345  /usr  c

        """)
  }

  @Test("On a terminal CSV and TSV show control characters as escapes")
  func delimitedOnTerminal() throws {
    for (format, expected) in [
      (RowFormat.csv, "a\nx\\u{1b}[31m\n"), (.tsv, "a\nx\\u{1b}[31m\n"),
    ] {
      let text = try printedText(
        [["x\u{1b}[31m"]], columns: [Column("a")], format: format, terminal: Terminal(width: 80))
      #expect(text == expected)
    }
  }

  @Test("A table holds back a thousand rows and no more")
  func heldRows() throws {
    var printer = RowPrinter(
      columns: [.number("n")], format: .table, sink: .memory, terminal: .absent)
    for _ in 0..<999 { try printer.print([1]) }
    #expect(printer.sink.bytes.isEmpty)
    try printer.print([1])
    #expect(printer.sink.bytes.count == 2 * 1001)
  }
}
