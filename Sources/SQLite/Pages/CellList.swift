/// Cells one behind the other: the dividers between the pages of a level.
struct CellList {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  var count: Int { ends.count }

  mutating func append(_ cell: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: cell)
    ends.append(bytes.count)
  }

  /// Appends a cell of `size` bytes that `write` fills.
  mutating func append(size: Int, _ write: (UnsafeMutableRawPointer) -> Void) {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: size))
    ends.append(bytes.count)
    bytes.withUnsafeMutableBytes { write($0.baseAddress! + start) }
  }

  mutating func append(_ index: Int, of other: CellList) {
    bytes.append(contentsOf: other.bytes[other.range(index)])
    ends.append(bytes.count)
  }

  func size(_ index: Int) -> Int { range(index).count }

  func copy(_ index: Int, to place: UnsafeMutableRawPointer) {
    let range = range(index)
    bytes.withUnsafeBytes {
      place.copyMemory(from: $0.baseAddress! + range.lowerBound, byteCount: range.count)
    }
  }

  private func range(_ index: Int) -> Range<Int> {
    (index == 0 ? 0 : ends[index - 1])..<ends[index]
  }
}
