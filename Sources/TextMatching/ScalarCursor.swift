/// A place in a text that is read scalar by scalar, and where that place is in UTF-8.
///
/// The parsers of globs, regular expressions and queries all read with it.
package struct ScalarCursor {
  private let scalars: [Unicode.Scalar]
  /// The UTF-8 offset of each scalar, and the length of the text.
  private let offsets: [Int]

  /// The number of scalars that have been read.
  package var index = 0

  /// A cursor at the start of a text.
  ///
  /// - Complexity: linear in the length of the text.
  package init(_ text: String) {
    var scalars: [Unicode.Scalar] = []
    var offsets: [Int] = []
    scalars.reserveCapacity(text.utf8.count)
    offsets.reserveCapacity(text.utf8.count + 1)
    var offset = 0
    for scalar in text.unicodeScalars {
      scalars.append(scalar)
      offsets.append(offset)
      offset += UTF8.width(scalar)
    }
    offsets.append(offset)
    self.scalars = scalars
    self.offsets = offsets
  }

  /// Whether everything has been read.
  package var isAtEnd: Bool { index >= scalars.count }

  /// The scalar at the cursor or a distance from it; `nil` outside of the text.
  package func peek(_ distance: Int = 0) -> Unicode.Scalar? {
    scalars.indices.contains(index + distance) ? scalars[index + distance] : nil
  }

  /// Reads the scalar at the cursor.
  package mutating func next() -> Unicode.Scalar? {
    guard let scalar = peek() else { return nil }
    index += 1
    return scalar
  }

  /// Reads a scalar if it is the one at the cursor, and returns whether it was.
  package mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek() == scalar else { return false }
    index += 1
    return true
  }

  /// The UTF-8 offset of the cursor.
  package var offset: Int { offsets[min(index, scalars.count)] }

  /// The UTF-8 offsets of what has been read since an index; of one scalar at least, where there
  /// is one.
  package func range(from start: Int) -> Range<Int> {
    let end = min(max(index, start + 1), scalars.count)
    return offsets[min(start, end)]..<offsets[end]
  }
}

extension ScalarCursor {
  /// An error about what has been read since an index.
  func error(_ message: String, from start: Int, expected: String) -> PatternError {
    PatternError(message, at: range(from: start), expected: expected)
  }
}
