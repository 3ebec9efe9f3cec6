import ArgumentParser
import Console
import FileCatalog

/// What `filecat help` tells of beside subcommands.
enum HelpTopics {
  /// The command that prints the topic which the words of the command line ask for.
  ///
  /// - Returns: `nil` for the help of a subcommand, and for everything else.
  /// - Throws: `ValidationError` for help on what there is not.
  static func command(for words: [String]) throws -> (any ParsableCommand)? {
    guard words.count > 1, words[0] == "help", !words[1].hasPrefix("-") else { return nil }
    let topic = words[1]
    if topic == QueryTopic.name { return try QueryTopic.parseAsRoot(Array(words.dropFirst(2))) }
    guard !CommandNames.known.contains(topic) else { return nil }
    let hint = CommandNames.hint(for: topic, in: CommandNames.known + [QueryTopic.name])
    throw ValidationError("there is no help on “\(topic)”; \(hint)")
  }
}

/// The names of subcommands, and what others call them.
enum CommandNames {
  static let known = FileCat.configuration.subcommands.compactMap { $0.configuration.commandName }

  /// What programs are called that do such things, or their commands.
  private static let elsewhere = [
    "locate": "find", "plocate": "find", "fd": "find", "search": "find", "grep": "find",
    "stat": "show", "info": "show", "cat": "show", "tree": "du", "ncdu": "du", "gdu": "du",
    "usage": "report", "stats": "report", "add": "scan", "index": "scan", "update": "scan",
    "updatedb": "scan", "rescan": "scan", "list": "ls", "dir": "ls", "ll": "ls", "diff": "changes",
    "log": "changes", "remove": "forget", "rm": "forget", "drop": "forget", "query": "sql",
    "sqlite3": "sql", "dupes": "duplicates", "fsck": "check", "repair": "check", "verify": "check",
    "dump": "export", "copy": "backup", "vacuum": "backup", "settings": "config",
  ]

  /// Refuses a first word that is no subcommand.
  static func check(_ words: [String]) throws {
    guard let word = words.first, !word.hasPrefix("-"), word != "help", !known.contains(word)
    else { return }
    throw ValidationError("there is no command “\(word)”; \(hint(for: word, in: known))")
  }

  /// What was probably meant by a name that there is not.
  static func hint(for word: String, in names: [String]) -> String {
    (elsewhere[word] ?? Spelling.nearest(to: word, in: names)).map { Advice.didYouMean($0) }
      ?? "there is: \(names.joined(separator: ", "))"
  }
}

/// The topic `filecat help query`.
private struct QueryTopic: ParsableCommand {
  static let name = "query"
  static let configuration = CommandConfiguration(
    commandName: name, _superCommandName: "\(FileCat.name) help",
    abstract: "Show the query language, with examples.")

  /// What the text is made for, as typed.
  enum Form: String, CaseIterable, ExpressibleByArgument {
    case text, markdown, man
  }

  @Option(help: "What to print: text for a terminal, Markdown, or a manual page for roff.")
  var format = Form.text

  /// Lines beyond this are hard to read.
  private static let widestLine = 100

  func run() throws {
    let page = QueryGuide.page
    let text =
      switch format {
      case .text: page.text(width: min(StandardStream.output.terminal.width ?? 80, Self.widestLine))
      case .markdown: page.markdown(title: QueryGuide.title)
      case .man: page.roff
      }
    throw CleanExit.message(text)
  }
}
