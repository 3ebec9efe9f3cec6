internal import FileSystem
internal import StandardDirectories

/// The words of the terms `role:`, `backup:` and `idiom:`.
///
/// They are a few fixed ones, so that a mistyped one is an error and not a query that finds nothing.
enum ContainerTerms {
  static func role(_ word: String) throws(CatalogError) -> Role {
    do {
      return try Role(named: word.lowercased())
    } catch {
      throw CatalogError(.invalidArgument, "\(error)")
    }
  }

  /// The policy, or yes and no for it.
  static func backup(_ word: String) throws(CatalogError) -> BackupPolicy {
    switch word.lowercased() {
    case "included", "yes": return .included
    case "excluded", "no": return .excluded
    default:
      throw CatalogError(
        .invalidArgument, "no backup policy is called “\(word)”: use included or excluded")
    }
  }

  static func idiom(_ word: String) throws(CatalogError) -> Idiom {
    guard let idiom = Idiom(named: word) else {
      let known = Idiom.allCases.map(\.rawValue).joined(separator: ", ")
      throw CatalogError(.invalidArgument, "no idiom is called “\(word)”: use one of \(known)")
    }
    return idiom
  }
}

extension QueryValues {
  /// A text that one of the functions above understands.
  func checked(
    _ value: QueryWord, _ check: (String) throws(CatalogError) -> some Any
  ) throws(QueryError) -> ExactString {
    let text = try literal(value)
    do throws(CatalogError) {
      _ = try check(text.text)
    } catch {
      let (message, expected) = error.description.parts
      throw self.error(message, value.range, expected)
    }
    return text
  }
}

extension String {
  /// What is wrong, and what to do about it.
  fileprivate var parts: (String, String) {
    guard let colon = firstRange(of: ": ") else { return (self, "another word") }
    return (String(self[..<colon.lowerBound]), String(self[colon.upperBound...]))
  }
}
