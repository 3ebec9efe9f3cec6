import CPlatform
import SystemPackage
import TestSupport
import TestTraits
import Testing

@testable import FileSystem

/// Opening below a directory that others may change at the same time.
@Suite("Opening beneath a directory")
struct OpeningTests {
  /// A directory `base`, and beside it one that nothing in `base` may lead to.
  private func withBase(_ body: (TemporaryDirectory, OpenFile) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      try directory.make([
        .file("base/a/b/c/file", bytes: 3), .file("outside/b/c/secret", bytes: 7),
        .symlink("base/out", to: "../outside"), .symlink("base/a/in", to: "b"),
        .symlink("base/a/b/last", to: "c/file"), .file("base/plain", bytes: 1),
      ])
      try body(directory, try OpenFile(directory("base"), for: .listing))
    }
  }

  @Test(
    "names lead to what lies there",
    arguments: [
      ("a", true), ("a/b", true), ("a/b/c", true), ("a/b/c/file", false), ("plain", false),
    ])
  func names(_ path: String, isDirectory: Bool) throws {
    try withBase { directory, base in
      let opened = try base.open(beneath: FilePath(path), for: .reading)
      let status = try FileStatus(ofPath: directory(FilePath("base/\(path)")))
      #expect(try opened.status().inode == status.inode)
      if isDirectory { _ = try base.open(beneath: FilePath(path), for: .listing) }
    }
  }

  @Test(
    "no link is followed, and nothing leads out", .feature("SB-01"),
    arguments: [
      "out", "out/b", "out/b/c/secret", "a/in", "a/in/c", "a/in/c/file", "a/b/last", "..",
      "../outside/b", "a/../../outside", "/etc/passwd", "plain/x", "missing",
      "a/missing/b",
    ])
  func refused(_ path: String) throws {
    try withBase { _, base in
      let bytes = path.utf8CString
      let descriptor = bytes.withUnsafeBufferPointer {
        cplatform_open_beneath(base.descriptor, $0.baseAddress, 0)
      }
      #expect(descriptor < 0)
      if descriptor >= 0 { _ = OpenFile(taking: descriptor) }
    }
  }

  @Test("what has come into the place of a directory is told as a directory that was replaced")
  func replaced() throws {
    try withBase { _, base in
      for path in ["out", "out/b", "a/in/c", "plain/x", "plain"] as [FilePath] {
        #expect {
          try base.open(beneath: path, for: .listing)
        } throws: {
          ($0 as? Errno)?.saysReplaced == true
        }
      }
    }
  }

  @Test("a path may have any length")
  func longPath() throws {
    try withTemporaryDirectory { directory in
      let name = String(repeating: "n", count: 200)
      let names = (0..<70).map { "\(name)\($0)" }
      try directory.makeChain(names: names)
      let base = try OpenFile(directory.path, for: .listing)
      let path = FilePath(names.joined(separator: "/"))
      #expect(path.length > 3 * 4096)
      let last = try base.open(beneath: path, for: .listing)
      _ = try base.open(beneath: path.removingLastComponent(), for: .listing)
        .open(FilePath.Component(names[69])!, for: .listing)
      var handle = base
      for name in names { handle = try handle.open(FilePath.Component(name)!, for: .listing) }
      #expect(try handle.status().inode == last.status().inode)
    }
  }

  @Test("a directory that was exchanged for another since it was listed is not there any more")
  func exchanged() throws {
    try withBase { directory, base in
      try directory.make([.directory("base/other")])
      let reader = DirectoryReader()
      let handle = DirectoryHandle(rawValue: base.descriptor)
      let listed = DirectoryIdentity(try FileStatus(ofPath: directory("base/a")))
      let opened = try reader.open(below: handle, path: Array("a".utf8), expecting: listed)
      reader.close(opened)
      #expect(cplatform_exchange(base.descriptor, "a", base.descriptor, "other") == 0)
      #expect(throws: Errno.noSuchFileOrDirectory) {
        try reader.open(below: handle, path: Array("a".utf8), expecting: listed)
      }
      let moved = try reader.open(below: handle, path: Array("other".utf8), expecting: listed)
      reader.close(moved)
      #expect(cplatform_exchange(base.descriptor, "other", base.descriptor, "out") == 0)
      #expect(throws: Errno.tooManySymbolicLinkLevels) {
        try reader.open(below: handle, path: Array("other/b".utf8), expecting: listed)
      }
    }
  }

  @Test("a file is opened by its absolute path below a root, and only there")
  func roots() throws {
    try withBase { directory, _ in
      try directory.make([.symlink("way", to: ".")])
      let root = try OpenRoot(directory("way/base"))
      #expect(try root.open(directory("way/base/plain")).status().size == 1)
      #expect(throws: Errno.self) { try root.open(directory("way/base/out/b/c/secret")) }
      #expect(throws: Errno.self) { try root.open(directory("outside/b/c/secret")) }
      #expect(throws: Errno.self) { try OpenRoot(directory("base/out")) }
    }
  }
}
