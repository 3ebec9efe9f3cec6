import FileCoordination
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Directories, moving, deleting, presence")
struct ItemTests {
  let coordinator = FileCoordinator.fast

  @Test("tells what is there", .feature("JB-47", "JB-48"))
  func presence() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("", to: "file")
      try directory.makeDirectory("directory")
      try directory.makeLink("to-directory", to: "directory")
      try directory.makeLink("to-nothing", to: "nothing")
      let expected: [(FilePath, Bool, Bool)] = [
        ("file", true, false), ("directory", true, true), ("missing", false, false),
        ("file/inside", false, false), ("missing/inside", false, false),
        ("to-directory", true, true), ("to-nothing", false, false), ("directory/..", true, true),
      ]
      for (name, exists, isDirectory) in expected {
        let presence = try await coordinator.presence(of: directory(name))
        #expect(presence.exists == exists, "\(name)")
        #expect(presence.isDirectory == isDirectory, "\(name)")
      }
      #expect(try await coordinator.presence(of: "/") == .directory)
      #expect(try await coordinator.presence(of: ".") == .directory)
    }
  }

  @Test(
    "makes a directory with those on the way, and a second time does nothing",
    .feature("JB-46", "JB-48"))
  func directories() async throws {
    try await withTemporaryDirectory { directory in
      let witness = Witness()
      let coordinator = FileCoordinator(observer: witness)
      for _ in 1...2 { try await coordinator.createDirectory(at: directory("a/b/c")) }
      #expect(try EntryKind(mode: directory.status("a/b/c").mode) == .directory)
      #expect(
        await witness.log(relativeTo: directory) == ["created a", "created a/b", "created a/b/c"])
    }
  }

  @Test("makes no directory where something else is")
  func directoriesInTheWay() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("", to: "file")
      await expectError(.alreadyExists) {
        try await coordinator.createDirectory(at: directory("file"))
      }
      await expectError(.notADirectory) {
        try await coordinator.createDirectory(at: directory("file/a/b"))
      }
    }
  }

  @Test("eight tasks may make one directory at the same time", .feature("SP-09"))
  func directoryRace() async throws {
    try await withTemporaryDirectory { directory in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask { try await FileCoordinator.fast.createDirectory(at: directory("a/b/c/d")) }
        }
        try await group.waitForAll()
      }
      #expect(try directory.names(in: "a/b/c") == ["d"])
    }
  }

  @Test("moves an item to a free name, and takes no name unless told to")
  func moving() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("one", to: "one")
      try directory.write("two", to: "two")
      await expectError(.alreadyExists, cocoa: 516) {
        try await coordinator.move(directory("one"), to: directory("two"))
      }
      #expect(try directory.text(of: "two") == "two")
      try await coordinator.move(directory("one"), to: directory("two"), ifTaken: .replace)
      #expect(try directory.names() == ["two"])
      #expect(try directory.text(of: "two") == "one")
      try await coordinator.move(directory("two"), to: directory("three"))
      try await coordinator.move(directory("three"), to: directory("three"), ifTaken: .replace)
      #expect(try directory.text(of: "three") == "one")
    }
  }

  @Test("moving one name of a file over another leaves one name")
  func movingHardLinks() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("text", to: "one")
      try check(link(directory("one").string, directory("other").string))
      try await coordinator.move(directory("one"), to: directory("other"), ifTaken: .replace)
      #expect(try directory.names() == ["other"])
    }
  }

  @Test("moves a directory over one that is not empty, as a whole")
  func movingDirectories() async throws {
    try await withTemporaryDirectory { directory in
      try directory.makeDirectory("one")
      try directory.makeDirectory("two/old")
      try directory.write("new", to: "one/file")
      await expectError(.alreadyExists) {
        try await coordinator.move(directory("one"), to: directory("two"))
      }
      try await coordinator.move(directory("one"), to: directory("two"), ifTaken: .replace)
      #expect(try directory.names() == ["two"])
      #expect(try directory.names(in: "two") == ["file"])
      await expectError(.failed) {
        try await coordinator.move(directory("two"), to: directory("two/inside"))
      }
      #expect(try directory.names(in: "two") == ["file"])
    }
  }

  @Test("leaves alone what gets the free name as soon as the file has moved away")
  func movingWhileOthersWrite() async throws {
    try await withTemporaryDirectory { directory in
      for round in 0..<100 {
        try directory.write("old", to: "target")
        try directory.write("moved", to: "file")
        let path = directory("file")
        let (ready, begin) = AsyncStream<Void>.makeStream()
        async let made: Void = Blocking.run {
          begin.finish()
          while true {
            let file = open(path.string, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o644)
            if file >= 0 {
              close(file)
              return
            }
          }
        }
        for await _ in ready {}
        try await coordinator.move(path, to: directory("target"), ifTaken: .replace)
        await made
        #expect(try directory.names() == ["file", "target"], "round \(round)")
        #expect(try directory.text(of: "target") == "moved")
        if try directory.names() != ["file", "target"] { return }
      }
    }
  }

  @Test("moves a link and not what it leads to")
  func movingLinks() async throws {
    try await withTemporaryDirectory { directory in
      try directory.makeLink("link", to: "target")
      try directory.write("text", to: "target")
      try await coordinator.move(directory("link"), to: directory("moved"))
      #expect(try EntryKind(mode: directory.status("moved").mode) == .symlink)
      #expect(try directory.names() == ["moved", "target"])
    }
  }

  @Test("moves a tree to another volume with all it has", .enabled(if: Tool.otherVolume != nil))
  func movingBetweenVolumes() async throws {
    let other = try #require(Tool.otherVolume)
    try await withTemporaryDirectory { directory in
      try await withTemporaryDirectory(in: other) { far in
        try directory.makeDirectory("tree/sub")
        try directory.write("text", to: "tree/sub/program", mode: 0o750)
        try check(link(directory("tree/sub/program").string, directory("tree/again").string))
        try directory.makeLink("tree/link", to: "sub/program")
        try check(mkfifo(directory("tree/pipe").string, 0o600))
        let modified = try directory.status("tree/sub/program").modified
        try far.makeDirectory("tree/old")

        try await coordinator.move(directory("tree"), to: far("tree"), ifTaken: .replace)
        #expect(try directory.names() == [])
        #expect(try far.names() == ["tree"])
        #expect(try far.names(in: "tree") == ["sub", "again", "link", "pipe"])
        #expect(try far.text(of: "tree/link") == "text")
        let status = try far.status("tree/sub/program")
        #expect(status.mode & 0o7777 == 0o750)
        #expect(status.modified == modified)
        #expect(try far.status("tree/again").inode == status.inode)

        try await coordinator.move(far("tree/sub/program"), to: directory("program"))
        #expect(try directory.text(of: "program") == "text")
        #expect(try directory.names() == ["program"])
      }
    }
  }

  @Test(
    "what cannot be moved to another volume stays whole",
    .enabled(if: MountedFileSystem.isPermitted))
  func movingToFullVolume() async throws {
    try await withTemporaryDirectory { directory in
      try directory.makeDirectory("volume")
      try directory.write(String(repeating: "x", count: 1_000_000), to: "file")
      try await withMountedFileSystem(at: directory("volume"), kilobytes: 128) {
        await expectError(.outOfSpace) {
          try await coordinator.move(directory("file"), to: directory("volume/file"))
        }
        let (file, names) = (try directory.status("file"), try directory.names(in: "volume"))
        #expect(file.size == 1_000_000)
        #expect(names.isEmpty)
      }
    }
  }

  @Test("deletes a tree for good, however deep it is, and no link's target", .feature("JB-44"))
  func deletingTrees() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("stays", to: "outside")
      let deep = (0..<600).map { "d\($0 % 7)" }.joined(separator: "/")
      try #require(
        try await Tool.run("mkdir", ["-p", directory("tree").appending(deep).string]) == 0)
      try directory.write("", to: FilePath("tree/\(deep)/file"))
      try directory.makeLink("tree/link", to: directory("outside"))
      try await coordinator.delete(directory("tree"), .permanent)
      #expect(try directory.names() == ["outside"])
    }
  }

  @Test(
    "deletes nothing on a volume that is mounted inside",
    .enabled(if: MountedFileSystem.isPermitted))
  func deletingAroundVolumes() async throws {
    try await withTemporaryDirectory { directory in
      try directory.makeDirectory("tree/volume")
      try await withMountedFileSystem(at: directory("tree/volume"), kilobytes: 64) {
        try directory.write("stays", to: "tree/volume/file")
        await expectError(.failed) { try await coordinator.delete(directory("tree"), .permanent) }
        #expect(try directory.text(of: "tree/volume/file") == "stays")
      }
    }
  }

  @Test(
    "several items: a result for each, stopping at the first failure or going on", .feature("JB-45")
  )
  func batches() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("", to: "one")
      try directory.write("", to: "two")
      let paths = [directory("one"), directory("missing"), directory("two")]
      let first = await coordinator.delete(paths, .permanent)
      #expect(first.map(\.path) == paths)
      #expect(first[0].outcome == .deleted)
      #expect(failure(first[1])?.code == .notFound)
      #expect(first[2].outcome == .notTried)
      #expect(try directory.names() == ["two"])

      let second = await coordinator.delete(paths, .permanent, onFailure: .goOn)
      #expect(second.map { failure($0)?.code } == [.notFound, .notFound, nil])
      #expect(second[2].outcome == .deleted)
      #expect(await coordinator.delete([], .permanent).isEmpty)
    }
  }

  private func failure(_ result: Deletion.Result) -> CoordinationError? {
    if case .failed(let error) = result.outcome { error } else { nil }
  }

  @Test("what an observer was about to see changed is let go of when the operation returns")
  func claims() async throws {
    try await withTemporaryDirectory { directory in
      let claimant = Claimant()
      let coordinator = FileCoordinator(writeConcern: .fast, observer: claimant)
      for number in 1...200 {
        try await coordinator.write(bytes("\(number)"), to: directory("file"))
        #expect(claimant.made == number)
        #expect(!claimant.hasOpenClaim, "write \(number)")
      }
      await expectError(.notADirectory) {
        try await coordinator.createDirectory(at: directory("file/a"))
      }
      #expect(!claimant.hasOpenClaim)
    }
  }

  @Test("an observer hears of each change once, and of none that failed")
  func observing() async throws {
    try await withTemporaryDirectory { directory in
      let witness = Witness()
      let coordinator = FileCoordinator(
        writeConcern: .fast, trash: Trash(home: directory("Trash")), observer: witness)
      try directory.makeLink("link", to: "file")
      try await coordinator.write(bytes("1"), to: directory("link"))
      try await coordinator.update(at: directory("file")) { $0 }
      try? await coordinator.update(at: directory("file")) { _ in throw Errno.ioError }
      try await coordinator.withCoordinatedAccess(writing: [directory("file")]) { access in
        try await access.write(bytes("2"), to: directory("file"))
      }
      try await coordinator.move(directory("file"), to: directory("moved"))
      try await coordinator.write(
        DocumentPackage(["a": .file([]), "b": .file([])]), to: directory("package"))
      try await coordinator.updatePackage(at: directory("package")) { $0["a"] = nil }
      try await coordinator.delete(directory("package"))
      try await coordinator.delete(directory("moved"), .permanent)
      _ = try? await coordinator.delete(directory("moved"), .permanent)
      _ = try await coordinator.presence(of: directory("moved"))
      #expect(
        await witness.log(relativeTo: directory) == [
          "created file", "written file", "written file", "moved file -> moved",
          "created package", "written package", "removed package", "removed moved",
        ])
    }
  }
}
