import Foundation
import StandardDirectories
import SystemPackage
import TestSupport
import Testing
import UniformTypes

@Suite("Shared MIME info")
struct SharedMimeInfoTests {
  /// A database of our own, in a directory that goes away.
  private func withDatabase(_ body: (FilePath) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("mime-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let files = [
      "globs2": """
      # comment
      50:application/x-novel:*.novel
      60:application/x-novel:novelfile
      50:application/x-novel+zip:*.nzip
      50:image/x-new_image:*.newimg
      50:image/x-new_image:*.shot[0-9]
      50:image/jpeg:*.jpgnew
      50:text/x-rust:*.rs
      50:inode/directory:*.dir
      broken line
      """,
      "subclasses": "application/x-novel+zip application/zip\ntext/x-rust text/plain\n",
      "aliases": "application/novel application/x-novel\nimage/pjpeg image/jpeg\n",
      "generic-icons": "application/x-novel:x-office-document\n",
      "types": "application/x-novel\nmodel/x-thing\n",
    ]
    for (name, text) in files {
      try Data(text.utf8).write(to: directory.appendingPathComponent(name))
    }
    try body(FilePath(directory.path))
  }

  @Test("adds types under org.freedesktop and leaves the table as it is")
  func mapping() throws {
    try withDatabase { directory in
      let registry = TypeRegistry(declarationDirectories: [], mimeDirectories: [directory])
      #expect(registry.diagnostics.isEmpty, "\(registry.diagnostics)")
      let novel = try #require(registry.type(filenameExtension: "novel"))
      #expect(novel.identifier == "org.freedesktop.application.x-novel")
      #expect(novel.conforms(to: .compositeContent) && novel.conforms(to: .data))
      #expect(novel.source == .sharedMimeInfo)
      #expect(registry.type(mimeType: "application/novel") == novel)
      #expect(registry.type(ofName: "NovelFile", as: .file) == novel)

      let zipped = try #require(registry.type(filenameExtension: "nzip"))
      #expect(zipped.identifier == "org.freedesktop.application.x-novel-zip")
      #expect(zipped.conforms(to: .zip))

      let image = registry.type(ofName: "a.shot7", as: .file)
      #expect(image.identifier == "org.freedesktop.image.x-new-image")
      #expect(image.conforms(to: .image))

      // Known types take what is new and keep what they had.
      #expect(registry.type(filenameExtension: "jpgnew") == .jpeg)
      #expect(registry.type(filenameExtension: "rs")?.identifier == "public.rust-source")
      for type in TypeRegistry.builtIn.types {
        #expect(registry.index(of: type) == TypeRegistry.builtIn.index(of: type))
      }
    }
  }

  @Test("tells by its names alone which of them it has types for")
  func names() throws {
    try withDatabase { directory in
      let names = SharedMimeNames(directories: [directory])
      let registry = TypeRegistry(declarationDirectories: [], mimeDirectories: [directory])
      let seed = UInt64.random(in: 0...UInt64.max)
      var random = SeededRandom(seed: seed)
      let parts = ["a", "novel", "NovelFile", ".", ".", "shot7", ".shot", "nzip", "rs", "dir", "~"]
      for _ in 0..<2000 {
        var name = (0..<Int.random(in: 1...5, using: &random))
          .compactMap { _ in parts.randomElement(using: &random) }.joined()
        let (isDeclared, rule) = name.withUTF8 { bytes in
          (
            !TypeMatcher(.builtIn).match(bytes, as: .file).flags.contains(.isUndeclared),
            names.match(bytes, as: .file).map { names[$0] }
          )
        }
        guard !isDeclared else { continue }
        let expected = registry.type(ofName: name, as: .file)
        let found = rule.flatMap {
          registry.type(tag: $0.tag, tagClass: $0.tagClass, conformingTo: .data)
        }
        #expect(
          found ?? TypeRegistry.builtIn.type(ofName: name, as: .file) == expected,
          "\(name), seed \(seed)")
      }
    }
  }

  @Test("of the system has a type for each of its names")
  func systemNames() {
    let directories = SharedMimeInfo.systemDirectories(of: HostEnvironment(variables: [:]))
    let names = SharedMimeNames(directories: directories)
    let registry = TypeRegistry(declarationDirectories: [], mimeDirectories: directories)
    for rule in names.rules {
      #expect(
        registry.type(tag: rule.tag, tagClass: rule.tagClass, conformingTo: nil)?.isDeclared
          == true, "\(rule)")
    }
  }

  @Test("is looked for in the directories of the XDG specification")
  func directories() {
    let directories = SharedMimeInfo.systemDirectories(
      of: HostEnvironment(variables: [
        "HOME": "/home/me", "XDG_DATA_DIRS": "/a:relative:/b",
      ]))
    #expect(directories == ["/home/me/.local/share/mime", "/a/mime", "/b/mime"])
    let fallback = SharedMimeInfo.systemDirectories(of: HostEnvironment(variables: [:]))
    #expect(fallback == ["/usr/local/share/mime", "/usr/share/mime"])
  }

  @Test(
    "of the system joins without a contradiction",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/share/mime/globs2")))
  func system() throws {
    let registry = TypeRegistry(
      declarationDirectories: [],
      mimeDirectories: ["/usr/share/mime"])
    #expect(registry.count > TypeRegistry.builtIn.count)
    #expect(registry.diagnostics.isEmpty, "\(registry.diagnostics)")
    for index in registry.indices where index.position >= TypeRegistry.builtIn.count {
      let type = registry.type(at: index)
      #expect(type.identifier.hasPrefix("org.freedesktop."))
      #expect(type.conforms(to: .data), "\(type)")
    }
    // What the table knows by name stays what it is.
    for name in ["a.png", "a.ts", "Makefile", "a.tar.gz", "libfoo.so.1", "a.c", "a.key"] {
      #expect(
        registry.type(ofName: name, as: .file)
          == TypeRegistry.builtIn.type(ofName: name, as: .file), "\(name)")
    }
  }
}
