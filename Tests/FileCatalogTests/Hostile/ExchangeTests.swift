import CPlatform
import FileCatalog
import FileSystem
import Synchronization
import SystemPackage
import TestSupport
import TestTraits
import Testing

/// Somebody exchanges two names over and over, as fast as the system can.
private final class Exchange: Sendable {
  private let isOver = Atomic<Bool>(false)
  private let count = Atomic<Int>(0)

  /// Runs `body` while two names in a directory are exchanged by another thread.
  static func during<Result>(
    _ first: String, _ second: String, in directory: FilePath,
    _ body: () async throws -> Result
  ) async throws -> Result {
    let exchange = Exchange()
    let opened = try OpenFile(directory, for: .listing)
    let thread = Task {
      try await WorkerThread.run(named: "exchange") {
        while !exchange.isOver.load(ordering: .relaxed) {
          let code = cplatform_exchange(opened.descriptor, first, opened.descriptor, second)
          if code == 0 { exchange.count.add(1, ordering: .relaxed) }
        }
      }
    }
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    exchange.isOver.store(true, ordering: .relaxed)
    try await thread.value
    #expect(exchange.count.load(ordering: .relaxed) > 0)
    return try result.get()
  }
}

/// Directories that are exchanged for links to a directory outside of the root while they are scanned.
@Suite("Directories exchanged for links", .timeLimit(.minutes(20)))
struct ExchangeTests {
  private static let rounds = 300

  /// The tree, which is to hold `pieces`, beside a directory with things that no scan may find.
  private func withTrap(
    _ pieces: [Piece], _ body: (TemporaryDirectory, Catalog) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      try directory.make(pieces)
      try directory.make([
        .file("outside/y/secret", bytes: 1_000_000), .file("outside/secret", bytes: 1_000_000),
      ])
      let catalog = try Catalog(at: directory("catalog.sqlite"))
      _ = try await catalog.scan([directory("root")])
      try await body(directory, catalog)
      try catalog.close()
    }
  }

  /// Scans a directory; one that changes all the time may be refused.
  private func scan(_ catalog: Catalog, _ path: FilePath, _ request: ScanRequest) async throws {
    do {
      _ = try await catalog.scan([path], request: request)
    } catch let error as CatalogError {
      #expect(
        [.changedWhileRead, .rootNotFound, .unreadableRoot, .notADirectory].contains(error.code),
        "\(error)")
    }
  }

  /// A path that leads through a link while it is scanned is that of another root, which may be there.
  private func expectNothingFromOutside(
    _ catalog: Catalog, _ directory: TemporaryDirectory, _ round: Int
  ) throws {
    let count = try catalog.number(
      """
      SELECT count(*) FROM files WHERE path GLOB '\(directory("root").string)/*'
        AND (name = 'secret' OR size >= 1000000)
      """)
    #expect(count == 0, "round \(round)")
  }

  @Test("a part of a root that is scanned")
  func parts() async throws {
    try await withTrap([
      .file("root/x/y/inside"), .file("root/x/beside"), .symlink("root/link", to: "../outside"),
    ]) { directory, catalog in
      try await Exchange.during("x", "link", in: directory("root")) {
        var request = ScanRequest(jobs: 2)
        request.loss = .accepted
        for round in 0..<Self.rounds {
          try await scan(catalog, directory("root/x/y"), request)
          try expectNothingFromOutside(catalog, directory, round)
        }
      }
      try await expectSound(catalog)
    }
  }

  @Test("a directory in a root that is scanned as a whole", .feature("SB-01"))
  func directories() async throws {
    try await withTrap([
      .file("root/d/x/y/inside"), .symlink("root/d/link", to: "../../outside"),
    ]) { directory, catalog in
      try await Exchange.during("x", "link", in: directory("root/d")) {
        var request = ScanRequest(jobs: 2)
        request.loss = .accepted
        for round in 0..<Self.rounds {
          try await scan(catalog, directory("root"), request)
          try expectNothingFromOutside(catalog, directory, round)
        }
      }
      try await expectSound(catalog)
    }
  }

  @Test("a package, and a directory in one")
  func packages() async throws {
    try await withTrap([
      .file("root/N.rtfd/x/y/inside", bytes: 10), .file("root/N.rtfd/text", bytes: 10),
      .symlink("root/N.rtfd/link", to: "../../outside"),
      .file("root/M.rtfd/text", bytes: 10), .symlink("root/link", to: "../outside"),
    ]) { directory, catalog in
      try await Exchange.during("x", "link", in: directory("root/N.rtfd")) {
        try await Exchange.during("M.rtfd", "link", in: directory("root")) {
          var request = ScanRequest(jobs: 2)
          request.loss = .accepted
          for round in 0..<Self.rounds {
            try await scan(catalog, directory("root"), request)
            try expectNothingFromOutside(catalog, directory, round)
          }
        }
      }
      try await expectSound(catalog)
    }
  }

  @Test(
    "a file whose extended attributes are read",
    .enabled(if: ResourceValueTests.supportsAttributes))
  func attributes() async throws {
    let names = (0..<50).map { "file \($0)" }
    let pieces: [Piece] = names.flatMap { (name: String) -> [Piece] in
      let inside = FilePath("root/x/y/\(name)")
      let outside = FilePath("outside/y/\(name)")
      return [
        .file(inside), .file(outside), .attribute(inside, name: "user.side", value: "inside"),
        .attribute(outside, name: "user.side", value: "outside"),
      ]
    }
    try await withTrap(pieces + [.symlink("root/link", to: "../outside")]) { directory, catalog in
      try await Exchange.during("x", "link", in: directory("root")) {
        var request = ScanRequest(jobs: 1)
        request.loss = .accepted
        request.resourceValues = [ExtendedAttributeValues().key]
        for round in 0..<Self.rounds {
          try await scan(catalog, directory("root"), request)
          let count = try catalog.number(
            "SELECT count(*) FROM resource_values WHERE value = 'outside'")
          #expect(count == 0, "round \(round)")
        }
      }
    }
  }

  @Test("a file whose content is looked at")
  func contents() async throws {
    try await withTrap([
      .file("root/x/y/secret.unheard-of", bytes: 10), .symlink("root/link", to: "../outside"),
    ]) { directory, catalog in
      let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0]
      try directory.write(png, to: "outside/y/secret.unheard-of")
      try await Exchange.during("x", "link", in: directory("root")) {
        var request = ScanRequest(jobs: 1)
        request.loss = .accepted
        request.typing = .byContent
        for round in 0..<Self.rounds {
          try await scan(catalog, directory("root"), request)
          let pictures = try await catalog.entries(matching: Query(parsing: "kind:image"))
          #expect(pictures.isEmpty, "round \(round)")
        }
      }
    }
  }
}
