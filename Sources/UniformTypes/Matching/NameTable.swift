/// What the table knows about one extension: a type for files, one for directories, and flags.
struct ExtensionAnswer {
  static let noType = TypeIndex.none.rawValue

  var file: UInt16 = noType
  var directory: UInt16 = noType
  var flags: Flags = []

  struct Flags: OptionSet {
    let rawValue: UInt16
    /// The directory type is a package.
    static let isPackage = Flags(rawValue: 1)
    /// The directory type must be proven by structure.
    static let needsEvidence = Flags(rawValue: 2)
    /// Several file types share the extension.
    static let isShared = Flags(rawValue: 4)
    /// Some declared extension ends in a dot and this one: look at the component before.
    static let endsCompound = Flags(rawValue: 8)
  }
}

/// A slot for extensions of up to seven bytes, which are their own key: no hash to compare, no
/// bytes to follow, one cache line.
struct ShortSlot {
  /// The folded bytes from the last to the first below a leading 1; zero means empty.
  var key: UInt64
  var answer: ExtensionAnswer
}

/// A slot for longer extensions and for literal names.
struct LongSlot {
  /// `foldedHash` of the key; zero means empty.
  var hash: UInt64
  var offset: UInt32
  var count: UInt32
  var answer: ExtensionAnswer
}

/// A pattern and the type it stands for.
struct PatternSlot {
  var offset: UInt32
  var count: UInt16
  var type: UInt16
  /// A file with an execute bit takes the type only if the type is itself executable: `perl5.36`
  /// must not become a manual page.
  var suitsExecutables: Bool
}

/// The arrays a name table is made of, before they move to raw memory.
struct NameTableContent {
  /// What keys are hashed with, so that nobody can choose their slots.
  var seed: UInt64
  /// 2^n slots.
  var short: [ShortSlot]
  var long: [LongSlot]
  var literals: [LongSlot]
  var patterns: [PatternSlot]
  /// For each group of 64 patterns, which of them can match a name that begins with each byte, and
  /// which can match one that ends with each byte: 2 x 256 sets.
  var patternFilters: [UInt64]
  /// For each group of 64 patterns, those that want a dot in the name.
  var dottedPatterns: [UInt64]
  /// Folded bytes that long slots and patterns point to.
  var keyBytes: [UInt8]
  /// For each folded first byte, a bit for each length that some literal name has; then the same
  /// for each folded last byte. A name whose bit is missing in either is no literal name.
  var literalLengths: [UInt64]
  var fallbacks: [UInt16]
}

/// The tables of the scan-time lookup in memory of their own.
///
/// Arrays would be as correct; raw memory spares the hot path their bounds, retain counts and
/// exclusivity checks. Written once in `init`, only read afterwards, which is why the class may be
/// shared between threads.
final class NameTable: @unchecked Sendable {
  let seed: UInt64
  let short: UnsafePointer<ShortSlot>
  let shortShift: UInt64
  let shortMask: Int
  let long: UnsafePointer<LongSlot>
  let longMask: Int
  let literals: UnsafePointer<LongSlot>
  let literalMask: Int
  let patterns: UnsafePointer<PatternSlot>
  let patternFilters: UnsafePointer<UInt64>
  let dottedPatterns: UnsafePointer<UInt64>
  let patternGroupCount: Int
  let keyBytes: UnsafePointer<UInt8>
  let literalLengths: UnsafePointer<UInt64>
  let fallbacks: UnsafePointer<UInt16>

  init(_ content: NameTableContent) {
    seed = content.seed
    short = Self.copy(content.short)
    shortMask = content.short.count - 1
    shortShift = UInt64(64 - content.short.count.trailingZeroBitCount)
    long = Self.copy(content.long)
    longMask = content.long.count - 1
    literals = Self.copy(content.literals)
    literalMask = content.literals.count - 1
    patterns = Self.copy(content.patterns)
    patternFilters = Self.copy(content.patternFilters)
    dottedPatterns = Self.copy(content.dottedPatterns)
    patternGroupCount = content.dottedPatterns.count
    keyBytes = Self.copy(content.keyBytes)
    literalLengths = Self.copy(content.literalLengths)
    fallbacks = Self.copy(content.fallbacks)
  }

  deinit {
    short.deallocate()
    long.deallocate()
    literals.deallocate()
    patterns.deallocate()
    patternFilters.deallocate()
    dottedPatterns.deallocate()
    keyBytes.deallocate()
    literalLengths.deallocate()
    fallbacks.deallocate()
  }

  private static func copy<Element>(_ array: [Element]) -> UnsafePointer<Element> {
    let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: max(array.count, 1))
    _ = memory.initialize(from: array)
    guard let base = memory.baseAddress else {
      return UnsafePointer(UnsafeMutablePointer.allocate(capacity: 1))
    }
    return UnsafePointer(base)
  }

  /// The hash of a short key, of which a table takes the highest bits.
  @inline(__always)
  static func hash(short key: UInt64, seed: UInt64) -> UInt64 {
    let product = (key ^ seed).multipliedFullWidth(by: seed | 1)
    return (product.high ^ product.low) &* 0x9E37_79B9_7F4A_7C15
  }
}
