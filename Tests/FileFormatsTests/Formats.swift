import CZlib
import FileFormats
import SystemPackage
import TestSupport

/// What formats say, of bytes in memory.
enum Format: CaseIterable, Sendable {
  case image
  case document

  /// Files as programs have written them.
  var samples: [Corpus.File] { Corpus.files(self == .image ? "Images" : "Documents") }
  var limit: Int { self == .image ? ImageProperties.limit : DocumentProperties.limit }

  /// Reads bytes as the format, and gives up as the provider does.
  ///
  /// - Returns: how many bytes were asked for.
  func read(_ bytes: [UInt8]) throws -> Int {
    let source = ByteSource(bytes, limit: limit)
    do {
      switch self {
      case .image: _ = try ImageProperties(of: source)
      case .document: _ = try DocumentProperties(of: source)
      }
    } catch is FormatError {}
    return source.bytesRead
  }
}

extension ByteSource {
  convenience init(_ bytes: [UInt8], limit: Int = 32 << 20) {
    self.init(size: bytes.count, limit: limit) { Array(bytes[$0]) }
  }

  /// A file of which only the beginning holds something, however long it is.
  convenience init(_ bytes: [UInt8], size: Int, limit: Int = 32 << 20) {
    self.init(size: size, limit: limit) { range in
      range.map { $0 < bytes.count ? bytes[$0] : 0 }
    }
  }
}

/// Numbers with their highest byte first.
func highestFirst(_ number: Int, _ width: Int) -> [UInt8] {
  (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
}

func lowestFirst(_ number: Int, _ width: Int) -> [UInt8] { highestFirst(number, width).reversed() }

/// A box of the ISO base media file format.
func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
  highestFirst(content.count + 8, 4) + Array(name.utf8) + content
}

/// A HEIF image of 30 × 20 pixels whose further properties are these boxes.
func heif(_ properties: [[UInt8]]) -> [UInt8] {
  let size = box("ispe", [0, 0, 0, 0] + highestFirst(30, 4) + highestFirst(20, 4))
  let associations = (1...properties.count + 1).map { UInt8($0) }
  let meta =
    box("pitm", [0, 0, 0, 0, 0, 1])
    + box(
      "iprp",
      box("ipco", ([size] + properties).flatMap { $0 })
        + box("ipma", [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, UInt8(associations.count)] + associations))
  return box("ftyp", Array("heic\0\0\0\0mif1".utf8)) + box("meta", [0, 0, 0, 0] + meta)
}

/// A ZIP archive with one member after the other.
func zip(_ members: [(name: String, packed: [UInt8], size: Int, method: Int)]) -> [UInt8] {
  var archive: [UInt8] = []
  var directory: [UInt8] = []
  for member in members {
    let name = Array(member.name.utf8)
    let sizes =
      lowestFirst(0, 4) + lowestFirst(member.packed.count, 4) + lowestFirst(member.size, 4)
      + lowestFirst(name.count, 2) + [0, 0]
    let shared = [20, 0, 0, 0] + lowestFirst(member.method, 2) + [0, 0, 0, 0] + sizes
    directory +=
      [0x50, 0x4B, 1, 2, 20, 0] + shared + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
      + lowestFirst(archive.count, 4) + name
    archive += [0x50, 0x4B, 3, 4] + shared + name + member.packed
  }
  let count = lowestFirst(members.count, 2)
  return archive + directory + [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + count + count
    + lowestFirst(directory.count, 4) + lowestFirst(archive.count, 4) + [0, 0]
}

/// Bytes that stand for so many noughts, a thousand times as many as they are.
func deflatedNoughts(_ count: Int, wrapped: Bool) -> [UInt8] {
  var stream = z_stream()
  deflateInit2_(
    &stream, 9, Z_DEFLATED, wrapped ? MAX_WBITS : -MAX_WBITS, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
    CInt(MemoryLayout<z_stream>.size))
  defer { deflateEnd(&stream) }
  var piece = [UInt8](repeating: 0, count: 1 << 20)
  var result: [UInt8] = []
  var output = [UInt8](repeating: 0, count: 1 << 16)
  var left = count
  while true {
    let amount = min(left, piece.count)
    left -= amount
    var status = Z_OK
    piece.withUnsafeMutableBufferPointer { piece in
      stream.next_in = piece.baseAddress
      stream.avail_in = UInt32(amount)
      repeat {
        status = output.withUnsafeMutableBufferPointer { output in
          stream.next_out = output.baseAddress
          stream.avail_out = UInt32(output.count)
          return deflate(&stream, left == 0 ? Z_FINISH : Z_NO_FLUSH)
        }
        result += output.prefix(output.count - Int(stream.avail_out))
      } while stream.avail_out == 0
    }
    if status == Z_STREAM_END { return result }
  }
}
