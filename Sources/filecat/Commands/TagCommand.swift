import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

/// The group of commands about tags.
struct TagCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tag", _superCommandName: FileCat.name,
    abstract: "Put tags on files, take them off, and list them.",
    discussion: """
      Tags are words that the files themselves keep, in the extended attribute user.xdg.tags, as desktops \
      do. “find tag:WORD” finds them at once. Where a file system keeps none, and for symbolic links, the \
      catalog alone has them, and rescans leave them there. Tags that other programs set are known \
      after a scan with --xattrs.

        filecat tag add draft report.odt
        filecat find tag:draft

      Exit status 3: some of the paths could not be tagged.
      """,
    subcommands: [TagAddCommand.self, TagRemoveCommand.self, TagListCommand.self])
}

struct TagAddCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Put a tag on files, behind those that they have.")

  @OptionGroup var catalog: CatalogOptions

  @Argument(help: "The tag: a word without a comma.")
  var tag: String

  @Argument(help: "The files or directories.", completion: .file())
  var paths: [PathArgument]

  func execute() async throws -> Outcome {
    let tag = try TagWord.tag(tag)
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    var tally = PathTally()
    for path in paths.map(\.path) {
      let tagging = try await tally.attempt { try await catalog.addTag(tag, to: path) }
      if let refusal = tagging?.refusal { Message.print(Advice.line(for: refusal, of: path)) }
    }
    return tally.outcome(.done)
  }
}

struct TagRemoveCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take a tag off files.")

  @OptionGroup var catalog: CatalogOptions

  @Argument(help: "The tag.")
  var tag: String

  @Argument(help: "The files or directories.", completion: .file())
  var paths: [PathArgument]

  func execute() async throws -> Outcome {
    let tag = try TagWord.tag(tag)
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    var tally = PathTally()
    var outcome = Outcome.nothing
    for path in paths.map(\.path) {
      let tagging = try await tally.attempt { try await catalog.removeTag(tag, from: path) }
      if tagging?.hasChanged == true { outcome = .done }
    }
    return tally.outcome(outcome)
  }
}

struct TagListCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List tagged entries with their tags.",
    discussion: """
      Without PATH all entries of the catalog that have tags, as far as it knows. With PATH those of them that \
      have tags, with what the files say now.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: "The files or directories.", completion: .file())
  var paths: [PathArgument] = []

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    var rows = RowList([.path("path"), .text("tags")])
    var tally = PathTally()
    if paths.isEmpty {
      for tagged in try await catalog.taggedEntries() {
        rows.append(Self.cells(tagged.entry.path, tagged.tags))
      }
    }
    for path in paths.map(\.path) {
      let tags = try await tally.attempt { try await catalog.tags(of: path) } ?? []
      if !tags.isEmpty { rows.append(Self.cells(path, tags)) }
    }
    return tally.outcome(try rows.print(list, output))
  }

  private static func cells(_ path: FilePath, _ tags: [Tag]) -> [Cell] {
    [.text(bytes: path.bytes), .list(tags.map { .text($0.name) })]
  }
}

/// The tag that somebody has typed.
private enum TagWord {
  static func tag(_ word: String) throws -> Tag {
    guard RawArguments.isText(word) else { throw ValidationError("a tag is text in UTF-8") }
    return try Tag(word)
  }
}

/// How it went with several paths, each for itself.
private struct PathTally {
  private var failure: (any Error)?
  private var hasSucceeded = false

  /// Does something with a path. What goes wrong is told, and does not keep the others from their turn.
  ///
  /// - Returns: `nil` where it went wrong.
  mutating func attempt<Answer>(
    _ body: () async throws -> Answer
  ) async throws -> Answer? {
    do {
      let answer = try await body()
      hasSucceeded = true
      return answer
    } catch let error where Self.isAboutPath(error) {
      Message.print(error)
      failure = failure ?? error
      return nil
    }
  }

  /// How a command ends that would have ended as `outcome` had nothing gone wrong.
  func outcome(_ outcome: Outcome) -> Outcome {
    guard let failure else { return outcome }
    return hasSucceeded ? .incomplete : Outcome(failure)
  }

  /// Whether it is of one path; what is of the catalog is in the way of all.
  private static func isAboutPath(_ error: any Error) -> Bool {
    error is FileError || (error as? CatalogError)?.code == .notInCatalog
  }
}
