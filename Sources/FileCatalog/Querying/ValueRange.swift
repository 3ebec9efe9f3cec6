/// A range of numbers, sizes or ages whose ends may be open, included or excluded.
///
/// ```swift
/// Filter.size(.moreThan(.mebibytes(10)))
/// Filter.depth(.init(1...3))
/// ```
public struct ValueRange<Value: Comparable & Hashable & Sendable>: Hashable, Sendable {
  /// One end of a range.
  public enum Bound: Hashable, Sendable {
    /// The range does not end on this side.
    case unbounded
    /// The range ends with this value.
    case inclusive(Value)
    /// The range ends just before this value.
    case exclusive(Value)
  }

  /// The end towards smaller values.
  public var lower: Bound
  /// The end towards larger values.
  public var upper: Bound

  /// Makes a range from its ends.
  public init(lower: Bound = .unbounded, upper: Bound = .unbounded) {
    self.lower = lower
    self.upper = upper
  }

  /// Makes a range that includes both ends.
  public init(_ range: ClosedRange<Value>) {
    self.init(lower: .inclusive(range.lowerBound), upper: .inclusive(range.upperBound))
  }

  /// Makes a range that excludes its upper end.
  public init(_ range: Range<Value>) {
    self.init(lower: .inclusive(range.lowerBound), upper: .exclusive(range.upperBound))
  }

  /// Exactly this value.
  public static func exactly(_ value: Value) -> Self {
    Self(lower: .inclusive(value), upper: .inclusive(value))
  }

  /// This value and everything above it.
  public static func atLeast(_ value: Value) -> Self { Self(lower: .inclusive(value)) }

  /// Everything above this value.
  public static func moreThan(_ value: Value) -> Self { Self(lower: .exclusive(value)) }

  /// This value and everything below it.
  public static func atMost(_ value: Value) -> Self { Self(upper: .inclusive(value)) }

  /// Everything below this value.
  public static func lessThan(_ value: Value) -> Self { Self(upper: .exclusive(value)) }
}

extension ValueRange {
  /// Whether the range has no end on either side.
  public var isUnbounded: Bool { lower == .unbounded && upper == .unbounded }

  /// Whether the ends are the wrong way round, so that no value can be inside.
  ///
  /// The gap between neighbouring integers is not seen: `>1..<2` counts as not empty.
  public var isEmpty: Bool {
    switch (lower, upper) {
    case (.unbounded, _), (_, .unbounded): false
    case (.inclusive(let low), .inclusive(let high)): low > high
    case (.inclusive(let low), .exclusive(let high)), (.exclusive(let low), .inclusive(let high)),
      (.exclusive(let low), .exclusive(let high)):
      low >= high
    }
  }

  /// The single value inside, for a range made by ``exactly(_:)``.
  public var exactValue: Value? {
    guard case .inclusive(let low) = lower, case .inclusive(let high) = upper, low == high else {
      return nil
    }
    return low
  }

  /// Whether a value lies inside.
  public func contains(_ value: Value) -> Bool {
    let isAbove =
      switch lower {
      case .unbounded: true
      case .inclusive(let low): value >= low
      case .exclusive(let low): value > low
      }
    guard isAbove else { return false }
    return switch upper {
    case .unbounded: true
    case .inclusive(let high): value <= high
    case .exclusive(let high): value < high
    }
  }
}

extension ValueRange where Value: SignedInteger {
  /// The same range over values that are never negative: a negative lower end falls away.
  ///
  /// A range that lies below zero altogether becomes an empty one.
  var overNaturalNumbers: ValueRange {
    var result = self
    switch lower {
    case .inclusive(let low) where low < 0, .exclusive(let low) where low < 0:
      result.lower = .unbounded
    default: break
    }
    switch upper {
    case .inclusive(let high) where high < 0, .exclusive(let high) where high < 0:
      result = ValueRange(lower: .exclusive(0), upper: .exclusive(0))
    default: break
    }
    return result
  }
}
