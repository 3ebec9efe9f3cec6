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
    let commands = FileCat.configuration.subcommands.compactMap { $0.configuration.commandName }
    guard !commands.contains(topic) else { return nil }
    let known = commands + [QueryTopic.name]
    let hint =
      Spelling.nearest(to: topic, in: known).map { Advice.didYouMean($0) }
      ?? "there is: \(known.joined(separator: ", "))"
    throw ValidationError("there is no help on “\(topic)”; \(hint)")
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
