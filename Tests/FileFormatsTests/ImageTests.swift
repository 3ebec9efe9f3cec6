import FileFormats
import TestSupport
import TestTraits
import Testing

@Suite("Headers of images", .feature("FS-16"))
struct ImageTests {
  private static func image(
    _ width: Int?, _ height: Int?, _ depth: Int? = nil, orientation: Int? = nil,
    hasExif: Bool = false
  ) -> ImageProperties {
    var image = ImageProperties()
    (image.width, image.height, image.colorDepth) = (width, height, depth)
    image.orientation = orientation
    if hasExif { (image.dateTaken, image.camera) = ("2026-01-31 12:34:56", "Kamerawerk K 1") }
    return image
  }

  private static let samples: [String: ImageProperties] = [
    "plain.png": image(24, 18, 24), "alpha.png": image(24, 18, 32), "gray.png": image(24, 18, 8),
    "exif.png": image(24, 18, 24, orientation: 6, hasExif: true),
    "palette.gif": image(24, 18, 2),
    "plain.jpg": image(24, 18, 24), "progressive.jpg": image(24, 18, 8),
    "exif.jpg": image(24, 18, 24, orientation: 6, hasExif: true),
    "lossy.webp": image(24, 18, 24), "lossless.webp": image(24, 18, 32),
    "exif.webp": image(24, 18, 24, orientation: 6, hasExif: true),
    "big.tiff": image(24, 18, 24),
    "plain.heic": image(24, 18, 24),
    // That it is turned is in its Exif alone, which counts for nothing there.
    "exif.heic": image(24, 18, 24, hasExif: true),
    "exif.avif": image(24, 18, 24, orientation: 6, hasExif: true),
    "lengths.svg": image(96, 96), "box.svg": image(30, 20), "ratio.svg": image(30, 60),
    "packed.svgz": image(7, 10),
  ]

  @Test("say what their programs have written", arguments: Format.image.samples)
  func samples(_ file: Corpus.File) throws {
    let found = try ImageProperties(of: ByteSource(file.bytes))
    if file.name == "little.tiff" {
      // Its writer leaves out the directory with the date.
      #expect(found.orientation == 6 && found.camera == "Kamerawerk K 1" && found.width == 24)
    } else {
      #expect(found == Self.samples[file.name])
    }
  }

  @Test("every sample is there")
  func all() {
    #expect(Set(Format.image.samples.map(\.name)).isSuperset(of: Self.samples.keys))
  }

  /// A TIFF of one directory with these fields: tag, type, count, and four bytes of value.
  private static func tiff(
    _ fields: [(Int, Int, Int, Int)], next: Int = 0, isLittle: Bool = true, then: [UInt8] = []
  ) -> [UInt8] {
    func number(_ value: Int, _ width: Int) -> [UInt8] {
      isLittle ? lowestFirst(value, width) : highestFirst(value, width)
    }
    var bytes = Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4)
    bytes += number(fields.count, 2)
    for (tag, type, count, value) in fields {
      bytes += number(tag, 2) + number(type, 2) + number(count, 4)
      // Short numbers are at the left of their room.
      bytes += type == 3 && count == 1 ? number(value, 2) + [0, 0] : number(value, 4)
    }
    return bytes + number(next, 4) + then
  }

  @Test("TIFF is read in both orders of bytes", arguments: [true, false])
  func orders(isLittle: Bool) throws {
    let bytes = Self.tiff(
      [(256, 3, 1, 700), (257, 4, 1, 500), (258, 3, 1, 16), (277, 3, 1, 3)], isLittle: isLittle)
    #expect(try ImageProperties(of: ByteSource(bytes)) == Self.image(700, 500, 48))
  }

  @Test("of a raw image the large one counts, not the small one before it")
  func subdirectories() throws {
    // The second directory begins behind the first: 8 + 2 + 4 × 12 + 4.
    let second = Array(
      Self.tiff([(254, 4, 1, 0), (256, 4, 1, 6000), (257, 4, 1, 4000)]).dropFirst(8))
    let bytes = Self.tiff(
      [(254, 4, 1, 1), (256, 4, 1, 160), (257, 4, 1, 120), (330, 4, 1, 62)], then: second)
    let image = try ImageProperties(of: ByteSource(bytes))
    #expect(image.width == 6000 && image.height == 4000)
  }

  @Test("directories that lead back to each other end", arguments: [8, 62])
  func loop(_ next: Int) throws {
    let bytes = Self.tiff(
      [(254, 4, 1, 1), (256, 4, 1, 160), (257, 4, 1, 120), (330, 4, 1, 8)], next: next,
      then: [0, 0, 8, 0, 0, 0])
    let image = try ImageProperties(of: ByteSource(bytes))
    #expect(image.width == 160)
  }

  @Test(
    "of dates only such as there can be count, and makers are not told twice",
    arguments: [
      ("2026:01:31 12:34:56", "Nikon", "NIKON D5", "2026-01-31 12:34:56", "NIKON D5"),
      ("0000:00:00 00:00:00", "Leica", "M11", nil, "Leica M11"),
      ("    :  :     :  :  ", "", "M11", nil, "M11"), ("2026", "Leica", " ", nil, "Leica"),
    ] as [(String, String, String, String?, String?)])
  func exif(_ date: String, _ maker: String, _ model: String, _ taken: String?, _ camera: String?)
    throws
  {
    let texts = [maker, model, date].map { Array($0.utf8) + [0] }
    // 8 + 2 + 5 × 12 + 4, then 2 + 12 + 4 for the directory of Exif.
    let start = 74 + 18
    let exif =
      lowestFirst(1, 2) + lowestFirst(36867, 2) + [2, 0] + lowestFirst(20, 4)
      + lowestFirst(start + 200, 4) + [0, 0, 0, 0]
    var then = exif + texts[0]
    then += [UInt8](repeating: 0, count: 100 - texts[0].count) + texts[1]
    then += [UInt8](repeating: 0, count: 100 - texts[1].count) + texts[2]
    let bytes = Self.tiff(
      [
        (256, 3, 1, 1), (257, 3, 1, 1), (271, 2, 100, start), (272, 2, 100, start + 100),
        (34665, 4, 1, 74),
      ], then: then)
    let image = try ImageProperties(of: ByteSource(bytes))
    #expect(image.dateTaken == taken)
    #expect(image.camera == camera)
  }

  @Test(
    "HEIF that is turned and mirrored says so as Exif does",
    arguments: [
      ([], nil), ([("irot", 0)], 1), ([("irot", 1)], 8), ([("irot", 2)], 3), ([("irot", 3)], 6),
      ([("imir", 1)], 2), ([("imir", 0)], 4), ([("irot", 1), ("imir", 1)], 7),
      ([("irot", 3), ("imir", 1)], 5), ([("irot", 2), ("imir", 0)], 2),
      ([("imir", 1), ("imir", 1)], 1),
    ] as [([(String, UInt8)], Int?)])
  func turning(_ steps: [(String, UInt8)], _ orientation: Int?) throws {
    let image = try ImageProperties(of: ByteSource(heif(steps.map { box($0.0, [$0.1]) })))
    #expect(image.orientation == orientation)
    #expect(image.width == 30 && image.height == 20)
  }

  @Test("of HEIF only what is shown counts")
  func clipping() throws {
    let clip = box(
      "clap", [29, 1, 38, 2].flatMap { highestFirst($0, 4) } + [UInt8](repeating: 0, count: 16))
    let image = try ImageProperties(of: ByteSource(heif([clip])))
    #expect(image.width == 29 && image.height == 19)
  }

  @Test(
    "SVG has lengths in many units",
    arguments: [
      ("10", 10), ("10px", 10), ("1in", 96), ("2.54cm", 96), ("25.4mm", 96), ("72pt", 96),
      ("6pc", 96),
      ("101.6Q", 96), ("1e2", 100), ("1.5E+1px", 15), ("100%", nil), ("3em", nil), ("-4", nil),
      ("nan", nil), ("1e99", nil), ("0x10", nil), ("", nil),
    ] as [(String, Int?)])
  func lengths(_ text: String, _ pixels: Int?) throws {
    let svg = "<svg width='\(text)' height='5'/>"
    #expect(try ImageProperties(of: ByteSource(Array(svg.utf8))) == Self.image(pixels, 5))
  }

  @Test("of a picture without extent an SVG has no scale", arguments: ["0", "-0", "1e-320", "-4"])
  func noExtent(_ extent: String) throws {
    let svg = "<svg width='30' viewBox='0 0 \(extent) 7'/>"
    #expect(try ImageProperties(of: ByteSource(Array(svg.utf8))).height == nil)
  }

  @Test(
    "what is no image that is known here says nothing",
    arguments: ["", "B", "BM and so on", "<html><svg width='1' height='1'/></html>", "<svg"])
  func unknown(_ text: String) throws {
    #expect(try ImageProperties(of: ByteSource(Array(text.utf8))) == ImageProperties())
  }
}
