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

@Suite("Replacing the content of a file")
struct ReplacementTests {
  @Test(
    "gives what was written, and leaves nothing else behind",
    arguments: [
      WriteConcern.durable, .fast,
    ])
  func roundTrip(concern: WriteConcern) async throws {
    try await withFolder { folder in
      let coordinator = FileCoordinator(writeConcern: concern)
      for content in ["", "one", String(repeating: "x", count: 3_000_000)] {
        try await coordinator.write(bytes(content), to: folder("file"))
        #expect(try folder.text("file") == content)
        #expect(try await coordinator.read(folder("file")) == bytes(content))
      }
      #expect(try folder.names() == ["file"])
    }
  }

  @Test("keeps permissions", arguments: [0o600, 0o640, 0o755, 0o444] as [mode_t])
  func permissions(mode: mode_t) async throws {
    try await withFolder { folder in
      try folder.write("old", to: "file", mode: mode)
      try await FileCoordinator.fast.write(bytes("new"), to: folder("file"))
      #expect(try folder.mode("file") == UInt32(mode))
      #expect(try folder.text("file") == "new")
    }
  }

  @Test("gives a new file the permissions of the process's mask")
  func newPermissions() async throws {
    try await withFolder { folder in
      try await FileCoordinator.fast.write([], to: folder("file"))
      let mask = umask(0)
      umask(mask)
      #expect(try folder.mode("file") == UInt32(0o666 & ~mask))
    }
  }

  @Test("keeps the owner, where the process may give files away", .enabled(if: getuid() == 0))
  func owner() async throws {
    try await withFolder { folder in
      try folder.write("old", to: "file")
      try check(chown(folder("file").string, 1234, 4321))
      try check(chmod(folder("file").string, 0o4755))
      try await FileCoordinator.fast.write(bytes("new"), to: folder("file"))
      let status = try folder.status("file")
      #expect(status.uid == 1234 && status.gid == 4321)
      #expect(status.mode & 0o7777 == 0o4755)
    }
  }

  #if os(Linux)
    @Test("keeps extended attributes")
    func attributes() async throws {
      try await withFolder { folder in
        try folder.write("old", to: "file")
        let program = ["-c", "import os,sys; os.setxattr(sys.argv[1], 'user.note', b'kept')"]
        try #require(try await Tool.run("python3", program + [folder("file").string]) == 0)
        try await FileCoordinator.fast.write(bytes("new"), to: folder("file"))
        #expect(try ExtendedAttributes.all(of: folder("file"))["user.note"] == bytes("kept"))
      }
    }
  #endif

  @Test("writes through a link, wherever it leads", arguments: ["there", "sub/there"])
  func links(target: String) async throws {
    try await withFolder { folder in
      try folder.directory("sub")
      try folder.write("old", to: FilePath(target), mode: 0o640)
      try folder.link("second", to: FilePath(target))
      try folder.link("first", to: folder("second"))
      try await FileCoordinator.fast.write(bytes("new"), to: folder("first"))
      #expect(try folder.text(FilePath(target)) == "new")
      #expect(try folder.mode(FilePath(target)) == 0o640)
      #expect(try EntryKind(mode: folder.status("first").mode) == .symlink)
      #expect(try EntryKind(mode: folder.status("second").mode) == .symlink)
    }
  }

  @Test("makes what a link without a target leads to")
  func danglingLink() async throws {
    try await withFolder { folder in
      try folder.link("link", to: "target")
      try await FileCoordinator.fast.write(bytes("new"), to: folder("link"))
      #expect(try folder.text("target") == "new")
      #expect(try EntryKind(mode: folder.status("link").mode) == .symlink)
    }
  }

  @Test("ends with an error where links lead in a circle")
  func circle() async throws {
    try await withFolder { folder in
      try folder.link("one", to: "other")
      try folder.link("other", to: "one")
      await expectError(.failed) {
        try await FileCoordinator.fast.write([], to: folder("one"))
      }
    }
  }

  @Test("writes through a link to another volume", .enabled(if: Tool.otherVolume != nil))
  func otherVolume() async throws {
    let other = try #require(Tool.otherVolume)
    try await withFolder { folder in
      try await withFolder(in: other) { far in
        try far.write("old", to: "file")
        try folder.link("link", to: far("file"))
        try await FileCoordinator.fast.write(bytes("new"), to: folder("link"))
        #expect(try far.text("file") == "new")
        #expect(try far.names() == ["file"])
        #expect(try folder.names() == ["link"])
      }
    }
  }

  @Test("changes one name of a file with several, and the others keep the old content")
  func hardLinks() async throws {
    try await withFolder { folder in
      try folder.write("old", to: "one")
      try check(link(folder("one").string, folder("other").string))
      try await FileCoordinator.fast.write(bytes("new"), to: folder("one"))
      #expect(try folder.text("one") == "new")
      #expect(try folder.text("other") == "old")
    }
  }

  @Test("keeps the old content when no space is left", .enabled(if: Tool.canMount))
  func fullVolume() async throws {
    try await withFolder { folder in
      try await withMountedFileSystem(at: folder.path, kilobytes: 256) {
        try folder.write("old", to: "file")
        let large = [UInt8](repeating: 1, count: 1_000_000)
        let coordinator = FileCoordinator()
        await expectError(.outOfSpace, cocoa: 640) {
          try await coordinator.write(large, to: folder("file"))
        }
        await expectError(.outOfSpace, cocoa: 640) {
          try await coordinator.write(large, to: folder("new"))
        }
        await expectError(.outOfSpace) {
          try await coordinator.update(at: folder("file")) { _ in large }
        }
        #expect(try folder.text("file") == "old")
        #expect(try folder.names() == ["file"])
        try await coordinator.write(bytes("fits"), to: folder("file"))
        #expect(try folder.text("file") == "fits")
      }
    }
  }

  @Test("keeps the old content when the new one cannot be made")
  func throwingTransform() async throws {
    struct Refusal: Error {}
    try await withFolder { folder in
      try folder.write("old", to: "file")
      await #expect(throws: Refusal.self) {
        try await FileCoordinator.fast.update(at: folder("file")) { _ in throw Refusal() }
      }
      #expect(try folder.text("file") == "old")
      #expect(try folder.names() == ["file"])
      try await FileCoordinator.fast.update(at: folder("file")) { $0 + bytes("er") }
      #expect(try folder.text("file") == "older")
    }
  }

  @Test("takes names of any bytes and of any length that the volume takes")
  func names() async throws {
    try await withFolder { folder in
      for name in [[0xFF, 0xFE], [UInt8](repeating: 97, count: 255)] {
        let path = folder.path.pushing(FilePath(bytes: name))
        try await FileCoordinator.fast.write(bytes("content"), to: path)
        try await FileCoordinator.fast.write(bytes("again"), to: path)
        #expect(try await FileCoordinator.fast.read(path) == bytes("again"))
      }
      await expectError(.invalidName, cocoa: 514) {
        let name = FilePath(String(repeating: "a", count: 256))
        try await FileCoordinator.fast.write([], to: folder(name))
      }
    }
  }

  @Test(
    "a folder that cannot be flushed is told of, and what was done stands",
    .enabled(if: Tool.canPreload))
  func unflushedNames() async throws {
    try await withFolder { folder in
      try folder.write(
        """
        #include <errno.h>
        #include <stdio.h>
        #include <string.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        // Fails for directories, other than those that are being prepared.
        int fsync(int file) {
          char link[64], path[4096] = "";
          struct stat status;
          snprintf(link, sizeof link, "/proc/self/fd/%d", file);
          if (readlink(link, path, sizeof path - 1) > 0 && !strstr(path, "/.filecat-")
              && fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) {
            errno = EIO;
            return -1;
          }
          return (int)syscall(SYS_fsync, file);
        }
        """, to: "fsync.c")
      let library = folder("fsync.so").string
      let compiled = try await Tool.run(
        "clang", ["-shared", "-fPIC", "-o", library, folder("fsync.c").string])
      try #require(compiled == 0)
      try folder.directory("work")
      let probe = try Probe("durable", folder("work"), environment: ["LD_PRELOAD": library])
      #expect(
        try await probe.lines() == [
          "create: not_flushed", "write: not_flushed", "update: not_flushed",
          "access: not_flushed", "move: not_flushed", "directory: not_flushed",
          "delete: not_flushed", "new package: not_flushed", "package: not_flushed",
          "trash: not_flushed",
        ])
      #expect(try folder.text("work/Trash/files/moved") == "text")
      #expect(try folder.names("work/package") == ["b"])
      let names = try folder.names("work").filter { !$0.hasPrefix(".filecat-") }
      #expect(names == ["Trash", "package"])
      // The old package is kept as long as the disk may need it, and the next writer removes it.
      #expect(try folder.names("work").count == 3)
      try await FileCoordinator.fast.write(DocumentPackage(), to: folder("work/package"))
      #expect(try folder.names("work") == ["Trash", "package"])
    }
  }
}
