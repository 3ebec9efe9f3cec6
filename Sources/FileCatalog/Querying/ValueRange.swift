extension Filter {
  /// A range of numbers, sizes or ages whose ends may be open, included or excluded.
  ///
  /// ```swift
  /// Filter.size(.moreThan(10.mebibytes))
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

    /// Returns the range of exactly this value.
    public static func exactly(_ value: Value) -> Self {
      Self(lower: .inclusive(value), upper: .inclusive(value))
    }

    /// Returns the range of this value and everything above it.
    public static func atLeast(_ value: Value) -> Self { Self(lower: .inclusive(value)) }

    /// Returns the range of everything above this value.
    public static func moreThan(_ value: Value) -> Self { Self(lower: .exclusive(value)) }

    /// Returns the range of this value and everything below it.
    public static func atMost(_ value: Value) -> Self { Self(upper: .inclusive(value)) }

    /// Returns the range of everything below this value.
    public static func lessThan(_ value: Value) -> Self { Self(upper: .exclusive(value)) }
  }
}

extension Filter.ValueRange {
  /// Whether the range has no end on either side.
  package var isUnbounded: Bool { lower == .unbounded && upper == .unbounded }

  /// Whether the ends are the wrong way round, so that no value can be inside.
  ///
  /// The gap between neighbouring integers is not seen: `>1..<2` counts as not empty.
  package var isEmpty: Bool {
    switch (lower, upper) {
    case (.unbounded, _), (_, .unbounded): false
    case (.inclusive(let low), .inclusive(let high)): low > high
    case (.inclusive(let low), .exclusive(let high)), (.exclusive(let low), .inclusive(let high)),
      (.exclusive(let low), .exclusive(let high)):
      low >= high
    }
  }

  /// Whether a value lies inside.
  package func contains(_ value: Value) -> Bool {
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

extension Filter.ValueRange where Value == Int64 {
  /// The range with both ends moved upwards, at most to the last number.
  func moved(by distance: Int64) -> Self {
    func moved(_ bound: Bound) -> Bound {
      func sum(_ value: Int64) -> Int64 {
        let (sum, overflow) = value.addingReportingOverflow(distance)
        return overflow ? .max : sum
      }
      return switch bound {
      case .unbounded: .unbounded
      case .inclusive(let value): .inclusive(sum(value))
      case .exclusive(let value): .exclusive(sum(value))
      }
    }
    return Self(lower: moved(lower), upper: moved(upper))
  }
}

extension Filter.ValueRange where Value: SignedInteger {
  /// The same range over values that are never negative: a negative lower end falls away.
  ///
  /// A range that lies below zero altogether becomes an empty one.
  var overNaturalNumbers: Self {
    var result = self
    switch lower {
    case .inclusive(let low) where low < 0, .exclusive(let low) where low < 0:
      result.lower = .unbounded
    default: break
    }
    switch upper {
    case .inclusive(let high) where high < 0, .exclusive(let high) where high < 0:
      result = Self(lower: .exclusive(0), upper: .exclusive(0))
    default: break
    }
    return result
  }
}

// MARK: - Operators

prefix operator >
prefix operator >=
prefix operator <=

/// Returns the range of everything above a value: `.size(>10.megabytes)`.
///
/// There is no `<` like it: the language keeps that for itself. Write `.size(..<10.megabytes)`.
public prefix func > <Value>(value: Value) -> Filter.ValueRange<Value> { .moreThan(value) }

/// Returns the range of a value and everything above it: `.depth(>=2)`.
public prefix func >= <Value>(value: Value) -> Filter.ValueRange<Value> { .atLeast(value) }

/// Returns the range of a value and everything below it: `.links(<=2)`.
public prefix func <= <Value>(value: Value) -> Filter.ValueRange<Value> { .atMost(value) }

extension BinaryInteger {
  /// A number of bytes given in units of 1000 bytes, at most `Int64.max`.
  public var kilobytes: Int64 { bytes(in: 1000) }
  /// A number of bytes given in units of 1000² bytes, at most `Int64.max`.
  public var megabytes: Int64 { bytes(in: 1_000_000) }
  /// A number of bytes given in units of 1000³ bytes, at most `Int64.max`.
  public var gigabytes: Int64 { bytes(in: 1_000_000_000) }
  /// A number of bytes given in units of 1024 bytes, at most `Int64.max`.
  public var kibibytes: Int64 { bytes(in: 1 << 10) }
  /// A number of bytes given in units of 1024² bytes, at most `Int64.max`.
  public var mebibytes: Int64 { bytes(in: 1 << 20) }
  /// A number of bytes given in units of 1024³ bytes, at most `Int64.max`.
  public var gibibytes: Int64 { bytes(in: 1 << 30) }

  private func bytes(in unit: Int64) -> Int64 {
    let count = Int64(clamping: self)
    let (product, overflow) = count.multipliedReportingOverflow(by: unit)
    return overflow ? (count < 0 ? .min : .max) : product
  }
}
