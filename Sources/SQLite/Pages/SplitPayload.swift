/// A record too large for its cell: what stays there, and the number of the page where the chain
/// with the rest begins (file format, 1.6).
struct SplitPayload {
  private let local: [UInt8]
  private let firstPage: UInt32

  /// The longest record that SQLite reads unless it was built otherwise (limits of SQLite, 1).
  static let maximumSize = 1_000_000_000

  /// Writes the chain.
  init(
    _ record: borrowing RecordEncoder, maximum: Int, writer: PageWriter
  ) throws(PageLoaderError) {
    let size = record.size
    guard size <= Self.maximumSize else { throw writer.error(.recordTooLarge(size)) }
    let localSize = writer.format.localSize(ofPayload: size, maximum: maximum)
    let whole = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    defer { whole.deallocate() }
    record.copy(to: whole.baseAddress!)
    local = Array(whole.prefix(localSize))
    firstPage = try writer.appendChain(
      UnsafeRawBufferPointer(rebasing: whole.dropFirst(localSize)))
  }

  /// The bytes in the cell: the local part and the number of the page.
  var localSize: Int { local.count + 4 }

  func copy(to place: UnsafeMutableRawPointer) {
    local.withUnsafeBytes { place.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    place.storeBigEndian(firstPage, at: local.count)
  }
}
