/// Finds what was meant by a misspelt word.
package enum Spelling {
  /// The number of insertions, deletions, replacements and swaps of neighbours that make one
  /// word of the other (optimal string alignment).
  ///
  /// - Complexity: the product of both lengths.
  package static func distance(_ first: String, _ second: String) -> Int {
    let a = Array(first.unicodeScalars)
    let b = Array(second.unicodeScalars)
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var beforePrevious: [Int] = []
    var previous = Array(0...b.count)
    for i in 1...a.count {
      var row = [i]
      row.reserveCapacity(b.count + 1)
      for j in 1...b.count {
        var best = min(
          previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          best = min(best, beforePrevious[j - 2] + 1)
        }
        row.append(best)
      }
      beforePrevious = previous
      previous = row
    }
    return previous[b.count]
  }

  /// The known word nearest to a misspelt one, or `nil` if none is near enough to be meant.
  ///
  /// Letter case does not count. About one slip in three letters is allowed; a word that is the
  /// beginning of a known one counts as near. Of several the first in `words` wins.
  package static func nearest(to word: String, in words: some Sequence<String>) -> String? {
    let longest = 32
    guard !word.isEmpty, word.unicodeScalars.count <= longest else { return nil }
    let word = word.lowercased()
    let allowed = max(1, (word.unicodeScalars.count + 1) / 3)
    var best: (word: String, distance: Int)?
    for candidate in words {
      let known = candidate.lowercased()
      let isPrefix = word.unicodeScalars.count >= 2 && known.hasPrefix(word)
      let found = isPrefix ? 1 : distance(word, known)
      // Every letter replaced is no misspelling but another word.
      guard found <= allowed, found < max(word.unicodeScalars.count, 2) else { continue }
      if best.map({ found < $0.distance }) ?? true { best = (candidate, found) }
    }
    return best?.word
  }
}
