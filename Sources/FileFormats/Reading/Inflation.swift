internal import CZlib

/// Takes apart what is compressed by [DEFLATE](https://www.rfc-editor.org/rfc/rfc1951), with zlib.
///
/// How long the result would be nobody knows before, so it is cut where it has a length that the caller can
/// do with: a few bytes that stand for a thousand million cost no more than others.
struct Inflation {
  /// What is around the compressed bytes.
  enum Wrapping: Sendable {
    case none
    /// [RFC 1950](https://www.rfc-editor.org/rfc/rfc1950), or
    /// [gzip](https://www.rfc-editor.org/rfc/rfc1952).
    case zlibOrGzip
  }

  private static let piece = 1 << 16

  /// The first bytes of what a part of a file stands for.
  ///
  /// - Parameters:
  ///   - count: how long the part is at most; it ends where the compressed bytes say.
  ///   - limit: how many bytes are wanted.
  static func prefix(
    _ limit: Int, of source: ByteSource, at offset: Int, count: Int, _ wrapping: Wrapping
  ) throws -> [UInt8] {
    var stream = z_stream()
    let bits = wrapping == .none ? -MAX_WBITS : MAX_WBITS + 32
    guard
      inflateInit2_(&stream, bits, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw FormatError.unsupported("there is no memory to decompress it") }
    defer { inflateEnd(&stream) }
    var result: [UInt8] = []
    var output = [UInt8](repeating: 0, count: min(limit, piece))
    var position = offset
    // A count may be anything, the sum of both as well.
    var left = min(max(count, 0), max(source.size - offset, 0))
    while result.count < limit {
      var input = Array(try source.prefix(min(left, piece), at: position))
      guard !input.isEmpty else { throw FormatError.endsEarly }
      position += input.count
      left -= input.count
      let isOver = try input.withUnsafeMutableBufferPointer { input in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        repeat {
          let status = output.withUnsafeMutableBufferPointer { output in
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            return inflate(&stream, Z_NO_FLUSH)
          }
          let count = output.count - Int(stream.avail_out)
          result += output.prefix(min(count, limit - result.count))
          switch status {
          case Z_STREAM_END: return true
          case Z_OK: break
          // Nothing is wrong: it wants more than there is of this piece.
          case Z_BUF_ERROR where stream.avail_in == 0: return false
          default: throw FormatError.malformed("what is compressed in it cannot be decompressed")
          }
        } while (stream.avail_in > 0 || stream.avail_out == 0) && result.count < limit
        return false
      }
      if isOver { break }
    }
    return result
  }
}
