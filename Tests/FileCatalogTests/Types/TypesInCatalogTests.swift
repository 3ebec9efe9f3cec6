import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import TestTraits
import Testing

@Suite("Types in a catalog")
struct TypesInCatalogTests {
  @Test("follow from names and kinds", .feature("LX-01", "LX-10"))
  func typing() async throws {
    let lab = try TypeLaboratory()
    try lab.write("photo.JPG")
    try lab.write("Makefile")
    try lab.write("tool", mode: 0o755)
    try lab.write("backup.tar.gz")
    try lab.write("what.zzunknown")
    try lab.write("directory.jpg/inside")
    try FileManager.default.createSymbolicLink(
      atPath: lab.root.appending("link.png").string, withDestinationPath: "photo.JPG")
    let catalog = try lab.catalog()
    _ = try await catalog.scan([lab.root])
    let types = try catalog.types()
    #expect(types["photo.JPG"] == "public.jpeg")
    #expect(types["Makefile"] == "public.make-source")
    #expect(types["tool"] == "public.unix-executable")
    #expect(types["backup.tar.gz"] == "org.gnu.gnu-zip-tar-archive")
    #expect(types["what.zzunknown"]?.hasPrefix("dyn.a") == true)
    #expect(types["directory.jpg"] == "public.folder")
    #expect(types["link.png"] == "public.symlink")
  }

  @Test("stand in the views after a scan")
  func views() async throws {
    let lab = try TypeLaboratory()
    try lab.write("photo.jpg")
    try lab.write("what.zzunknown")
    let catalog = try lab.catalog()
    _ = try await catalog.scan([lab.root])
    #expect(
      try catalog.column("SELECT source FROM types WHERE identifier = 'public.jpeg'")
        == ["built-in"])
    #expect(
      try catalog.column("SELECT source FROM types WHERE is_dynamic").allSatisfy { $0 == "dynamic" }
    )
    let ancestors = try catalog.column(
      "SELECT ancestor FROM type_conformance WHERE identifier = 'public.jpeg' ORDER BY ancestor")
    #expect(
      ancestors == ["public.content", "public.data", "public.image", "public.item", "public.jpeg"])
    #expect(
      try catalog.column(
        "SELECT identifier FROM type_tags WHERE tag = 'jpg' AND rank = 0 AND class LIKE '%extension'"
      )
        == ["public.jpeg"])
    // Every type of an entry is in all of them.
    #expect(
      try catalog.column(
        """
        SELECT count(*) FROM files f WHERE NOT EXISTS (SELECT 1 FROM type_conformance c
          WHERE c.identifier = f.type AND c.ancestor = 'public.item')
        """) == ["0"])
  }

  static let queries: [(String, Set<String>)] = [
    ("type:public.jpeg", ["a.jpg"]),
    ("type:PUBLIC.JPEG", ["a.jpg"]),
    ("type:public.image", []),
    ("is:public.image", ["a.jpg", "b.png"]),
    ("is:public.source-code", ["d.swift"]),
    ("is:no.such.type", []),
    ("kind:image", ["a.jpg", "b.png"]),
    ("kind:audio", ["c.mp3"]),
    ("kind:code", ["d.swift"]),
    ("kind:archive", ["e.zip"]),
    ("kind:document", ["f.pdf"]),
    ("kind:video", ["g.mov"]),
    ("-kind:image kind:file ext:jpg,mp3", ["c.mp3"]),
  ]

  @Test("answer queries", .feature("FS-27", "P-25"), arguments: queries)
  func query(_ text: String, _ expected: Set<String>) async throws {
    let lab = try TypeLaboratory()
    for name in ["a.jpg", "b.png", "c.mp3", "d.swift", "e.zip", "f.pdf", "g.mov"] {
      try lab.write(name)
    }
    let catalog = try lab.catalog()
    _ = try await catalog.scan([lab.root])
    #expect(try await catalog.names(text) == expected)
  }

  @Test("of the system are asked about extensions that nobody else declares")
  func systemLayer() async throws {
    let lab = try TypeLaboratory()
    try lab.write("a.zzsystem")
    try lab.write("b.jpg")
    let mime = try lab.systemTypes("image/x-zz", extension: "zzsystem")
    let catalog = try lab.catalog(mime: [mime])
    _ = try await catalog.scan([lab.root])
    let type = "org.freedesktop.image.x-zz"
    #expect(try catalog.types()["a.zzsystem"] == type)
    #expect(try await catalog.names("kind:image") == ["a.zzsystem", "b.jpg"])
    #expect(
      try catalog.column("SELECT source FROM types WHERE identifier = '\(type)'") == ["system"])
    // The answer is remembered, also for another process and an executable file.
    try lab.write("c.ZZSYSTEM", mode: 0o755)
    let again = try lab.catalog(mime: [mime])
    _ = try await again.scan([lab.root])
    #expect(try again.types()["c.ZZSYSTEM"] == type)
    #expect(try await again.check().isEmpty)
    // Without the system's layer the type is gone, and comes back with its number.
    let number = "SELECT id FROM _uniform_types WHERE identifier = '\(type)'"
    let first = try again.column(number)
    let without = try lab.catalog()
    _ = try await without.scan([lab.root])
    #expect(try without.types()["a.zzsystem"]?.hasPrefix("dyn.") == true)
    #expect(try without.column("SELECT 1 FROM types WHERE identifier = '\(type)'").isEmpty)
    _ = try await again.scan([lab.root])
    #expect(try again.types()["a.zzsystem"] == type)
    #expect(try again.column(number) == first)
  }
}
