import CPlatform
import FileCoordination
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("The trash")
struct TrashTests {
  /// A directory on one volume with a home trash of its own.
  private func withTrash(
    _ body: (TemporaryDirectory, FileCoordinator) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let trash = Trash(home: directory("data/Trash"))
      try await body(directory, FileCoordinator(writeConcern: .fast, trash: trash))
    }
  }

  @Test(
    "keeps the item, and writes down where it was and when it was deleted",
    .feature("JB-44", "LX-01", "LX-08"))
  func information() async throws {
    try await withTrash { directory, coordinator in
      try directory.write("text", to: "a file, 100 % ü.txt")
      let before = Date()
      let item = try #require(
        try await coordinator.delete(directory("a file, 100 % ü.txt")))
      #expect(item.originalPath == directory("a file, 100 % ü.txt"))
      #expect(item.path == directory("data/Trash/files/a file, 100 % ü.txt"))
      #expect(item.informationPath == directory("data/Trash/info/a file, 100 % ü.txt.trashinfo"))
      #expect(try directory.text(of: "data/Trash/files/a file, 100 % ü.txt") == "text")
      let lines = try directory.text(of: "data/Trash/info/a file, 100 % ü.txt.trashinfo")
        .split(separator: "\n")
      #expect(lines.count == 3)
      #expect(lines[0] == "[Trash Info]")
      #expect(lines[1] == "Path=\(directory.path)/a%20file%2C%20100%20%25%20%C3%BC.txt")
      let format = DateFormatter()
      format.locale = Locale(identifier: "en_US_POSIX")
      format.dateFormat = "'DeletionDate='yyyy-MM-dd'T'HH:mm:ss"
      let date = try #require(format.date(from: String(lines[2])))
      #expect(abs(date.timeIntervalSince(before)) < 900)
      #expect(try directory.mode("data/Trash") == 0o700)
      #expect(try directory.names() == ["data"])
    }
  }

  @Test("tells the observer of every place before anything is there")
  func announcement() async throws {
    try await withTemporaryDirectory { directory in
      let listener = Listener()
      let coordinator = FileCoordinator(
        writeConcern: .fast, trash: Trash(home: directory("Trash")), observer: listener)
      for content in ["1", "2"] {
        try directory.write(content, to: "a")
        try await coordinator.delete(directory("a"))
      }
      let places: [FilePath] = [
        "a", "Trash/files/a", "Trash/info/a.trashinfo", "a", "Trash/files/a 2",
        "Trash/info/a 2.trashinfo",
      ]
      #expect(listener.announced.map(\.item) == places.map { directory($0) })
      #expect(listener.announced.filter(\.isThere).map(\.item) == [directory("a"), directory("a")])
    }
  }

  @Test("gives items of the same name different ones")
  func clashes() async throws {
    try await withTrash { directory, coordinator in
      for round in 1...3 {
        try directory.write("\(round)", to: "file.txt")
        let item = try #require(try await coordinator.delete(directory("file.txt")))
        #expect(try String(contentsOfFile: item.path.string, encoding: .utf8) == "\(round)")
      }
      #expect(
        try directory.names(in: "data/Trash/files") == ["file.txt", "file 2.txt", "file 3.txt"])
      #expect(
        try directory.names(in: "data/Trash/info") == [
          "file.txt.trashinfo", "file 2.txt.trashinfo", "file 3.txt.trashinfo",
        ])
    }
  }

  @Test("does not overwrite what lies there without information")
  func orphans() async throws {
    try await withTrash { directory, coordinator in
      try directory.makeDirectory("data/Trash/files")
      try directory.write("orphan", to: "data/Trash/files/file")
      try directory.write("new", to: "file")
      let item = try #require(try await coordinator.delete(directory("file")))
      #expect(item.path.lastComponent == "file 2")
      #expect(try directory.text(of: "data/Trash/files/file") == "orphan")
      #expect(try directory.names(in: "data/Trash/info") == ["file 2.trashinfo"])
    }
  }

  @Test("shortens names that leave no room, never in the middle of a character")
  func longNames() async throws {
    try await withTrash { directory, coordinator in
      for name in [
        String(repeating: "a", count: 255), String(repeating: "ü", count: 127),
        String(repeating: "€", count: 80) + ".txt", String(repeating: "x", count: 250) + ".mov",
      ] {
        for _ in 1...2 {
          try directory.write("text", to: FilePath(name))
          let item = try #require(try await coordinator.delete(directory(FilePath(name))))
          let kept = try #require(item.path.lastComponent)
          #expect(item.informationPath.lastComponent?.string == kept.string + ".trashinfo")
          #expect(String(validating: kept.bytes, as: UTF8.self) != nil)
          #expect(kept.extension == FilePath(name).extension)
        }
      }
      #expect(try directory.names(in: "data/Trash/files").count == 8)
    }
  }

  @Test("takes directories whole, and links themselves")
  func directoriesAndLinks() async throws {
    try await withTrash { directory, coordinator in
      try directory.makeDirectory("tree/sub")
      try directory.write("text", to: "tree/sub/file")
      try directory.makeLink("link", to: "tree")
      let results = await coordinator.delete([
        directory("link"), directory("missing"), directory("tree"),
      ])
      guard case .trashed(let link) = results[0].outcome, case .failed = results[1].outcome else {
        Issue.record("\(results)")
        return
      }
      #expect(try EntryKind(mode: FileStatus(ofPath: link.path).mode) == .symlink)
      #expect(results[2].outcome == .notTried)
      try await coordinator.delete(directory("tree"))
      #expect(try directory.text(of: "data/Trash/files/tree/sub/file") == "text")
    }
  }

  @Test(
    "is on the item's own volume", .feature("LX-08"), .enabled(if: MountedFileSystem.isPermitted))
  func otherVolume() async throws {
    try await withTrash { directory, coordinator in
      try directory.makeDirectory("volume")
      try await withMountedFileSystem(at: directory("volume"), kilobytes: 256) {
        try directory.makeDirectory("volume/sub")
        try directory.write("one", to: "volume/sub/file")
        let own = try #require(try await coordinator.delete(directory("volume/sub/file")))
        let user = getuid()
        #expect(own.path == directory("volume").appending(".Trash-\(user)/files/file"))
        let information = try String(contentsOfFile: own.informationPath.string, encoding: .utf8)
        #expect(information.contains("\nPath=sub/file\n"))

        // The administrator's directory is used only as the specification has it: sticky, no link.
        try directory.makeDirectory("volume/.Trash")
        try directory.write("two", to: "volume/sub/file")
        let second = try #require(try await coordinator.delete(directory("volume/sub/file")))
        #expect(second.path == directory("volume").appending(".Trash-\(user)/files/file 2"))
        try check(chmod(directory("volume/.Trash").string, 0o1777))
        try directory.write("three", to: "volume/sub/file")
        let third = try #require(try await coordinator.delete(directory("volume/sub/file")))
        #expect(third.path == directory("volume").appending(".Trash/\(user)/files/file"))
      }
    }
  }

  @Test(
    "is never a link that somebody put in its place", .enabled(if: MountedFileSystem.isPermitted))
  func forgedTrash() async throws {
    try await withTrash { directory, coordinator in
      try directory.makeDirectory("volume")
      try directory.makeDirectory("elsewhere")
      try await withMountedFileSystem(at: directory("volume"), kilobytes: 256) {
        try directory.write("text", to: "volume/file")
        try directory.makeLink(FilePath("volume/.Trash-\(getuid())"), to: directory("elsewhere"))
        await expectError(.noTrash) { try await coordinator.delete(directory("volume/file")) }
        #expect(try directory.text(of: "volume/file") == "text")
        #expect(try directory.names(in: "elsewhere") == [])
        try await coordinator.delete(directory("volume/file"), .permanent)
        #expect(try !directory.names(in: "volume").contains("file"))
      }
    }
  }

  @Test(
    "of somebody else gets nothing, whenever it is put in the place of one's own",
    .enabled(if: MountedFileSystem.isPermitted && getuid() == 0))
  func exchangedTrash() async throws {
    try await withTrash { directory, coordinator in
      try directory.makeDirectory("volume")
      try await withMountedFileSystem(at: directory("volume"), kilobytes: 4096) {
        let places: [FilePath] = [FilePath("volume/.Trash-\(getuid())"), "volume/foreign"]
        for place in places {
          try directory.makeDirectory(place.appending("files"))
          try directory.makeDirectory(place.appending("info"))
        }
        let (own, foreign) = (directory(places[0]).string, directory(places[1]).string)
        try check(chown(foreign, 65534, 65534))
        let isDone = Monitor(false)
        async let exchanges = WorkerThread.run(named: "exchange") {
          var count = 0
          while !isDone.withLock({ $0 }) {
            if cplatform_exchange(AT_FDCWD, own, AT_FDCWD, foreign) == 0 { count += 1 }
          }
          return count
        }
        var trashed = 0
        for number in 0..<400 {
          try directory.write("text", to: "volume/file")
          do {
            _ = try await coordinator.delete(directory("volume/file"))
            trashed += 1
          } catch let error as CoordinationError {
            #expect(error.code == .noTrash, "\(number): \(error)")
          }
        }
        isDone.withLock { $0 = true }
        #expect(try await exchanges > 0)
        for place in places {
          let status = try FileStatus(ofPath: directory(place))
          let count = try directory.names(in: place.appending("files")).count
          #expect(count == (status.uid == getuid() ? trashed : 0))
        }
      }
    }
  }

  @Test("is in a directory of any bytes")
  func byteHome() async throws {
    // Arguments and variables of a process are text where Foundation starts it.
    let program = try #require(CommandRunner.built("coordination-probe")?.program)
    let run = try CommandRunner("sh").run([
      "-c", "XDG_DATA_HOME=$(printf '/d\\377/x') exec \"$0\" trash /", program,
    ])
    #expect(run.output == Array("/d".utf8) + [0xFF] + Array("/x/Trash\n".utf8))
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

/// Remembers what it was told to be about to change, and what was there by then.
private final class Listener: CoordinationObserver {
  private let heard = Monitor<[(item: FilePath, isThere: Bool)]>([])

  var announced: [(item: FilePath, isThere: Bool)] { heard.withLock { $0 } }

  func coordinator(
    _ coordinator: FileCoordinator, willChange items: [FilePath]
  ) -> (any AnyObject & Sendable)? {
    heard.withLock { heard in
      heard += items.map { ($0, (try? FileStatus(ofPath: $0)) != nil) }
    }
    return nil
  }

  func coordinator(_ coordinator: FileCoordinator, didCommit changes: [CoordinatedChange]) {}
}
