import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import Testing

@Suite("A change of the declared types")
struct RetypingTests {
  @Test("reaches the entries of all roots with the next scan of any, and modifies none")
  func otherRoots() async throws {
    let lab = try TypeLaboratory()
    let other = try lab.otherRoot()
    try lab.write("a.zzmine")
    try lab.write("b.zzmine", in: other)
    try lab.write("c.jpg", in: other)
    let catalog = try lab.catalog()
    _ = try await catalog.scan([lab.root, other])
    let before = try await catalog.entry(at: other.appending("b.zzmine"))
    #expect(before?.type.hasPrefix("dyn.") == true)

    try lab.declare("org.example.mine", extension: "zzmine", conformingTo: "public.image")
    let summary = try await catalog.scan([lab.root]).first
    #expect(summary?.modified == 0)
    let after = try #require(try await catalog.entry(at: other.appending("b.zzmine")))
    #expect(after.type == "org.example.mine")
    #expect(after.lastChangedScan == before?.lastChangedScan)
    #expect(after.id == before?.id)
    #expect(try await catalog.names("kind:image") == ["a.zzmine", "b.zzmine", "c.jpg"])
    #expect(try await catalog.check().isEmpty)
  }

  @Test("keeps the numbers of the types")
  func stableNumbers() async throws {
    let lab = try TypeLaboratory()
    try lab.write("a.zzmine")
    try lab.write("b.zzdynamic")
    let catalog = try lab.catalog()
    try lab.declare("org.example.mine", extension: "zzmine")
    _ = try await catalog.scan([lab.root])
    let numbers = "SELECT id FROM _uniform_types WHERE identifier = 'org.example.mine'"
    let dynamic = "SELECT type_id FROM _entries WHERE name = 'b.zzdynamic'"
    let (first, firstDynamic) = (try catalog.column(numbers), try catalog.column(dynamic))

    try lab.declare(nil)
    _ = try await catalog.scan()
    #expect(try catalog.types()["a.zzmine"]?.hasPrefix("dyn.") == true)
    #expect(try catalog.column("SELECT 1 FROM types WHERE source = 'user'").isEmpty)
    #expect(
      try catalog.column("SELECT 1 FROM type_conformance WHERE identifier = 'org.example.mine'")
        .isEmpty)

    try lab.declare("org.example.mine", extension: "zzmine")
    _ = try await catalog.scan()
    #expect(try catalog.types()["a.zzmine"] == "org.example.mine")
    #expect(try catalog.column(numbers) == first)
    #expect(try catalog.column(dynamic) == firstDynamic)
  }

  @Test("may give a built-in extension to a type of the user")
  func override() async throws {
    let lab = try TypeLaboratory()
    try lab.write("a.ts")
    let catalog = try lab.catalog()
    _ = try await catalog.scan([lab.root])
    #expect(try catalog.types()["a.ts"] == "com.microsoft.typescript")
    try lab.declare("org.example.stream", extension: "ts", conformingTo: "public.movie")
    _ = try await catalog.scan()
    #expect(try catalog.types()["a.ts"] == "org.example.stream")
    #expect(try await catalog.names("kind:video") == ["a.ts"])
  }
}
