internal import CZstd

/// Compresses pages with zstd, each by itself and with a checksum of its content.
///
/// Without the checksum some readers take a page in which bits have flipped for one that is sound.
final class PageCompressor {
  private let context: OpaquePointer
  private var buffer: UnsafeMutableRawBufferPointer

  init() throws(ParquetError) {
    guard let context = ZSTD_createCCtx() else { throw .compression("no memory") }
    self.context = context
    buffer = .allocate(byteCount: 0, alignment: 1)
    try Self.check(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1))
  }

  deinit {
    ZSTD_freeCCtx(context)
    buffer.deallocate()
  }

  /// Returns the compressed form of a page, which is lent until the next one.
  func compress(_ page: UnsafeRawBufferPointer) throws(ParquetError) -> UnsafeRawBufferPointer {
    let bound = ZSTD_compressBound(page.count)
    if buffer.count < bound {
      buffer.deallocate()
      buffer = .allocate(byteCount: bound, alignment: 1)
    }
    let count = ZSTD_compress2(
      context, buffer.baseAddress, buffer.count, page.baseAddress, page.count)
    try Self.check(count)
    return UnsafeRawBufferPointer(rebasing: buffer[..<count])
  }

  private static func check(_ code: Int) throws(ParquetError) {
    guard ZSTD_isError(code) != 0 else { return }
    throw .compression(String(cString: ZSTD_getErrorName(code)))
  }
}
