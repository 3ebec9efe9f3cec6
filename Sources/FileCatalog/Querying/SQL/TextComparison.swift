internal import TextMatching

/// What a pattern is compared with, and by which pattern exactly.
struct TextComparison {
  enum Subject {
    case name, path, pathBelowRoot
  }

  let subject: Subject
  let pattern: TextPattern

  init(_ field: Filter.TextField, _ pattern: TextPattern) {
    let slash = UInt8(ascii: "/")
    let isAbsolute = pattern.bytes.first == slash
    switch field {
    case _ where pattern.form == .regex, .name where !pattern.bytes.contains(slash),
      .path where !isAbsolute:
      subject = field == .name ? .name : .pathBelowRoot
      self.pattern = pattern
    case .name where !isAbsolute:
      subject = .path
      self.pattern = pattern.fromAnyComponent
    default:
      subject = .path
      self.pattern = pattern.fromBeginning
    }
  }

  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidArgument`` for a pattern that is malformed.
  func matcher(_ caseSensitivity: CaseSensitivity) throws(CatalogError) -> TextMatcher {
    try pattern.matcher(caseSensitivity, syntax: subject == .name ? .name : .path)
  }
}

extension TextPattern {
  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidArgument`` for a pattern that is malformed.
  func matcher(
    _ caseSensitivity: CaseSensitivity, syntax: Glob.Syntax
  ) throws(CatalogError) -> TextMatcher {
    do throws(PatternError) {
      return try TextMatcher(self, caseSensitivity: caseSensitivity, syntax: syntax)
    } catch {
      throw CatalogError(
        .invalidArgument, "“\(text)”: \(error.message); expected \(error.expected)")
    }
  }

  /// The pattern for whole paths in which this one begins at the beginning.
  fileprivate var fromBeginning: TextPattern {
    form == .substring ? .glob(escaped + "**") : withoutTrailingSlash
  }

  /// The pattern for whole paths in which this one begins with a component.
  fileprivate var fromAnyComponent: TextPattern {
    switch form {
    case .substring: TextPattern(.substring, [UInt8(ascii: "/")] + bytes)
    case .exact: .glob("**/" + escaped)
    case .glob, .regex: .glob("**/" + withoutTrailingSlash.text)
    }
  }

  /// A glob that ends in a slash means directories, as in a shell; paths have no slash at their end.
  private var withoutTrailingSlash: TextPattern {
    guard form == .glob, text.count > 1, text.hasSuffix("/"), !text.hasSuffix("\\/") else {
      return self
    }
    return .glob(String(text.dropLast()))
  }

  private var escaped: String { EscapedText.text(of: bytes, escaping: ["*", "?", "[", "{"]) }
}
