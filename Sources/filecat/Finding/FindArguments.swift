import ArgumentParser
import FileCatalog

/// The words after `find`, as fingers type them that know fd and find(1).
///
/// The parser of arguments takes a word with one dash for short options if one of its letters is one, and
/// knows nothing of commands that go on to a `;`. So options are put into the one form that it cannot
/// misread, `--option=value`, and everything else gets through to the query.
struct FindArguments {
  private var rest: ArraySlice<String>
  private var words: [String] = []
  /// Options of find(1) that were met, and what to write instead.
  private var foreign: [FindPrimary] = []

  /// The words of a command line whose subcommand is `find`, in that form; others as they are.
  ///
  /// - Throws: `ValidationError` for options that only find(1) has.
  static func normalized(
    _ words: [String], subcommand: String
  ) throws(ValidationError) -> [String] {
    let find =
      words.first == "--catalog" ? 2 : words.first?.hasPrefix("--catalog=") == true ? 1 : 0
    guard words.indices.contains(find), words[find] == subcommand else { return words }
    var arguments = FindArguments(rest: words[(find + 1)...])
    arguments.read()
    guard arguments.foreign.isEmpty else { throw FindPrimary.complaint(about: arguments.foreign) }
    return words[...find] + arguments.words
  }

  private mutating func read() {
    while let word = rest.popFirst() {
      if word == "--" {
        words += [word] + rest.map(Self.hidden)
        rest = []
      } else if word.hasPrefix("--") {
        readLong(word)
      } else if word.hasPrefix("-"), word.count > 1 {
        readShort(word)
      } else {
        words.append(word)
      }
    }
  }

  // MARK: - Long options

  /// What other names of an option stand for.
  private static let synonyms = [
    "--maxdepth": "--max-depth", "--literal": "--fixed-strings", "--print0": "--null",
    "--max-results": "--limit", "--search-path": "--in",
    "--change-newer-than": "--changed-within", "--newer": "--changed-within",
    "--changed-after": "--changed-within", "--change-older-than": "--changed-before",
    "--older": "--changed-before", "--has-results": "--quiet",
  ]

  /// The options that have a value.
  private static let valued: Set<String> = [
    "--catalog", "--in", "--sort", "--columns", "--limit", "--offset", "--after", "--format",
    "--save", "--unsave", "--extension", "--type", "--size", "--max-depth", "--min-depth",
    "--exact-depth", "--owner", "--exclude", "--changed-within", "--changed-before", "--color",
  ]

  /// What a catalog does anyway: it has everything that was scanned.
  private static let needless: Set<String> = [
    "--hidden", "--no-ignore", "--no-ignore-vcs", "--no-ignore-parent", "--unrestricted",
  ]

  private mutating func readLong(_ word: String) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = Self.synonyms[String(parts[0])] ?? String(parts[0])
    var value = parts.count > 1 ? String(parts[1]) : nil
    switch name {
    case "--exec", "--exec-batch": readCommand(name, beginning: value.map { [$0] } ?? [])
    case "--and": if let word = value ?? rest.popFirst() { words.append(Self.hidden(word)) }
    case "--threads": if value == nil { rest = rest.dropFirst() }
    case _ where Self.needless.contains(name): break
    default:
      if value == nil, Self.valued.contains(name) { value = rest.popFirst() }
      if let value { add(name, value) } else { words.append(name) }
    }
  }

  /// Adds an option with a value. The parser takes an empty one behind `=` for none at all.
  private mutating func add(_ option: String, _ value: String) {
    words += value.isEmpty ? [option, value] : ["\(option)=\(value)"]
  }

  // MARK: - Short options

  private static let flags: [Character: String] = [
    "c": "--count", "0": "--null", "g": "--glob", "F": "--fixed-strings", "s": "--case-sensitive",
    "i": "--ignore-case", "p": "--full-path", "a": "--absolute-path", "l": "--list-details",
    "1": "--limit=1", "h": "--help", "q": "--quiet", "L": "--follow",
    "H": "--hidden", "I": "--no-ignore", "u": "--unrestricted",
  ]

  private static let valuedFlags: [Character: String] = [
    "e": "--extension", "t": "--type", "S": "--size", "d": "--max-depth", "o": "--owner",
    "E": "--exclude", "j": "--threads", "x": "--exec", "X": "--exec-batch",
  ]

  private mutating func readShort(_ word: String) {
    // Between options of find(1) these two are its operators.
    let isOperator = !foreign.isEmpty && (word == "-o" || word == "-a")
    let word = isOperator ? (word == "-o" ? "-or" : "-and") : word
    if let primary = FindPrimary(word, &rest) {
      foreign.append(primary)
    } else if !Self.isNegatedTerm(word), let cluster = Cluster(word) {
      for flag in cluster.flags where !Self.needless.contains(flag) { words.append(flag) }
      guard let option = cluster.valued else { return }
      readLong(cluster.value.map { "\(option)=\($0)" } ?? option)
    } else {
      // A negated term, or one that the query refuses.
      words.append(Self.hidden(word))
    }
  }

  private static func isNegatedTerm(_ word: String) -> Bool {
    let key = word.dropFirst().prefix { $0 != ":" }
    return key.count < word.count - 1 && QueryTerm.isKey(String(key))
  }

  /// A word of short options, of which the last may have a value.
  private struct Cluster {
    var flags: [String] = []
    var valued: String?
    var value: String?

    /// - Returns: `nil` for a word that is none: it is part of the query, or a mistake.
    init?(_ word: String) {
      var letters = word.dropFirst()
      while let letter = letters.popFirst() {
        if let option = FindArguments.valuedFlags[letter] {
          valued = option
          if letters.first == "=" { letters = letters.dropFirst() }
          guard !letters.isEmpty else { return }
          value = String(letters)
          guard Self.suits(letters, letter) else { return nil }
          return
        }
        guard let flag = FindArguments.flags[letter], letter == "u" || !flags.contains(flag) else {
          return nil
        }
        flags.append(flag)
      }
    }

    /// Whether letters right behind an option can be its value, and not the rest of a word: `-type:f` is a
    /// term, and `-xattr` should run nothing.
    private static func suits(_ value: Substring, _ option: Character) -> Bool {
      switch option {
      case "t": FoundType(argument: String(value)) != nil
      case "d", "j": value.allSatisfy(\.isNumber)
      case "S": value.first.map { "+-".contains($0) || $0.isNumber } ?? false
      case "x", "X": false
      case "o": true
      default: !value.hasPrefix(":")
      }
    }
  }

  // MARK: - Commands to run

  /// Takes the words up to a `;`, or to the end. Of several commands each ends with one.
  private mutating func readCommand(_ option: String, beginning: [String]) {
    var command = beginning
    while let word = rest.popFirst(), word != ";" { command.append(word) }
    guard !command.isEmpty else {
      words.append(option)
      return
    }
    for word in command + [";"] { add(option, word) }
  }

  /// A word with a dash that the parser must not see.
  private static func hidden(_ word: String) -> String {
    guard word.hasPrefix("-") else { return word }
    return String(Character(RawArguments.standIn(for: UInt8(ascii: "-")))) + word.dropFirst()
  }
}
