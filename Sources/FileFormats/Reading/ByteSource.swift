/// A file of which some places are read, and never more than a bound: whatever it says of itself.
///
/// Small pieces that lie near each other are read at once.
package final class ByteSource {
  /// How long the file is.
  package let size: Int
  /// How much of it was asked for.
  package private(set) var bytesRead = 0

  private let limit: Int
  private let read: (Range<Int>) throws -> [UInt8]
  private var block: [UInt8] = []
  private var blockStart = 0

  private static let step = 4096

  /// - Parameters:
  ///   - limit: how many bytes are read at most before it is given up.
  ///   - read: the bytes of a range that lies in the file; fewer where it has become shorter.
  package init(size: Int, limit: Int, read: @escaping (Range<Int>) throws -> [UInt8]) {
    self.size = size
    self.limit = limit
    self.read = read
  }

  /// The bytes from a place on: as many as there are, up to a count.
  func prefix(_ count: Int, at offset: Int) throws -> ArraySlice<UInt8> {
    guard offset >= 0, offset < size, count > 0 else { return [] }
    let wanted = min(count, size - offset)
    let start = offset - blockStart
    if start >= 0, start <= block.count, wanted <= block.count - start {
      return block[start..<start + wanted]
    }
    let amount = min(max(wanted, Self.step), size - offset)
    guard amount <= limit - bytesRead else { throw FormatError.tooMuch(limit: limit) }
    bytesRead += amount
    block = try read(offset..<offset + amount)
    blockStart = offset
    return block.prefix(wanted)
  }

  /// So many bytes from a place on.
  ///
  /// - Throws: ``FormatError/endsEarly`` where there are fewer.
  func bytes(_ count: Int, at offset: Int) throws -> ArraySlice<UInt8> {
    let bytes = try prefix(count, at: offset)
    guard bytes.count == count else { throw FormatError.endsEarly }
    return bytes
  }

  /// So many bytes from a place on, to be read as numbers.
  func cursor(_ count: Int, at offset: Int, _ order: ByteOrder) throws -> ByteCursor {
    ByteCursor(try bytes(count, at: offset), order)
  }
}
