/// The hash function SHA-256 of
/// [FIPS 180-4](https://csrc.nist.gov/pubs/fips/180-4/upd1/final), which signatures of requests ask for.
struct SHA256 {
  /// Bytes of a block.
  private static let blockSize = 64

  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
    0x5be0_cd19,
  ]
  private var block = [UInt8](repeating: 0, count: blockSize)
  private var filled = 0
  private var count: UInt64 = 0

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    count += UInt64(bytes.count)
    var rest = bytes[...]
    while !rest.isEmpty {
      if filled == 0, rest.count >= Self.blockSize {
        compress(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.blockSize)))
        rest = rest.dropFirst(Self.blockSize)
        continue
      }
      let piece = rest.prefix(Self.blockSize - filled)
      block.withUnsafeMutableBytes { $0[filled...].copyBytes(from: piece) }
      filled += piece.count
      rest = rest.dropFirst(piece.count)
      if filled == Self.blockSize {
        block.withUnsafeBytes { compress($0) }
        filled = 0
      }
    }
  }

  mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  /// The digest, of 32 bytes.
  consuming func finish() -> [UInt8] {
    let bits = (count * 8).bigEndian
    // A one, zeros, and the number of bits at the end of a block.
    let zeros = (2 * Self.blockSize - 9 - filled) % Self.blockSize
    update([0x80] + [UInt8](repeating: 0, count: zeros))
    withUnsafeBytes(of: bits) { update($0) }
    return state.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
  }

  private mutating func compress(_ block: UnsafeRawBufferPointer) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
      for i in 0..<16 {
        words[i] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: i * 4, as: UInt32.self))
      }
      for i in 16..<64 {
        let (early, late) = (words[i - 15], words[i - 2])
        let first = Self.rotated(early, by: 7) ^ Self.rotated(early, by: 18) ^ early &>> 3
        let second = Self.rotated(late, by: 17) ^ Self.rotated(late, by: 19) ^ late &>> 10
        words[i] = words[i - 16] &+ first &+ words[i - 7] &+ second
      }
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      var (e, f, g, h) = (state[4], state[5], state[6], state[7])
      for i in 0..<64 {
        let mixed = Self.rotated(e, by: 6) ^ Self.rotated(e, by: 11) ^ Self.rotated(e, by: 25)
        let first = h &+ mixed &+ (e & f ^ ~e & g) &+ Self.constants[i] &+ words[i]
        let turned = Self.rotated(a, by: 2) ^ Self.rotated(a, by: 13) ^ Self.rotated(a, by: 22)
        let second = turned &+ (a & b ^ a & c ^ b & c)
        (h, g, f, e) = (g, f, e, d &+ first)
        (d, c, b, a) = (c, b, a, first &+ second)
      }
      for (i, word) in [a, b, c, d, e, f, g, h].enumerated() { state[i] &+= word }
    }
  }

  @inline(__always)
  private static func rotated(_ value: UInt32, by bits: UInt32) -> UInt32 {
    value &>> bits | value &<< (32 - bits)
  }

  /// The fractions of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}

extension SHA256 {
  /// The digest of bytes.
  static func digest(of bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }

  /// The code that nobody can make without the key: HMAC-SHA-256 of
  /// [RFC 2104](https://www.rfc-editor.org/rfc/rfc2104).
  static func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    let short = key.count > blockSize ? digest(of: key) : key
    let padded = short + [UInt8](repeating: 0, count: blockSize - short.count)
    let inner = digest(of: padded.map { $0 ^ 0x36 } + bytes)
    return digest(of: padded.map { $0 ^ 0x5c } + inner)
  }
}
