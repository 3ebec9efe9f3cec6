/// The number of a type in a catalog: small, stable, never reused.
///
/// Built-in types own 1…9999; their numbers are fixed in the table of the library, which is only
/// ever appended to. A catalog hands out numbers from 10000 for types of the system, of the user
/// and for dynamic ones, keyed by identifier.
public struct TypeID: RawRepresentable, Hashable, Sendable, Comparable {
  /// The number itself.
  public let rawValue: Int32

  /// Wraps a number as it was read from a catalog.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The numbers reserved for built-in types.
  public static let builtInRange: ClosedRange<Int32> = 1...9999

  /// The first number a catalog may assign itself.
  public static let firstAssigned = TypeID(rawValue: 10000)

  /// Whether the number belongs to a type of the built-in table.
  public var isBuiltIn: Bool { Self.builtInRange.contains(rawValue) }

  /// Orders by number, which for built-in types is the order of their invention.
  public static func < (left: TypeID, right: TypeID) -> Bool {
    left.rawValue < right.rawValue
  }
}
