/// JPEG, [ITU-T T.81](https://www.w3.org/Graphics/JPEG/itu-t81.pdf), with Exif
/// ([CIPA DC-008](https://www.cipa.jp/std/documents/e/DC-X008-Translation-2019-E.pdf)) in its segment APP1.
enum JPEGFile {
  static let signature: [UInt8] = [0xFF, 0xD8, 0xFF]

  /// How many segments come before the pixels at most, and how many bytes fill the room before each.
  private static let mostSegments = 2000
  private static let mostFill = 64

  static func properties(of source: ByteSource) throws -> ImageProperties {
    var image = ImageProperties()
    var offset = 2
    for _ in 0..<mostSegments {
      guard let marker = try marker(in: source, at: &offset) else { break }
      switch marker {
      // What has no length.
      case 0x01, 0xD0...0xD7: continue
      // The pixels, or the end.
      case 0xD9, 0xDA: return try checked(image)
      default: break
      }
      var segment = try source.cursor(2, at: offset, .highestFirst)
      let length = try segment.number(2)
      guard length >= 2 else { throw FormatError.malformed("a JPEG with a segment of no length") }
      switch marker {
      case 0xC4, 0xC8, 0xCC: break
      case 0xC0...0xCF where image.width == nil:
        var frame = try source.cursor(6, at: offset + 2, .highestFirst)
        let precision = try frame.number(1)
        let height = try frame.number(2)
        image.width = try frame.number(2)
        // Nought: the pixels say it at their end.
        image.height = height > 0 ? height : nil
        image.colorDepth = precision * (try frame.number(1))
      case 0xE1 where try source.prefix(6, at: offset + 2).begins(with: "Exif\0\0"):
        try image.addExif(of: source, at: offset + 8, end: offset + length)
      default: break
      }
      offset += length
    }
    throw FormatError.malformed("a JPEG that does not come to its pixels")
  }

  private static func checked(_ image: ImageProperties) throws -> ImageProperties {
    guard image.width != nil else { throw FormatError.malformed("a JPEG without a frame") }
    return image
  }

  /// The next marker, behind what fills the room before it.
  private static func marker(in source: ByteSource, at offset: inout Int) throws -> UInt8? {
    let bytes = try source.prefix(mostFill, at: offset)
    guard bytes.first == 0xFF, let place = bytes.firstIndex(where: { $0 != 0xFF }) else {
      return nil
    }
    offset += place - bytes.startIndex + 1
    return bytes[place]
  }
}
