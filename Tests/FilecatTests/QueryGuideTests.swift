import SystemPackage
import TestSupport
import Testing

/// The reference of the query language, read as Markdown, which the command prints.
private struct QueryReference {
  /// The rows of all tables, by the titles of the table.
  private var tables: [[String]: [[String]]] = [:]

  init(_ markdown: String) {
    var titles: [String]?
    for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("| ") else {
        titles = nil
        continue
      }
      let cells = Self.cells(of: line)
      if cells.allSatisfy({ $0 == "---" }) { continue }
      if let titles { tables[titles, default: []].append(cells) } else { titles = cells }
    }
  }

  private static func cells(of line: Substring) -> [String] {
    // A bar in a cell is escaped.
    line.dropFirst(2).dropLast(2).replacing("\\|", with: "\0")
      .split(separator: " | ").map { String($0).replacing("\0", with: "|") }
  }

  /// The rows below a title, which stands over the first column or over another.
  func rows(with title: String) -> [[String: String]] {
    tables.filter { $0.key.contains(title) }.flatMap { titles, rows in
      rows.map { Dictionary(zip(titles, $0)) { $1 } }
    }
  }

  /// What stands between backquotes.
  static func literals(_ cell: String?) -> [String] {
    (cell ?? "").split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }
}

@Suite("filecat help query")
struct QueryGuideTests {
  private func reference(_ sandbox: Sandbox) throws -> QueryReference {
    let run = try sandbox.run("help", "query", "--format", "markdown")
    #expect(run.status == 0 && run.errors.isEmpty)
    return QueryReference(run.text)
  }

  @Test("each query finds what the reference says, and not what it says it does not")
  func outcomes() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let rows = try reference(sandbox).rows(with: "Query")
    #expect(rows.count > 15)
    let names = rows.flatMap {
      QueryReference.literals($0["Finds"]) + QueryReference.literals($0["Does not find"])
    }
    for name in Set(names) { try sandbox.makeFile(name) }
    #expect(try sandbox.run("scan", "tree").status == 0)
    for row in rows {
      let query = try #require(QueryReference.literals(row["Query"]).first)
      let run = try sandbox.run("find", query, "--format", "paths")
      #expect(run.status == 0, "\(query): \(run.errors)")
      let found = Set(Rows.lines(run))
      for name in QueryReference.literals(row["Finds"]) {
        #expect(found.contains("\(sandbox.tree)/\(name)"), "\(query) finds \(name)")
      }
      for name in QueryReference.literals(row["Does not find"]) {
        #expect(!found.contains("\(sandbox.tree)/\(name)"), "\(query) does not find \(name)")
      }
    }
  }

  @Test("every example and every term of the reference parses")
  func examples() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeAwkwardTree()
    #expect(try sandbox.run("scan", "tree").status == 0)
    let reference = try reference(sandbox)
    let commands = reference.rows(with: "Command")
    #expect(commands.count > 10)
    let path = FilePath(Sandbox.executable).removingLastComponent().string
    for command in commands.compactMap({ QueryReference.literals($0["Command"]).first }) {
      let run = try sandbox.run(
        program: "bash", ["-c", command], environment: ["PATH": "\(path):/usr/bin:/bin"])
      #expect([0, 1].contains(run.status) && run.errors.isEmpty, "\(command): \(run.errors)")
    }
    let terms = reference.rows(with: "Term").flatMap { QueryReference.literals($0["Examples"]) }
    #expect(terms.count > 30)
    for term in terms {
      let run = try sandbox.run("find", "-c", term)
      #expect(!run.errors.contains("does not parse"), "\(term): \(run.errors)")
    }
  }

  @Test("the page of the documentation is what the command prints")
  func documentation() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let root = FilePath(#filePath).removingLastComponent().appending("../..")
    let page = try TemporaryDirectory(at: root).text(of: "Documentation/query.md")
    let run = try sandbox.run("help", "query", "--format", "markdown")
    #expect(
      run.text == page, "filecat help query --format markdown > Documentation/query.md makes it")
  }

  @Test("the text fits a terminal, and has all sections")
  func text() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let run = try sandbox.run("help", "query")
    #expect(run.status == 0 && run.errors.isEmpty)
    for line in Rows.lines(run) { #expect(line.count <= 80, "\(line)") }
    for title in ["QUERIES", "WORDS", "TERMS", "VALUES", "EXAMPLES"] {
      #expect(Rows.lines(run).contains(title))
    }
    #expect(!run.text.contains("`"))
  }
}

@Suite("Help and version")
struct HelpTests {
  /// The subcommands, as the help lists them.
  private func subcommands(of command: [String], _ sandbox: Sandbox) throws -> [[String]] {
    let lines = Rows.lines(try sandbox.run(["help"] + command))
    let list = lines.drop { $0 != "SUBCOMMANDS:" }.dropFirst().prefix { !$0.isEmpty }
    return list.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.compactMap {
      $0.split(separator: " ").first.map { command + [String($0)] }
    }
  }

  @Test("every subcommand knows --help, --version and filecat help")
  func everywhere() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let commands = try subcommands(of: [], sandbox)
    let all = try commands + commands.flatMap { try subcommands(of: $0, sandbox) }
    #expect(all.count > 30)
    for command in all {
      let version = try sandbox.run(command + ["--version"])
      #expect(version.text == "filecat 0.2.0\n" && version.status == 0, "\(command)")
      let help = try sandbox.run(command + ["--help"])
      #expect(help.status == 0 && help.text.contains("USAGE: filecat \(command[0])"), "\(command)")
      #expect(try sandbox.run(["help"] + command).text == help.text, "\(command)")
    }
    #expect(try sandbox.run("--version").text == "filecat 0.2.0\n")
    #expect(try sandbox.run("--catalog", "x", "--version").text == "filecat 0.2.0\n")
  }

  @Test("help on what there is not is wrong usage", arguments: ["quere", "nonsense"])
  func unknownTopic(_ topic: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let run = try sandbox.run("help", topic)
    #expect(run.status == 64 && run.output.isEmpty && run.errorLines.count == 1)
    #expect(run.errors.contains("query"))
  }
}
