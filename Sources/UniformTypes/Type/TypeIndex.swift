/// The position of a type in one registry.
///
/// Dense, from zero, and meaningful only for the registry (or a copy of it) that produced it: it
/// must never be stored. Store the identifier, or the `TypeID` of a catalog.
public struct TypeIndex: RawRepresentable, Hashable, Sendable, Comparable {
  /// The position, or `UInt16.max` for `none`.
  public let rawValue: UInt16

  /// Wraps a position.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  init(_ position: Int) {
    rawValue = UInt16(position)
  }

  /// No declared type: the type is dynamic.
  public static let none = TypeIndex(rawValue: .max)

  /// The position as an array index.
  public var position: Int { Int(rawValue) }

  /// Orders by position.
  public static func < (left: TypeIndex, right: TypeIndex) -> Bool {
    left.rawValue < right.rawValue
  }
}
