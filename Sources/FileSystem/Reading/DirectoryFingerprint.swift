/// What a directory looked like when it was read, in 128 bits: two listings with one fingerprint are
/// the same listing.
///
/// It is the sum of a hash of each child, so neither the order in which a file system lists them nor
/// the pieces in which they are read matter. The hash takes everything by which a child can differ
/// that is stored of it, but not the time of the last reading: looking at a file does not change it.
/// The device number is left out as well, since it may differ after a remount.
package struct DirectoryFingerprint: Sendable, Hashable, BitwiseCopyable {
  package var high: UInt64
  package var low: UInt64

  /// The fingerprint of an empty directory.
  package init() {
    high = 0
    low = 0
  }

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Adds the children that `other` is made of.
  @inline(__always)
  package mutating func add(_ other: DirectoryFingerprint) {
    high &+= other.high
    low &+= other.low
  }

  /// Adds a child.
  @inline(__always)
  package mutating func add(
    _ record: borrowing EntryRecord, name: UnsafeBufferPointer<UInt8>,
    target: UnsafeBufferPointer<UInt8>
  ) {
    var hash = EntryHash()
    hash.add(name)
    if !target.isEmpty { hash.add(target) }
    let status = record.status
    hash.add(
      UInt64(record.kind.rawValue) | UInt64(record.traits.intersection(.stored).rawValue) << 8
        | UInt64(status.mode) << 32)
    hash.add(status.inode)
    hash.add(UInt64(bitPattern: status.size))
    hash.add(UInt64(bitPattern: status.allocated))
    hash.add(UInt64(bitPattern: status.created))
    hash.add(UInt64(bitPattern: status.modified))
    hash.add(UInt64(bitPattern: status.changed))
    hash.add(UInt64(status.uid) | UInt64(status.gid) << 32)
    hash.add(UInt64(status.links) | UInt64(status.attributes) << 32)
    if record.kind == .package {
      hash.add(record.packageFingerprint)
      hash.add(UInt64(bitPattern: record.packagedFiles))
    }
    add(hash.finished)
  }
}

/// A hash of one entry: two chains of multiply-and-fold over the same words, 64 bits each.
///
/// The step is that of the MUM family of hashes (Vladimir Makarov's mum-hash, Wang Yi's wyhash): the
/// two halves of a 128-bit product, folded. The numbers are digits of pi and of e.
private struct EntryHash {
  private var first: UInt64 = 0x2438_99e6_1a40_5f4d
  private var second: UInt64 = 0xb7e1_5162_8aed_2a6b

  @inline(__always)
  mutating func add(_ word: UInt64) {
    first = Self.fold(first ^ word, 0x9e37_79b9_7f4a_7c15)
    second = Self.fold(second &+ word, 0xd1b5_4a32_d192_ed03) ^ first.byteSwapped
  }

  @inline(__always)
  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    let raw = UnsafeRawBufferPointer(bytes)
    var i = 0
    while i + 8 <= raw.count {
      add(raw.loadUnaligned(fromByteOffset: i, as: UInt64.self))
      i += 8
    }
    // The length goes with the rest: "a" and "a\0" differ.
    var rest = UInt64(raw.count - i) << 56
    var shift: UInt64 = 0
    while i < raw.count {
      rest |= UInt64(raw[i]) << shift
      shift += 8
      i += 1
    }
    add(rest)
  }

  var finished: DirectoryFingerprint {
    DirectoryFingerprint(
      high: Self.fold(first ^ second, 0xa409_3822_299f_31d1),
      low: Self.fold(second, 0x082e_fa98_ec4e_6c89))
  }

  @inline(__always)
  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low ^ a
  }
}
