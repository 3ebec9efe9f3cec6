import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

/// The example program, as it is built with the package.
@Suite("The gallery", .timeLimit(.minutes(20)))
struct GalleryTests {
  @Test("shows what another part of it writes, changes, renames and deletes", .feature("JB-21"))
  func demo() async throws {
    let gallery = try #require(CommandRunner.built("gallery"))
    try await withTree([.file("portrait.png", bytes: 3), .file("landscape.png", bytes: 4)]) {
      tree in
      let shown = try gallery.run([tree.path.string, "--demo"])
      #expect(shown.status == 0, "\(shown.errors)")
      let lines = shown.text.split(separator: "\n").map(String.init)
      #expect(lines.prefix(2) == ["  landscape.png", "  portrait.png"])
      #expect(lines.suffix(2) == ["2 files with 7 bytes", "0 added, 0 removed"])

      /// The names that lines of one kind end with.
      func names(_ sign: Character) -> [String] {
        lines.filter { $0.first == sign }.map {
          "gallery" + ($0.split(separator: "gallery").last ?? "")
        }
        .sorted()
      }
      let all = (1...4).map { "gallery \($0).txt" }
      #expect(names("+") + names(">") == all || names("+") == all)
      #expect(names("~").contains(all[1]))
      #expect(Set(names("-")).isSuperset(of: all[1...]))
    }
  }

  @Test("makes a folder that is not there, and says how it is called")
  func arguments() async throws {
    let gallery = try #require(CommandRunner.built("gallery"))
    try await withTree { tree in
      let folder = tree.path.appending("new")
      let made = try gallery.run([folder.string, "--demo"])
      #expect(made.status == 0)
      let nameless = try gallery.run([])
      #expect(nameless.errorLines == ["usage: gallery DIR [--demo]"])
      let unknown = try gallery.run([folder.string, "--delete"])
      #expect(unknown.status == 64)
    }
  }
}
