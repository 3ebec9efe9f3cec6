import Console
import FileCatalog

/// What to tell somebody whose search may not have meant what it found.
struct FindHints {
  let outcome: Outcome
  let places: FindPlaces
  let options: FindOptions

  /// Prints a line for each word that nothing in the catalog can have, and, where nothing was found, for
  /// each that probably meant something else.
  func print(about request: TableRequest, in catalog: Catalog) async throws {
    try await UnknownWordHints.print(about: request, in: catalog)
    guard outcome == .nothing else { return }
    if let hint = places.hint() { Message.print("\(RawArguments.shown(hint))") }
    for word in ["or", "and", "not"] where isLooked(for: word) {
      Message.print("“\(word)” was looked for in names; the operator is \(word.uppercased())")
    }
    for word in literalWords where options.syntax == nil && Self.looksLikeRegex(word) {
      let shown = RawArguments.shown(word)
      let term = FindPrimary.quoted("regex:\(shown)")
      // A glob may look like an expression and be none.
      guard (try? Query(parsing: "regex:\(word)")) != nil else { continue }
      Message.print("“\(shown)” was looked for as it stands; as a regular expression: \(term)")
    }
    for text in options.extensions where try await isUnknown(text, in: catalog) {
      let joined = RawArguments.words.contains("-e\(text)")
      let hint = joined ? "; for what has no “e\(text)” in its name: !e\(text)" : ""
      Message.print("no name in the catalog has the extension “\(text)”\(hint)")
    }
  }

  private func isLooked(for word: String) -> Bool {
    let words = places.words.flatMap { $0.split(separator: " ") }
    return words.count > 1 && words.contains { $0 == word }
  }

  /// The words that are names, or parts of names, to the query language.
  private var literalWords: [String] {
    places.words.filter { !$0.contains(":") && !$0.contains(" ") && !$0.hasPrefix("(") }
  }

  /// Whether a word is rather a regular expression than a name or a glob.
  private static func looksLikeRegex(_ word: String) -> Bool {
    word.hasPrefix("^") || word.hasSuffix("$")
      || [".*", ".+", "\\.", "\\d", "\\w", "\\b", "[^", "]+", "]*", ")?"].contains {
        word.contains($0)
      }
  }

  private func isUnknown(_ text: String, in catalog: Catalog) async throws -> Bool {
    let text = text.hasPrefix(".") ? String(text.dropFirst()) : text
    return try await catalog.count(of: Query(.extensions([text]))) == 0
  }
}

/// What to tell somebody who names what nothing in the catalog can have.
enum UnknownWordHints {
  static func print(about request: TableRequest, in catalog: Catalog) async throws {
    for word in try await catalog.unknownWords(in: request) {
      Message.print("\(Advice.line(for: word))")
    }
  }
}
