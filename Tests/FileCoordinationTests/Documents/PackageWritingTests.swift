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

@Suite("Reading and writing packages")
struct PackageWritingTests {
  let coordinator = FileCoordinator.fast

  /// A package with one of everything.
  static func everything() -> DocumentPackage {
    var program = DocumentPackage.File(bytes("#!/bin/sh"))
    program.isExecutable = true
    return DocumentPackage([
      "payload.plist": .file(bytes("plist")),
      "image.png": .file([UInt8](repeating: 7, count: 200_000)),
      ".hidden": .file(bytes("hidden")),
      "link": .symlink("payload.plist"),
      "dangling": .symlink("/nowhere/at/all"),
      "Empty": .directory(DocumentPackage.Directory()),
      "Contents": .directory(
        DocumentPackage.Directory([
          "run": .file(program),
          "Deep": .directory(DocumentPackage.Directory(["file": .file(bytes("deep"))])),
        ])),
    ])
  }

  @Test(
    "a property list and an image are a directory with exactly these two files", .feature("JB-43"))
  func example() async throws {
    try await withTemporaryDirectory { directory in
      try await FileCoordinator().write(
        DocumentPackage(["payload.plist": .file(bytes("plist")), "image.png": .file(bytes("png"))]),
        to: directory("Holiday.card"))
      #expect(try directory.names() == ["Holiday.card"])
      #expect(try directory.names(in: "Holiday.card") == ["payload.plist", "image.png"])
      #expect(try directory.text(of: "Holiday.card/image.png") == "png")
    }
  }

  @Test("everything comes back as it was, from first writing and from replacing")
  func roundTrip() async throws {
    try await withTemporaryDirectory { directory in
      try directory.makeDirectory("package/old")
      for path in [directory("package"), directory("new")] {
        try await coordinator.write(Self.everything(), to: path)
        let read = try await coordinator.readPackage(at: path)
        #expect(Set(read.paths) == Set(Self.everything().paths))
        for name in read.paths {
          switch (read[name], Self.everything()[name]) {
          case (.file(let file), .file(let expected)):
            #expect(try await file.content.bytes() == (try await expected.content.bytes()))
            #expect(file.isExecutable == expected.isExecutable, "\(name)")
          case (let node, let expected): #expect(node == expected)
          }
        }
        #expect(read["Empty"].map { if case .directory = $0 { true } else { false } } == true)
      }
      #expect(try directory.mode("package/Contents/run") & 0o100 != 0)
      #expect(try directory.names() == ["package", "new"])
    }
  }

  @Test("large files are read when they are asked for, and are still the same then")
  func lazyReading() async throws {
    try await withTemporaryDirectory { directory in
      try await coordinator.write(Self.everything(), to: directory("package"))
      let package = try await coordinator.readPackage(at: directory("package"))
      guard case .file(let image) = package["image.png"], case .stored = image.content else {
        Issue.record("the large file was read")
        return
      }
      #expect(image.content.size == 200_000)
      // Replaced without a change to the image, it is still there.
      try await coordinator.updatePackage(at: directory("package")) { $0["new"] = .file([1]) }
      #expect(try await image.content.bytes() == [UInt8](repeating: 7, count: 200_000))
      // Changed, it is not the one that was meant.
      try await coordinator.updatePackage(at: directory("package")) { $0["image.png"] = .file([2]) }
      await expectError(.changedMeanwhile) { _ = try await image.content.bytes() }
      try await coordinator.delete(directory("package"), .permanent)
      await expectError(.changedMeanwhile) { _ = try await image.content.bytes() }
    }
  }

  @Test("files that did not change are the very same files afterwards")
  func reuse() async throws {
    try await withTemporaryDirectory { directory in
      try await coordinator.write(Self.everything(), to: directory("package"))
      let names: [FilePath] = [
        "package/image.png", "package/Contents/run", "package/payload.plist",
      ]
      let before = try names.map { try directory.status($0) }
      try await coordinator.updatePackage(at: directory("package")) { package in
        package["payload.plist"] = .file(bytes("other"))
        package["Contents/renamed.png"] = package["image.png"]
      }
      let after = try names.map { try directory.status($0) }
      #expect(before[0].inode == after[0].inode && before[0].modified == after[0].modified)
      #expect(before[1].inode == after[1].inode)
      #expect(before[2].inode != after[2].inode)
      #expect(try directory.text(of: "package/payload.plist") == "other")
      #expect(try directory.status("package/Contents/renamed.png").inode == before[0].inode)
      // The whole value written again changes nothing either.
      try await coordinator.write(
        try await coordinator.readPackage(at: directory("package")), to: directory("package"))
      #expect(try directory.status("package/image.png").inode == before[0].inode)
    }
  }

  @Test("two packages never share a file")
  func copies() async throws {
    try await withTemporaryDirectory { directory in
      try await coordinator.write(Self.everything(), to: directory("one"))
      let package = try await coordinator.readPackage(at: directory("one"))
      try await coordinator.write(package, to: directory("other"))
      #expect(
        try directory.status("one/image.png").inode != directory.status("other/image.png").inode)
      #expect(try directory.status("one/image.png").links == 1)
      #expect(try directory.text(of: "other/image.png") == directory.text(of: "one/image.png"))
    }
  }

  @Test("a change of permissions alone does not touch the old file")
  func permissionsOnly() async throws {
    try await withTemporaryDirectory { directory in
      try await coordinator.write(Self.everything(), to: directory("package"))
      try check(chmod(directory("package").string, 0o750))
      try await coordinator.updatePackage(at: directory("package")) { package in
        guard case .file(var file) = package["image.png"] else { return }
        file.isExecutable = true
        package["image.png"] = .file(file)
      }
      #expect(try directory.mode("package/image.png") & 0o100 != 0)
      #expect(try directory.mode("package") == 0o750)
      #expect(try directory.status("package/image.png").size == 200_000)
    }
  }

  @Test("changed files and directories keep their permissions")
  func keptPermissions() async throws {
    try await withTemporaryDirectory { directory in
      try await coordinator.write(Self.everything(), to: directory("package"))
      try check(chmod(directory("package/payload.plist").string, 0o600))
      try check(chmod(directory("package/Contents").string, 0o700))
      var package = Self.everything()
      package["payload.plist"] = .file(bytes("new"))
      try await coordinator.write(package, to: directory("package"))
      #expect(try directory.mode("package/payload.plist") == 0o600)
      #expect(try directory.mode("package/Contents") == 0o700)
    }
  }

  @Test("a package is written through a link, and to another volume")
  func links() async throws {
    try await withTemporaryDirectory(in: Tool.otherVolume ?? "/tmp") { far in
      try await withTemporaryDirectory { directory in
        try await coordinator.write(Self.everything(), to: directory("package"))
        let package = try await coordinator.readPackage(at: directory("package"))
        try directory.makeLink("link", to: far("package"))
        for _ in 1...2 { try await coordinator.write(package, to: directory("link")) }
        #expect(try far.text(of: "package/image.png") == directory.text(of: "package/image.png"))
        #expect(try far.names() == ["package"])
        #expect(try directory.names() == ["package", "link"])
      }
    }
  }

  @Test("no space left, a failing change or an impossible name: the old package stays, whole")
  func failures() async throws {
    struct Refusal: Error {}
    try await withTemporaryDirectory { directory in
      try await coordinator.write(Self.everything(), to: directory("package"))
      let before = try await coordinator.readPackage(at: directory("package"))
      await #expect(throws: Refusal.self) {
        try await coordinator.updatePackage(at: directory("package")) { package in
          package["payload.plist"] = nil
          throw Refusal()
        }
      }
      await expectError(.invalidName) {
        var package = before
        package.root.children["."] = .file([])
        try await coordinator.write(package, to: directory("package"))
      }
      await expectError(.invalidName) {
        try await coordinator.updatePackage(at: directory("package")) { package in
          package.root.children[".."] = .file([])
        }
      }
      #expect(try await coordinator.readPackage(at: directory("package")) == before)
      #expect(try directory.names() == ["package"])
    }
  }

  @Test("no space left: the old package stays, whole", .enabled(if: MountedFileSystem.isPermitted))
  func fullVolume() async throws {
    try await withTemporaryDirectory { directory in
      try await withMountedFileSystem(at: directory.path, kilobytes: 512) {
        try await coordinator.write(Self.everything(), to: directory("package"))
        let before = try await coordinator.readPackage(at: directory("package"))
        await expectError(.outOfSpace, cocoa: 640) {
          try await coordinator.updatePackage(at: directory("package")) { package in
            package["payload.plist"] = .file(bytes("new"))
            package["more"] = .file([UInt8](repeating: 1, count: 1_000_000))
          }
        }
        #expect(try await coordinator.readPackage(at: directory("package")) == before)
        #expect(try directory.names() == ["package"])
      }
    }
  }

  @Test("a pipe in a package is refused and not read")
  func pipes() async throws {
    try await withTemporaryDirectory { directory in
      try directory.makeDirectory("package")
      try check(mkfifo(directory("package/pipe").string, 0o644))
      await expectError(.unsupported) {
        _ = try await coordinator.readPackage(at: directory("package"))
      }
    }
  }
}
