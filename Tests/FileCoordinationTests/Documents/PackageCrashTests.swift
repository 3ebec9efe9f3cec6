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

@Suite("Packages and crashes")
struct PackageCrashTests {
  @Test(
    "a process killed at any moment leaves the old package or the new one", .feature("JB-43"),
    .timeLimit(.minutes(20)))
  func killing() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory("package")
      var random = SystemRandomNumberGenerator()
      var seen: Set<String> = []
      for _ in 0..<200 {
        let probe = try Probe("packages", path)
        try await probe.waitForOutput()
        try await Task.sleep(for: .microseconds(Int.random(in: 0...20_000, using: &random)))
        try await probe.crash()
        // Looked at without a coordinator: what is on the disk must be right as it is.
        seen.insert(try expectWhole(directory))
      }
      #expect(seen.count > 100, "hardly a process was killed while it was writing")
      // Whatever the killed ones left behind goes away with the next writing.
      try await FileCoordinator.fast.write(DocumentPackage(), to: path)
      #expect(try directory.names() == ["package"])
    }
  }

  @Test(
    "so it does on volumes that cannot swap names, when a coordinator next asks",
    .timeLimit(.minutes(20)))
  func killingWithoutExchange() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory("package")
      let coordinator = FileCoordinator(puttingPackagesAside: .fast)
      try await coordinator.write(Self.package("0"), to: path)
      for _ in 0..<100 {
        let probe = try Probe("packages", path, "aside")
        try await probe.waitForOutput()
        try await Task.sleep(for: .microseconds(Int.random(in: 0...20_000)))
        try await probe.crash()
        _ = try await coordinator.readPackage(at: path)
        _ = try expectWhole(directory)
      }
      try await coordinator.write(DocumentPackage(), to: path)
      #expect(try directory.names() == ["package"])
    }
  }

  @Test(
    "readers see whole packages while they are replaced, with and without swapping names",
    .timeLimit(.minutes(20)), arguments: ["exchange", "aside"])
  func reading(way: String) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory("package")
      try await FileCoordinator.fast.write(Self.package("0"), to: path)
      let probe = try Probe("packages", path, way)
      var seen: Set<DocumentPackage.Node> = []
      var rounds = 0
      // How fast the other process gets on is its own affair.
      while rounds < 300 || seen.count < 3 {
        rounds += 1
        let package = try await FileCoordinator.fast.readPackage(at: path)
        let number = try #require(package["payload.plist"])
        seen.insert(number)
        #expect(package[".hidden"] == number)
        let said = try await link(number)
        #expect(package["Contents/number"] == said)
      }
      try await probe.crash()
    }
  }

  @Test("what a crash between the two steps has put aside is brought back")
  func restoring() async throws {
    try await withTemporaryDirectory { directory in
      let coordinator = FileCoordinator.fast
      let path = directory("package")
      try await coordinator.write(Self.package("5"), to: path)
      // The name follows from that of the package by FNV-1a.
      let hash = "package".utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01b3
      }
      let aside = directory(FilePath(".filecat-\(String(hash, radix: 16)).old"))
      for round in 1...2 {
        try check(rename(path.string, aside.string))
        if round == 1 {
          _ = try await coordinator.readPackage(at: path)
          #expect(try directory.text(of: "package/payload.plist") == "5")
        } else {
          try await coordinator.write(Self.package("6"), to: path)
        }
        #expect(try directory.names() == ["package"])
      }
      #expect(try directory.text(of: "package/payload.plist") == "6")
    }
  }

  @Test(
    "nothing is left of packages with directories that their owner may not change",
    .enabled(if: Tool.canBeOrdinary))
  func protectedDirectories() async throws {
    try await withTemporaryDirectory { directory in
      try check(chmod(directory.path.string, 0o755))
      try directory.makeDirectory("own")
      try check(chown(directory("own").string, Probe.User.id, gid_t.max))
      let probe = try Probe("protected", directory("own/package"), "3", as: .ordinary)
      #expect(try await probe.wait() == 0)
      #expect(try directory.names(in: "own") == ["package"])
      #expect(try directory.mode("own/package/Fixed") == 0o500)
      #expect(try directory.text(of: "own/package/Fixed/Deep/number") == "2")
    }
  }

  static func package(_ text: String) -> DocumentPackage {
    DocumentPackage([
      "payload.plist": .file(bytes(text)), ".hidden": .file(bytes(text)),
      "Contents": .directory(
        DocumentPackage.Directory([
          "image.png": .file(bytes(text) + [UInt8](repeating: 32, count: 50_000)),
          "number": .symlink(FilePath(text)),
        ])),
    ])
  }

  private func link(_ node: DocumentPackage.Node) async throws -> DocumentPackage.Node? {
    guard case .file(let file) = node else { return nil }
    return .symlink(FilePath(String(decoding: try await file.content.bytes(), as: UTF8.self)))
  }

  /// Expects that all parts of the package say the same number, and returns it.
  private func expectWhole(_ directory: TemporaryDirectory) throws -> String {
    #expect(try directory.names(in: "package") == ["payload.plist", ".hidden", "Contents"])
    #expect(try directory.names(in: "package/Contents") == ["image.png", "number"])
    let number = try directory.text(of: "package/payload.plist")
    #expect(try directory.text(of: "package/.hidden") == number)
    let image = try directory.text(of: "package/Contents/image.png")
    #expect(image == number + String(repeating: " ", count: 50_000))
    return number
  }
}
