extension TypeRegistry {
  /// Declared identifiers that resemble a text, the nearest first: what to offer when somebody asks
  /// for a type that is not there.
  ///
  /// An identifier that contains the text, or whose last component is near to it, comes before one
  /// that only takes a few edits as a whole. When none is near, the three nearest are given all the
  /// same; only empty text resembles nothing.
  ///
  /// - Complexity: edit distance against all identifiers; for messages, not for loops.
  public func identifiers(resembling text: String, limit: Int = 5) -> [String] {
    let wanted = Array(text.lowercased().utf8.prefix(128))
    guard !wanted.isEmpty else { return [] }
    var scored: [(score: Int, identifier: String)] = []
    for position in storage.types.indices {
      let identifier = storage.pool.string(storage.types[position].identifier)
      let whole = Array(identifier.utf8)
      let last = Array(whole[((whole.lastIndex(of: UInt8(ascii: ".")) ?? -1) + 1)...])
      var score = min(
        Self.editDistance(wanted, whole), Self.editDistance(wanted, last) + 1)
      if identifier.contains(text.lowercased()) { score = min(score, 1) }
      scored.append((score, identifier))
    }
    scored.sort {
      ($0.score, $0.identifier.utf8.count, $0.identifier)
        < ($1.score, $1.identifier.utf8.count, $1.identifier)
    }
    let near = scored.prefix { $0.score <= max(2, wanted.count / 3) }
    return (near.isEmpty ? scored.prefix(3) : near).prefix(limit).map(\.identifier)
  }

  /// The number of insertions, deletions and replacements between two byte strings (Levenshtein).
  private static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (leftIndex, leftByte) in left.enumerated() {
      var diagonal = row[0]
      row[0] = leftIndex + 1
      for (rightIndex, rightByte) in right.enumerated() {
        let replaced = diagonal + (leftByte == rightByte ? 0 : 1)
        diagonal = row[rightIndex + 1]
        row[rightIndex + 1] = min(replaced, diagonal + 1, row[rightIndex] + 1)
      }
    }
    return row[right.count]
  }
}
