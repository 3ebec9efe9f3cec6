import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import Testing

@Suite("Comparing packages with the disk")
struct PackageComparisonTests {
  private static let declaration = """
    {"CFBundleDocumentTypes": [
      {"LSTypeIsPackage": true, "CFBundleTypeExtensions": ["zzbundle"]}]}
    """

  /// The differences, as lines like those of the command.
  private func differences(_ catalog: Catalog) async throws -> Set<String> {
    let changes = Changes()
    #expect(try await catalog.verify { changes.add($0) }.isEmpty)
    return changes.lines
  }

  /// Collects changes on the thread of the comparison.
  private final class Changes: @unchecked Sendable {
    private let lock = NSLock()
    private var found: [Change] = []

    func add(_ change: Change) { lock.withLock { found.append(change) } }

    var lines: Set<String> {
      lock.withLock {
        Set(found.map { "\($0.kind) \($0.entryKind) \($0.path.lastComponent?.string ?? "")" })
      }
    }
  }

  @Test("finds none when a declaration makes a package of a directory")
  func declared() async throws {
    let lab = try TypeLaboratory()
    try lab.write("scene.zzbundle/a.txt")
    let catalog = try lab.catalog()
    _ = try await catalog.scan([lab.root])
    try lab.declare(Self.declaration)
    #expect(try await differences(catalog).isEmpty)
    // What differs inside is still found, entry by entry.
    try lab.write("scene.zzbundle/b.txt")
    try lab.write("new.zzbundle/c.txt")
    #expect(
      try await differences(catalog) == ["added file b.txt", "added package new.zzbundle"])
    _ = try await catalog.scan()
    #expect(try await catalog.entry(at: lab.root.appending("scene.zzbundle"))?.kind == .package)
    #expect(try await differences(catalog).isEmpty)
  }

  @Test("finds none when the declaration of a package is taken back")
  func takenBack() async throws {
    let lab = try TypeLaboratory()
    try lab.write("scene.zzbundle/inner/a.txt")
    try lab.declare(Self.declaration)
    let catalog = try lab.catalog()
    _ = try await catalog.scan([lab.root])
    try lab.declare(nil)
    #expect(try await differences(catalog).isEmpty)
    // Another root is scanned with the declarations of now; this one is compared as it was.
    _ = try await catalog.scan([try lab.otherRoot()])
    #expect(try await differences(catalog).isEmpty)
    try lab.write("scene.zzbundle/inner/b.txt", Array(repeating: 1, count: 100))
    #expect(try await differences(catalog) == ["modified package scene.zzbundle"])
  }

  @Test("reports the evidence of a package that appeared, not a change of kind")
  func evidence() async throws {
    let lab = try TypeLaboratory()
    try lab.write("my.service/a.txt")
    let catalog = try lab.catalog()
    _ = try await catalog.scan([lab.root])
    try lab.write("my.service/Contents/Info.plist")
    #expect(
      try await differences(catalog) == ["added directory Contents", "added file Info.plist"])
  }
}
