/// The order in which people expect names: `file2` before `file10`, `e` before `é` before `f`.
///
/// It is the same on every system and in every locale. Names are compared by their letters
/// without case and accents and by the values of their numbers, punctuation before digits before
/// letters; where that is equal, a number with fewer leading zeros and a letter without accent
/// come first.
///
/// ```swift
/// NaturalOrder.key(of: "file2") < NaturalOrder.key(of: "file10")  // compared as bytes
/// ```
///
/// Names that differ only in case, or in the composition of accents, have the same key; whoever
/// sorts ends such ties with the bytes of the names.
package enum NaturalOrder {
  /// The key of a name: keys compared byte by byte are in the order of the names.
  package static func key(of name: String) -> [UInt8] {
    var name = name
    return name.withUTF8 { key(of: UnsafeRawBufferPointer($0)) }
  }

  /// The key of a name in UTF-8, which may hold bytes that are not UTF-8.
  package static func key(of name: UnsafeRawBufferPointer) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(name.count + 8)
    appendKey(of: name, to: &key)
    return key
  }

  /// Appends the key of a name to a buffer.
  ///
  /// For a name in ASCII nothing is allocated, save what the buffer needs to grow.
  ///
  /// - Complexity: linear in the length of the name.
  package static func appendKey(of name: UnsafeRawBufferPointer, to key: inout [UInt8]) {
    NaturalWeights.ascii.withUnsafeBufferPointer { weights in
      if appendPlainKey(of: name, weights, to: &key) { return }
      var writer = NaturalKeyWriter()
      var index = 0
      while index < name.count {
        let byte = name[index]
        guard byte < 0x80 else {
          let (unit, length) = name.decodeUnit(at: index)
          writer.add(unit, to: &key)
          index += length
          continue
        }
        let weight = weights[Int(byte)]
        switch weight {
        case NaturalWeights.number:
          index = writer.addNumber(in: name, from: index, to: &key)
        case NaturalWeights.control:
          key.append(weight)
          key.append(byte + 1)
          writer.pendingDefaults += 1
          index += 1
        default:
          key.append(weight)
          writer.pendingDefaults += 1
          index += 1
        }
      }
      writer.finish(&key)
    }
  }

  /// Appends the key of a name that is ASCII without control characters and leading zeros, as most
  /// names are: there is a weight for each character and nothing else to say of it.
  ///
  /// - Returns: whether the name is of this kind; if not, nothing has been appended.
  private static func appendPlainKey(
    of name: UnsafeRawBufferPointer, _ weights: UnsafeBufferPointer<UInt8>, to key: inout [UInt8]
  ) -> Bool {
    // Names of files have 255 bytes at most, and a number takes two bytes besides its digits.
    guard name.count < 256 else { return false }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3 * name.count) { plain in
      var length = 0
      var index = 0
      while index < name.count {
        let byte = name[index]
        guard byte < 0x80 else { return false }
        let weight = weights[Int(byte)]
        plain[length] = weight
        length += 1
        index += 1
        switch weight {
        case NaturalWeights.control: return false
        case NaturalWeights.number:
          guard byte != UInt8(ascii: "0") else { return false }
          var digits: UInt8 = 1
          plain[length + 1] = byte
          while index < name.count, name[index] &- 0x30 < 10 {
            plain[length + 1 + Int(digits)] = name[index]
            digits += 1
            index += 1
          }
          guard digits < NaturalKeyWriter.firstLongCount else { return false }
          plain[length] = digits
          length += 1 + Int(digits)
        default: break
        }
      }
      key.append(contentsOf: UnsafeBufferPointer(rebasing: plain[..<length]))
      return true
    }
  }
}

/// Writes the key of one name.
///
/// A key is the weights of the characters, which never begin with the byte 0, and then, if there
/// are accents or leading zeros, a 0 and for each character what sets it apart from others of
/// the same weight. As the first part of a longer name goes on where that of a shorter one has
/// its 0, the second part counts only where the first parts are equal.
private struct NaturalKeyWriter {
  /// Ends what is said of a character in the second part.
  private static let end: UInt8 = 2
  private static let leadingZeros: UInt8 = 4
  private static let mark: UInt8 = 5
  /// Counts from here on are written in several bytes.
  static let firstLongCount: UInt8 = 0xF0

  /// The second part so far.
  private var details: [UInt8] = []
  /// Characters since of which there is nothing to say.
  var pendingDefaults = 0
  /// Whether a mark would belong to the last character of ``details``.
  private var lastHasDetails = false

  mutating func add(_ unit: DecodedUnit, to key: inout [UInt8]) {
    switch unit {
    case .invalid(let byte):
      key.append(NaturalWeights.invalid)
      key.append(byte)
      pendingDefaults += 1
    case .scalar(let scalar):
      if let parts = NaturalWeights.parts[scalar] {
        for part in parts.unicodeScalars { addSimple(part, to: &key) }
      } else {
        addSimple(CaseFolding.folded(scalar), to: &key)
      }
    }
  }

  private mutating func addSimple(_ scalar: Unicode.Scalar, to key: inout [UInt8]) {
    if scalar.isASCII {
      key.append(NaturalWeights.ascii[Int(scalar.value)])
      pendingDefaults += 1
      return
    }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: addMark(scalar)
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .spacingMark, .letterNumber, .decimalNumber:
      key.append(NaturalWeights.letter)
      Self.append(scalar, to: &key)
      pendingDefaults += 1
    default:
      key.append(NaturalWeights.symbol)
      Self.append(scalar, to: &key)
      pendingDefaults += 1
    }
  }

  /// Adds an accent to the character before it.
  private mutating func addMark(_ scalar: Unicode.Scalar) {
    if pendingDefaults > 0 {
      flushDefaults(pendingDefaults - 1)
    } else if lastHasDetails {
      // A second accent: what was said of the character goes on.
      details.removeLast()
    }
    details.append(Self.mark)
    Self.append(scalar, to: &details)
    endDetails()
  }

  /// Adds a run of digits: how many there are without leading zeros, then the digits. A longer
  /// number is larger, however long it is.
  mutating func addNumber(
    in name: UnsafeRawBufferPointer, from start: Int, to key: inout [UInt8]
  ) -> Int {
    var first = start
    while first < name.count, name[first] == UInt8(ascii: "0") { first += 1 }
    var end = first
    while end < name.count, name[end] &- 0x30 < 10 { end += 1 }
    key.append(NaturalWeights.number)
    Self.append(count: end - first, to: &key)
    for index in first..<end { key.append(name[index]) }

    // The only digit of the number nought is not a leading one.
    let zeros = first - start - (first == end ? 1 : 0)
    if zeros > 0 {
      flushDefaults(pendingDefaults)
      details.append(Self.leadingZeros)
      details.append(UInt8(min(zeros, 255)))
      endDetails()
    } else {
      pendingDefaults += 1
    }
    return end
  }

  mutating func finish(_ key: inout [UInt8]) {
    guard !details.isEmpty else { return }
    key.append(0)
    key.append(contentsOf: details)
  }

  private mutating func flushDefaults(_ count: Int) {
    for _ in 0..<count { details.append(Self.end) }
    pendingDefaults = 0
  }

  private mutating func endDetails() {
    details.append(Self.end)
    pendingDefaults = 0
    lastHasDetails = true
  }

  private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    bytes.append(UInt8(truncatingIfNeeded: scalar.value >> 16))
    bytes.append(UInt8(truncatingIfNeeded: scalar.value >> 8))
    bytes.append(UInt8(truncatingIfNeeded: scalar.value))
  }

  /// Writes a number so that a larger one comes later: small ones in one byte, others after a
  /// byte that tells how many follow.
  private static func append(count: Int, to bytes: inout [UInt8]) {
    guard count >= Int(firstLongCount) else {
      bytes.append(UInt8(count))
      return
    }
    let length = (Int.bitWidth - count.leadingZeroBitCount + 7) / 8
    bytes.append(firstLongCount + UInt8(length))
    for place in (0..<length).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: count >> (8 * place)))
    }
  }
}

/// The tables of ``NaturalOrder``.
enum NaturalWeights {
  /// Begins the weight of a control character.
  static let control: UInt8 = 0x02
  /// The weight of a space; those of ASCII punctuation follow.
  private static let space: UInt8 = 0x03
  /// Begins the weight of punctuation and symbols outside of ASCII.
  static let symbol: UInt8 = 0x30
  /// Begins the weight of a number.
  static let number: UInt8 = 0x40
  /// The weight of `a`; those of the other Latin letters follow.
  private static let letterA: UInt8 = 0x50
  /// Begins the weight of a letter of another script.
  static let letter: UInt8 = 0x70
  /// Begins the weight of a byte that is not UTF-8.
  static let invalid: UInt8 = 0xF0

  /// The weight of each ASCII character, or the byte that begins it.
  ///
  /// Punctuation is in the order of the Unicode collation algorithm.
  static let ascii: [UInt8] = {
    var weights = [UInt8](repeating: control, count: 128)
    for (index, byte) in #" _-,;:!?.'"()[]{}@*/\&#%`^+<=>|~$"#.utf8.enumerated() {
      weights[Int(byte)] = space + UInt8(index)
    }
    for digit in UInt8(ascii: "0")...UInt8(ascii: "9") { weights[Int(digit)] = number }
    for index in 0..<UInt8(26) {
      weights[Int(UInt8(ascii: "a") + index)] = letterA + index
      weights[Int(UInt8(ascii: "A") + index)] = letterA + index
    }
    return weights
  }()

  /// What letters are made of: a base letter without case and its marks.
  ///
  /// Letters with strokes and ligatures, which Unicode does not take apart, are taken for their
  /// base letters with the mark of a stroke, so that `ø` comes after `o` and `æ` after `ae`.
  static let parts: [Unicode.Scalar: String] = {
    let strokes: [Unicode.Scalar: String] = [
      "ß": "ss\u{338}", "ẞ": "ss\u{338}", "æ": "ae\u{338}", "Æ": "ae\u{338}",
      "œ": "oe\u{338}", "Œ": "oe\u{338}", "ø": "o\u{338}", "Ø": "o\u{338}", "đ": "d\u{338}",
      "Đ": "d\u{338}", "ð": "d\u{338}\u{338}", "Ð": "d\u{338}\u{338}", "ł": "l\u{338}",
      "Ł": "l\u{338}", "ħ": "h\u{338}", "Ħ": "h\u{338}", "ŧ": "t\u{338}", "Ŧ": "t\u{338}",
      "ı": "i\u{338}", "\u{A0}": " \u{338}",
    ]
    var parts = strokes
    for (scalar, pieces) in Composition.decompositions where pieces.count > 1 {
      parts[scalar] = pieces.map(CaseFolding.folded).reduce(into: "") { part, piece in
        // A base may itself be one that is taken for another, as in ǿ.
        part += strokes[piece] ?? String(piece)
      }
    }
    return parts
  }()
}
