/// A ``TextPattern`` made ready to be compared with many names.
///
/// It is made to be called for each row of a large table: names are bytes, nothing is allocated
/// for a name of usual length, and one in ASCII is compared where it lies.
///
/// ```swift
/// let matcher = try TextMatcher(.substring("readme"), caseSensitivity: .insensitive)
/// matcher.matches("README.md")  // true
/// ```
package final class TextMatcher: Sendable {
  private enum Method {
    case substring(SubstringSearch)
    case exact(folded: [UInt8])
    case glob(Glob)
    case globs([Glob])
    case regex(RegularExpression)
  }

  private let method: Method
  private let caseSensitivity: CaseSensitivity
  /// What occurs in every text that matches.
  let required: RequiredText

  /// Prepares a pattern.
  ///
  /// - Parameter syntax: what a slash means to a glob.
  /// - Throws: ``PatternError`` if the pattern is malformed.
  package init(
    _ pattern: TextPattern, caseSensitivity: CaseSensitivity, syntax: Glob.Syntax = .name
  ) throws(PatternError) {
    self.caseSensitivity = caseSensitivity
    switch pattern.form {
    case .substring:
      method = .substring(SubstringSearch(pattern.bytes, caseSensitivity: caseSensitivity))
      required = RequiredText(substring: pattern.bytes, caseSensitivity)
    case .exact:
      let folded = caseSensitivity.comparable(pattern.bytes)
      method = .exact(folded: folded)
      required = RequiredText([[folded]])
    case .glob:
      // As a whole first: an error has its place in what was written.
      let glob = try Glob(pattern.text, syntax: syntax, caseSensitivity: caseSensitivity)
      let alternatives = try Glob.alternatives(in: pattern.text)
      var globs: [Glob] = []
      for text in alternatives.count > 1 ? alternatives : [] {
        globs.append(try Glob(text, syntax: syntax, caseSensitivity: caseSensitivity))
      }
      method = globs.isEmpty ? .glob(glob) : .globs(globs)
      required = RequiredText((globs.isEmpty ? [glob] : globs).map(\.requiredLiterals))
    case .regex:
      let text = caseSensitivity == .sensitive ? pattern.text : Composition.composed(pattern.text)
      let regex = try RegularExpression(text, caseSensitivity: caseSensitivity)
      method = .regex(regex)
      required = regex.required
    }
  }

  /// Whether a text in UTF-8 matches; it may hold bytes that are not UTF-8.
  package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    switch method {
    case .substring(let search): search.isFound(in: bytes)
    case .exact(let folded):
      switch caseSensitivity {
      case .sensitive: bytes.elementsEqual(folded)
      case .insensitive: CaseFolding.withFolded(bytes) { $0.elementsEqual(folded) }
      }
    case .glob(let glob): glob.matches(bytes)
    case .globs(let globs): globs.contains { $0.matches(bytes) }
    case .regex(let regex): regex.matches(bytes)
    }
  }

  /// Whether a text matches.
  package func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
  }
}
