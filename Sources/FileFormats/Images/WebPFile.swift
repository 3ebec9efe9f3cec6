/// [WebP, RFC 9649](https://www.rfc-editor.org/rfc/rfc9649): chunks in a RIFF file.
enum WebPFile {
  /// How many chunks are looked at for Exif, which comes behind the pixels.
  private static let mostChunks = 64

  static func properties(of source: ByteSource) throws -> ImageProperties {
    var image = ImageProperties()
    var first = try source.cursor(8, at: 12, .lowestFirst)
    let name = try first.name()
    switch name {
    case "VP8 ": try readLossy(source, of: &image)
    case "VP8L": try readLossless(source, of: &image)
    case "VP8X":
      var header = try source.cursor(10, at: 20, .lowestFirst)
      let flags = try header.number(4)
      image.width = try header.number(3) + 1
      image.height = try header.number(3) + 1
      image.colorDepth = flags & 0x10 != 0 ? 32 : 24
      if flags & 0x08 != 0 { try findExif(in: source, of: &image) }
    default: throw FormatError.malformed("a WebP that begins with no image")
    }
    return image
  }

  /// The header of a key frame, [RFC 6386](https://www.rfc-editor.org/rfc/rfc6386), 9.1. The highest two bits say
  /// how it is to be enlarged.
  private static func readLossy(_ source: ByteSource, of image: inout ImageProperties) throws {
    var frame = try source.cursor(10, at: 20, .lowestFirst)
    let isKeyFrame = try frame.number(3) & 1 == 0
    guard isKeyFrame, try frame.take(3).elementsEqual([0x9D, 0x01, 0x2A]) else {
      throw FormatError.malformed("a WebP without a key frame")
    }
    image.width = try frame.number(2) & 0x3FFF
    image.height = try frame.number(2) & 0x3FFF
    image.colorDepth = 24
  }

  private static func readLossless(_ source: ByteSource, of image: inout ImageProperties) throws {
    var header = try source.cursor(5, at: 20, .lowestFirst)
    guard try header.number(1) == 0x2F else {
      throw FormatError.malformed("a WebP without its header")
    }
    let bits = try header.number(4)
    image.width = (bits & 0x3FFF) + 1
    image.height = (bits >> 14 & 0x3FFF) + 1
    image.colorDepth = bits >> 28 & 1 == 1 ? 32 : 24
  }

  private static func findExif(in source: ByteSource, of image: inout ImageProperties) throws {
    var offset = 12
    for _ in 0..<mostChunks {
      let bytes = try source.prefix(8, at: offset)
      guard bytes.count == 8 else { return }
      var chunk = ByteCursor(bytes, .lowestFirst)
      let name = try chunk.name()
      let length = try chunk.number(4)
      if name == "EXIF" {
        // Some write it as it is in a JPEG.
        let isLikeJPEG = try source.prefix(6, at: offset + 8).begins(with: "Exif\0\0")
        return try image.addExif(
          of: source, at: offset + (isLikeJPEG ? 14 : 8), end: offset + 8 + length)
      }
      // Each begins at an even place.
      offset += 8 + length + length & 1
    }
  }
}
