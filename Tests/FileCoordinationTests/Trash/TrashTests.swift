import FileCoordination
import FileSystem
import Foundation
import SystemPackage
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("The trash")
struct TrashTests {
  /// A folder on one volume with a home trash of its own.
  private func withTrash(_ body: (Folder, FileCoordinator) async throws -> Void) async throws {
    try await withFolder { folder in
      let trash = Trash(home: folder("data/Trash"))
      try await body(folder, FileCoordinator(writeConcern: .fast, trash: trash))
    }
  }

  @Test("keeps the item, and writes down where it was and when it was deleted")
  func information() async throws {
    try await withTrash { folder, coordinator in
      try folder.write("text", to: "a file, 100 % ü.txt")
      let before = Date()
      let item = try #require(
        try await coordinator.delete(folder("a file, 100 % ü.txt")))
      #expect(item.originalPath == folder("a file, 100 % ü.txt"))
      #expect(item.path == folder("data/Trash/files/a file, 100 % ü.txt"))
      #expect(item.informationPath == folder("data/Trash/info/a file, 100 % ü.txt.trashinfo"))
      #expect(try folder.text("data/Trash/files/a file, 100 % ü.txt") == "text")
      let lines = try folder.text("data/Trash/info/a file, 100 % ü.txt.trashinfo")
        .split(separator: "\n")
      #expect(lines.count == 3)
      #expect(lines[0] == "[Trash Info]")
      #expect(lines[1] == "Path=\(folder.path)/a%20file%2C%20100%20%25%20%C3%BC.txt")
      let format = DateFormatter()
      format.locale = Locale(identifier: "en_US_POSIX")
      format.dateFormat = "'DeletionDate='yyyy-MM-dd'T'HH:mm:ss"
      let date = try #require(format.date(from: String(lines[2])))
      #expect(abs(date.timeIntervalSince(before)) < 60)
      #expect(try folder.mode("data/Trash") == 0o700)
      #expect(try folder.names() == ["data"])
    }
  }

  @Test("gives items of the same name different ones")
  func clashes() async throws {
    try await withTrash { folder, coordinator in
      for round in 1...3 {
        try folder.write("\(round)", to: "file.txt")
        let item = try #require(try await coordinator.delete(folder("file.txt")))
        #expect(try String(contentsOfFile: item.path.string, encoding: .utf8) == "\(round)")
      }
      #expect(
        try folder.names("data/Trash/files") == ["file.txt", "file 2.txt", "file 3.txt"])
      #expect(
        try folder.names("data/Trash/info") == [
          "file.txt.trashinfo", "file 2.txt.trashinfo", "file 3.txt.trashinfo",
        ])
    }
  }

  @Test("does not overwrite what lies there without information")
  func orphans() async throws {
    try await withTrash { folder, coordinator in
      try folder.directory("data/Trash/files")
      try folder.write("orphan", to: "data/Trash/files/file")
      try folder.write("new", to: "file")
      let item = try #require(try await coordinator.delete(folder("file")))
      #expect(item.path.lastComponent == "file 2")
      #expect(try folder.text("data/Trash/files/file") == "orphan")
      #expect(try folder.names("data/Trash/info") == ["file 2.trashinfo"])
    }
  }

  @Test("shortens names that leave no room, never in the middle of a character")
  func longNames() async throws {
    try await withTrash { folder, coordinator in
      for name in [
        String(repeating: "a", count: 255), String(repeating: "ü", count: 127),
        String(repeating: "€", count: 80) + ".txt", String(repeating: "x", count: 250) + ".mov",
      ] {
        for _ in 1...2 {
          try folder.write("text", to: FilePath(name))
          let item = try #require(try await coordinator.delete(folder(FilePath(name))))
          let kept = try #require(item.path.lastComponent)
          #expect(item.informationPath.lastComponent?.string == kept.string + ".trashinfo")
          #expect(String(validating: kept.bytes, as: UTF8.self) != nil)
          #expect(kept.extension == FilePath(name).extension)
        }
      }
      #expect(try folder.names("data/Trash/files").count == 8)
    }
  }

  @Test("takes directories whole, and links themselves")
  func directoriesAndLinks() async throws {
    try await withTrash { folder, coordinator in
      try folder.directory("tree/sub")
      try folder.write("text", to: "tree/sub/file")
      try folder.link("link", to: "tree")
      let results = await coordinator.delete([folder("link"), folder("missing"), folder("tree")])
      guard case .trashed(let link) = results[0].outcome, case .failed = results[1].outcome else {
        Issue.record("\(results)")
        return
      }
      #expect(try EntryKind(mode: FileStatus(ofPath: link.path).mode) == .symlink)
      #expect(results[2].outcome == .notTried)
      try await coordinator.delete(folder("tree"))
      #expect(try folder.text("data/Trash/files/tree/sub/file") == "text")
    }
  }

  @Test("is on the item's own volume", .enabled(if: Tool.canMount))
  func otherVolume() async throws {
    try await withTrash { folder, coordinator in
      try folder.directory("volume")
      try await withMountedFileSystem(at: folder("volume"), kilobytes: 256) {
        try folder.directory("volume/sub")
        try folder.write("one", to: "volume/sub/file")
        let own = try #require(try await coordinator.delete(folder("volume/sub/file")))
        let user = getuid()
        #expect(own.path == folder("volume").appending(".Trash-\(user)/files/file"))
        let information = try String(contentsOfFile: own.informationPath.string, encoding: .utf8)
        #expect(information.contains("\nPath=sub/file\n"))

        // The administrator's folder is used only as the specification has it: sticky, no link.
        try folder.directory("volume/.Trash")
        try folder.write("two", to: "volume/sub/file")
        let second = try #require(try await coordinator.delete(folder("volume/sub/file")))
        #expect(second.path == folder("volume").appending(".Trash-\(user)/files/file 2"))
        try check(chmod(folder("volume/.Trash").string, 0o1777))
        try folder.write("three", to: "volume/sub/file")
        let third = try #require(try await coordinator.delete(folder("volume/sub/file")))
        #expect(third.path == folder("volume").appending(".Trash/\(user)/files/file"))
      }
    }
  }

  @Test("is never a link that somebody put in its place", .enabled(if: Tool.canMount))
  func forgedTrash() async throws {
    try await withTrash { folder, coordinator in
      try folder.directory("volume")
      try folder.directory("elsewhere")
      try await withMountedFileSystem(at: folder("volume"), kilobytes: 256) {
        try folder.write("text", to: "volume/file")
        try folder.link(FilePath("volume/.Trash-\(getuid())"), to: folder("elsewhere"))
        await expectError(.noTrash) { try await coordinator.delete(folder("volume/file")) }
        #expect(try folder.text("volume/file") == "text")
        #expect(try folder.names("elsewhere") == [])
        try await coordinator.delete(folder("volume/file"), .permanent)
        #expect(try !folder.names("volume").contains("file"))
      }
    }
  }

  @Test("is where the environment says, else in the home directory")
  func place() {
    let home = Trash().home
    #expect(home.lastComponent == "Trash")
    #expect(home.isAbsolute)
    if let data = getenv("XDG_DATA_HOME"), data.pointee == 47 {
      #expect(home.removingLastComponent() == FilePath(platformString: data))
    } else {
      #expect(home.string.hasSuffix("/.local/share/Trash"))
    }
  }

  @Test("is not where a relative path in the environment would have it")
  func relativeHome() async throws {
    for home in ["relative/home", "."] {
      let probe = try Probe("trash", "", environment: ["HOME": home, "XDG_DATA_HOME": "data"])
      let lines = try await probe.lines()
      #expect(lines.count == 1)
      #expect(lines.first?.hasPrefix("/") == true, "\(lines)")
    }
    let probe = try Probe("trash", "", environment: ["HOME": "/some/home", "XDG_DATA_HOME": ""])
    #expect(try await probe.lines() == ["/some/home/.local/share/Trash"])
  }
}
