import ArgumentParser
import CPlatform
import Console
import FileCatalog

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The command. Each subcommand, or group of them, has a file in `Commands`; none has logic of its own.
@main
struct FileCat: AsyncParsableCommand {
  static let name = "filecat"

  static let configuration = CommandConfiguration(
    commandName: name,
    abstract: "A catalog of file metadata: scan once, then list, find, sum and query.",
    discussion: """
      The catalog is one SQLite file: --catalog FILE, else $FILECAT_CATALOG, else \
      filecat/catalog.sqlite in the user's data directory.

      Exit status: 0 done · 1 nothing matched · 3 done, but incomplete · \
      4 failed, the catalog is as it was before · 64 wrong usage · 130 interrupted.

      The query language: filecat help query. Settings: filecat config --help.
      """,
    version: version,
    subcommands: [
      ScanCommand.self, RootsCommand.self, ForgetCommand.self, LsCommand.self, FindCommand.self,
      TagCommand.self, ShowCommand.self, BrowseCommand.self, DuCommand.self, ReportCommand.self,
      DuplicatesCommand.self,
      ChangesCommand.self, HistoryCommand.self, WatchCommand.self, SQLCommand.self,
      ViewCommand.self,
      CheckCommand.self, BackupCommand.self, ExportCommand.self, PublishCommand.self,
      ImportCommand.self, FleetCommand.self,
      TypesCommand.self, ContainersCommand.self, LookupCommand.self, SchemaCommand.self,
      ServeCommand.self, ConfigCommand.self,
    ])

  private static let version = "\(name) \(Release.version)"
  /// The program as the files that it writes name it.
  static let creator = "\(name) version \(Release.version)"

  // Declared here so that it may stand before the name of the subcommand, too.
  @OptionGroup var catalog: CatalogOptions

  static func main() {
    cplatform_occupy_standard_descriptors()
    StandardStream.reportClosedPipes()
    let words = RawArguments.words
    // Asked by scripts before anything else; building the whole command for it takes twice as long.
    if words == ["--version"] { end(saying: version) }
    if ContentProcess.run(words) { end(with: .done) }
    do {
      try ProcessNeeds.check()
      try MainThread.shared.run { await run(words) }
    } catch {
      Message.print(error)
      end(with: .failed)
    }
  }

  private static func run(_ words: [String]) async {
    do {
      let words = ValuelessOptions.completed(
        in: try FindArguments.normalized(
          words, subcommand: FindCommand.configuration.commandName ?? ""))
      if var topic = try HelpTopics.command(for: words) {
        try topic.run()
      }
      if var command = parseSubcommand(words) {
        try await command.run()
        return
      }
      try CommandNames.check(words)
      var command = try parseAsRoot(words)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error as ValidationError {
      Message.print(error)
      end(with: .usage)
    } catch {
      end(after: error)
    }
  }

  /// The subcommand that the first word names, by itself: on the way from the root the parser reflects
  /// on all that it meets, which takes longer than listing a directory.
  ///
  /// - Returns: `nil` for whatever is not plainly that: options before the name, help, mistakes.
  private static func parseSubcommand(_ words: [String]) -> (any Command)? {
    let named = configuration.subcommands.first { $0.configuration.commandName == words.first }
    return try? named?.parseAsRoot(Array(words.dropFirst())) as? any Command
  }

  /// Ends the process: help goes to standard output, a mistake becomes one line on standard error.
  private static func end(after error: any Error) -> Never {
    let code = exitCode(for: error)
    if error is ExitCode { exit(withError: error) }
    if code == .success { end(saying: CompletionScript.completed(fullMessage(for: error))) }
    let line = message(for: error).split(separator: "\n")
      .map { $0.drop { $0 == " " } }.joined(separator: " ")
    Message.print("\(RawArguments.shown(line)); see: filecat --help")
    exit(withError: code)
  }

  /// Ends the process with what it was asked for on standard output.
  private static func end(saying text: String) -> Never {
    do throws(OutputError) {
      // Words of the program alone: help, or a script of completions.
      try StandardStream.output.write(document: Array("\(text)\n".utf8))
    } catch .readerGone {
      // As in `filecat --help | head`.
    } catch {
      Message.print(error)
      end(with: .failed)
    }
    end(with: .done)
  }

  /// Ends the process here: the parser's own way reflects on the command once more.
  private static func end(with outcome: Outcome) -> Never {
    #if canImport(Darwin)
      Darwin.exit(outcome.rawValue)
    #else
      Glibc.exit(outcome.rawValue)
    #endif
  }
}

/// What is printed for people goes through ``StandardStream``, which lets nothing through that a
/// terminal would obey. This keeps the function of the standard library out of reach.
@available(*, unavailable, message: "use StandardStream, Message or RowPrinter")
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {}
