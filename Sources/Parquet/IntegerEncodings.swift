/// Numbers of a few bits each, one behind the other, the lowest bit first.
///
/// `Encodings.md`, “Run Length Encoding / Bit-Packing Hybrid”: in groups of eight a byte begins with each
/// group.
enum BitPacking {
  /// Appends the lowest `width` bits of each number; what is missing from the last byte is 0.
  ///
  /// - Parameter width: 0 to 64.
  static func append(_ values: some Sequence<UInt64>, width: Int, to bytes: inout [UInt8]) {
    guard width > 0 else { return }
    let mask = width == 64 ? UInt64.max : 1 << UInt64(width) - 1
    var held: UInt64 = 0
    var count = 0
    for value in values {
      let value = value & mask
      held |= value << UInt64(count)
      count += width
      guard count >= 64 else { continue }
      append(word: held, to: &bytes)
      count -= 64
      // What did not fit. A shift by 64 gives 0.
      held = value >> UInt64(width - count)
    }
    while count > 0 {
      bytes.append(UInt8(truncatingIfNeeded: held))
      held >>= 8
      count -= 8
    }
  }

  /// How many bits it takes to tell numbers up to this one apart.
  static func width(of greatest: UInt64) -> Int { 64 - greatest.leadingZeroBitCount }

  static func append(word: UInt64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
  }
}

/// Runs of equal numbers beside numbers that are packed: `RLE` for levels, `RLE_DICTIONARY` for indices.
enum HybridRuns {
  /// Numbers in a group that is packed; a shorter run is no gain.
  private static let group = 8

  /// Appends numbers of `width` bits, 1 to 32.
  static func append(
    _ values: UnsafeBufferPointer<UInt32>, width: Int, to bytes: inout [UInt8]
  ) {
    append(values, width: width, of: { UInt64($0) }, to: &bytes)
  }

  /// Appends levels of one bit.
  static func append(levels: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    append(levels, width: 1, of: { UInt64($0) }, to: &bytes)
  }

  @inline(__always)
  private static func append<Value: Equatable>(
    _ values: UnsafeBufferPointer<Value>, width: Int, of number: (Value) -> UInt64,
    to bytes: inout [UInt8]
  ) {
    /// What is to be packed begins here.
    var start = 0
    var index = 0
    while index < values.count {
      let value = values[index]
      var end = index + 1
      while end < values.count, values[end] == value { end += 1 }
      // Only the last group may be incomplete: the run gives what the one before it lacks.
      let border = start + (index - start + group - 1) / group * group
      if end - border >= group {
        pack(values[start..<border], width, number, to: &bytes)
        LEB128.append(UInt64(end - border) << 1, to: &bytes)
        var rest = number(value)
        for _ in 0..<(width + 7) / 8 {
          bytes.append(UInt8(truncatingIfNeeded: rest))
          rest >>= 8
        }
        start = end
      }
      index = end
    }
    pack(values[start...], width, number, to: &bytes)
  }

  @inline(__always)
  private static func pack<Value>(
    _ values: Slice<UnsafeBufferPointer<Value>>, _ width: Int, _ number: (Value) -> UInt64,
    to bytes: inout [UInt8]
  ) {
    guard !values.isEmpty else { return }
    let groups = (values.count + group - 1) / group
    LEB128.append(UInt64(groups) << 1 | 1, to: &bytes)
    let end = bytes.count + groups * width
    withoutActuallyEscaping(number) { number in
      BitPacking.append(values.lazy.map { number($0) }, width: width, to: &bytes)
    }
    while bytes.count < end { bytes.append(0) }
  }
}

/// The differences of numbers, packed: `DELTA_BINARY_PACKED` in `Encodings.md`.
enum DeltaPacking {
  private static let block = 128
  private static let miniblock = 32

  /// Appends numbers of one type, which wrap around at its border.
  static func append<Integer: FixedWidthInteger & SignedInteger>(
    _ values: UnsafeBufferPointer<Int64>, as type: Integer.Type, to bytes: inout [UInt8]
  ) {
    LEB128.append(UInt64(block), to: &bytes)
    LEB128.append(UInt64(block / miniblock), to: &bytes)
    LEB128.append(UInt64(values.count), to: &bytes)
    LEB128.append(zigzag: values.first ?? 0, to: &bytes)
    withUnsafeTemporaryAllocation(of: Integer.self, capacity: block) { deltas in
      var index = 1
      while index < values.count {
        let count = min(block, values.count - index)
        var least = Integer.max
        for place in 0..<count {
          let value = Integer(truncatingIfNeeded: values[index + place])
          let delta = value &- Integer(truncatingIfNeeded: values[index + place - 1])
          deltas[place] = delta
          least = min(least, delta)
        }
        append(deltas, count: count, least: least, to: &bytes)
        index += count
      }
    }
  }

  private static func append<Integer: FixedWidthInteger & SignedInteger>(
    _ deltas: UnsafeMutableBufferPointer<Integer>, count: Int, least: Integer,
    to bytes: inout [UInt8]
  ) {
    LEB128.append(zigzag: Int64(least), to: &bytes)
    let widths = bytes.count
    for _ in 0..<block / miniblock { bytes.append(0) }
    // The rest of the last miniblock is written, too, but not what follows it.
    for number in 0..<(count + miniblock - 1) / miniblock {
      let start = number * miniblock
      for place in max(start, count)..<max(start + miniblock, count) { deltas[place] = least }
      let above = deltas[start..<start + miniblock].lazy.map {
        UInt64(Integer.Magnitude(truncatingIfNeeded: $0 &- least))
      }
      let width = BitPacking.width(of: above.reduce(0, |))
      bytes[widths + number] = UInt8(width)
      BitPacking.append(above, width: width, to: &bytes)
    }
  }
}
