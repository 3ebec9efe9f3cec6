/// What the header of an image says of it.
package struct ImageProperties: Hashable, Sendable {
  /// In pixels, as stored: before it is turned.
  package var width: Int?
  package var height: Int?
  /// How it is to be turned, from 1 to 8 as Exif counts.
  package var orientation: Int?
  /// Bits of a pixel, with those of its opacity.
  package var colorDepth: Int?
  /// By the clock of the camera: `2026-01-31 12:34:56`.
  package var dateTaken: String?
  /// Maker and model.
  package var camera: String?

  package init() {}

  /// How much of an image is read at most.
  package static let limit = 8 << 20

  /// What an image says of itself; nothing for what is none of the formats that are known here.
  ///
  /// - Throws: ``FormatError`` where it is one of them and breaks its rules, and what reading throws.
  package init(of source: ByteSource) throws {
    let magic = try source.prefix(16, at: 0)
    if magic.starts(with: PNGFile.signature) {
      self = try PNGFile.properties(of: source)
    } else if magic.starts(with: JPEGFile.signature) {
      self = try JPEGFile.properties(of: source)
    } else if magic.begins(with: "GIF87a") || magic.begins(with: "GIF89a") {
      self = try GIFFile.properties(of: source)
    } else if magic.begins(with: "RIFF"), magic.dropFirst(8).begins(with: "WEBP") {
      self = try WebPFile.properties(of: source)
    } else if let file = try TIFFFile(source, at: 0) {
      self = try file.properties()
    } else if magic.dropFirst(4).begins(with: "ftyp") {
      self = try HEIFFile.properties(of: source)
    } else {
      self = try SVGFile.properties(of: source) ?? ImageProperties()
    }
  }

  /// Takes over what Exif says. What is wrong with it takes nothing from the image.
  mutating func add(_ exif: ImageProperties) {
    orientation = orientation ?? exif.orientation
    dateTaken = dateTaken ?? exif.dateTaken
    camera = camera ?? exif.camera
  }

  /// Takes over what a block of Exif says; one that makes no sense says nothing.
  mutating func addExif(of source: ByteSource, at offset: Int, end: Int) throws {
    let exif = try ignoringFormatErrors {
      try TIFFFile(source, at: offset, end: end)?.exif()
    }
    if let exif { add(exif) }
  }
}

/// [GIF 89a](https://www.w3.org/Graphics/GIF/spec-gif89a.txt).
enum GIFFile {
  static func properties(of source: ByteSource) throws -> ImageProperties {
    var cursor = try source.cursor(5, at: 6, .lowestFirst)
    var image = ImageProperties()
    image.width = try cursor.number(2)
    image.height = try cursor.number(2)
    let flags = try cursor.number(1)
    // The size of the table of colours, or what the image had before it had one.
    image.colorDepth = (flags & 0x80 != 0 ? flags & 7 : flags >> 4 & 7) + 1
    return image
  }
}
