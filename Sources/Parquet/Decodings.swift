// What `IntegerEncodings.swift` writes, read in steps of any length. Each reader goes through a part of a page
// that is lent to it, behind which so many bytes are 0: what is read by words may look beyond its end.

/// Why the values of a page are not what they should be: the column adds its name.
enum PageFault: Error {
  /// They end too early, or something is left of them.
  case unequal
  /// They are written otherwise than they are here.
  case unsupported(String)
}

extension BitPacking {
  /// How many bytes behind packed numbers may be looked at.
  static let padding = 16

  /// A number of `width` bits, 1 to 64, that begins with the bit `bit`.
  @inline(__always)
  static func number(_ bytes: UnsafeRawPointer, at bit: Int, width: Int) -> UInt64 {
    let (byte, shift) = (bit >> 3, UInt64(bit & 7))
    let low = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: byte, as: UInt64.self))
    var number = low >> shift
    if Int(shift) + width > 64 {
      number |= UInt64(bytes.load(fromByteOffset: byte + 8, as: UInt8.self)) << (64 - shift)
    }
    return width == 64 ? number : number & (1 << UInt64(width) - 1)
  }
}

/// Reads what ``HybridRuns`` has written.
struct RunReader {
  private let width: Int
  private var offset: Int
  private let end: Int
  /// What is left of a run, and its number.
  private var repeated = 0
  private var value: UInt32 = 0
  /// What is left of numbers that are packed, and the bit with which they go on.
  private var packed = 0
  private var bit = 0

  /// - Parameter width: how many bits a number has.
  init(_ range: Range<Int>, width: Int) throws(PageFault) {
    guard 1...32 ~= width else { throw .unsupported("numbers of \(width) bits") }
    self.width = width
    offset = range.lowerBound
    end = range.upperBound
  }

  /// Whether everything was read, but for what fills the last group up.
  var isAtEnd: Bool { offset == end && repeated == 0 && packed < 8 }

  mutating func read(
    _ count: Int, from bytes: UnsafeRawBufferPointer, into numbers: UnsafeMutablePointer<UInt32>
  ) throws(PageFault) {
    var done = 0
    while done < count {
      if repeated > 0 {
        let taken = min(repeated, count - done)
        (numbers + done).update(repeating: value, count: taken)
        repeated -= taken
        done += taken
      } else if packed > 0, let base = bytes.baseAddress {
        let taken = min(packed, count - done)
        for index in 0..<taken {
          numbers[done + index] = UInt32(
            truncatingIfNeeded: BitPacking.number(base, at: bit + index * width, width: width))
        }
        bit += taken * width
        packed -= taken
        done += taken
      } else {
        try begin(bytes)
      }
    }
  }

  /// Begins a run, or numbers that are packed.
  private mutating func begin(_ bytes: UnsafeRawBufferPointer) throws(PageFault) {
    guard let header = LEB128.read(bytes, &offset, end) else { throw .unequal }
    if header & 1 == 1 {
      guard header >> 1 <= UInt64((end - offset) / width) else { throw .unequal }
      let groups = Int(header >> 1)
      packed = groups * 8
      bit = offset * 8
      offset += groups * width
    } else {
      let byteCount = (width + 7) / 8
      guard end - offset >= byteCount, let count = Int(exactly: header >> 1) else { throw .unequal }
      value = 0
      for index in 0..<byteCount { value |= UInt32(bytes[offset + index]) << UInt32(8 * index) }
      offset += byteCount
      repeated = count
    }
  }
}

/// Reads what ``DeltaPacking`` has written.
struct DeltaReader {
  private static let block: UInt64 = 128
  private static let miniblocks = 4
  private static let miniblock = 32

  private let isNarrow: Bool
  private var offset: Int
  private let end: Int
  /// How many numbers are still to come.
  private var left: Int
  private var last: Int64
  private var isFirst = true
  /// The least difference in the block, and how many bits each miniblock has for what is above it.
  private var least: Int64 = 0
  private var widths = (offset: 0, next: miniblocks)
  /// What is left of the miniblock, and the bit with which it goes on.
  private var packed = 0
  private var width = 0
  private var bit = 0

  /// - Parameter isNarrow: whether numbers wrap around at 32 bits.
  init(
    _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, isNarrow: Bool
  ) throws(PageFault) {
    self.isNarrow = isNarrow
    offset = range.lowerBound
    end = range.upperBound
    guard let block = LEB128.read(bytes, &offset, end),
      let miniblocks = LEB128.read(bytes, &offset, end),
      let count = LEB128.read(bytes, &offset, end).flatMap({ Int(exactly: $0) }),
      let first = LEB128.read(bytes, &offset, end)
    else { throw .unequal }
    guard block == Self.block, miniblocks == UInt64(Self.miniblocks) else {
      throw .unsupported("blocks of \(block) differences")
    }
    left = count
    last = LEB128.signed(first)
  }

  /// Whether everything was read.
  var isAtEnd: Bool { offset == end && left == 0 }

  mutating func read(
    _ count: Int, from bytes: UnsafeRawBufferPointer, into numbers: UnsafeMutablePointer<Int64>
  ) throws(PageFault) {
    guard count <= left, let base = bytes.baseAddress else { throw .unequal }
    var done = 0
    if isFirst, count > 0 {
      isFirst = false
      numbers[0] = wrapped(last)
      done = 1
    }
    while done < count {
      if packed == 0 { try beginMiniblock(bytes) }
      let taken = min(packed, count - done)
      if width == 0 {
        for index in 0..<taken { numbers[done + index] = add(0) }
      } else {
        for index in 0..<taken {
          numbers[done + index] = add(
            BitPacking.number(base, at: bit + index * width, width: width))
        }
      }
      bit += taken * width
      packed -= taken
      done += taken
    }
    left -= count
  }

  @inline(__always)
  private mutating func add(_ above: UInt64) -> Int64 {
    last = wrapped(last &+ least &+ Int64(bitPattern: above))
    return last
  }

  @inline(__always)
  private func wrapped(_ number: Int64) -> Int64 {
    isNarrow ? Int64(Int32(truncatingIfNeeded: number)) : number
  }

  private mutating func beginMiniblock(_ bytes: UnsafeRawBufferPointer) throws(PageFault) {
    if widths.next == Self.miniblocks {
      guard let least = LEB128.read(bytes, &offset, end), end - offset >= Self.miniblocks else {
        throw .unequal
      }
      self.least = LEB128.signed(least)
      widths = (offset, 0)
      offset += Self.miniblocks
    }
    width = Int(bytes[widths.offset + widths.next])
    widths.next += 1
    guard width <= (isNarrow ? 32 : 64), end - offset >= Self.miniblock / 8 * width else {
      throw .unequal
    }
    packed = Self.miniblock
    bit = offset * 8
    offset += Self.miniblock / 8 * width
  }
}

/// Reads what ``PlainEncoding`` has written.
struct PlainReader {
  private var offset: Int
  private let end: Int
  /// Of truths, how many bits were read.
  private var bit = 0

  init(_ range: Range<Int>) {
    offset = range.lowerBound
    end = range.upperBound
  }

  /// Whether everything was read.
  var isAtEnd: Bool { offset + (bit + 7) / 8 == end }

  /// How many bytes are left.
  var byteCount: Int { end - offset }

  mutating func readTruths(
    _ count: Int, from bytes: UnsafeRawBufferPointer, into numbers: UnsafeMutablePointer<Int64>
  ) throws(PageFault) {
    guard (bit + count + 7) / 8 <= end - offset else { throw .unequal }
    for index in 0..<count {
      let place = bit + index
      numbers[index] = Int64(bytes[offset + place >> 3] >> UInt8(place & 7) & 1)
    }
    bit += count
  }

  /// - Parameter width: 4 or 8 bytes.
  mutating func readWords(
    _ count: Int, width: Int, from bytes: UnsafeRawBufferPointer,
    into numbers: UnsafeMutablePointer<Int64>
  ) throws(PageFault) {
    guard count <= (end - offset) / width else { throw .unequal }
    for index in 0..<count {
      let place = offset + index * width
      numbers[index] =
        width == 4
        ? Int64(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int32.self)))
        : Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int64.self))
    }
    offset += count * width
  }

  /// Where the next text is.
  @inline(__always)
  mutating func readText(from bytes: UnsafeRawBufferPointer) throws(PageFault) -> Range<Int> {
    guard end - offset >= 4 else { throw .unequal }
    let count = UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    guard Int(count) <= end - offset - 4 else { throw .unequal }
    let start = offset + 4
    offset = start + Int(count)
    return start..<offset
  }
}
