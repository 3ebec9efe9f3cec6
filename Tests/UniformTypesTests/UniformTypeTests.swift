import Foundation
import Testing
import UniformTypes

@Suite("A uniform type")
struct UniformTypeTests {
  @Test("is the same for two extensions of one format")
  func extensions() {
    #expect(UniformType(filenameExtension: "jpeg") == .jpeg)
    #expect(UniformType(filenameExtension: "JPG") == .jpeg)
    #expect(UniformType(filenameExtension: "tar.gz")?.identifier == "org.gnu.gnu-zip-tar-archive")
  }

  @Test("comes from MIME types, with and without parameters")
  func mimeTypes() {
    #expect(UniformType(mimeType: "IMAGE/JPEG") == .jpeg)
    #expect(UniformType(mimeType: "text/html; charset=utf-8") == .html)
    #expect(UniformType(mimeType: "text/plain;charset=utf-8") == .utf8PlainText)
    #expect(UniformType(mimeType: "x/nonsense")?.identifier == "dyn.ah62d4rv4gq81up5sr71hg3pssrwu")
    #expect(UniformType(mimeType: "") == nil)
  }

  @Test(
    "is none for text that cannot be an extension", arguments: ["", ".txt", "a/b", "a b", "b."])
  func invalidExtensions(_ text: String) {
    #expect(UniformType(filenameExtension: text) == nil)
    #expect(
      UniformType.types(tag: text, tagClass: .filenameExtension, conformingTo: nil).isEmpty)
  }

  @Test("is chosen among those that conform to what was asked for")
  func conformingTo() {
    let package = UniformType(filenameExtension: "epub", conformingTo: .package)
    #expect(package?.identifier == "org.idpf.epub-folder")
    #expect(UniformType(filenameExtension: "epub") == .epub)
    let all = UniformType.types(tag: "plist", tagClass: .filenameExtension, conformingTo: .text)
    #expect(all.map(\.identifier).contains("com.apple.xml-property-list"))
    #expect(all.allSatisfy { $0.conforms(to: .text) })
    #expect(
      UniformType(tag: "x", tagClass: .init(rawValue: "no.such.class"), conformingTo: nil) == nil)
  }

  @Test("answers what the facts of the formats are")
  func facts() {
    #expect(UniformType.svg.conforms(to: .image) && UniformType.svg.conforms(to: .xml))
    #expect(UniformType.javaScript.conforms(to: .executable))
    #expect(!UniformType.html.conforms(to: .plainText))
    #expect(UniformType.jpeg.isSubtype(of: .image) && UniformType.image.isSupertype(of: .jpeg))
    #expect(UniformType.jpeg.supertypes.isSuperset(of: [.image, .data, .content, .item]))
    #expect(!UniformType.jpeg.supertypes.contains(.jpeg))
    #expect(UniformType.png.preferredFilenameExtension == "png")
    #expect(UniformType.png.preferredMIMEType == "image/png")
    #expect(UniformType.jpeg.tags[.filenameExtension]?.prefix(2) == ["jpeg", "jpg"])
    #expect(UniformType.png.localizedDescription == "PNG image")
    #expect(UniformType.json.referenceURL != nil)
    #expect(UniformType.png.version == nil)
    #expect(UniformType("public.JPEG") == .jpeg)
    #expect(UniformType("com.topografix.nothing") == nil)
  }

  @Test("named by the program exists though nobody declares it")
  func exported() {
    let type = UniformType(exportedAs: "org.example.Thing", conformingTo: .json)
    #expect(type.identifier == "org.example.thing")
    #expect(type.isDeclared && type.conforms(to: .text))
    #expect(
      UniformType(importedAs: "public.mpeg-2-transport-stream").identifier
        == "public.mpeg-2-transport-stream")
    #expect(UniformType(importedAs: "public.png") == .png)
  }

  @Test("survives encoding, and an unknown identifier does not")
  func coding() throws {
    let types: [UniformType] = [.png, try #require(UniformType(filenameExtension: "xyzzy"))]
    let data = try JSONEncoder().encode(types)
    #expect(try JSONDecoder().decode([UniformType].self, from: data) == types)
    #expect(String(decoding: data, as: UTF8.self).contains("\"public.png\""))
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([UniformType].self, from: Data(#"["no.such.type"]"#.utf8))
    }
  }

  @Test("is equal to its twin in another registry")
  func acrossRegistries() {
    let other = TypeRegistry(declarationDirectories: [])
    let png = other.type(filenameExtension: "png")
    #expect(png == .png)
    #expect(png?.hashValue == UniformType.png.hashValue)
    #expect(png?.conforms(to: .image) == true)
    #expect(UniformType.png.isSubtype(of: other.type(at: other.index(of: .image) ?? .none)))
  }
}
