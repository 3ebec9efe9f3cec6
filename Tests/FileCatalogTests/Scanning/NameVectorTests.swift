import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Names, extensions and types")
struct NameVectorTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    var piece: Piece
    var name: String
    var pathExtension: String?
    var displayName: String
    var type: String?
    var testDescription: String { name.debugDescription }
  }

  static let vectors: [Vector] = [
    file("a.txt", "txt", "a", "public.plain-text"),
    file("B.TXT", "TXT", "B", "public.plain-text"),
    file("README", nil, "README", nil),
    file(".hidden", nil, ".hidden", "public.data"),
    file("foo.", nil, "foo.", "public.data"),
    file("Mr. Smith", nil, "Mr. Smith", "public.data"),
    file("a.b c", nil, "a.b c", nil),
    file("archive.tar.gz", "gz", "archive.tar", nil),
    file("..x", "x", ".", nil),
    file("...", nil, "...", nil),
    file("a..", nil, "a..", nil),
    file("a. b.c", "c", "a. b", nil),
    file("image@2x~ipad.png", "png", "image@2x~ipad", "public.png"),
    file("x.jpeg", "jpeg", "x", "public.jpeg"),
    file("x.jpg", "jpg", "x", "public.jpeg"),
    file("main.swift", "swift", "main", "public.swift-source"),
    file("readme.md", "md", "readme", "net.daringfireball.markdown"),
    file("résumé.été", "été", "résumé", nil),
    file("a.\u{301}x", "\u{301}x", "a", nil),
    directory("Pkg.app", "app", "Pkg", "com.apple.application-bundle"),
    directory("notes.rtfd", "rtfd", "notes", "com.apple.rtfd"),
    directory("directory.with.dot", "dot", "directory.with", "public.folder"),
    directory("v1.2", "2", "v1", "public.folder"),
    directory("docs", nil, "docs", "public.folder"),
    Vector(
      piece: .symlink("link-file", to: "a.txt"), name: "link-file", pathExtension: nil,
      displayName: "link-file", type: "public.symlink"),
    Vector(
      piece: .symlink("link.txt", to: "a.txt"), name: "link.txt", pathExtension: "txt",
      displayName: "link", type: "public.symlink"),
  ]

  static func file(
    _ name: String, _ pathExtension: String?, _ displayName: String, _ type: String?
  ) -> Vector {
    Vector(
      piece: .file(FilePath(name)), name: name, pathExtension: pathExtension,
      displayName: displayName, type: type)
  }

  static func directory(
    _ name: String, _ pathExtension: String?, _ displayName: String, _ type: String?
  ) -> Vector {
    Vector(
      piece: .directory(FilePath(name)), name: name, pathExtension: pathExtension,
      displayName: displayName, type: type)
  }

  @Test(
    "extension, display name and type follow from the name",
    .feature("FS-24", "FS-27", "LX-05", "LX-14"), arguments: vectors)
  func nameIsTakenApart(_ vector: Vector) async throws {
    try await withLaboratory([vector.piece]) { lab in
      try await lab.scan()
      let entry = try await lab.entry(FilePath(vector.name))
      #expect(entry.name == vector.name)
      #expect(entry.pathExtension == vector.pathExtension)
      #expect(entry.displayName == vector.displayName)
      if let type = vector.type { #expect(entry.type == type) }
      let row = try #require(try FilesView(lab.catalog).byPath[entry.path.bytes])
      #expect(row["extension"].string == vector.pathExtension)
      #expect(row["display_name"].string == vector.displayName)
      #expect(row["type"].string == entry.type)
      #expect(entry.isHidden == vector.name.hasPrefix("."))
    }
  }

  @Test("the view and the library find the same extension in any bytes")
  func extensionOfAnyBytes() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    let parts: [[UInt8]] = [
      [46], [46], [32], [97], [98], [0xC3, 0xA9], [0xA9], [0xC3], [0xFF], [0xE2, 0x82, 0xAC], [10],
    ]
    var names: Set<[UInt8]> = [[97, 0xA9, 98, 46, 99, 97, 0xC3, 0xA9, 120]]
    while names.count < 400 {
      let name = (0..<random.below(9) + 1).flatMap { _ in parts[random.below(parts.count)] }
      if name != [46], name != [46, 46] { names.insert(name) }
    }
    try await withLaboratory { lab in
      for name in names { try lab.tree.make(.file(FilePath(bytes: name))) }
      try await lab.scan()
      for row in try FilesView(lab.catalog, where: "depth = 1").rows {
        let expected = fileExtension(of: row.name).map { ColumnValue.shown($0) } ?? .null
        #expect(row["extension"] == expected, "\(row.name), seed \(seed)")
      }
    }
  }
}
