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

@Suite("Replacing the content of a file")
struct ReplacementTests {
  @Test(
    "gives what was written, and leaves nothing else behind",
    arguments: [
      WriteConcern.durable, .fast,
    ])
  func roundTrip(concern: WriteConcern) async throws {
    try await withTemporaryDirectory { directory in
      let coordinator = FileCoordinator(writeConcern: concern)
      for content in ["", "one", String(repeating: "x", count: 3_000_000)] {
        try await coordinator.write(bytes(content), to: directory("file"))
        #expect(try directory.text(of: "file") == content)
        #expect(try await coordinator.read(directory("file")) == bytes(content))
      }
      #expect(try directory.names() == ["file"])
    }
  }

  @Test(
    "keeps permissions", .feature("JB-40"), arguments: [0o600, 0o640, 0o755, 0o444] as [mode_t])
  func permissions(mode: mode_t) async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("old", to: "file", mode: mode)
      try await FileCoordinator.fast.write(bytes("new"), to: directory("file"))
      #expect(try directory.mode("file") == UInt32(mode))
      #expect(try directory.text(of: "file") == "new")
    }
  }

  @Test("gives a new file the permissions of the process's mask")
  func newPermissions() async throws {
    try await withTemporaryDirectory { directory in
      try await FileCoordinator.fast.write([], to: directory("file"))
      let mask = umask(0)
      umask(mask)
      #expect(try directory.mode("file") == UInt32(0o666 & ~mask))
    }
  }

  @Test("keeps the rights that a file gives, with the owner whose rights they are")
  func grantedRights() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("old", to: "file", mode: 0o6755)
      try await FileCoordinator.fast.write(bytes("new"), to: directory("file"))
      #expect(try directory.mode("file") == 0o6755)
      #expect(try directory.text(of: "file") == "new")
    }
  }

  @Test(
    "keeps no right that a file gives in the name of an owner who cannot be kept",
    .enabled(if: getuid() == 0))
  func rightsOfOthers() async throws {
    try await withTemporaryDirectory { directory in
      try check(chmod(directory.path.string, 0o777))
      try directory.write("old", to: "file")
      try check(chmod(directory("file").string, 0o6777))
      let probe = try Probe("replace", directory("file"), "1", as: .ordinary)
      #expect(try await probe.wait() == 0)
      #expect(try directory.mode("file") == 0o777)
      #expect(try FileStatus(ofPath: directory("file")).uid == Probe.User.id)
      // Their owner may do with them what they like.
      try check(chmod(directory("file").string, 0o4755))
      let owner = try Probe("replace", directory("file"), "1", as: .ordinary)
      #expect(try await owner.wait() == 0)
      #expect(try directory.mode("file") == 0o4755)
      // Whoever may give the file to its owner keeps both.
      try await FileCoordinator.fast.write(bytes("new"), to: directory("file"))
      #expect(try directory.mode("file") == 0o4755)
      #expect(try FileStatus(ofPath: directory("file")).uid == Probe.User.id)
    }
  }

  @Test(
    "gives a new file the permissions that were asked for, less the process's mask",
    arguments: [0o600, 0o640, 0o777] as [CInterop.Mode])
  func askedPermissions(_ mode: CInterop.Mode) async throws {
    try await withTemporaryDirectory { directory in
      let mask = umask(0)
      umask(mask)
      var options = FileCoordinator.WriteOptions()
      options.permissions = FilePermissions(rawValue: mode)
      try await FileCoordinator.fast.write([], to: directory("file"), options: options)
      #expect(try directory.mode("file") == UInt32(mode & ~mask))
      try check(chmod(directory("file").string, 0o604))
      try await FileCoordinator.fast.write([], to: directory("file"), options: options)
      #expect(try directory.mode("file") == 0o604)
    }
  }

  @Test("refuses links where that is asked for", arguments: ["target", "nowhere"])
  func refusedLinks(_ target: String) async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("old", to: "target")
      try directory.makeLink("link", to: FilePath(target))
      var options = FileCoordinator.WriteOptions()
      options.links = .refused
      await expectError(.unsupported) {
        try await FileCoordinator.fast.write([], to: directory("link"), options: options)
      }
      #expect(try directory.text(of: "target") == "old")
      #expect(try directory.names() == ["link", "target"])
    }
  }

  @Test(
    "does not follow a link that somebody else has put into a directory for all",
    .enabled(if: getuid() == 0), arguments: ["target", "nowhere"])
  func foreignLink(_ target: String) async throws {
    try await withTemporaryDirectory { directory in
      try directory.makeDirectory("shared")
      try check(chmod(directory("shared").string, 0o1777))
      try directory.write("old", to: "target")
      try directory.makeLink("shared/link", to: directory(FilePath(target)))
      try check(lchown(directory("shared/link").string, 1234, 1234))
      await expectError(.noPermission) {
        try await FileCoordinator.fast.write(bytes("new"), to: directory("shared/link"))
      }
      await expectError(.noPermission) {
        _ = try await FileCoordinator.fast.read(directory("shared/link"))
      }
      #expect(try directory.text(of: "target") == "old")
      #expect(try directory.names() == ["shared", "target"])
      // One of its own it does, and where nobody else may write it does as well.
      try check(lchown(directory("shared/link").string, getuid(), getgid()))
      try await FileCoordinator.fast.write(bytes("mine"), to: directory("shared/link"))
      try check(lchown(directory("shared/link").string, 1234, 1234))
      try check(chmod(directory("shared").string, 0o755))
      try await FileCoordinator.fast.write(bytes("new"), to: directory("shared/link"))
      #expect(try directory.text(of: FilePath(target)) == "new")
    }
  }

  @Test("keeps the owner, where the process may give files away", .enabled(if: getuid() == 0))
  func owner() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("old", to: "file")
      try check(chown(directory("file").string, 1234, 4321))
      try check(chmod(directory("file").string, 0o4755))
      try await FileCoordinator.fast.write(bytes("new"), to: directory("file"))
      let status = try directory.status("file")
      #expect(status.uid == 1234 && status.gid == 4321)
      #expect(status.mode & 0o7777 == 0o4755)
    }
  }

  #if os(Linux)
    @Test("keeps extended attributes")
    func attributes() async throws {
      try await withTemporaryDirectory { directory in
        try directory.write("old", to: "file")
        let program = ["-c", "import os,sys; os.setxattr(sys.argv[1], 'user.note', b'kept')"]
        try #require(try await Tool.run("python3", program + [directory("file").string]) == 0)
        try await FileCoordinator.fast.write(bytes("new"), to: directory("file"))
        #expect(try ExtendedAttributes.all(of: directory("file"))["user.note"] == bytes("kept"))
      }
    }
  #endif

  @Test(
    "writes through a link, wherever it leads", .feature("JB-53", "LX-07"),
    arguments: ["there", "sub/there"])
  func links(target: String) async throws {
    try await withTemporaryDirectory { directory in
      try directory.makeDirectory("sub")
      try directory.write("old", to: FilePath(target), mode: 0o640)
      try directory.makeLink("second", to: FilePath(target))
      try directory.makeLink("first", to: directory("second"))
      try await FileCoordinator.fast.write(bytes("new"), to: directory("first"))
      #expect(try directory.text(of: FilePath(target)) == "new")
      #expect(try directory.mode(FilePath(target)) == 0o640)
      #expect(try EntryKind(mode: directory.status("first").mode) == .symlink)
      #expect(try EntryKind(mode: directory.status("second").mode) == .symlink)
    }
  }

  @Test("makes what a link without a target leads to")
  func danglingLink() async throws {
    try await withTemporaryDirectory { directory in
      try directory.makeLink("link", to: "target")
      try await FileCoordinator.fast.write(bytes("new"), to: directory("link"))
      #expect(try directory.text(of: "target") == "new")
      #expect(try EntryKind(mode: directory.status("link").mode) == .symlink)
    }
  }

  @Test("ends with an error where links lead in a circle")
  func circle() async throws {
    try await withTemporaryDirectory { directory in
      try directory.makeLink("one", to: "other")
      try directory.makeLink("other", to: "one")
      await expectError(.failed) {
        try await FileCoordinator.fast.write([], to: directory("one"))
      }
    }
  }

  @Test("writes through a link to another volume", .enabled(if: Tool.otherVolume != nil))
  func otherVolume() async throws {
    let other = try #require(Tool.otherVolume)
    try await withTemporaryDirectory { directory in
      try await withTemporaryDirectory(in: other) { far in
        try far.write("old", to: "file")
        try directory.makeLink("link", to: far("file"))
        try await FileCoordinator.fast.write(bytes("new"), to: directory("link"))
        #expect(try far.text(of: "file") == "new")
        #expect(try far.names() == ["file"])
        #expect(try directory.names() == ["link"])
      }
    }
  }

  @Test("changes one name of a file with several, and the others keep the old content")
  func hardLinks() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("old", to: "one")
      try check(link(directory("one").string, directory("other").string))
      try await FileCoordinator.fast.write(bytes("new"), to: directory("one"))
      #expect(try directory.text(of: "one") == "new")
      #expect(try directory.text(of: "other") == "old")
    }
  }

  @Test("keeps the old content when no space is left", .enabled(if: MountedFileSystem.isPermitted))
  func fullVolume() async throws {
    try await withTemporaryDirectory { directory in
      try await withMountedFileSystem(at: directory.path, kilobytes: 256) {
        try directory.write("old", to: "file")
        let large = [UInt8](repeating: 1, count: 1_000_000)
        let coordinator = FileCoordinator()
        await expectError(.outOfSpace, cocoa: 640) {
          try await coordinator.write(large, to: directory("file"))
        }
        await expectError(.outOfSpace, cocoa: 640) {
          try await coordinator.write(large, to: directory("new"))
        }
        await expectError(.outOfSpace) {
          try await coordinator.update(at: directory("file")) { _ in large }
        }
        #expect(try directory.text(of: "file") == "old")
        #expect(try directory.names() == ["file"])
        try await coordinator.write(bytes("fits"), to: directory("file"))
        #expect(try directory.text(of: "file") == "fits")
      }
    }
  }

  @Test("keeps the old content when the new one cannot be made", .feature("JB-42"))
  func throwingTransform() async throws {
    struct Refusal: Error {}
    try await withTemporaryDirectory { directory in
      try directory.write("old", to: "file")
      await #expect(throws: Refusal.self) {
        try await FileCoordinator.fast.update(at: directory("file")) { _ in throw Refusal() }
      }
      #expect(try directory.text(of: "file") == "old")
      #expect(try directory.names() == ["file"])
      try await FileCoordinator.fast.update(at: directory("file")) { $0 + bytes("er") }
      #expect(try directory.text(of: "file") == "older")
    }
  }

  @Test("takes names of any bytes and of any length that the volume takes")
  func names() async throws {
    try await withTemporaryDirectory { directory in
      for name in [[0xFF, 0xFE], [UInt8](repeating: 97, count: 255)] {
        let path = directory.path.pushing(FilePath(bytes: name))
        try await FileCoordinator.fast.write(bytes("content"), to: path)
        try await FileCoordinator.fast.write(bytes("again"), to: path)
        #expect(try await FileCoordinator.fast.read(path) == bytes("again"))
      }
      await expectError(.invalidName, cocoa: 514) {
        let name = FilePath(String(repeating: "a", count: 256))
        try await FileCoordinator.fast.write([], to: directory(name))
      }
    }
  }

  @Test(
    "a directory that cannot be flushed is told of, and what was done stands",
    .enabled(if: Tool.canPreload))
  func unflushedNames() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write(
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
      let library = directory("fsync.so").string
      let compiled = try await Tool.run(
        "clang", ["-shared", "-fPIC", "-o", library, directory("fsync.c").string])
      try #require(compiled == 0)
      try directory.makeDirectory("work")
      let probe = try Probe("durable", directory("work"), environment: ["LD_PRELOAD": library])
      #expect(
        try await probe.lines() == [
          "create: not_flushed", "write: not_flushed", "update: not_flushed",
          "access: not_flushed", "move: not_flushed", "directory: not_flushed",
          "delete: not_flushed", "new package: not_flushed", "package: not_flushed",
          "trash: not_flushed",
        ])
      #expect(try directory.text(of: "work/Trash/files/moved") == "text")
      #expect(try directory.names(in: "work/package") == ["b"])
      let names = try directory.names(in: "work").filter { !$0.hasPrefix(".filecat-") }
      #expect(names == ["Trash", "package"])
      // The old package is kept as long as the disk may need it, and the next writer removes it.
      #expect(try directory.names(in: "work").count == 3)
      try await FileCoordinator.fast.write(DocumentPackage(), to: directory("work/package"))
      #expect(try directory.names(in: "work") == ["Trash", "package"])
    }
  }
}
