/// The hash function BLAKE2b of RFC 7693, without a key.
///
/// It is as safe as SHA-3 and the fastest of its kind that is short to write down: two files with the
/// same hash are the same.
package struct BLAKE2b {
  /// Bytes of a block.
  private static let blockSize = 128

  private var state: [UInt64]
  private let length: Int
  private var block = [UInt8](repeating: 0, count: blockSize)
  private var filled = 0
  private var count: UInt64 = 0

  /// - Parameter length: bytes of the digest, from 1 to 64.
  package init(length: Int = 32) {
    self.length = length
    state = Self.initialization
    // The parameter block: the length of the digest, no key, one node.
    state[0] ^= 0x0101_0000 ^ UInt64(length)
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      // The last block is compressed in another way, so a full one waits until more comes.
      if filled == Self.blockSize {
        block.withUnsafeBytes { compress($0, isLast: false) }
        filled = 0
      }
      while filled == 0, rest.count > Self.blockSize {
        count += UInt64(Self.blockSize)
        compress(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.blockSize)), isLast: false)
        rest = rest.dropFirst(Self.blockSize)
      }
      let piece = rest.prefix(Self.blockSize - filled)
      block.withUnsafeMutableBytes { block in
        block[filled...].copyBytes(from: piece)
      }
      filled += piece.count
      count += UInt64(piece.count)
      rest = rest.dropFirst(piece.count)
    }
  }

  package consuming func finish() -> [UInt8] {
    for i in filled..<Self.blockSize { block[i] = 0 }
    block.withUnsafeBytes { compress($0, isLast: true) }
    return (0..<length).map { UInt8(truncatingIfNeeded: state[$0 / 8] >> UInt64($0 % 8 * 8)) }
  }

  private mutating func compress(_ block: UnsafeRawBufferPointer, isLast: Bool) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 32) { memory in
      guard let v = memory.baseAddress else { return }
      let m = v + 16
      for i in 0..<16 {
        m[i] = UInt64(littleEndian: block.loadUnaligned(fromByteOffset: i * 8, as: UInt64.self))
      }
      for i in 0..<8 {
        v[i] = state[i]
        v[i + 8] = Self.initialization[i]
      }
      v[12] ^= count
      if isLast { v[14] = ~v[14] }
      Self.schedule.withUnsafeBufferPointer { schedule in
        for round in 0..<12 {
          let s = round % 10 * 16
          for (i, lane) in Self.lanes.enumerated() {
            Self.mix(
              v, lane.0, lane.1, lane.2, lane.3, m[Int(schedule[s + i * 2])],
              m[Int(schedule[s + i * 2 + 1])])
          }
        }
      }
      for i in 0..<8 { state[i] ^= v[i] ^ v[i + 8] }
    }
  }

  @inline(__always)
  private static func mix(
    _ v: UnsafeMutablePointer<UInt64>, _ a: Int, _ b: Int, _ c: Int, _ d: Int, _ x: UInt64,
    _ y: UInt64
  ) {
    v[a] = v[a] &+ v[b] &+ x
    v[d] = rotated(v[d] ^ v[a], by: 32)
    v[c] = v[c] &+ v[d]
    v[b] = rotated(v[b] ^ v[c], by: 24)
    v[a] = v[a] &+ v[b] &+ y
    v[d] = rotated(v[d] ^ v[a], by: 16)
    v[c] = v[c] &+ v[d]
    v[b] = rotated(v[b] ^ v[c], by: 63)
  }

  @inline(__always)
  private static func rotated(_ value: UInt64, by bits: UInt64) -> UInt64 {
    value &>> bits | value &<< (64 - bits)
  }

  /// The columns of the matrix, then its diagonals.
  private static let lanes: [(Int, Int, Int, Int)] = [
    (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15), (0, 5, 10, 15), (1, 6, 11, 12),
    (2, 7, 8, 13), (3, 4, 9, 14),
  ]

  /// That of SHA-512: the fractions of the square roots of the first eight primes.
  private static let initialization: [UInt64] = [
    0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
  ]

  /// Which words of the message go where, in ten rounds; RFC 7693, section 2.7.
  private static let schedule: [UInt8] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
    11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4,
    7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8,
    9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13,
    2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9,
    12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11,
    13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10,
    6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5,
    10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
  ]
}

extension Sequence<UInt8> {
  /// The bytes in base 16, two lower-case digits each.
  package var hexadecimal: String {
    map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
