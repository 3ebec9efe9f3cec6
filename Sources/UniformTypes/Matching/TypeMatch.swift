/// The answer of a `TypeMatcher` for one name.
public struct TypeMatch: Hashable, Sendable {
  /// Facts about an answer that a scanner acts on.
  public struct Flags: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Wraps bits.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// The directory is shown as one item.
    public static let isPackage = Flags(rawValue: 1)
    /// The extension is an ordinary word: the directory has the type only if it has the inside of
    /// one. `TypeRegistry.resolve(_:hasChild:)` gives the final type, a plain folder if not.
    public static let needsEvidence = Flags(rawValue: 2)
    /// The name does not settle the type: there is no extension, an unknown one, or one that
    /// several formats share. Reading the first bytes would tell more.
    public static let mayBeSniffed = Flags(rawValue: 4)
    /// Nothing in the name is declared: the type is that of any file, or dynamic. A layer below, if
    /// there is one, may know more.
    public static let isUndeclared = Flags(rawValue: 8)
  }

  /// The declared type, or `TypeIndex.none` when the extension is unknown and the type therefore
  /// dynamic.
  public let type: TypeIndex
  /// What the scanner should know besides.
  public let flags: Flags
  private let extensionStart: UInt32
  private let extensionCount: UInt32

  @inline(__always)
  init(_ type: TypeIndex, _ flags: Flags) {
    self.type = type
    self.flags = flags
    extensionStart = 0
    extensionCount = 0
  }

  @inline(__always)
  init(undeclared start: Int, count: Int) {
    type = .none
    flags = [.mayBeSniffed, .isUndeclared]
    extensionStart = UInt32(truncatingIfNeeded: start)
    extensionCount = UInt32(truncatingIfNeeded: count)
  }

  /// The bytes after the last dot of the name when they are an undeclared extension: what
  /// `TypeRegistry.dynamicType(forExtension:as:)` wants. `nil` for a declared type.
  public var extensionRange: Range<Int>? {
    guard extensionCount > 0 else { return nil }
    return Int(extensionStart)..<Int(extensionStart) + Int(extensionCount)
  }
}
