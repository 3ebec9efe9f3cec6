public import UniformTypes

extension Filter {
  /// Entries that meet both conditions.
  public static func && (left: Filter, right: Filter) -> Filter {
    switch (left, right) {
    case (.and(let first), .and(let second)): .and(first + second)
    case (.and(let first), _): .and(first + [right])
    case (_, .and(let second)): .and([left] + second)
    default: .and([left, right])
    }
  }

  /// Entries that meet one of the conditions at least.
  public static func || (left: Filter, right: Filter) -> Filter {
    switch (left, right) {
    case (.or(let first), .or(let second)): .or(first + second)
    case (.or(let first), _): .or(first + [right])
    case (_, .or(let second)): .or([left] + second)
    default: .or([left, right])
    }
  }

  /// Entries that do not meet the condition.
  public static prefix func ! (filter: Filter) -> Filter {
    .not(filter)
  }
}

extension Filter {
  /// Entries of this kind.
  public static func kind(_ kind: QueryKind) -> Filter { .kinds([kind]) }

  /// Entries whose type conforms to the one with this identifier.
  public static func conforms(to identifier: ExactString) -> Filter { .conformsTo(identifier) }

  /// Entries whose content was last changed in this range.
  public static func modified(_ range: DateRange) -> Filter { .date(.modified, range) }

  /// Entries that were made in this range.
  public static func created(_ range: DateRange) -> Filter { .date(.created, range) }

  /// Entries whose content was last read in this range.
  public static func accessed(_ range: DateRange) -> Filter { .date(.accessed, range) }

  /// Entries whose metadata was last changed in this range.
  public static func changed(_ range: DateRange) -> Filter { .date(.changed, range) }
}

extension Int64 {
  /// A number of bytes given in units of 1024 bytes, at most `Int64.max`.
  public static func kibibytes(_ count: Int64) -> Int64 { scaled(count, by: 1 << 10) }

  /// A number of bytes given in units of 1024² bytes, at most `Int64.max`.
  public static func mebibytes(_ count: Int64) -> Int64 { scaled(count, by: 1 << 20) }

  /// A number of bytes given in units of 1024³ bytes, at most `Int64.max`.
  public static func gibibytes(_ count: Int64) -> Int64 { scaled(count, by: 1 << 30) }

  private static func scaled(_ count: Int64, by unit: Int64) -> Int64 {
    let (product, overflow) = count.multipliedReportingOverflow(by: unit)
    return overflow ? (count < 0 ? .min : .max) : product
  }
}

// MARK: - Ranges

prefix operator >
prefix operator >=
prefix operator <=

/// Everything above a value: `.size(>10.megabytes)`.
///
/// There is no `<` like it: the language keeps that for itself. Write `.size(..<10.megabytes)`.
public prefix func > <Value>(value: Value) -> ValueRange<Value> { .moreThan(value) }

/// A value and everything above it: `.depth(>=2)`.
public prefix func >= <Value>(value: Value) -> ValueRange<Value> { .atLeast(value) }

/// A value and everything below it: `.links(<=2)`.
public prefix func <= <Value>(value: Value) -> ValueRange<Value> { .atMost(value) }

extension Filter {
  /// Entries with less content than this: `.size(..<10.megabytes)`.
  public static func size(_ range: PartialRangeUpTo<Int64>) -> Filter {
    .size(.lessThan(range.upperBound))
  }

  /// Entries with content of a size in this range: `.size(1.kibibytes...4.kibibytes)`.
  public static func size(_ range: ClosedRange<Int64>) -> Filter { .size(ValueRange(range)) }

  /// Entries that take less on disk than this.
  public static func allocated(_ range: PartialRangeUpTo<Int64>) -> Filter {
    .allocated(.lessThan(range.upperBound))
  }

  /// Entries that take a number of bytes in this range on disk.
  public static func allocated(_ range: ClosedRange<Int64>) -> Filter {
    .allocated(ValueRange(range))
  }

  /// Entries whose type conforms to one that is known by name: `.conforms(to: .image)`.
  public static func conforms(to type: UniformType) -> Filter {
    .conformsTo(ExactString(type.identifier))
  }

  /// Entries whose name matches a glob, such as `*.swift`.
  public static func name(_ glob: String) -> Filter { .name(.glob(ExactString(glob))) }
}

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
