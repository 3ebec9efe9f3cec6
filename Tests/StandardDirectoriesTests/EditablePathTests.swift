import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Paths that are edited")
struct EditablePathTests {
  struct Edit: Sendable, CustomTestStringConvertible {
    let input: String
    let output: String
    let apply: @Sendable (WrittenPath) -> WrittenPath

    init(
      _ input: String, _ output: String, _ apply: @escaping @Sendable (WrittenPath) -> WrittenPath
    ) {
      self.input = input
      self.output = output
      self.apply = apply
    }

    var testDescription: String { "\(input) → \(output)" }
  }

  private func check(_ edit: Edit) {
    let once = edit.apply(WrittenPath(edit.input))
    #expect(once.description == edit.output)
    #expect(edit.apply(once) == once, "not idempotent")
  }

  static let suffixes = [
    Edit("foo.png", "foo~ipad.png") { $0.appendingPathSuffix("~ipad") },
    Edit("foo", "foo-x") { $0.appendingPathSuffix("-x") },
    Edit("foo.tar.gz", "foo@2x.tar.gz") { $0.appendingPathSuffix("@2x") },
    Edit("foo.gz", "foo@2x.gz") { $0.appendingPathSuffix("@2x") },
    Edit("v1.2", "v1@2x.2") { $0.appendingPathSuffix("@2x") },
    Edit(".png", ".png@2x") { $0.appendingPathSuffix("@2x") },
    Edit("foo.png/", "foo@2x.png/") { $0.appendingPathSuffix("@2x") },
    Edit("http://h/a//b.png", "http://h/a//b-x.png") { $0.appendingPathSuffix("-x") },
    Edit("foo~ipad.png", "foo~ipad.png") { $0.appendingPathSuffix("~ipad") },
    Edit("foo.png", "foo.png") { $0.appendingPathSuffix("") },
    Edit("foo.png", "foo.png") { $0.appendingPathSuffix("/..") },
    Edit("/", "/") { $0.appendingPathSuffix("-x") },
    Edit("a/..", "a/..") { $0.appendingPathSuffix("-x") },
    Edit("foo.png", "foo.png") { $0.deletingPathSuffix("-x") },
    Edit("foo.png", "foo.png") { $0.deletingPathSuffix("") },
    Edit("foo-x.png", "foo.png") { $0.deletingPathSuffix("-x") },
    Edit("foo-x-x.png", "foo.png") { $0.deletingPathSuffix("-x") },
    Edit("-x.png", "-x.png") { $0.deletingPathSuffix("-x") },
    Edit("foo-x.png", "foo-y.png") { $0.replacingPathSuffix("-x", with: "-y") },
    Edit("foo.png", "foo.png") { $0.replacingPathSuffix("-x", with: "-y") },
  ]

  static let extensions = [
    Edit("foo.png", "foo.tiff") { $0.replacingPathExtension(with: "tiff") },
    Edit("foo", "foo.tiff") { $0.replacingPathExtension(with: "tiff") },
    Edit("foo.png", "foo") { $0.replacingPathExtension(with: "") },
    Edit("foo.png", "foo") { $0.replacingPathExtension(with: nil) },
    Edit("foo.tar.gz", "foo.zip") { $0.replacingPathExtension(with: "zip") },
    Edit("foo.png", "foo.png") { $0.replacingPathExtension(with: "a b") },
    Edit("foo.png", "foo.png.tiff") { $0.appendingPathExtension("tiff") },
    Edit("foo.png", "foo.png") { $0.appendingPathExtension("png") },
    Edit("foo.tar", "foo.tar.gz") { $0.appendingPathExtension("gz") },
    Edit("foo.png", "foo.png") { $0.appendingPathExtension("../x") },
    Edit("foo.tar.gz", "foo") { $0.deletingPathExtension() },
    Edit(".png", ".png") { $0.deletingPathExtension() },
  ]

  static let idioms = [
    Edit("foo@2x~ipad.png", "foo@2x.png") { $0.deletingIdiom() },
    Edit("foo.png", "foo~iphone.png") { $0.appendingIdiom(.phone) },
    Edit("foo~ipad.png", "foo~mac.png") { $0.appendingIdiom(.desktop) },
    Edit("foo~ipad~ipad.png", "foo~tv.png") { $0.appendingIdiom(.tv) },
    Edit("foo.png", "foo.png") { $0.replacingIdiom(with: nil) },
  ]

  static let scales = [
    Edit("user@box.txt", "user@box.txt") { $0.deletingScale() },
    Edit("foo@2x~ipad.png", "foo~ipad.png") { $0.deletingScale() },
    Edit("foo.png", "foo@2x.png") { $0.appendingScale(.two) },
    Edit("foo~ipad.png", "foo@2x~ipad.png") { $0.appendingScale(.two) },
    Edit("foo.png", "foo@1x.png") { $0.appendingScale(.one) },
    Edit("foo@2x.png", "foo@2x.png") { $0.appendingScale(.two) },
    Edit("foo@2x~ipad.png", "foo@3x~ipad.png") { $0.appendingScale(.three) },
    Edit("foo@2x@2x.png", "foo@3x.png") { $0.appendingScale(.three) },
    Edit("foo@1.5x", "foo@2x") { $0.replacingScale(with: .two) },
    Edit("a@2x/foox.png", "a@2x/foox.png") { $0.deletingScale() },
  ]

  static let definitions = [
    Edit("foo@2x~ipad.png", "foo-hd@2x~ipad.png") { $0.appendingHD() },
    Edit("foo-hd.png", "foo-hd.png") { $0.appendingHD() },
    Edit("foo@1.5x~ipad.png", "foo-hd@1.5x~ipad.png") { $0.appendingHD() },
    Edit("foo-hd@2x.png", "foo@2x.png") { $0.deletingHD() },
    Edit("foo-hd-568h.png", "foo-568h.png") { $0.deletingHD() },
  ]

  static let heights = [
    Edit("foo.png", "foo-568h.png") { $0.appendingScreenHeight(568) },
    Edit("foo@2x.png", "foo-568h@2x.png") { $0.appendingScreenHeight(568) },
    Edit("foo~ipad.png", "foo-1024h~ipad.png") { $0.appendingScreenHeight(1024) },
    Edit("foo-568h@2x.png", "foo-568h@2x.png") { $0.appendingScreenHeight(568) },
    Edit("foo-568h@2x.png", "foo-667h@2x.png") { $0.appendingScreenHeight(667) },
    Edit("foo-667h.png", "foo.png") { $0.deletingScreenHeight() },
    Edit("foo.png", "foo.png") { $0.appendingScreenHeight(-1) },
    Edit("v1.2-568h@2x.png", "v1.2@2x.png") { $0.deletingScreenHeight() },
  ]

  @Test(
    "get and lose texts in front of the extension", .feature("SP-24", "SP-31", "SP-32"),
    arguments: suffixes)
  func suffix(edit: Edit) { check(edit) }

  @Test("get and lose extensions", .feature("SP-22"), arguments: extensions)
  func pathExtension(edit: Edit) { check(edit) }

  @Test("get and lose kinds of devices", .feature("SP-25"), arguments: idioms)
  func idiom(edit: Edit) { check(edit) }

  @Test("get and lose scales", .feature("SP-27"), arguments: scales)
  func scale(edit: Edit) { check(edit) }

  @Test("get and lose -hd", .feature("SP-28"), arguments: definitions)
  func definition(edit: Edit) { check(edit) }

  @Test("get and lose heights", .feature("SP-30", "SP-31"), arguments: heights)
  func height(edit: Edit) { check(edit) }

  @Test("say what they have", .feature("SP-23", "SP-24"))
  func having() {
    #expect(WrittenPath("foo-x.png").hasPathSuffix("-x"))
    #expect(!WrittenPath("foo.png-x").hasPathSuffix("-x"))
    #expect(!WrittenPath("foo.png").hasPathSuffix(""))
    #expect(WrittenPath("foo.png").hasPathExtension)
    #expect(!WrittenPath(".png").hasPathExtension)
    #expect(!WrittenPath("Mr. Smith").hasPathExtension)
    #expect(WrittenPath("foo.tar.gz").pathExtension == "tar.gz")
    #expect(WrittenPath("a/foo-hd@1.5x~tv.png").hasHD)
    #expect(WrittenPath("foo~tv.png").hasIdiom && WrittenPath("foo@2x.png").hasScale)
    #expect(WrittenPath("foo-0h.png").hasScreenHeight)
    #expect(WrittenPath("foo-0h.png").screenHeight == 0)
  }

  @Test("say nothing where nothing is stated, whatever the machine", .feature("SP-26"))
  func absence() {
    #expect(WrittenPath("foo.png").assetVariant == .plain)
    #expect(WrittenPath("user@box.txt").scale == nil)
    #expect(WrittenPath("foo-hd.png").scale == nil)
  }

  @Test("can be file paths, of any bytes")
  func filePaths() {
    #expect(FilePath("/a/b.png").appendingScale(.two) == "/a/b@2x.png")
    let path = FilePath(pathBytes: [UInt8(ascii: "/"), 0xFF] + Array(".png".utf8))
    #expect(path.appendingIdiom(.pad).pathBytes == [0x2F, 0xFF] + Array("~ipad.png".utf8))
  }

  @Test("are changed by a second edit of the same kind no further", arguments: [UInt64](1...40))
  func idempotence(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let edits: [@Sendable (WrittenPath) -> WrittenPath] = [
      { $0.appendingScale(.two) }, { $0.deletingScale() }, { $0.appendingIdiom(.pad) },
      { $0.deletingIdiom() }, { $0.appendingHD() }, { $0.deletingHD() },
      { $0.appendingScreenHeight(568) }, { $0.deletingScreenHeight() },
      { $0.appendingPathSuffix("-x") }, { $0.deletingPathSuffix("a") },
      { $0.appendingPathExtension("png") }, { $0.appendingPathExtension("gz") },
      { $0.replacingPathExtension(with: "tiff") }, { $0.appendingPathSuffix(".gz") },
    ]
    for _ in 0..<100 {
      let path = WrittenPath(pathBytes: random.path())
      for (index, edit) in edits.enumerated() {
        let once = edit(path)
        #expect(edit(once) == once, "seed \(seed), edit \(index): \(path)")
      }
    }
  }

  @Test("have what was appended and lack what was deleted", arguments: [UInt64](1...20))
  func effect(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<100 {
      let stem = WrittenPath(pathBytes: Array("dir/foo".utf8) + random.name(pieces: 0...2))
      let path = stem.appendingPathExtension("png")
      guard path.hasPathExtension else { continue }
      #expect(path.appendingScale(.two).scale == .two, "seed \(seed): \(path)")
      #expect(path.appendingIdiom(.tv).idiom == .tv, "seed \(seed): \(path)")
      #expect(path.appendingHD().hasHD, "seed \(seed): \(path)")
      #expect(path.appendingScreenHeight(9).screenHeight == 9, "seed \(seed): \(path)")
      #expect(!path.deletingScale().hasScale, "seed \(seed): \(path)")
      #expect(!path.deletingIdiom().hasIdiom, "seed \(seed): \(path)")
    }
  }
}
