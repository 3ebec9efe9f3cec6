import StandardDirectories
import TestSupport

extension SeededRandom {
  /// Bytes of names that are full of what marks and extensions are made of.
  mutating func name(pieces: ClosedRange<Int> = 0...8) -> [UInt8] {
    let parts: [[UInt8]] = [
      "foo", "a", "-hd", "-568h", "-0h", "-h", "@2x", "@1.5x", "@", "@x", "x", "~ipad", "~iphone",
      "~tv", "~", ".", ".png", ".tar.gz", ".gz", "1", "12.5", "-", "h", "hd", " ", "é", "\u{200E}",
      "..", "@0x", "@02x", "-00000000000001h", "@999999.999999x",
    ].map { Array($0.utf8) }
    var result: [UInt8] = []
    for _ in 0..<Int.random(in: pieces, using: &self) {
      if Int.random(in: 0..<12, using: &self) == 0 {
        result.append(UInt8.random(in: 1...255, using: &self))
      } else {
        result += parts.randomElement(using: &self) ?? []
      }
    }
    return result
  }

  /// A path of such names, now and then absolute or with slashes too many.
  mutating func path() -> [UInt8] {
    var result: [UInt8] = []
    for index in 0..<Int.random(in: 1...3, using: &self) {
      if index > 0 || Bool.random(using: &self) { result.append(UInt8(ascii: "/")) }
      result += name()
    }
    if Int.random(in: 0..<6, using: &self) == 0 { result += Array("//".utf8) }
    return result
  }

  mutating func variant() -> AssetVariant {
    AssetVariant(
      isHD: Bool.random(using: &self),
      height: [nil, 0, 568, 1024].randomElement(using: &self) ?? nil,
      scale: [nil, .one, .two, .three, AssetScale(1.5), AssetScale(0.000001)]
        .randomElement(using: &self) ?? nil,
      idiom: ([nil] + Idiom.allCases).randomElement(using: &self) ?? nil)
  }
}
