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
