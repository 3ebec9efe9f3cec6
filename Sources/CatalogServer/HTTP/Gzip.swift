internal import CZlib

/// Compression that every browser knows.
enum Gzip {
  /// Smaller answers are sent as they are: they fit a packet or two.
  static let threshold = 1400

  /// - Parameter level: from 1, fast, to 9, small.
  /// - Returns: `nil` where zlib has no memory.
  static func compressed(_ bytes: [UInt8], level: Int32 = 1) -> [UInt8]? {
    var stream = z_stream()
    guard czlib_begin_gzip(&stream, level) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    let limit = Int(deflateBound(&stream, UInt(bytes.count))) + 32
    var isComplete = false
    let compressed = [UInt8](unsafeUninitializedCapacity: limit) { output, count in
      bytes.withUnsafeBufferPointer { input in
        stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(limit)
        isComplete = deflate(&stream, Z_FINISH) == Z_STREAM_END
        count = limit - Int(stream.avail_out)
      }
    }
    return isComplete ? compressed : nil
  }

  /// Whether who sends this header takes it.
  static func isAccepted(by header: String?) -> Bool {
    guard let header else { return false }
    return header.lowercased().split(separator: ",").contains { item in
      let parts = item.split(separator: ";").map { $0.filter { $0 != " " } }
      guard parts.first == "gzip" || parts.first == "*" else { return false }
      return !parts.dropFirst().contains {
        $0.hasPrefix("q=0") && !$0.dropFirst(3).contains { "1"..."9" ~= $0 }
      }
    }
  }
}
