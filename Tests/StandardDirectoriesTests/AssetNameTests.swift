import StandardDirectories
import TestSupport
import TestTraits
import Testing

@Suite("The parts of an asset's name")
struct AssetNameTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let stem: String
    let variant: AssetVariant
    let `extension`: String

    init(
      _ name: String, _ stem: String, hd: Bool = false, height: Int? = nil, scale: Double? = nil,
      _ idiom: Idiom? = nil, ext: String = "png"
    ) {
      self.name = name
      self.stem = stem
      variant = AssetVariant(
        isHD: hd, height: height, scale: scale.flatMap { AssetScale($0) }, idiom: idiom)
      self.extension = ext
    }

    var testDescription: String { name }
  }

  static let idioms = [
    Vector("foo@2x~ipad.png", "foo", scale: 2, .pad),
    Vector("foo~iphone.png", "foo", .phone),
    Vector("foo~tv.png", "foo", .tv),
    Vector("foo~car.png", "foo", .car),
    Vector("foo~mac.png", "foo", .desktop),
    Vector("foo~IPAD.png", "foo~IPAD"),
    Vector("foo~ipad@2x.png", "foo~ipad", scale: 2),
    Vector("foo~watch.png", "foo~watch"),
    Vector("foo~pad.png", "foo~pad"),
    Vector("foo~.png", "foo~"),
  ]

  static let scales = [
    Vector("foo.png", "foo"),
    Vector("foo@2x.png", "foo", scale: 2),
    Vector("foo@1x.png", "foo", scale: 1),
    Vector("foo@1.5x~ipad.png", "foo", scale: 1.5, .pad),
    Vector("v1.2@2x~ipad.png", "v1.2", scale: 2, .pad),
    Vector("Foo@2X.png", "Foo@2X"),
    Vector("foo.png@2x", "foo", ext: "png@2x"),
    Vector("user@box.txt", "user@box", ext: "txt"),
    Vector("a@2x/foox.png", "foox"),
    Vector("foo@x.png", "foo@x"),
    Vector("foo@-2x.png", "foo@-2x"),
    Vector("foo@2xx.png", "foo@2xx"),
    Vector("foo@0x.png", "foo@0x"),
    Vector("foo@.5x.png", "foo@.5x"),
    Vector("foo@2.x.png", "foo@2.x"),
    Vector("foo@1.5x", "foo", scale: 1.5, ext: ""),
    Vector("foo@1.5x~ipad", "foo", scale: 1.5, .pad, ext: ""),
    Vector("foo@1.5x.gz", "foo", scale: 1.5, ext: "gz"),
    Vector("foo@1.5x.tar.gz", "foo", scale: 1.5, ext: "tar.gz"),
  ]

  static let heights = [
    Vector("foo-568h.png", "foo", height: 568),
    Vector("foo-568h@2x~iphone.png", "foo", height: 568, scale: 2, .phone),
    Vector("foo-12.5h", "foo-12", ext: "5h"),
    Vector("foo-h.png", "foo-h"),
    Vector("dir-5/6h.png", "6h"),
    Vector("v1.2-568h@2x.png", "v1.2", height: 568, scale: 2),
    Vector("foo-568h@1.5x.png", "foo", height: 568, scale: 1.5),
    Vector("foo-568H@2x.png", "foo-568H", scale: 2),
    Vector("foo-0h.png", "foo", height: 0),
    Vector("foo@2x-568h.png", "foo@2x", height: 568),
  ]

  static let definitions = [
    Vector("foo-hd.png", "foo", hd: true),
    Vector("foo-hd-568h.png", "foo", hd: true, height: 568),
    Vector("foo-568h-hd.png", "foo", hd: true, height: 568),
    Vector("foo-hd@1.5x~ipad.png", "foo", hd: true, scale: 1.5, .pad),
    Vector("foo-hd-hd.png", "foo-hd", hd: true),
    Vector("foo-HD.png", "foo-HD"),
    Vector("foohd.png", "foohd"),
  ]

  static let extensions = [
    Vector("foo@2x.tar.gz", "foo", scale: 2, ext: "tar.gz"),
    Vector("foo@2x.gz", "foo", scale: 2, ext: "gz"),
    Vector("foo.TAR.GZ", "foo.TAR", ext: "GZ"),
    Vector("v1.2", "v1", ext: "2"),
    Vector(".png@2x", ".png", scale: 2, ext: ""),
    Vector(".png", ".png", ext: ""),
    Vector(".foo.gz", ".foo", ext: "gz"),
    Vector("foo.", "foo.", ext: ""),
    Vector("Mr. Smith", "Mr. Smith", ext: ""),
    Vector("foo.p\u{200E}ng", "foo.p\u{200E}ng", ext: ""),
    Vector("foo.png/", "foo"),
    Vector("", "", ext: ""),
    Vector("/", "", ext: ""),
    Vector(".", ".", ext: ""),
    Vector("..", "..", ext: ""),
  ]

  static let bareMarks = [
    Vector("~ipad", "~ipad", ext: ""),
    Vector("@2x.png", "@2x"),
    Vector("-hd.png", "-hd"),
    Vector("-568h@2x.png", "-568h", scale: 2),
  ]

  @Test(
    "are told apart", .feature("SP-20", "SP-21", "SP-27", "LX-14"),
    arguments: idioms + scales + heights + definitions + extensions)
  func parts(vector: Vector) {
    let name = AssetName(vector.name)
    #expect(name.stem == vector.stem)
    #expect(name.variant == vector.variant)
    #expect(name.extension == vector.extension)
  }

  @Test("leave a stem: a name is never nothing but marks", arguments: bareMarks)
  func stems(vector: Vector) {
    let name = AssetName(vector.name)
    #expect(name.stem == vector.stem)
    #expect(name.variant == vector.variant)
  }

  @Test("are read from bytes that are not UTF-8")
  func rawBytes() {
    let name = AssetName(bytes: [0xFF, 0xFE] + Array("@2x.png".utf8))
    #expect(name.stemBytes == [0xFF, 0xFE])
    #expect(name.variant.scale == .two)
  }

  @Test("are composed in canonical order", .feature("SP-33"))
  func composing() {
    let variant = AssetVariant(isHD: true, height: 568, scale: .two, idiom: .pad)
    let name = AssetName(stem: "foo", variant: variant, extension: "png")
    #expect(name?.description == "foo-hd-568h@2x~ipad.png")
    #expect(AssetName("foo-568h-hd@2x.png").description == "foo-hd-568h@2x.png")
  }

  @Test(
    "are not composed to a name that says something else",
    arguments: [
      ("foo@2x", AssetVariant.plain, "png"), ("", AssetVariant(scale: .two), "png"),
      ("a/b", .plain, "png"), ("foo", .plain, "a b"), ("foo", AssetVariant(height: -5), "png"),
      ("foo", .plain, "x.y"), ("foo\0", .plain, "png"),
    ])
  func misleading(stem: String, variant: AssetVariant, ext: String) {
    #expect(AssetName(stem: stem, variant: variant, extension: ext) == nil)
  }

  @Test(
    "have exact scales",
    arguments: [
      ("2", 2.0), ("1.5", 1.5), ("02", 2), ("0.000001", 0.000001),
      ("999999.999999", 999_999.999999),
    ])
  func exactScales(text: String, value: Double) {
    #expect(AssetScale(text)?.value == value)
    #expect(AssetScale(value).map { AssetScale($0.description) } == AssetScale(text))
  }

  @Test(
    "have no scale that is not a number above zero",
    arguments: [
      "", "0", "0.0", "-2", "x", "2x", "1.", ".5", "1e3", "1.5.2", "1234567", "1.1234567",
    ])
  func noScale(text: String) {
    #expect(AssetScale(text) == nil)
  }

  @Test("have no scale from numbers that names cannot state")
  func noScaleFromNumber() {
    for value in [0, -1, .nan, .infinity, 1e-9, 1_000_000] {
      #expect(AssetScale(value) == nil, "\(value)")
    }
  }

  @Test("name idioms as people type them")
  func idiomNames() {
    #expect(Idiom(named: "pad") == .pad)
    #expect(Idiom(named: "iPad") == .pad)
    #expect(Idiom(named: "desktop") == .desktop)
    #expect(Idiom(named: "watch") == nil)
  }
}

@Suite("Any name")
struct AnyNameTests {
  @Test("that is composed reads back the same", arguments: [UInt64](1...40))
  func identity(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var composed = 0
    for _ in 0..<200 {
      let stem = random.name(pieces: 1...3)
      let ext = Array(
        (["", "png", "tar.gz", "gz", "json", "2"].randomElement(using: &random) ?? "").utf8)
      let variant = random.variant()
      guard let name = AssetName(stemBytes: stem, variant: variant, extensionBytes: ext) else {
        continue
      }
      composed += 1
      let reading = AssetName(bytes: name.bytes)
      #expect(reading.stemBytes == stem, "seed \(seed): \(name)")
      #expect(reading.variant == variant, "seed \(seed): \(name)")
      #expect(reading.extensionBytes == ext, "seed \(seed): \(name)")
    }
    #expect(composed > 50, "seed \(seed): too few names could be composed")
  }

  @Test(
    "can be composed of a plain stem, any marks and a plain extension", arguments: [UInt64](1...20))
  func everyVariant(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for ext in ["", "png", "tar.gz", "gz"] {
      let variant = random.variant()
      let name = AssetName(stem: "foo", variant: variant, extension: ext)
      #expect(name != nil, "seed \(seed): \(variant) \(ext)")
    }
  }

  @Test("can be read, its parts in order and within it", arguments: [UInt64](1...40))
  func layout(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<300 {
      let bytes = random.path()
      let layout = AssetName.Layout(bytes)
      let end = layout.extension?.upperBound ?? layout.stem.upperBound
      #expect(0 <= layout.stem.lowerBound && end <= bytes.count, "seed \(seed): \(bytes)")
      #expect(!bytes[layout.stem].contains(UInt8(ascii: "/")), "seed \(seed): \(bytes)")
      let hasName = bytes.contains { $0 != UInt8(ascii: "/") }
      #expect(layout.stem.isEmpty == !hasName, "seed \(seed): \(bytes)")
      if let ext = layout.extension {
        #expect(bytes[ext.lowerBound - 1] == UInt8(ascii: "."), "seed \(seed): \(bytes)")
        #expect(ext.lowerBound > layout.stem.upperBound, "seed \(seed): \(bytes)")
      }
    }
  }

  @Test("of random bytes can be read", arguments: [UInt64](1...20))
  func randomBytes(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<300 {
      let count = Int.random(in: 0...40, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let name = AssetName(bytes: bytes)
      #expect(name.stemBytes.count + name.extensionBytes.count <= count, "seed \(seed): \(bytes)")
    }
  }
}
