/// What keys can ask for, outside of fields in which one types.
package enum BrowserCommand: Hashable, Sendable {
  case down, up, pageDown, pageUp, halfDown, halfUp, first, last
  case open, leave, showRoots
  case search
  case sort(SortKey)
  case directoriesFirst, hidden
  case apparentSize, bars, counts, dates, types, owners
  case details, changes
  case mark, unmarkAll, trash, openInProgram, shell, copyPath, rescan
  case help, redraw, quit
}

/// A command, with the keys that give it and the words that help says of it: all that there is to know of a
/// key is here.
package struct Binding: Sendable {
  /// Where help tells of it.
  package enum Group: String, CaseIterable, Sendable {
    case moving = "Moving"
    case looking = "Looking"
    case acting = "Acting"
  }

  package let command: BrowserCommand
  package let keys: [Key]
  package let words: String
  package let group: Group
  /// Whether it changes something on the disk or in the catalog.
  package let acts: Bool

  private init(
    _ command: BrowserCommand, _ keys: [Key], _ words: String, _ group: Group, acts: Bool = false
  ) {
    self.command = command
    self.keys = keys
    self.words = words
    self.group = group
    self.acts = acts
  }

  /// All of them, in the order in which help tells of them: the keys are those of ncdu, gdu and less.
  package static let all: [Binding] = [
    Binding(.down, [.down, .character("j")], "down", .moving),
    Binding(.up, [.up, .character("k")], "up", .moving),
    Binding(.pageDown, [.pageDown, .control("f")], "a page down", .moving),
    Binding(.pageUp, [.pageUp, .control("b")], "a page up", .moving),
    Binding(.halfDown, [.control("d")], "half a page down", .moving),
    Binding(.halfUp, [.control("u")], "half a page up", .moving),
    Binding(.first, [.home, .character("g")], "to the first row", .moving),
    Binding(.last, [.end, .character("G")], "to the last row", .moving),
    Binding(.open, [.right, .enter, .character("l")], "into a directory", .moving),
    Binding(
      .leave, [.left, .character("h"), .character("<"), .backspace], "out of it", .moving),
    Binding(.showRoots, [.character("~")], "all roots", .moving),
    Binding(.search, [.character("/")], "search the catalog", .looking),
    Binding(.sort(.size), [.character("s")], "by size", .looking),
    Binding(.sort(.name), [.character("n")], "by name", .looking),
    Binding(.sort(.files), [.character("C")], "by files in it", .looking),
    Binding(.sort(.modified), [.character("M")], "by date", .looking),
    Binding(.sort(.type), [.character("T")], "by type", .looking),
    Binding(.directoriesFirst, [.character("t")], "directories first", .looking),
    Binding(.hidden, [.character("e")], "hidden ones or not", .looking),
    Binding(.apparentSize, [.character("a")], "length or disk", .looking),
    Binding(.bars, [.character("B"), .character("%")], "bars", .looking),
    Binding(.counts, [.character("c")], "files in it", .looking),
    Binding(.dates, [.character("m")], "age, date", .looking),
    Binding(.types, [.character("K")], "type", .looking),
    Binding(.owners, [.character("w")], "owner", .looking),
    Binding(.details, [.character("i")], "all of one entry", .looking),
    Binding(.changes, [.character("S")], "changes since…", .looking),
    Binding(.mark, [.character(" ")], "mark", .acting),
    Binding(.unmarkAll, [.character("u")], "unmark all", .acting),
    Binding(.trash, [.character("d"), .delete], "to the trash", .acting, acts: true),
    Binding(
      .openInProgram, [.character("o")], "open it", .acting, acts: true),
    Binding(.shell, [.character("b"), .character("!")], "a shell here", .acting, acts: true),
    Binding(.copyPath, [.character("y")], "copy its path", .acting),
    Binding(.rescan, [.character("r")], "scan here again", .acting, acts: true),
    Binding(.help, [.character("?")], "help", .acting),
    Binding(.redraw, [.control("l")], "draw anew", .acting),
    Binding(.quit, [.character("q"), .character("Q")], "quit", .acting),
  ]

  /// What a key asks for.
  package static func of(_ key: Key) -> Binding? {
    all.first { $0.keys.contains(key) }
  }
}
