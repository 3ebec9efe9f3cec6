import FileCatalog
import FileSystem
import SystemPackage
import TestTraits
import Testing

@Suite("Packages in a catalog")
struct DeclaredPackageTests {
  @Test("are one row with the sums of what they hold, nested packages included")
  func sums() async throws {
    let lab = try TypeLaboratory()
    try lab.write("Notes.rtfd/TXT.rtf", Array(repeating: 1, count: 1000))
    try lab.write("Notes.rtfd/picture.png", Array(repeating: 1, count: 500))
    try lab.write("Notes.rtfd/Inner.rtfd/TXT.rtf", Array(repeating: 1, count: 20))
    let catalog = try lab.catalog()
    _ = try await catalog.scan([lab.root])
    let rows = try await catalog.entries(matching: Query(), in: .everything)
    #expect(rows.map(\.name) == ["root", "Notes.rtfd"])
    let package = try #require(rows.last)
    #expect(package.kind == .package)
    #expect(package.isPackage)
    #expect(package.type == "com.apple.rtfd")
    #expect(package.size == 1520)
    let details = try await catalog.details(of: package.path)
    #expect(details.value(of: .totalFiles) == .integer(3))
    #expect(try await catalog.names("kind:package") == ["Notes.rtfd"])
    #expect(try await catalog.names("kind:directory depth:>0").isEmpty)
  }

  @Test(
    "are no directories that merely have a dot in their names", .feature("LX-03"),
    arguments: ["node.js", "v1.2", "directory.with.dot", "my.service", "docs.help", "x.framework"])
  func directories(_ name: String) async throws {
    let lab = try TypeLaboratory()
    try lab.write("\(name)/file.txt")
    let catalog = try lab.catalog()
    _ = try await catalog.scan([lab.root])
    let entry = try #require(try await catalog.entry(at: lab.root.appending(name)))
    #expect(entry.kind == .directory)
    #expect(!entry.isPackage)
    #expect(try await catalog.entry(at: entry.path.appending("file.txt")) != nil)
  }

  @Test("with an ordinary word as extension are told by what is inside")
  func evidence() async throws {
    let lab = try TypeLaboratory()
    try lab.write("Real.service/Contents/Info.plist")
    let catalog = try lab.catalog()
    _ = try await catalog.scan([lab.root])
    let entry = try await catalog.entry(at: lab.root.appending("Real.service"))
    #expect(entry?.kind == .package)
  }

  @Test("may be declared by the user, and cease to be with the next scan of their root")
  func userDeclaration() async throws {
    let lab = try TypeLaboratory()
    try lab.write("scene.zzbundle/a.txt", Array(repeating: 1, count: 10))
    let catalog = try lab.catalog()
    let path = lab.root.appending("scene.zzbundle")
    _ = try await catalog.scan([lab.root])
    #expect(try await catalog.entry(at: path)?.kind == .directory)

    try lab.declare(
      """
      {"CFBundleDocumentTypes": [
        {"LSTypeIsPackage": true, "CFBundleTypeExtensions": ["zzbundle"]}]}
      """)
    _ = try await catalog.scan()
    let package = try #require(try await catalog.entry(at: path))
    #expect(package.kind == .package)
    #expect(package.size == 10)
    #expect(try await catalog.names("is:com.apple.package") == ["scene.zzbundle"])

    try lab.declare(nil)
    let other = try lab.otherRoot()
    _ = try await catalog.scan([other])
    #expect(try await catalog.entry(at: path)?.kind == .package)
    #expect(try await catalog.check().isEmpty)
    _ = try await catalog.scan([lab.root])
    #expect(try await catalog.entry(at: path)?.kind == .directory)
    #expect(try await catalog.check().isEmpty)
  }

  @Test("are entered when they are a root, and when that is asked for")
  func entered() async throws {
    let lab = try TypeLaboratory()
    try lab.write("Notes.rtfd/TXT.rtf")
    let catalog = try lab.catalog()
    _ = try await catalog.scan([lab.root.appending("Notes.rtfd")])
    #expect(try await catalog.names("ext:rtf") == ["TXT.rtf"])
    var options = ScanOptions()
    options.packages = .descend
    _ = try await catalog.scan([lab.root], options: options)
    #expect(try await catalog.names("ext:rtf") == ["TXT.rtf"])
    #expect(try await catalog.entry(at: lab.root.appending("Notes.rtfd"))?.isPackage == true)
  }
}
