/// Base 32 as dynamic identifiers use it: five bits a character, the most significant first, the
/// last group filled with zero bits, no padding character, an alphabet without i, j, l and o.
enum Base32 {
  private static let alphabet = Array("abcdefghkmnpqrstuvwxyz0123456789".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    var characters: [UInt8] = []
    characters.reserveCapacity((bytes.count * 8 + 4) / 5)
    var buffer: UInt32 = 0
    var bitCount: UInt32 = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        characters.append(alphabet[Int(buffer >> bitCount & 31)])
      }
      buffer &= 1 << bitCount - 1
    }
    if bitCount > 0 {
      characters.append(alphabet[Int(buffer << (5 - bitCount) & 31)])
    }
    return String(decoding: characters, as: UTF8.self)
  }

  static func decode(
    _ text: Substring
  ) throws(DynamicIdentifier.ParsingError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var bitCount: UInt32 = 0
    for character in text {
      guard let ascii = character.asciiValue, let value = alphabet.firstIndex(of: ascii) else {
        throw .invalidCharacter(character)
      }
      buffer = buffer << 5 | UInt32(value)
      bitCount += 5
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bitCount))
      }
      buffer &= 1 << bitCount - 1
    }
    guard bitCount < 5, buffer == 0 else { throw .leftoverBits }
    return bytes
  }
}
