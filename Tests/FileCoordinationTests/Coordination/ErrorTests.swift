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

@Suite("What cannot be done says why")
struct ErrorTests {
  let coordinator = FileCoordinator.fast

  @Test(
    "a missing item has the number of its operation in Foundation",
    .feature("JB-41", "JB-42", "JB-50"))
  func missing() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory("missing")
      await expectError(.notFound, cocoa: 260) { _ = try await coordinator.read(path) }
      await expectError(.notFound, cocoa: 260) {
        try await coordinator.update(at: path) { _ in
          Issue.record("there was nothing to transform")
          return []
        }
      }
      await expectError(.notFound, cocoa: 260) { _ = try await coordinator.readPackage(at: path) }
      await expectError(.notFound, cocoa: 4) { try await coordinator.delete(path) }
      await expectError(.notFound, cocoa: 4) { try await coordinator.delete(path, .permanent) }
      await expectError(.notFound, cocoa: 4) {
        try await coordinator.move(path, to: directory("a"))
      }
      await expectError(.notFound) {
        try await coordinator.withCoordinatedAccess(reading: [path]) { _ in }
      }
      let names = try directory.names()
      #expect(names.isEmpty)
    }
  }

  @Test("a missing directory is another error than a missing item", .feature("SP-08"))
  func missingDirectory() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory("missing/file")
      await expectError(.parentNotFound, cocoa: 4) { try await coordinator.write([], to: path) }
      await expectError(.parentNotFound) {
        try await coordinator.write(DocumentPackage(), to: path)
      }
      await expectError(.notFound, cocoa: 260) { _ = try await coordinator.read(path) }
    }
  }

  @Test("a directory is no file, and a file no directory", .feature("FS-05"))
  func kinds() async throws {
    try await withTemporaryDirectory { directory in
      try directory.makeDirectory("directory")
      try directory.write("", to: "file")
      await expectError(.isADirectory) { _ = try await coordinator.read(directory("directory")) }
      await expectError(.isADirectory) {
        try await coordinator.write([], to: directory("directory"))
      }
      await expectError(.notADirectory) {
        _ = try await coordinator.readPackage(at: directory("file"))
      }
      await expectError(.notADirectory) {
        try await coordinator.write(DocumentPackage(), to: directory("file"))
      }
      await expectError(.notADirectory) {
        try await coordinator.write([], to: directory("file/in"))
      }
    }
  }

  @Test("a pipe is neither, and is not waited for")
  func pipe() async throws {
    try await withTemporaryDirectory { directory in
      try check(mkfifo(directory("pipe").string, 0o644))
      await expectError(.unsupported) { _ = try await coordinator.read(directory("pipe")) }
      await expectError(.unsupported) { try await coordinator.write([], to: directory("pipe")) }
      try await coordinator.delete(directory("pipe"), .permanent)
      #expect(try directory.names() == [])
    }
  }

  @Test("paths without a name are refused", arguments: ["", "/"])
  func noName(path: String) async throws {
    await expectError(.invalidName) { try await coordinator.write([], to: FilePath(path)) }
    await expectError(.invalidName) { try await coordinator.delete(FilePath(path)) }
  }

  @Test(
    "a volume that can only be read is named as such", .enabled(if: MountedFileSystem.isPermitted))
  func readOnlyVolume() async throws {
    try await withTemporaryDirectory { directory in
      try await withMountedFileSystem(at: directory.path, kilobytes: 64) {
        try directory.write("old", to: "file")
        try #require(try await Tool.run("mount", ["-o", "remount,ro", directory.path.string]) == 0)
        await expectError(.readOnlyVolume, cocoa: 642) {
          try await coordinator.write([], to: directory("file"))
        }
        #expect(try await coordinator.read(directory("file")) == bytes("old"))
      }
    }
  }

  @Test(
    "every error number has a code, and both kinds of permission one", .feature("JB-50", "JB-51"),
    arguments: [
      (Errno.permissionDenied, CoordinationError.Code.noPermission, 257, 513),
      (.notPermitted, .noPermission, 257, 513), (.noSuchFileOrDirectory, .notFound, 260, 4),
      (.fileExists, .alreadyExists, 516, 516), (.noSpace, .outOfSpace, 640, 640),
      (.diskQuotaExceeded, .outOfSpace, 640, 640), (.readOnlyFileSystem, .readOnlyVolume, 642, 642),
      (.fileNameTooLong, .invalidName, 258, 514), (.ioError, .failed, 256, 512),
    ])
  func codes(
    errno: Errno, code: CoordinationError.Code, reading: Int, writing: Int
  ) {
    let read = CoordinationError(.read, "file", errno)
    let write = CoordinationError(.write, "file", errno)
    #expect(read.code == code && write.code == code)
    #expect(read.cocoaCode == reading)
    #expect(write.cocoaCode == writing)
    #expect(read.errno == errno)
  }
}
