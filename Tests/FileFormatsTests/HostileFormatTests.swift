import FileFormats
import TestSupport
import TestTraits
import Testing

@Suite("Files that are made to do harm", .timeLimit(.minutes(20)), .feature("FS-16"))
struct HostileFormatTests {
  /// Words over which readers of these formats could stumble.
  private static let tokens = [
    "<<", ">>", "[", "(", "endobj", "stream\n", "/Count 1000000000", "/Prev 9", "/First -1",
    "/N 1000000000",
    "/W [8 8 8]", "/Index [0 1000000000]", "/Columns 4096", "1 0 R", "xref\n0 1000000000\n",
    "startxref\n0\n",
    "\u{0}\u{0}\u{0}\u{1}", "\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}", "<a>", "<![CDATA[",
    "<!--", "&#x",
    "PK\u{5}\u{6}", "Exif\u{0}\u{0}", "meta", "iloc", "ipma",
  ]

  @Test(
    "are refused, whatever was done to them, and read within bounds", arguments: Format.allCases)
  func damaged(_ format: Format) throws {
    let seed = UInt64.random(in: 0 ..< .max)
    var random = SeededRandom(seed: seed)
    let files = format.samples
    try #require(!files.isEmpty)
    for round in 0..<20_000 {
      let file = files[round % files.count]
      var bytes = random.damage(file.bytes, with: Self.tokens)
      // A length or a place that is larger than anything.
      if random.below(3) == 0, bytes.count > 8 {
        let place = random.below(bytes.count - 7)
        let width = [2, 4, 8][random.below(3)]
        let value: UInt8 = [0xFF, 0x7F, 0x00, 0x80][random.below(4)]
        for index in 0..<width { bytes[place + index] = index == 0 ? value : value == 0 ? 0 : 0xFF }
      }
      do {
        let read = try format.read(bytes)
        #expect(read <= format.limit, "seed \(seed), round \(round), \(file.name)")
      } catch {
        Issue.record("\(error): seed \(seed), round \(round), \(file.name)")
      }
    }
  }

  @Test("break off anywhere", arguments: Format.allCases)
  func cut(_ format: Format) throws {
    for file in format.samples {
      for count in 0..<file.bytes.count { _ = try format.read(Array(file.bytes.prefix(count))) }
    }
  }

  // MARK: - Bombs

  private func expect(
    _ error: FormatError, of source: ByteSource, as format: Format, atMost bytes: Int,
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: error, sourceLocation: location) {
      switch format {
      case .image: _ = try ImageProperties(of: source)
      case .document: _ = try DocumentProperties(of: source)
      }
    }
    #expect(source.bytesRead <= bytes, sourceLocation: location)
  }

  @Test("A member of an archive that stands for a thousand million bytes is given up")
  func archive() throws {
    let bomb = deflatedNoughts(1_000_000_000, wrapped: false)
    #expect(bomb.count < 2_000_000)
    let bytes = zip([
      ("[Content_Types].xml", [], 0, 0), ("docProps/app.xml", bomb, 1_000_000_000, 8),
    ])
    expect(
      .tooMuch(limit: 4 << 20), of: ByteSource(bytes), as: .document, atMost: 1 << 20)
  }

  @Test("Elements in elements without end are given up")
  func deepMarkup() {
    let text = Array(String(repeating: "<a>", count: 1_000_000).utf8)
    let bytes = zip([("[Content_Types].xml", [], 0, 0), ("docProps/app.xml", text, text.count, 0)])
    expect(
      .malformed("its XML makes no sense"), of: ByteSource(bytes), as: .document, atMost: 8 << 20)
  }

  @Test("A PDF whose objects are in a stream of a thousand million bytes is given up")
  func objects() {
    let bomb = deflatedNoughts(1_000_000_000, wrapped: true)
    var bytes = Array("%PDF-1.5\n".utf8)
    let stream = bytes.count
    bytes += Array("9 0 obj <</Type/ObjStm/N 1000000000/First 8/Filter/FlateDecode>> stream\n".utf8)
    bytes += bomb
    let table = bytes.count
    // Object 1 is the first in stream 9, and that is at its place.
    bytes += Array(
      "8 0 obj <</Type/XRef/W[1 4 0]/Index[1 1 9 1]/Root 1 0 R/Length 10>> stream\n".utf8)
    bytes += [2] + highestFirst(9, 4) + [1] + highestFirst(stream, 4)
    bytes += Array("\nendstream endobj\nstartxref\n\(table)\n%%EOF\n".utf8)
    expect(
      .endsEarly, of: ByteSource(bytes), as: .document, atMost: 2 << 20)
  }

  @Test("A PDF whose tables lead to each other is given up")
  func circle() {
    var text = "%PDF-1.4\n"
    let places = [9, 9 + 47]
    for place in places.reversed() {
      let table = "xref\n0 0\ntrailer <</Prev \(place)>>"
      text += table + String(repeating: " ", count: 47 - table.utf8.count)
    }
    text += "\nstartxref\n9\n%%EOF"
    expect(
      .malformed("a PDF that does not say how many pages it has"), of: ByteSource(Array(text.utf8)),
      as: .document, atMost: 1 << 16)
  }

  @Test("A PDF with values in values without end is given up")
  func deepValue() {
    let text = "%PDF-1.4\n1 0 obj\n" + String(repeating: "[", count: 1_000_000)
    let table = text.utf8.count
    let end =
      "\nxref\n1 1\n0000000009 00000 n \ntrailer <</Root 1 0 R>>\nstartxref\n\(table + 1)\n%%EOF"
    expect(
      .malformed("a PDF with a value that makes no sense"),
      of: ByteSource(Array((text + end).utf8)), as: .document, atMost: 3 << 20)
  }

  @Test("A TIFF with a thousand million fields is read no further than it matters")
  func fields() throws {
    // BigTIFF, whose number of fields has eight bytes.
    let header = Array("II".utf8) + [43, 0, 8, 0, 0, 0] + lowestFirst(16, 8)
    var bytes = header + lowestFirst(1_000_000_000, 8)
    for (tag, value) in [(256, 40), (257, 30)] {
      bytes += lowestFirst(tag, 2) + lowestFirst(4, 2) + lowestFirst(1, 8) + lowestFirst(value, 8)
    }
    let source = ByteSource(bytes, size: 20_000_000_000)
    let image = try ImageProperties(of: source)
    #expect(image.width == 40 && image.height == 30)
    #expect(source.bytesRead < 1 << 16)
    // The same, but the file ends.
    expect(
      .endsEarly, of: ByteSource(bytes), as: .image, atMost: 1 << 16)
  }

  @Test("A JPEG with a million segments is given up")
  func segments() {
    var bytes: [UInt8] = [0xFF, 0xD8]
    for _ in 0..<1_000_000 { bytes += [0xFF, 0xFE, 0, 2] }
    expect(
      .malformed("a JPEG that does not come to its pixels"), of: ByteSource(bytes), as: .image,
      atMost: 1 << 16)
    let fill = [0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 1_000_000)
    expect(
      .malformed("a JPEG that does not come to its pixels"), of: ByteSource(fill), as: .image,
      atMost: 1 << 16)
  }

  @Test(
    "HEIF with boxes of impossible lengths is given up",
    arguments: [
      highestFirst(1, 4) + Array("meta".utf8) + highestFirst(0, 8),
      highestFirst(1, 4) + Array("meta".utf8) + highestFirst(.max, 8),
      highestFirst(1, 4) + Array("meta".utf8) + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      highestFirst(7, 4) + Array("meta".utf8), highestFirst(0x7FFF_FFFF, 4) + Array("meta".utf8),
      // To the end of the file, with nothing in it; and a thousand empty boxes.
      highestFirst(0, 4) + Array("meta".utf8),
      (0..<1000).flatMap { _ in box("free", []) },
    ])
  func boxes(_ bytes: [UInt8]) {
    let source = ByteSource(box("ftyp", Array("heic\0\0\0\0mif1".utf8)) + bytes)
    #expect(throws: FormatError.self) { try ImageProperties(of: source) }
    #expect(source.bytesRead <= 1 << 16)
  }

  @Test("An image whose pixels lie behind anything is not read to its end")
  func longFile() throws {
    let png = try #require(Format.image.samples.first { $0.name == "plain.png" })
    let source = ByteSource(png.bytes, size: 1 << 50)
    #expect(try ImageProperties(of: source).width == 24)
    #expect(source.bytesRead < 1 << 20)
  }
}
