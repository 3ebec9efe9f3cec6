/// Whether upper and lower case letters are told apart.
public enum CaseSensitivity: Hashable, Sendable {
  /// Letters that differ only in case are equal, by Unicode simple case folding, and so are those that
  /// differ only in how they are encoded: é as one scalar, and e with an accent behind it.
  case insensitive
  /// Every byte must be equal.
  case sensitive
}

extension CaseSensitivity {
  /// The form in which texts in UTF-8 are compared: folded and composed if case does not count.
  package func comparable(_ text: [UInt8]) -> [UInt8] {
    text.withUnsafeBytes { comparable($0) }
  }

  /// The form in which texts in UTF-8 are compared: folded and composed if case does not count.
  package func comparable(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    switch self {
    case .sensitive: Array(text)
    case .insensitive: CaseFolding.withFolded(text) { Array($0) }
    }
  }
}

/// Unicode simple case folding of scalars and of bytes.
///
/// Simple folding maps one scalar to one scalar and does not depend on a language. The dotless ı
/// and the dotted İ, which fold differently in Turkish, are left alone. A few scalars that
/// Unicode folds upwards (Cherokee) are folded downwards here; which scalars are equal when
/// folded is the same.
package enum CaseFolding {
  /// The folded form of a scalar: `a` for `A`, `σ` for `ς`, `k` for the Kelvin sign.
  package static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar.isASCII {
      let byte = UInt8(truncatingIfNeeded: scalar.value)
      return Unicode.Scalar(folded(ascii: byte))
    }
    return table.folded(scalar)
  }

  /// The folded form of an ASCII byte; other bytes are unchanged.
  @inline(__always)
  static func folded(ascii byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  /// Calls a closure with the folded and composed form of a text in UTF-8, which may be shorter or
  /// longer. It is the same for all texts that differ in case or in how a letter with marks is encoded.
  ///
  /// The buffer lies on the stack for texts of usual length, so nothing is allocated.
  @inlinable @inline(__always)
  package static func withFolded<Result>(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    // No scalar grows by more than half: two bytes become three at most.
    let capacity = bytes.count + bytes.count / 2 + 4
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
      let count = fold(bytes, into: buffer)
      return body(UnsafeRawBufferPointer(start: buffer.baseAddress, count: count))
    }
  }

  /// Writes the folded form of a text and returns its length.
  @usableFromInline
  static func fold(
    _ bytes: UnsafeRawBufferPointer, into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    if bytes.isASCII {
      for index in 0..<bytes.count {
        buffer.initializeElement(at: index, to: folded(ascii: bytes[index]))
      }
      return bytes.count
    }
    let table = Self.table
    var index = 0
    var end = 0
    var isComposed = true
    while index < bytes.count {
      let (unit, length) = bytes.decodeUnit(at: index)
      index += length
      switch unit {
      case .invalid(let byte):
        buffer.initializeElement(at: end, to: byte)
        end += 1
      case .scalar(let scalar) where scalar.isASCII:
        buffer.initializeElement(
          at: end, to: folded(ascii: UInt8(truncatingIfNeeded: scalar.value)))
        end += 1
      case .scalar(let scalar):
        if isComposed, Composition.concerns(scalar) { isComposed = false }
        for byte in UTF8.encode(table.folded(scalar)) ?? UTF8.encodedReplacementCharacter {
          buffer.initializeElement(at: end, to: byte)
          end += 1
        }
      }
    }
    if isComposed { return end }
    let composed = Composition.composed(
      UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[..<end])))
    // Marks in another order take more bytes now and then, and never as many as there is room for.
    guard composed.count <= buffer.count else { return end }
    for (index, byte) in composed.enumerated() { buffer.initializeElement(at: index, to: byte) }
    return composed.count
  }

  /// The scalars of a range that fold to something else, and what they fold to, in order of the
  /// former.
  static func pairs(
    from range: ClosedRange<UInt32>
  ) -> some Sequence<(from: Unicode.Scalar, to: Unicode.Scalar)> {
    let pairs = table.pairs
    var low = 0
    var high = pairs.count
    while low < high {
      let middle = (low + high) / 2
      if pairs[middle].from.value < range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return pairs[low...].prefix { $0.from.value <= range.upperBound }
  }

  private static let table = FoldingTable()
}

/// What scalars fold to, computed once from the properties in the standard library, whose
/// mappings are strings and too slow for every name.
private struct FoldingTable {
  /// For each block of 256 scalars the place of its entries, or 0 if all fold to themselves.
  private var blocks = [UInt16](repeating: 0, count: 0x1100)
  private var entries = [UInt32](repeating: 0, count: 256)
  private(set) var pairs: [(from: Unicode.Scalar, to: Unicode.Scalar)] = []

  /// Blocks of 256 scalars outside of which nothing has case.
  private static let casedBlocks: [ClosedRange<UInt32>] = [
    0x00...0x05, 0x10...0x10, 0x13...0x13, 0x1C...0x1F, 0x21...0x21, 0x24...0x24, 0x2C...0x2D,
    0xA6...0xA7, 0xAB...0xAB, 0xFF...0xFF, 0x104...0x105, 0x10C...0x10D, 0x118...0x118,
    0x16E...0x16E, 0x1E9...0x1E9,
  ]

  init() {
    for block in Self.casedBlocks.joined() {
      var folded: [UInt32] = []
      for value in block << 8..<(block + 1) << 8 {
        guard let scalar = Unicode.Scalar(value) else {
          folded.append(value)
          continue
        }
        let result = Self.compute(scalar)
        folded.append(result.value)
        if result != scalar { pairs.append((scalar, result)) }
      }
      blocks[Int(block)] = UInt16(entries.count / 256)
      entries += folded
    }
  }

  @inline(__always)
  func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    let block = Int(blocks[Int(scalar.value >> 8)])
    if block == 0 { return scalar }
    return Unicode.Scalar(entries[block << 8 | Int(scalar.value & 0xFF)]) ?? scalar
  }

  private static func compute(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar == "\u{131}" || scalar == "\u{130}" { return scalar }
    let upper = single(scalar.properties.uppercaseMapping) ?? scalar
    return single(upper.properties.lowercaseMapping) ?? upper
  }

  private static func single(_ mapping: String) -> Unicode.Scalar? {
    let scalars = mapping.unicodeScalars
    return scalars.count == 1 ? scalars.first : nil
  }
}
