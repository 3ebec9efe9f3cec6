/// [PNG, third edition](https://www.w3.org/TR/png-3/): a signature, then chunks with their lengths.
enum PNGFile {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// How many chunks are looked at for Exif, which may come behind the pixels.
  private static let mostChunks = 64

  static func properties(of source: ByteSource) throws -> ImageProperties {
    var header = try source.cursor(18, at: signature.count, .highestFirst)
    guard try header.number(4) == 13, try header.name() == "IHDR" else {
      throw FormatError.malformed("a PNG without a header")
    }
    var image = ImageProperties()
    image.width = try header.number(4)
    image.height = try header.number(4)
    let depth = try header.number(1)
    let samples: Int? =
      switch try header.number(1) {
      case 0, 3: 1
      case 2: 3
      case 4: 2
      case 6: 4
      default: nil
      }
    guard let samples, [1, 2, 4, 8, 16].contains(depth) else {
      throw FormatError.malformed("a PNG of a kind that there is not")
    }
    image.colorDepth = samples * depth
    try findExif(in: source, of: &image)
    return image
  }

  private static func findExif(in source: ByteSource, of image: inout ImageProperties) throws {
    var offset = signature.count
    for _ in 0..<mostChunks {
      let bytes = try source.prefix(8, at: offset)
      guard bytes.count == 8 else { return }
      var chunk = ByteCursor(bytes, .highestFirst)
      let length = try chunk.number(4)
      let name = try chunk.name()
      if name == "eXIf" {
        return try image.addExif(of: source, at: offset + 8, end: offset + 8 + length)
      }
      if name == "IEND" { return }
      // With its checksum. Lengths have four bytes, so this ends far before numbers do.
      offset += 12 + length
    }
  }
}
