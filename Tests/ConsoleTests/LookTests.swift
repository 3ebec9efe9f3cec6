import Testing

@testable import Console

@Suite("Colours and links")
struct LookTests {
  private func parameters(
    _ variable: String?, _ item: FileColors.Item, _ name: String
  ) -> String? {
    FileColors(variable).emphasis(of: item, named: Array(name.utf8))?.parameters
  }

  @Test(
    "Files look as LS_COLORS says, what they are before how their names end",
    arguments: [
      ("di=01;34", .init(.directory), "d", "01;34"),
      ("di=38;5;33:*.tar=31", .init(.directory), "d.tar", "38;5;33"),
      ("*.tar=31", .init(.file, mode: 0o644), "a.tar", "31"),
      ("*.tar=31", .init(.file, mode: 0o644), "a.TAR", "31"),
      ("*.tar=31", .init(.file, mode: 0o755), "a.tar", "01;32"),
      ("*.tar=31:ex=", .init(.file, mode: 0o755), "a.tar", "31"),
      ("*.gz=31:*.tar.gz=32", .init(.file), "a.tar.gz", "32"),
      ("*.tar.gz=32:*.gz=31", .init(.file), "a.tar.gz", "31"),
      ("*README=4", .init(.file), "README", "4"),
      ("*~=2:fi=0", .init(.file), "a~", "2"),
      ("fi=33", .init(.file), "a", "33"),
      ("ln=35", .init(.symlink), "l", "35"),
      ("ln=35:or=31", .init(.symlink, isBroken: true), "l", "31"),
      ("ln=35", .init(.symlink, isBroken: true), "l", "35"),
      ("pi=33", .init(.fifo), "p", "33"), ("so=34", .init(.socket), "s", "34"),
      ("bd=35", .init(.blockDevice), "b", "35"), ("cd=36", .init(.characterDevice), "c", "36"),
      ("su=37;41", .init(.file, mode: 0o4755), "s", "37;41"),
      ("tw=1", .init(.directory, mode: 0o1777), "t", "1"),
      ("ow=2", .init(.directory, mode: 0o777), "t", "2"),
      ("ow=:di=3", .init(.directory, mode: 0o777), "t", "3"),
      ("mh=44", .init(.file, mode: 0o644, links: 2), "a", "44"),
    ] as [(String, FileColors.Item, String, String)])
  func colors(
    _ variable: String, _ item: FileColors.Item, _ name: String, _ expected: String
  ) {
    #expect(parameters(variable, item, name) == expected)
  }

  @Test("Without the variable files look as ls shows them, and a colour can be taken away")
  func standardColors() {
    for variable in [nil, "", "nonsense", "=", "::di", "*.tar"] as [String?] {
      #expect(parameters(variable, .init(.directory), "d") == "01;34")
      #expect(parameters(variable, .init(.symlink), "l") == "01;36")
      #expect(parameters(variable, .init(.file, mode: 0o644), "a.tar") == nil)
    }
    #expect(parameters("di=0", .init(.directory), "d") == nil)
    #expect(parameters("ln=target", .init(.symlink), "l") == nil)
  }

  @Test("Nothing but numbers comes from the variable to the terminal")
  func hostileVariable() {
    for value in ["31m\u{1b}[2J", "\u{1b}]0;x\u{7}", "31 ", "é", "31\n"] {
      #expect(parameters("di=\(value)", .init(.directory), "d") == "01;34")
      #expect(parameters("*.a=\(value)", .init(.file), "x.a") == nil)
    }
  }

  @Test("The environment decides about colour where the user does not")
  func policy() {
    func style(_ policy: ColorPolicy, _ control: Terminal.Control, _ variables: [String: String])
      -> Style
    {
      policy.style(on: control) { variables[$0] }
    }
    #expect(style(.auto, .none, ["CLICOLOR_FORCE": "1"]) == .ansi)
    #expect(style(.auto, .none, ["CLICOLOR_FORCE": "0"]) == .plain)
    #expect(style(.auto, .none, ["CLICOLOR_FORCE": ""]) == .plain)
    #expect(style(.auto, .ansi, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]) == .plain)
    #expect(style(.never, .ansi, ["CLICOLOR_FORCE": "1"]) == .plain)
    #expect(style(.always, .none, ["NO_COLOR": "1"]) == .ansi)
  }

  @Test("A link has every byte of the path in a form that no terminal obeys")
  func links() throws {
    let path = Array("/a b/é%".utf8) + [0xFF, 0x1B, 0x0A]
    let terminal = Terminal(width: 80, style: .ansi, links: .hyperlinks(host: "here"))
    for format in [RowFormat.paths, .table] {
      var printer = RowPrinter(
        columns: [.path("path")], format: format, sink: .memory, terminal: terminal)
      try printer.print(
        [.text(bytes: path)],
        look: RowLook(emphasis: Emphasis(parameters: "31"), target: path))
      try printer.finish()
      let text = printer.takeSink().text
      #expect(
        text.hasSuffix(
          "\u{1b}]8;;file://here/a%20b/%C3%A9%25%FF%1B%0A\u{1b}\\"
            + "\u{1b}[31m/a b/é%\u{FFFD}\\u{1b}\\n\u{1b}[0m\u{1b}]8;;\u{1b}\\\n"))
    }
  }

  @Test("What programs read has no looks", arguments: [RowFormat.json, .ndjson, .csv, .tsv])
  func machines(_ format: RowFormat) throws {
    let terminal = Terminal(width: nil, style: .ansi, links: .hyperlinks(host: "here"))
    var printer = RowPrinter(
      columns: [.path("path")], format: format, sink: .memory, terminal: terminal)
    let hasLooks = printer.hasLooks
    #expect(!hasLooks)
    try printer.print(["/x"], look: RowLook(emphasis: .blue, target: Array("/x".utf8)))
    try printer.finish()
    #expect(!printer.takeSink().bytes.contains(0x1B))
  }
}
