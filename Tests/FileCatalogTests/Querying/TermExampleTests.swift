import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import Testing

/// What each term finds, by the examples with which the language is explained.
@Suite("Terms of queries")
struct TermExampleTests {
  static let day = 86_400_000_000_000

  static let pieces: [Piece] = [
    .file("App.swift", bytes: 12_000), .file("Sources/a/b.txt", bytes: 1), .file("x.png", bytes: 1),
    .file("y.jpg", bytes: 1), .file("IMG_42.heic", bytes: 1), .file("xIMG_1", bytes: 1),
    .sparse("big.bin", length: 11 << 20), .file("two", bytes: 2048),
    .hardLink("two again", to: "two"), .file("none.log"), .symlink("broken", to: "nowhere"),
    .symlink("whole", to: "two"), .directory("void"), .file(".hidden", bytes: 1),
    .file("i@2x.png", bytes: 1), .file("i~ipad.png", bytes: 1), .fifo("pipe"),
    .file("open", bytes: 1), .mode("open", 0o666), .file("a.tar.gz", bytes: 1),
    .file("dated", bytes: 1),
    .times("dated", accessed: 20_468 * day, modified: 20_468 * day),  // 2026-01-15
    .file("old", bytes: 1), .times("old", accessed: 11_323 * day, modified: 11_323 * day),
    .file("dot.", bytes: 1), .file("no. ext", bytes: 1), .file("Notes.rtfd/TXT.rtf", bytes: 2_000),
  ]

  static let images: Set<String> = ["x.png", "y.jpg", "IMG_42.heic", "i@2x.png", "i~ipad.png"]

  static let examples: [(String, Set<String>)] = [
    ("name:*.swift", ["App.swift"]), ("path:Sources/**", ["Sources/a", "Sources/a/b.txt"]),
    ("ext:png,jpg", images.subtracting(["IMG_42.heic"])), ("regex:^IMG_[0-9]+", ["IMG_42.heic"]),
    ("ext:gz", ["a.tar.gz"]), ("ext:tar.gz", ["a.tar.gz"]), ("ext:ext", []), ("ext:hidden", []),
    ("kind:directory", ["", "Sources", "Sources/a", "void"]), ("kind:package", ["Notes.rtfd"]),
    ("kind:symlink", ["broken", "whole"]), ("kind:fifo", ["pipe"]), ("kind:image", images),
    ("type:public.jpeg", ["y.jpg"]), ("is:public.image", images), ("kind:code", ["App.swift"]),
    ("kind:archive", ["a.tar.gz"]), ("kind:file size:>10M", ["big.bin"]),
    ("kind:file,package size:1k..4k", ["two", "two again", "Notes.rtfd"]),
    ("kind:file size:0", ["none.log"]), ("kind:file size:>11534KB", ["big.bin"]),
    ("kind:file size:12KB", ["App.swift"]), ("allocated:>1T", []),
    ("modified:2026-01-01..2026-02-01", ["dated"]), ("modified:2026-01", ["dated"]),
    ("kind:file modified:>20y", ["old"]), ("old modified:<7d", []),
    ("name:=x.png modified:<7d", ["x.png"]),
    ("mode:/022 kind:file", ["open"]), ("mode:666", ["open"]), ("mode:-066 kind:file", ["open"]),
    ("depth:0", [""]), ("depth:2 kind:directory", ["Sources/a"]),
    ("links:>1 kind:file", ["two", "two again"]), ("empty:yes", ["none.log", "void"]),
    ("hidden:yes", [".hidden"]), ("hidden:no name:hidden", []), ("broken:yes", ["broken"]),
    ("broken:no kind:symlink", ["whole"]), ("scale:2", ["i@2x.png"]),
    ("idiom:ipad", ["i~ipad.png"]),
    ("two !again", ["two"]), ("-kind:file two", []), ("(name:=x.png | y.jpg) ext:png", ["x.png"]),
    ("NOT kind:file kind:fifo", ["pipe"]), ("\"no. ext\"", ["no. ext"]), ("owner:nobody-here", []),
  ]

  @Test("find what they are explained to find")
  func example() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      for (text, expected) in Self.examples {
        let found = try await lab.catalog.entries(matching: Query(parsing: text)).map(\.path)
        #expect(Set(found.map { lab.relative($0.bytes) ?? "" }) == expected, "\(text)")
      }
    }
  }
}
