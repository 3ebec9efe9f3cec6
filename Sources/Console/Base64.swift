/// Base64 as in RFC 4648, section 4: the usual alphabet, with padding.
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Appends the encoding of bytes.
  static func append(_ raw: [UInt8], to bytes: inout [UInt8]) {
    for start in stride(from: 0, to: raw.count, by: 3) {
      let group = raw[start..<min(start + 3, raw.count)]
      var bits: UInt32 = 0
      for byte in group { bits = bits << 8 | UInt32(byte) }
      bits <<= 8 * UInt32(3 - group.count)
      for position in 0..<4 {
        let index = Int(bits >> UInt32(18 - 6 * position)) & 0x3F
        // Each byte of the group gives one character more than it has bytes.
        bytes.append(position <= group.count ? alphabet[index] : UInt8(ascii: "="))
      }
    }
  }
}
