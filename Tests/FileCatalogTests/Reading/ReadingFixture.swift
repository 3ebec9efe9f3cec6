import FileCatalog
import FileSystem
import SystemPackage
import TestSupport

/// A scanned tree with some variety in every column, for tests that only read.
enum ReadingFixture {
  static let pieces: [Piece] = {
    var random = SeededRandom(seed: 7)
    let stems = [
      "a", "A", "b", "file2", "file10", "File2", "résumé", "re\u{301}sume\u{301}", "image@2x",
      ".hidden", "x y", "100%", "under_score", "quote'", "back\\slash", "日本", "Straße", "STRASSE",
    ]
    let endings = [
      "", ".txt", ".TXT", ".png", ".jpeg", ".swift", ".tar.gz", ".md", ".unknown", ".",
    ]
    let directories = ["", "docs", "docs/deep", "Src", "src", "empty.d/e", ".git", "z/y/x/w"]
    var pieces: [Piece] = []
    for i in 0..<70 {
      let directory = FilePath(directories[random.below(directories.count)])
      let path = directory.appending(
        stems[random.below(stems.count)] + endings[random.below(endings.count)])
      // Equal paths come up more than once: the later content wins.
      pieces.append(.file(path, bytes: [0, 0, 1, 100, 1000, 1024, 5000, 70_000][random.below(8)]))
      let day = 86_400_000_000_000
      pieces.append(
        .times(path, accessed: random.below(20_000) * day, modified: random.below(20_000) * day + i)
      )
      if random.below(3) == 0 {
        pieces.append(.mode(path, [0o600, 0o644, 0o755, 0o4755, 0o444, 0o022][random.below(6)]))
      }
    }
    pieces += [
      .directory("empty"), .directory("empty.d/really"), .symlink("link", to: "docs"),
      .symlink("dangling.txt", to: "nowhere"), .fifo("pipe"), .socket("sock"),
      .file("App.app/Contents/x", bytes: 3000), .directory("Void.bundle"),
      .file("links/one", bytes: 300), .hardLink("links/two", to: "links/one"),
      .file(FilePath(bytes: [0x62, 0xFF, 0x2E, 0x74, 0x78, 0x74]), bytes: 12),
      .file(FilePath(bytes: [0x64, 0xFE, 0x2F, 0x69, 0x6E]), bytes: 13),
      .file("line\nbreak.txt", bytes: 14),
    ]
    return pieces
  }()
}
