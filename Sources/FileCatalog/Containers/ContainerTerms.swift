internal import FileSystem
internal import StandardDirectories

/// The words of the terms `role:`, `backup:` and `idiom:`.
///
/// They are a few fixed ones, so that a mistyped one is an error and not a query that finds nothing.
enum ContainerTerms {
  static func role(_ word: String) throws(CatalogError) -> Role {
    guard let role = Role(rawValue: word.lowercased()) else { throw unknown(word, of: .role) }
    return role
  }

  /// The policy, or yes and no for it.
  static func backup(_ word: String) throws(CatalogError) -> Role.Policy.Backup {
    switch word.lowercased() {
    case "yes": return .included
    case "no": return .excluded
    case let word:
      guard let policy = Role.Policy.Backup(rawValue: word) else {
        throw unknown(word, of: .backup)
      }
      return policy
    }
  }

  static func idiom(_ word: String) throws(CatalogError) -> Idiom {
    guard let idiom = Idiom(named: word) else { throw unknown(word, of: .idiom) }
    return idiom
  }

  /// The terms that this is about.
  enum Term: String {
    case role, backup, idiom

    /// The words to choose from.
    var words: [String] {
      switch self {
      case .role: Role.allCases.map(\.rawValue)
      case .backup: Role.Policy.Backup.allCases.map(\.rawValue)
      case .idiom: Idiom.allCases.map(\.rawValue)
      }
    }

    func check(_ word: String) throws(CatalogError) {
      switch self {
      case .role: _ = try ContainerTerms.role(word)
      case .backup: _ = try ContainerTerms.backup(word)
      case .idiom: _ = try ContainerTerms.idiom(word)
      }
    }
  }

  private static func unknown(_ word: String, of term: Term) -> CatalogError {
    CatalogError(
      .invalidArgument,
      "\(term.rawValue): has no “\(word)”; use one of \(term.words.joined(separator: ", "))")
  }
}

extension QueryValues {
  /// A word that a term knows.
  func word(
    _ value: QueryWord, of term: ContainerTerms.Term
  ) throws(QueryError) -> ExactString {
    let text = try literal(value)
    do throws(CatalogError) {
      try term.check(text.text)
    } catch {
      throw self.error(
        "\(term.rawValue): has no “\(text.text)”", value.range,
        term.words.joined(separator: ", "),
        suggestion: Spelling.nearest(to: text.text, in: term.words))
    }
    return text
  }
}
