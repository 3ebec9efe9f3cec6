import StandardDirectories
import TestSupport
import TestTraits
import Testing

extension AssetLookup.Device {
  static let mac1 = AssetLookup.Device(idiom: .desktop)
  static let mac2 = AssetLookup.Device(idiom: .desktop, scale: .two)
  static let pad1 = AssetLookup.Device(idiom: .pad, height: 1024)
  static let pad2 = AssetLookup.Device(idiom: .pad, scale: .two, height: 1024)
  static let phone1 = AssetLookup.Device(idiom: .phone, height: 480)
  static let phone2 = AssetLookup.Device(idiom: .phone, scale: .two, height: 480)
  static let phone5 = AssetLookup.Device(idiom: .phone, scale: .two, height: 568)
  static let phone6 = AssetLookup.Device(idiom: .phone, scale: .two, height: 667)
  static let phone6Plus = AssetLookup.Device(idiom: .phone, scale: .three, height: 736)
}

@Suite("Looking up an asset")
struct AssetLookupTests {
  struct Order: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let device: AssetLookup.Device
    /// What follows `foo`, the best first.
    let candidates: [String]

    init(_ name: String, _ device: AssetLookup.Device, _ candidates: String) {
      testDescription = name
      self.device = device
      self.candidates = candidates.split(whereSeparator: \.isWhitespace).map { "foo\($0)" }
    }
  }

  static let orders = [
    Order(
      "Mac, scale 1", .mac1,
      """
      -hd~mac.tiff -hd~mac.png -hd@2x~mac.png -hd@3x~mac.png ~mac.tiff ~mac.png @2x~mac.png
      @3x~mac.png -hd.tiff -hd.png -hd@2x.png -hd@3x.png .tiff .png @2x.png @3x.png
      """),
    Order(
      "Mac, scale 2", .mac2,
      """
      -hd@2x~mac.tiff -hd@3x~mac.tiff -hd@2x~mac.png -hd@3x~mac.png @2x~mac.tiff @3x~mac.tiff
      @2x~mac.png @3x~mac.png -hd~mac.tiff -hd~mac.png ~mac.tiff ~mac.png
      -hd@2x.tiff -hd@3x.tiff -hd@2x.png -hd@3x.png @2x.tiff @3x.tiff @2x.png @3x.png
      -hd.tiff -hd.png .tiff .png
      """),
    Order(
      "iPad, scale 1", .pad1,
      """
      -hd-1024h~ipad.png -hd-1024h@2x~ipad.png -hd-1024h@3x~ipad.png
      -1024h~ipad.png -1024h@2x~ipad.png -1024h@3x~ipad.png
      -hd~ipad.png -hd@2x~ipad.png -hd@3x~ipad.png ~ipad.png @2x~ipad.png @3x~ipad.png
      -hd-1024h.png -hd-1024h@2x.png -hd-1024h@3x.png -1024h.png -1024h@2x.png -1024h@3x.png
      -hd.png -hd@2x.png -hd@3x.png .png @2x.png @3x.png
      """),
    Order(
      "iPad, scale 2", .pad2,
      """
      -hd-1024h@2x~ipad.png -hd-1024h@3x~ipad.png -1024h@2x~ipad.png -1024h@3x~ipad.png
      -hd@2x~ipad.png -hd@3x~ipad.png @2x~ipad.png @3x~ipad.png
      -hd-1024h~ipad.png -1024h~ipad.png -hd~ipad.png ~ipad.png
      -hd-1024h@2x.png -hd-1024h@3x.png -1024h@2x.png -1024h@3x.png
      -hd@2x.png -hd@3x.png @2x.png @3x.png -hd-1024h.png -1024h.png -hd.png .png
      """),
    Order(
      "iPhone, scale 1", .phone1,
      """
      -480h~iphone.png -480h@2x~iphone.png -480h@3x~iphone.png
      ~iphone.png @2x~iphone.png @3x~iphone.png
      -480h.png -480h@2x.png -480h@3x.png .png @2x.png @3x.png
      """),
    Order(
      "iPhone, scale 2", .phone2,
      """
      -480h@2x~iphone.png -480h@3x~iphone.png -480h-hd~iphone.png
      @2x~iphone.png @3x~iphone.png -hd~iphone.png -480h~iphone.png ~iphone.png
      -480h@2x.png -480h@3x.png -480h-hd.png @2x.png @3x.png -hd.png -480h.png .png
      """),
    Order(
      "iPhone 5", .phone5,
      """
      -568h@2x~iphone.png -568h@3x~iphone.png -568h-hd~iphone.png
      @2x~iphone.png @3x~iphone.png -hd~iphone.png -568h~iphone.png ~iphone.png
      -568h@2x.png -568h@3x.png -568h-hd.png @2x.png @3x.png -hd.png -568h.png .png
      """),
    Order(
      "iPhone 6+", .phone6Plus,
      """
      -736h@3x~iphone.png -736h@2x~iphone.png -736h-hd~iphone.png
      -568h@3x~iphone.png -568h@2x~iphone.png -568h-hd~iphone.png
      @3x~iphone.png @2x~iphone.png -hd~iphone.png -736h~iphone.png -568h~iphone.png ~iphone.png
      -736h@3x.png -736h@2x.png -736h-hd.png -568h@3x.png -568h@2x.png -568h-hd.png
      @3x.png @2x.png -hd.png -736h.png -568h.png .png
      """),
  ]

  @Test(
    "tries names in the order of the device", .feature("SP-29", "SP-40", "SP-44"), arguments: orders
  )
  func order(order: Order) {
    let lookup = AssetLookup("foo.png", on: order.device)
    #expect(lookup.candidates.map(\.name) == order.candidates)
    #expect(AssetLookup("foo", on: order.device) == lookup, "png is the default")
  }

  @Test(
    "finds the best of those before it, for any pair of candidates", .feature("SP-44"),
    arguments: orders)
  func pairs(order: Order) {
    let lookup = AssetLookup("foo.png", on: order.device)
    for (index, better) in order.candidates.enumerated() {
      for worse in order.candidates.dropFirst(index + 1) {
        #expect(lookup.best(among: [worse, better]) == better)
      }
    }
  }

  static let fixtures = [
    "Image1.png", "Image1@2x.png", "Image1-568h@2x.png", "Image1-667h@2x.png",
    "Image1-736h@3x.png", "Image1~ipad.png", "Image1@2x~ipad.png", "Image1~mac.png",
    "Image1@2x~mac.png", "Image2.png", "Image2-hd.png", "Image2-hd@2x.png", "Default-568h@2x.png",
    "image1.png",
  ]

  struct Resolution: Sendable {
    let device: AssetLookup.Device
    let image1: String
    let image2: String
    let start: String?

    init(_ device: AssetLookup.Device, _ image1: String, _ image2: String, _ start: String?) {
      self.device = device
      self.image1 = image1
      self.image2 = image2
      self.start = start
    }
  }

  @Test(
    "finds the variants of a directory of images", .feature("SP-46"),
    arguments: [
      Resolution(.mac1, "Image1~mac.png", "Image2-hd.png", nil),
      Resolution(.mac2, "Image1@2x~mac.png", "Image2-hd@2x.png", nil),
      Resolution(.pad1, "Image1~ipad.png", "Image2-hd.png", nil),
      Resolution(.pad2, "Image1@2x~ipad.png", "Image2-hd@2x.png", nil),
      Resolution(.phone1, "Image1.png", "Image2.png", nil),
      Resolution(.phone2, "Image1@2x.png", "Image2-hd.png", nil),
      Resolution(.phone5, "Image1-568h@2x.png", "Image2-hd.png", "Default-568h@2x.png"),
      Resolution(.phone6, "Image1-667h@2x.png", "Image2-hd.png", "Default-568h@2x.png"),
      Resolution(.phone6Plus, "Image1-736h@3x.png", "Image2-hd.png", "Default-568h@2x.png"),
    ])
  func resolution(expected: Resolution) {
    func find(_ name: String) -> String? {
      AssetLookup(name, on: expected.device).best(among: Self.fixtures)
    }
    #expect(find("Image1.png") == expected.image1)
    #expect(find("Image1") == expected.image1)
    #expect(find("Image2.png") == expected.image2)
    #expect(find("Default.png") == expected.start)
    #expect(find("Nope.png") == nil)
  }

  @Test("falls back to larger scales on a screen that needs none", .feature("SP-45"))
  func largerScale() {
    #expect(AssetLookup("foo", on: .mac1).best(among: ["foo@2x.png"]) == "foo@2x.png")
  }

  @Test("prefers TIFF to pictures only, and only on the Mac", .feature("SP-47"))
  func tiff() {
    #expect(AssetLookup("a.json", on: .mac1).best(among: ["a.json", "a.tiff"]) == "a.json")
    #expect(AssetLookup("a.jpg", on: .mac1).best(among: ["a.jpg", "a.tiff"]) == "a.tiff")
    #expect(AssetLookup("a.png", on: .pad1).best(among: ["a.png", "a.tiff"]) == "a.png")
  }

  @Test("keeps to the type that the name states", .feature("SP-41"))
  func statedType() {
    #expect(AssetLookup("foo.jpg", on: .phone1).best(among: ["foo.png"]) == nil)
    let nib = AssetLookup("View", on: .pad1, defaultExtension: "nib")
    #expect(nib.best(among: ["View.nib", "View~ipad.nib", "View.png"]) == "View~ipad.nib")
  }

  @Test("keeps to the marks that the name states, and doubles none")
  func statedMarks() {
    let names = ["foo.png", "foo@2x.png", "foo@3x.png", "foo@3x~ipad.png", "foo@2x~ipad.png"]
    #expect(AssetLookup("foo@3x.png", on: .pad2).best(among: names) == "foo@3x~ipad.png")
    #expect(AssetLookup("foo~ipad", on: .phone1).best(among: names) == "foo@2x~ipad.png")
    let tall = AssetLookup("foo-568h.png", on: .phone5)
    #expect(tall.candidates.allSatisfy { $0.variant.height == 568 })
    #expect(AssetLookup("foo-hd@2x.png", on: .phone1).best(among: ["foo-hd@2x.png"]) != nil)
  }

  @Test("finds whatever name was asked for, if it is there", arguments: [UInt64](1...20))
  func literalName(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let devices: [AssetLookup.Device] = [
      .mac1, .mac2, .pad1, .phone2, .phone6Plus, AssetLookup.Device(),
    ]
    for device in devices {
      guard let name = AssetName(stem: "foo", variant: random.variant(), extension: "png") else {
        Issue.record("seed \(seed): could not be composed")
        continue
      }
      let lookup = AssetLookup(bytes: name.bytes, on: device)
      #expect(lookup.rank(of: name) != nil, "seed \(seed): \(name) on \(device)")
    }
  }

  @Test("takes both places of -hd for the same")
  func placeOfHD() {
    #expect(AssetLookup("foo", on: .phone2).best(among: ["foo-hd-480h.png"]) != nil)
    #expect(AssetLookup("foo", on: .pad2).best(among: ["foo-1024h-hd@2x.png"]) != nil)
  }

  @Test("takes a stated scale of 1 for no scale, after the plain name")
  func scaleOne() {
    let lookup = AssetLookup("foo", on: .phone1)
    #expect(lookup.best(among: ["foo@1x.png"]) == "foo@1x.png")
    #expect(lookup.best(among: ["foo@1x.png", "foo.png"]) == "foo.png")
    #expect(lookup.best(among: ["foo@2x.png", "foo@1x.png"]) == "foo@1x.png")
  }

  @Test("takes nothing that is meant for another kind of device or another scale by one")
  func otherDevices() {
    #expect(AssetLookup("foo", on: .phone1).best(among: ["foo~ipad.png", "foo@4x.png"]) == nil)
    #expect(AssetLookup("foo", on: AssetLookup.Device()).best(among: ["foo~mac.png"]) == nil)
  }

  @Test("prefers larger scales to smaller ones when the exact one is missing", .feature("SP-45"))
  func nearestScale() {
    let device = AssetLookup.Device(idiom: .pad, scale: AssetScale(1.5) ?? .one)
    let scales = AssetLookup("foo", on: device).candidates.prefix(6).map(\.variant.scale?.value)
    #expect(scales == [1.5, 2, 3, 1.5, 2, 3])
  }

  @Test("takes assets for 568 points on screens of that shape only", .feature("SP-46"))
  func tallPhones() {
    let wide = AssetLookup.Device(idiom: .phone, scale: .three, height: 812, width: 375)
    let tall = AssetLookup.Device(idiom: .phone, scale: .two, height: 667, width: 375)
    #expect(AssetLookup("Default", on: wide).best(among: Self.fixtures) == nil)
    #expect(AssetLookup("Default", on: tall).best(among: Self.fixtures) != nil)
  }
}
