import FileCatalog
import FileCoordination
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

/// Indexes a directory and tells what takes the most room in it.
func reportLargeFiles(in directory: String, catalog file: String) async throws -> [String] {
  let catalog = try Catalog(at: FilePath(file))
  for summary in try await catalog.scan([FilePath(directory)]) {
    print("\(summary.root): \(summary.entries) entries, \(summary.errors) could not be read")
  }

  let large = try await catalog.entries(
    matching: Query(parsing: "kind:file size:>10k"), order: SortOrder(parsing: "-size"), limit: 10)
  for entry in large {
    print(entry.size ?? 0, entry.type, entry.path)
  }

  let totals = try await catalog.totals(of: FilePath(directory))
  print("\(totals.totalFiles) files with \(totals.totalSize) bytes")
  return large.map(\.name)
}

/// Writes a document of two parts as one package. The catalog has it when this returns.
func saveNotes(
  _ text: String, image: [UInt8], in directory: FilePath, catalog: Catalog
) async throws {
  var notes = DocumentPackage()
  notes["Info.plist"] = .file(DocumentPackage.File(Array(text.utf8)))
  notes["image.png"] = .file(DocumentPackage.File(image))
  let coordinator = catalog.coordinator()
  try await coordinator.write(notes, to: directory.appending("Trip.rtfd"))
}

@Suite("The examples in the README")
struct ReadmeExampleTests {
  @Test("are the functions above, to the letter")
  func sameText() throws {
    let here = URL(fileURLWithPath: #filePath)
    let own = try String(contentsOf: here, encoding: .utf8)
    var root = here
    for _ in 1...3 { root.deleteLastPathComponent() }
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let examples = readme.components(separatedBy: "```swift\n").dropFirst().compactMap { text in
      text.components(separatedBy: "```").first?.split(
        separator: "\n", omittingEmptySubsequences: false
      )
      .drop { $0.hasPrefix("import ") || $0.isEmpty }.joined(separator: "\n")
    }
    #expect(examples.count == 2)
    for example in examples { #expect(own.contains(example), "\(example)") }
  }

  @Test("it compiles and does what it says", .feature("AF-25", "FS-35", "P-64"))
  func exampleWorks() async throws {
    let pieces: [Piece] = [
      .file("small", bytes: 10), .file("large.png", bytes: 50_000), .file("b/c", bytes: 20_000),
    ]
    try await withTree(pieces) { tree in
      let names = try await reportLargeFiles(
        in: "\(tree.path)", catalog: "\(tree.path)/catalog.sqlite")
      #expect(names == ["large.png", "c"])
    }
  }

  @Test("so does the one that writes a package")
  func writingExampleWorks() async throws {
    try await withLaboratory([.file("readme")]) { lab in
      try await lab.scan()
      try await saveNotes("<plist/>", image: [1, 2, 3], in: lab.tree.path, catalog: lab.catalog)
      #expect(try await lab.entry("Trip.rtfd").kind == .package)
      #expect(try await lab.entry("Trip.rtfd").size == 11)
    }
  }
}
