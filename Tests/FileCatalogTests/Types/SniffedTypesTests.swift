import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import Testing

@Suite("Types by content")
struct SniffedTypesTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0]

  private func scan(
    _ catalog: Catalog, _ lab: TypeLaboratory, _ typing: ScanOptions.Typing? = nil
  ) async throws {
    var request = ScanRequest()
    request.typing = typing
    _ = try await catalog.scan([lab.root], request: request)
  }

  @Test("settle what names do not, and only that")
  func settling() async throws {
    let lab = try TypeLaboratory()
    try lab.write("picture", Self.png)
    try lab.write("image.zzunknown", Self.png)
    try lab.write("notes.md", Self.png)
    try lab.write("script", Array("#!/bin/sh\necho\n".utf8), mode: 0o755)
    try lab.write("random", [0, 1, 2, 3])
    try lab.write("empty", [])
    let catalog = try lab.catalog()
    try await scan(catalog, lab)
    #expect(try catalog.types()["picture"] == "public.data")
    try await scan(catalog, lab, .byContent)
    let types = try catalog.types()
    #expect(types["picture"] == "public.png")
    #expect(types["image.zzunknown"] == "public.png")
    #expect(types["notes.md"] == "net.daringfireball.markdown")
    #expect(types["script"] == "public.shell-script")
    #expect(types["random"] == "public.data")
    #expect(types["empty"] == "public.data")
    #expect(try await catalog.names("kind:image") == ["picture", "image.zzunknown"])
  }

  @Test("are a setting of the root, kept until it is taken back")
  func setting() async throws {
    let lab = try TypeLaboratory()
    try lab.write("picture", Self.png)
    let catalog = try lab.catalog()
    try await scan(catalog, lab, .byContent)
    try await scan(catalog, lab)
    #expect(try catalog.types()["picture"] == "public.png")
    #expect(try await catalog.roots().first?.options.typing == .byContent)
    try await scan(catalog, lab, .byName)
    #expect(try catalog.types()["picture"] == "public.data")
    #expect(try catalog.column("SELECT count(*) FROM _sniffed_types") == ["0"])
  }

  @Test("are kept until the file changes: an unchanged file is not read again")
  func kept() async throws {
    let lab = try TypeLaboratory()
    try lab.write("picture", Self.png)
    let file = lab.root.appending("picture").string
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    func setDate(_ date: Date) throws {
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
    }
    try setDate(date)
    let catalog = try lab.catalog()
    try await scan(catalog, lab, .byContent)
    // Other bytes in the same file, of the same size and time: nothing tells the difference.
    let handle = try #require(FileHandle(forWritingAtPath: file))
    try handle.write(contentsOf: Array("GIF89a".utf8) + [0, 1, 0, 0])
    try handle.close()
    try setDate(date)
    try await scan(catalog, lab)
    #expect(try catalog.types()["picture"] == "public.png")
    try setDate(date + 1)
    try await scan(catalog, lab)
    #expect(try catalog.types()["picture"] == "com.compuserve.gif")
  }

  @Test("outlive a change of the declared types")
  func retyped() async throws {
    let lab = try TypeLaboratory()
    try lab.write("picture", Self.png)
    let catalog = try lab.catalog()
    try await scan(catalog, lab, .byContent)
    try lab.declare("org.example.mine", extension: "zzmine")
    _ = try await catalog.scan([try lab.otherRoot()])
    #expect(try catalog.types()["picture"] == "public.png")
  }
}
