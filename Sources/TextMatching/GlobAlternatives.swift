extension Glob {
  /// How many globs one with braces may stand for.
  package static let alternativeLimit = 256

  /// The globs without braces that one with braces stands for, as shells have it: `*.{jpg,png}` stands for
  /// `*.jpg` and `*.png`. Braces without a comma between them are characters like others, and so is
  /// what a backslash or a set protects.
  ///
  /// ```swift
  /// try Glob.alternatives(in: "{a,b{1,2}}.txt")  // ["a.txt", "b1.txt", "b2.txt"]
  /// ```
  ///
  /// - Throws: ``PatternError`` if they are more than ``alternativeLimit``.
  /// - Complexity: linear in the length of the pattern and of what it stands for.
  package static func alternatives(in pattern: String) throws(PatternError) -> [String] {
    guard pattern.utf8.contains(UInt8(ascii: "{")) else { return [pattern] }
    let scalars = Array(pattern.unicodeScalars)
    guard let results = BraceExpansion(scalars).results else {
      throw PatternError(
        "the braces stand for too many patterns", at: 0..<pattern.utf8.count,
        expected: "at most \(alternativeLimit)")
    }
    return results.map { String(String.UnicodeScalarView($0)) }
  }
}

/// Takes the braces out of a pattern.
private struct BraceExpansion {
  private typealias Text = ArraySlice<Unicode.Scalar>

  /// What the pattern stands for; `nil` if that is too much.
  private(set) var results: [[Unicode.Scalar]]?

  init(_ scalars: [Unicode.Scalar]) {
    results = [[]]
    expand(scalars[...], closings: Self.closings(in: scalars))
  }

  /// Appends each alternative of a text to each result.
  private mutating func expand(_ text: Text, closings: [Int: [Int]]) {
    var index = text.startIndex
    while index < text.endIndex {
      guard let marks = closings[index] else {
        append([[text[index]]])
        index += 1
        continue
      }
      var alternatives: [[Unicode.Scalar]] = []
      for (start, end) in zip([index] + marks, marks) {
        var inner = BraceExpansion([])
        inner.expand(text[start + 1..<end], closings: closings)
        guard let found = inner.results else {
          results = nil
          return
        }
        alternatives += found
      }
      append(alternatives)
      index = (marks.last ?? index) + 1
    }
  }

  private mutating func append(_ endings: [[Unicode.Scalar]]) {
    guard let results, results.count * endings.count <= Glob.alternativeLimit else {
      results = nil
      return
    }
    if endings.count == 1 {
      for index in results.indices { self.results?[index] += endings[0] }
    } else {
      self.results = results.flatMap { start in endings.map { start + $0 } }
    }
  }

  /// Where the commas and the closing brace of each opening brace stand that has both.
  private static func closings(in scalars: [Unicode.Scalar]) -> [Int: [Int]] {
    var found: [Int: [Int]] = [:]
    var open: [(start: Int, commas: [Int])] = []
    var index = 0
    while index < scalars.count {
      switch scalars[index] {
      case "\\": index = endOfEscape(scalars, index)
      case "[": index = endOfSet(scalars, index)
      case "{": open.append((index, []))
      case ",": if !open.isEmpty { open[open.count - 1].commas.append(index) }
      case "}":
        if let (start, commas) = open.popLast(), !commas.isEmpty { found[start] = commas + [index] }
      default: break
      }
      index += 1
    }
    return found
  }

  /// The last scalar of an escape, which may have braces of its own: `\u{1b}`.
  private static func endOfEscape(_ scalars: [Unicode.Scalar], _ start: Int) -> Int {
    guard start + 2 < scalars.count, scalars[start + 1] == "u" || scalars[start + 1] == "x",
      scalars[start + 2] == "{", let end = scalars[start...].firstIndex(of: "}")
    else { return start + 1 }
    return end
  }

  /// The closing bracket of a set, or its opening one if there is none.
  private static func endOfSet(_ scalars: [Unicode.Scalar], _ start: Int) -> Int {
    var index = start + 1
    if index < scalars.count, scalars[index] == "!" || scalars[index] == "^" { index += 1 }
    let first = index
    while index < scalars.count {
      if scalars[index] == "]", index > first { return index }
      index = scalars[index] == "\\" ? endOfEscape(scalars, index) + 1 : index + 1
    }
    return start
  }
}
