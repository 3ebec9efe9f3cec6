/// What the marks in an asset's name say: for which screens and devices this file is meant.
///
/// What is absent was not stated: it is not the value of the machine that reads the name.
public struct AssetVariant: Hashable, Sendable {
  /// Whether the name has the mark `-hd`: made for screens of high definition.
  public var isHD: Bool
  /// The height of the screen in points, from a mark like `-568h`.
  public var height: Int?
  /// The scale, from a mark like `@2x`.
  public var scale: AssetScale?
  /// The kind of device, from a mark like `~ipad`.
  public var idiom: Idiom?

  /// A variant with these marks.
  public init(
    isHD: Bool = false, height: Int? = nil, scale: AssetScale? = nil, idiom: Idiom? = nil
  ) {
    self.isHD = isHD
    self.height = height
    self.scale = scale
    self.idiom = idiom
  }

  /// The variant without any mark.
  public static let plain = AssetVariant()

  /// How many pixels make one point on a kind of device: as the name says, else one. On phones `-hd` says two.
  public func scale(on idiom: Idiom?) -> AssetScale {
    scale ?? (isHD && idiom == .phone ? .two : .one)
  }

  /// Where `-hd` stands among the marks. Both places are read; the first is what is written.
  public enum HDPlace: Sendable, Hashable {
    /// `name-hd-568h`, the canonical order.
    case beforeHeight
    /// `name-568h-hd`, as lookups for phones spell it, where `-hd` stands for a scale.
    case afterHeight
  }

  /// The marks as they are written: `-hd`, height, scale, idiom.
  public func suffix(hd place: HDPlace = .beforeHeight) -> String {
    let hd = isHD ? "-hd" : ""
    let height = height.map { "-\($0)h" } ?? ""
    let size = place == .beforeHeight ? hd + height : height + hd
    return size + (scale?.suffix ?? "") + (idiom?.suffix ?? "")
  }
}

/// How many pixels of an image make one point: 2 for `icon@2x.png`, 1.5 for `icon@1.5x.png`.
///
/// A scale is a decimal number above zero with at most six digits on either side of the point. It
/// is kept exactly, so that what was read from a name is written the same way again.
public struct AssetScale: Hashable, Comparable, Sendable {
  /// The scale in millionths.
  public let millionths: Int

  /// A scale of so many millionths, or `nil` when it is not above zero or has too many digits.
  public init?(millionths: Int) {
    guard millionths > 0, millionths < 1_000_000_000_000 else { return nil }
    self.millionths = millionths
  }

  /// A scale, rounded to millionths; `nil` when a name cannot state it.
  public init?(_ value: Double) {
    guard value > 0, value < 1_000_000 else { return nil }
    self.init(millionths: Int((value * 1_000_000).rounded()))
  }

  /// A scale as it is written in a name, without `@` and `x`: digits, or digits with a point
  /// between them.
  public init?(_ text: String) {
    let written = Array("@\(text)x".utf8)
    let ending = written.withUnsafeBufferPointer {
      AssetScale.ending($0, from: 0, at: written.count)
    }
    guard let ending, ending.start == 0 else { return nil }
    self = ending.scale
  }

  private init(known millionths: Int) {
    self.millionths = millionths
  }

  /// One pixel a point; what a name without a scale has, when a number is needed.
  public static let one = AssetScale(known: 1_000_000)
  /// Two pixels a point, as of the first Retina displays.
  public static let two = AssetScale(known: 2_000_000)
  /// Three pixels a point.
  public static let three = AssetScale(known: 3_000_000)

  /// The scale as a number.
  public var value: Double { Double(millionths) / 1_000_000 }

  /// The mark in names, with `@` and `x`.
  public var suffix: String { "@\(self)x" }

  /// The smaller number comes first.
  public static func < (left: AssetScale, right: AssetScale) -> Bool {
    left.millionths < right.millionths
  }
}

extension AssetScale: CustomStringConvertible {
  /// The number as it is written in names: `2`, `1.5`.
  public var description: String {
    let (whole, part) = millionths.quotientAndRemainder(dividingBy: 1_000_000)
    guard part > 0 else { return String(whole) }
    var digits = String(part + 1_000_000).dropFirst()
    while digits.hasSuffix("0") { digits.removeLast() }
    return "\(whole).\(digits)"
  }
}

extension AssetScale {
  private static let mostDigits = 6

  /// The scale whose mark ends the bytes before `end`, and where the mark begins.
  ///
  /// Only `@`, digits, perhaps a point and more digits, `x` is a mark: `user@box.txt` and
  /// `foo@-2x.png` have none.
  static func ending(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, at end: Int
  ) -> (scale: AssetScale, start: Int)? {
    guard end - start >= 3, bytes[end - 1] == NameByte.x else { return nil }
    var whole = DigitRun(bytes, from: start, at: end - 1, atMost: mostDigits)
    var millionths = 0
    guard whole.count > 0 else { return nil }
    if whole.start > start, bytes[whole.start - 1] == NameByte.dot {
      let part = whole
      whole = DigitRun(bytes, from: start, at: part.start - 1, atMost: mostDigits)
      guard whole.count > 0 else { return nil }
      millionths = part.value
      for _ in part.count..<mostDigits { millionths *= 10 }
    }
    millionths += whole.value * 1_000_000
    guard whole.start > start, bytes[whole.start - 1] == NameByte.at,
      let scale = AssetScale(millionths: millionths)
    else { return nil }
    return (scale, whole.start - 1)
  }
}

/// The digits that end before a position.
struct DigitRun {
  /// Where the first of them stands.
  private(set) var start: Int
  private(set) var count = 0
  private(set) var value = 0

  /// Reads backwards and stops at the first byte that is no digit, or at the limit.
  init(_ bytes: UnsafeBufferPointer<UInt8>, from first: Int, at end: Int, atMost limit: Int) {
    start = end
    var weight = 1
    while start > first, count < limit, NameByte.isDigit(bytes[start - 1]) {
      start -= 1
      value += Int(bytes[start] - UInt8(ascii: "0")) * weight
      weight *= 10
      count += 1
    }
  }
}

/// The kind of device that a variant of an asset is made for.
///
/// The raw value is what stands after the tilde in a name: `icon~ipad.png` is made for ``pad``.
/// No idiom in a name means any device, never the one at hand; it is a `nil` wherever an idiom is
/// optional.
public enum Idiom: String, CaseIterable, Sendable, Codable {
  /// Telephones and what is as small.
  case phone = "iphone"
  /// Tablets.
  case pad = "ipad"
  /// Television sets.
  case tv
  /// Displays in cars.
  case car
  /// Macs.
  case desktop = "mac"

  /// The idiom of a word that a person types: the mark of names (`ipad`) or the name of the
  /// kind of device (`pad`), in small or capital letters.
  public init?(named word: String) {
    switch word.lowercased() {
    case "iphone", "phone": self = .phone
    case "ipad", "pad": self = .pad
    case "tv": self = .tv
    case "car": self = .car
    case "mac", "desktop": self = .desktop
    default: return nil
    }
  }

  /// The mark in names, with its tilde.
  public var suffix: String { "~\(rawValue)" }
}

extension Idiom {
  /// The idiom whose mark ends the bytes before `end`, and where the mark begins.
  ///
  /// Marks are written in small letters; others are part of the stem.
  static func ending(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, at end: Int
  ) -> (idiom: Idiom, start: Int)? {
    let longest = 7
    var position = end - 1
    let limit = max(start, end - longest)
    while position >= limit, bytes[position] != NameByte.tilde {
      guard bytes[position] >= UInt8(ascii: "a"), bytes[position] <= UInt8(ascii: "z") else {
        return nil
      }
      position -= 1
    }
    guard position >= limit, end - position > 2 else { return nil }
    // The raw values are short literals: comparing their bytes allocates nothing.
    let word = UnsafeBufferPointer(rebasing: bytes[(position + 1)..<end])
    for idiom in allCases where word.elementsEqual(idiom.rawValue.utf8) {
      return (idiom, position)
    }
    return nil
  }
}
