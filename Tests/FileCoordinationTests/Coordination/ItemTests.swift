import FileCoordination
import FileSystem
import SystemPackage
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Directories, moving, deleting, presence")
struct ItemTests {
  let coordinator = FileCoordinator.fast

  @Test("tells what is there")
  func presence() async throws {
    try await withFolder { folder in
      try folder.write("", to: "file")
      try folder.directory("directory")
      try folder.link("to-directory", to: "directory")
      try folder.link("to-nothing", to: "nothing")
      let expected: [(FilePath, Bool, Bool)] = [
        ("file", true, false), ("directory", true, true), ("missing", false, false),
        ("file/inside", false, false), ("missing/inside", false, false),
        ("to-directory", true, true), ("to-nothing", false, false), ("directory/..", true, true),
      ]
      for (name, exists, isDirectory) in expected {
        let presence = try await coordinator.presence(of: folder(name))
        #expect(presence.exists == exists, "\(name)")
        #expect(presence.isDirectory == isDirectory, "\(name)")
      }
      #expect(try await coordinator.presence(of: "/") == .directory)
      #expect(try await coordinator.presence(of: ".") == .directory)
    }
  }

  @Test("makes a directory with those on the way, and a second time does nothing")
  func directories() async throws {
    try await withFolder { folder in
      let witness = Witness()
      let coordinator = FileCoordinator(observer: witness)
      for _ in 1...2 { try await coordinator.createDirectory(at: folder("a/b/c")) }
      #expect(try EntryKind(mode: folder.status("a/b/c").mode) == .directory)
      #expect(
        await witness.log(relativeTo: folder) == ["created a", "created a/b", "created a/b/c"])
    }
  }

  @Test("makes no directory where something else is")
  func directoriesInTheWay() async throws {
    try await withFolder { folder in
      try folder.write("", to: "file")
      await expectError(.alreadyExists) {
        try await coordinator.createDirectory(at: folder("file"))
      }
      await expectError(.notADirectory) {
        try await coordinator.createDirectory(at: folder("file/a/b"))
      }
    }
  }

  @Test("eight tasks may make one directory at the same time")
  func directoryRace() async throws {
    try await withFolder { folder in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask { try await FileCoordinator.fast.createDirectory(at: folder("a/b/c/d")) }
        }
        try await group.waitForAll()
      }
      #expect(try folder.names("a/b/c") == ["d"])
    }
  }

  @Test("moves an item to a free name, and takes no name unless told to")
  func moving() async throws {
    try await withFolder { folder in
      try folder.write("one", to: "one")
      try folder.write("two", to: "two")
      await expectError(.alreadyExists, cocoa: 516) {
        try await coordinator.move(folder("one"), to: folder("two"))
      }
      #expect(try folder.text("two") == "two")
      try await coordinator.move(folder("one"), to: folder("two"), ifTaken: .replace)
      #expect(try folder.names() == ["two"])
      #expect(try folder.text("two") == "one")
      try await coordinator.move(folder("two"), to: folder("three"))
      try await coordinator.move(folder("three"), to: folder("three"), ifTaken: .replace)
      #expect(try folder.text("three") == "one")
    }
  }

  @Test("moving one name of a file over another leaves one name")
  func movingHardLinks() async throws {
    try await withFolder { folder in
      try folder.write("text", to: "one")
      try check(link(folder("one").string, folder("other").string))
      try await coordinator.move(folder("one"), to: folder("other"), ifTaken: .replace)
      #expect(try folder.names() == ["other"])
    }
  }

  @Test("moves a directory over one that is not empty, as a whole")
  func movingDirectories() async throws {
    try await withFolder { folder in
      try folder.directory("one")
      try folder.directory("two/old")
      try folder.write("new", to: "one/file")
      await expectError(.alreadyExists) {
        try await coordinator.move(folder("one"), to: folder("two"))
      }
      try await coordinator.move(folder("one"), to: folder("two"), ifTaken: .replace)
      #expect(try folder.names() == ["two"])
      #expect(try folder.names("two") == ["file"])
      await expectError(.failed) {
        try await coordinator.move(folder("two"), to: folder("two/inside"))
      }
      #expect(try folder.names("two") == ["file"])
    }
  }

  @Test("leaves alone what gets the free name as soon as the file has moved away")
  func movingWhileOthersWrite() async throws {
    try await withFolder { folder in
      for round in 0..<100 {
        try folder.write("old", to: "target")
        try folder.write("moved", to: "file")
        let path = folder("file")
        let (ready, begin) = AsyncStream<Void>.makeStream()
        let maker = Task.detached {
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
        try await coordinator.move(path, to: folder("target"), ifTaken: .replace)
        await maker.value
        #expect(try folder.names() == ["file", "target"], "round \(round)")
        #expect(try folder.text("target") == "moved")
        if try folder.names() != ["file", "target"] { return }
      }
    }
  }

  @Test("moves a link and not what it leads to")
  func movingLinks() async throws {
    try await withFolder { folder in
      try folder.link("link", to: "target")
      try folder.write("text", to: "target")
      try await coordinator.move(folder("link"), to: folder("moved"))
      #expect(try EntryKind(mode: folder.status("moved").mode) == .symlink)
      #expect(try folder.names() == ["moved", "target"])
    }
  }

  @Test("moves a tree to another volume with all it has", .enabled(if: Tool.otherVolume != nil))
  func movingBetweenVolumes() async throws {
    let other = try #require(Tool.otherVolume)
    try await withFolder { folder in
      try await withFolder(in: other) { far in
        try folder.directory("tree/sub")
        try folder.write("text", to: "tree/sub/program", mode: 0o750)
        try check(link(folder("tree/sub/program").string, folder("tree/again").string))
        try folder.link("tree/link", to: "sub/program")
        try check(mkfifo(folder("tree/pipe").string, 0o600))
        let modified = try folder.status("tree/sub/program").modified
        try far.directory("tree/old")

        try await coordinator.move(folder("tree"), to: far("tree"), ifTaken: .replace)
        #expect(try folder.names() == [])
        #expect(try far.names() == ["tree"])
        #expect(try far.names("tree") == ["sub", "again", "link", "pipe"])
        #expect(try far.text("tree/link") == "text")
        let status = try far.status("tree/sub/program")
        #expect(status.mode & 0o7777 == 0o750)
        #expect(status.modified == modified)
        #expect(try far.status("tree/again").inode == status.inode)

        try await coordinator.move(far("tree/sub/program"), to: folder("program"))
        #expect(try folder.text("program") == "text")
        #expect(try folder.names() == ["program"])
      }
    }
  }

  @Test("what cannot be moved to another volume stays whole", .enabled(if: Tool.canMount))
  func movingToFullVolume() async throws {
    try await withFolder { folder in
      try folder.directory("volume")
      try folder.write(String(repeating: "x", count: 1_000_000), to: "file")
      try await withMountedFileSystem(at: folder("volume"), kilobytes: 128) {
        await expectError(.outOfSpace) {
          try await coordinator.move(folder("file"), to: folder("volume/file"))
        }
        let (file, names) = (try folder.status("file"), try folder.names("volume"))
        #expect(file.size == 1_000_000)
        #expect(names.isEmpty)
      }
    }
  }

  @Test("deletes a tree for good, however deep it is, and no link's target")
  func deletingTrees() async throws {
    try await withFolder { folder in
      try folder.write("stays", to: "outside")
      let deep = (0..<600).map { "d\($0 % 7)" }.joined(separator: "/")
      try #require(try await Tool.run("mkdir", ["-p", folder("tree").appending(deep).string]) == 0)
      try folder.write("", to: FilePath("tree/\(deep)/file"))
      try folder.link("tree/link", to: folder("outside"))
      try await coordinator.delete(folder("tree"), .permanent)
      #expect(try folder.names() == ["outside"])
    }
  }

  @Test("deletes nothing on a volume that is mounted inside", .enabled(if: Tool.canMount))
  func deletingAroundVolumes() async throws {
    try await withFolder { folder in
      try folder.directory("tree/volume")
      try await withMountedFileSystem(at: folder("tree/volume"), kilobytes: 64) {
        try folder.write("stays", to: "tree/volume/file")
        await expectError(.failed) { try await coordinator.delete(folder("tree"), .permanent) }
        #expect(try folder.text("tree/volume/file") == "stays")
      }
    }
  }

  @Test("several items: a result for each, stopping at the first failure or going on")
  func batches() async throws {
    try await withFolder { folder in
      try folder.write("", to: "one")
      try folder.write("", to: "two")
      let paths = [folder("one"), folder("missing"), folder("two")]
      let first = await coordinator.delete(paths, .permanent)
      #expect(first.map(\.path) == paths)
      #expect(first[0].outcome == .deleted)
      #expect(failure(first[1])?.code == .notFound)
      #expect(first[2].outcome == .notTried)
      #expect(try folder.names() == ["two"])

      let second = await coordinator.delete(paths, .permanent, onFailure: .goOn)
      #expect(second.map { failure($0)?.code } == [.notFound, .notFound, nil])
      #expect(second[2].outcome == .deleted)
      #expect(await coordinator.delete([], .permanent).isEmpty)
    }
  }

  private func failure(_ result: Deletion.Result) -> CoordinationError? {
    if case .failed(let error) = result.outcome { error } else { nil }
  }

  @Test("an observer hears of each change once, and of none that failed")
  func observing() async throws {
    try await withFolder { folder in
      let witness = Witness()
      let coordinator = FileCoordinator(
        writeConcern: .fast, trash: Trash(home: folder("Trash")), observer: witness)
      try folder.link("link", to: "file")
      try await coordinator.write(bytes("1"), to: folder("link"))
      try await coordinator.update(at: folder("file")) { $0 }
      try? await coordinator.update(at: folder("file")) { _ in throw Errno.ioError }
      try await coordinator.withCoordinatedAccess(writing: [folder("file")]) { access in
        try await access.write(bytes("2"), to: folder("file"))
      }
      try await coordinator.move(folder("file"), to: folder("moved"))
      try await coordinator.write(
        DocumentPackage(["a": .file([]), "b": .file([])]), to: folder("package"))
      try await coordinator.updatePackage(at: folder("package")) { $0["a"] = nil }
      try await coordinator.delete(folder("package"))
      try await coordinator.delete(folder("moved"), .permanent)
      _ = try? await coordinator.delete(folder("moved"), .permanent)
      _ = try await coordinator.presence(of: folder("moved"))
      #expect(
        await witness.log(relativeTo: folder) == [
          "created file", "written file", "written file", "moved file -> moved",
          "created package", "written package", "removed package", "removed moved",
        ])
    }
  }
}
