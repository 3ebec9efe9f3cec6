import FileCatalog
import FileCoordination
import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// SB-03, SB-05: caches and temporary files can be removed, and nothing else.
@Suite("Purging containers", .feature("SB-03", "SB-05"))
struct PurgeTests {
  private static let pieces: [Piece] = [
    .file("Library/Caches/new", bytes: 5000), .used("Library/Caches/new", day: 30),
    .file("Library/Caches/a/b/old", bytes: 9000), .used("Library/Caches/a/b/old", day: 1),
    .file("Library/Caches/kept/here", bytes: 3000), .used("Library/Caches/kept/here", day: 20),
    .file("tmp/x", bytes: 100), .used("tmp/x", day: 10),
    .symlink("tmp/link", to: "../Documents/d"), .used("tmp/link", day: 11),
    .file("Documents/d", bytes: 10), .file("Library/Preferences/p", bytes: 10),
    .file("Library/Application Support/s"),
    .file("Library/Application Support/Offline Data/o", bytes: 10), .file("other", bytes: 10),
  ]

  @Test(
    "removes what was not used for the longest time first, then what is empty; the catalog follows")
  func everything() async throws {
    try await withLaboratory(Self.pieces) { lab in
      let first = try await lab.scanSandbox()
      let rehearsal = try await lab.catalog.purge(rehearsal: .dryRun)
      #expect(try lab.paths().count == lab.disk().count)
      let origin = ChangeOrigin.unique()
      let report = try await lab.catalog.purge(origin: origin)
      #expect(
        lab.told(report) == [
          "removed Library/Caches/a/b/old", "removed tmp/x", "removed tmp/link",
          "removed Library/Caches/kept/here", "removed Library/Caches/new",
          "removed Library/Caches/a/b", "removed Library/Caches/a", "removed Library/Caches/kept",
        ])
      #expect(
        lab.told(rehearsal)
          == lab.told(report).map { $0.replacing("removed", with: "would remove") })
      #expect(
        rehearsal.freed == report.freed
          && rehearsal.results.map(\.item) == report.results.map(\.item))
      #expect(report.refusals.isEmpty && report.failure == nil && !report.isInterrupted)
      #expect(
        Set(try lab.disk().keys) == [
          "Documents", "Documents/d", "Library", "Library/Caches", "Library/Preferences",
          "Library/Preferences/p", "Library/Application Support", "Library/Application Support/s",
          "Library/Application Support/Offline Data", "Library/Application Support/Offline Data/o",
          "other", "tmp",
        ])
      #expect(try lab.paths() == Set(try lab.disk().keys))
      try await expectSound(lab.catalog)
      // One scan has told of it, and has the origin.
      #expect(report.scans.count == 1)
      for try await set in lab.catalog.changeSets(since: first.scanID) {
        #expect(set.origin == origin && set.changes.allSatisfy { $0.kind == .removed })
        break
      }
      let again = try await lab.scan()
      #expect(again.added + again.removed + again.modified + again.moved == 0)
      #expect(try await lab.catalog.purge().results.isEmpty)
    }
  }

  @Test("takes the roles, the containers and the age that were named")
  func narrowed() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scanSandbox()
      var request = PurgeRequest()
      request.roles = [.temporary]
      #expect(
        lab.told(try await lab.catalog.purge(request, rehearsal: .dryRun))
          == ["would remove tmp/x", "would remove tmp/link"])
      request.roles = []
      let days = try #require(UInt32(exactly: (Int64.now - 1_577_836_800) / 86_400 - 15))
      request.olderThan = .days(days)
      #expect(
        lab.told(try await lab.catalog.purge(request, rehearsal: .dryRun)) == [
          "would remove Library/Caches/a/b/old", "would remove tmp/x", "would remove tmp/link",
          "would remove Library/Caches/a/b", "would remove Library/Caches/a",
        ])
      request.containers = [ContainerID(rawValue: 99)]
      #expect(try await lab.catalog.purge(request).results.isEmpty)
    }
  }

  @Test("stops when enough is free, and leaves what would free nothing")
  func goals() async throws {
    let more: [Piece] = [
      .file("Library/Caches/empty"), .used("Library/Caches/empty", day: 0),
      .hardLink("Library/Caches/linked", to: "Documents/d"),
    ]
    try await withLaboratory(Self.pieces + more) { lab in
      try await lab.scanSandbox()
      var request = PurgeRequest()
      request.extent = .untilFree(1)
      #expect(try await lab.catalog.purge(request).results.isEmpty)
      request.extent = .freeing(1)
      let report = try await lab.catalog.purge(request)
      #expect(
        lab.told(report) == [
          "removed Library/Caches/a/b/old", "removed Library/Caches/a/b",
          "removed Library/Caches/a",
        ])
      request.extent = .untilFree(.max)
      #expect(
        lab.told(try await lab.catalog.purge(request)) == [
          "removed tmp/x", "removed Library/Caches/kept/here", "removed Library/Caches/new",
          "removed Library/Caches/kept",
        ])
    }
  }

  @Test(
    "goes on until the file system has what was asked for",
    .enabled(if: MountedFileSystem.isPermitted))
  func room() async throws {
    try await withTemporaryDirectory { outside in
      try outside.makeDirectory("disk")
      try await withMountedFileSystem(at: outside("disk"), kilobytes: 1024) {
        try await withTemporaryCatalog { catalog in
          let tree = TemporaryDirectory(at: outside("disk").appending("box"))
          for number in 1...8 {
            let path = FilePath("Library/Caches/\(number)")
            try tree.make([.file(path, bytes: 100_000), .used(path, day: number)])
          }
          let lab = Laboratory(tree: tree, catalog: catalog)
          try await lab.scanSandbox()
          let file = try OpenFile(tree.path, for: .listing)
          let wanted = try file.availableBytes() + 250_000
          var request = PurgeRequest()
          request.extent = .untilFree(wanted)
          #expect(try await catalog.purge(request, rehearsal: .dryRun).results.count == 3)
          let report = try await catalog.purge(request)
          #expect(lab.told(report) == (1...3).map { "removed Library/Caches/\($0)" })
          #expect(try file.availableBytes() >= wanted)
        }
      }
    }
  }

  @Test("counts a file with several names once, and not at all while one is left")
  func hardLinks() async throws {
    let pieces: [Piece] = [
      .file("Library/Caches/one", bytes: 50_000), .hardLink("tmp/two", to: "Library/Caches/one"),
      .file("Documents/d", bytes: 70_000), .hardLink("Library/Caches/linked", to: "Documents/d"),
    ]
    try await withLaboratory(pieces) { lab in
      try await lab.scanSandbox()
      let allocated = try FileStatus(ofPath: lab.tree("tmp/two")).allocated
      for rehearsal in [DirectoryTable.Rehearsal.dryRun, .no] {
        let report = try await lab.catalog.purge(rehearsal: rehearsal)
        #expect(report.results.count == 3 && report.freed == allocated)
        let usage = try await lab.catalog.usageByRole()
        if rehearsal == .dryRun {
          #expect(usage.reduce(0) { $0 + $1.reclaimable } == min(allocated, 50_000))
        }
      }
      #expect(lab.tree.holds("Documents/d") && !lab.tree.holds("tmp/two"))
    }
  }

  @Test("takes a package as a whole, with the latest use of anything in it")
  func packages() async throws {
    let pieces: [Piece] = [
      .file("Library/Caches/Old.rtfd/TXT.rtf", bytes: 5000),
      .used("Library/Caches/Old.rtfd/TXT.rtf", day: 3), .used("Library/Caches/Old.rtfd", day: 2),
      .file("Library/Caches/New.rtfd/deep/TXT.rtf", bytes: 5000),
      .used("Library/Caches/New.rtfd/deep/TXT.rtf", day: 50),
      .used("Library/Caches/New.rtfd/deep", day: 1), .used("Library/Caches/New.rtfd", day: 1),
      .file("Library/Caches/between", bytes: 5000), .used("Library/Caches/between", day: 20),
    ]
    try await withLaboratory(pieces) { lab in
      try await lab.scanSandbox()
      let report = try await lab.catalog.purge()
      #expect(
        lab.told(report) == [
          "removed Library/Caches/Old.rtfd", "removed Library/Caches/between",
          "removed Library/Caches/New.rtfd",
        ])
      #expect(report.results.first?.item.size == 5000)
      #expect(try lab.tree.names(in: "Library/Caches").isEmpty)
      try await expectSound(lab.catalog)
    }
  }

  @Test("leaves what another process holds, tells it, and goes on")
  func busy() async throws {
    let probe = try #require(CommandRunner.built("coordination-probe"))
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scanSandbox()
      let file = try probe.start(["hold", lab.tree("tmp/x").string])
      let directory = try probe.start(["hold", lab.tree("Library/Caches/a/b").string])
      try file.waitForOutput()
      try directory.waitForOutput()
      #expect(
        lab.told(try await lab.catalog.purge()) == [
          "busy Library/Caches/a/b/old", "busy tmp/x", "removed tmp/link",
          "removed Library/Caches/kept/here", "removed Library/Caches/new",
          "removed Library/Caches/kept",
        ])
      file.crash()
      directory.crash()
      #expect(
        lab.told(try await lab.catalog.purge()) == [
          "removed Library/Caches/a/b/old", "removed tmp/x", "removed Library/Caches/a/b",
          "removed Library/Caches/a",
        ])
    }
  }

  @Test("leaves a directory with something in it that the catalog does not have")
  func unknownEntries() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scanSandbox()
      try lab.tree.make(.file("Library/Caches/a/b/fresh", bytes: 1))
      for rehearsal in [DirectoryTable.Rehearsal.dryRun, .no] {
        let told = lab.told(try await lab.catalog.purge(rehearsal: rehearsal))
        #expect(told.contains("notEmpty Library/Caches/a/b"))
        #expect(!told.contains { $0.hasSuffix("Library/Caches/a") })
      }
      #expect(lab.tree.holds("Library/Caches/a/b/fresh"))
      #expect(try lab.paths() == Set(try lab.disk().keys))
    }
  }

  /// A task that was cancelled tells what it has done by then.
  @Test("that is cancelled removes no more, and tells so")
  func cancelled() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scanSandbox()
      let catalog = lab.catalog
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try? await catalog.purge()
      }
      if let report = await task.value {
        #expect(report.isInterrupted && report.results.isEmpty)
      }
      #expect(try lab.paths().count == lab.disk().count && lab.tree.holds("tmp/x"))
    }
  }
}

/// SB-04, SP-04: what is to be kept.
@Suite("What roles protect", .feature("SB-04", "SP-04"))
struct RoleProtectionTests {
  private static let places: [(role: Role, file: FilePath)] = [
    (.documents, "Documents/d"), (.preferences, "Library/Preferences/p"),
    (.applicationSupport, "Library/Application Support/s"),
    (.offlineData, "Library/Application Support/Offline Data/o"), (.library, "Library/l"),
    (.resources, "App.resources/r"),
  ]

  private func withSandbox(_ body: (Laboratory) async throws -> Void) async throws {
    let pieces = Self.places.map { Piece.file($0.file, bytes: 10) }
    try await withLaboratory(pieces + [.file("Library/Caches/c"), .file("free/f")]) { lab in
      let container = Container(.appleSandbox, root: lab.tree.path)
        .setting(.resources, to: ["App.resources"])
      try await lab.scan([container])
      try await body(lab)
    }
  }

  @Test("is purged by force only, and only the role that is named")
  func purging() async throws {
    try await withSandbox { lab in
      for (role, file) in Self.places {
        var request = PurgeRequest()
        request.roles = [role]
        try await expectError(.protectedRole) { _ = try await lab.catalog.purge(request) }
        request.roles = [role, .caches]
        try await expectError(.protectedRole) { _ = try await lab.catalog.purge(request) }
        #expect(lab.tree.holds(file) && lab.tree.holds("Library/Caches/c"))
      }
      for (role, file) in Self.places {
        var request = PurgeRequest()
        request.roles = [role]
        request.protection = .lifted
        #expect(lab.told(try await lab.catalog.purge(request)) == ["removed \(file)"], "\(role)")
      }
      #expect(lab.tree.holds("Library/Caches/c") && lab.tree.holds("free/f"))
      #expect(try lab.paths() == Set(try lab.disk().keys))
    }
  }

  @Test(
    "is deleted by a catalog's coordinator by force only",
    arguments: [Deletion.permanent, .toTrash])
  func coordinator(_ deletion: Deletion) async throws {
    try await withSandbox { lab in
      try await withTemporaryDirectory { home in
        let trash = Trash(home: home.path)
        let coordinator = lab.catalog.coordinator(writeConcern: .fast, trash: trash)
        func code(_ path: FilePath) async -> CoordinationError.Code? {
          do {
            try await coordinator.delete(path, deletion)
            return nil
          } catch {
            return error.code
          }
        }
        let kept = Self.places.filter(\.role.policy.isProtected)
        #expect(kept.map(\.role) == [.documents, .preferences, .resources])
        for (role, file) in kept {
          // What was installed is not written to at all.
          let reason: CoordinationError.Code = role.policy.isReadOnly ? .readOnly : .protected
          #expect(await code(lab.tree(file)) == reason, "\(role)")
          let directory = file.removingLastComponent()
          #expect(await code(lab.tree(directory)) == reason, "\(directory)")
        }
        // What has protected directories in it is as precious as they are.
        #expect(await code(lab.tree("Library")) == .protected)
        for directory in [lab.tree.path, lab.tree.path.removingLastComponent()] {
          #expect(await code(directory) == .readOnly)
        }
        let table = try DirectoryTable(at: lab.tree("Documents"))
        let results = try await table.deleteContents(deletion, coordinator: coordinator)
        guard case .tried(.failed(let error))? = results.first?.outcome else {
          Issue.record("\(results)")
          return
        }
        #expect(error.code == .protected && error.cocoaCode == 513)
        #expect(Self.places.allSatisfy { lab.tree.holds($0.file) })
        #expect(await code(lab.tree("free")) == nil)
        // What an application keeps for itself is its own to delete.
        #expect(await code(lab.tree("Library/Application Support/s")) == nil)
        #expect(await code(lab.tree("Library/Caches/c")) == nil)
        let forced = lab.catalog.coordinator(
          writeConcern: .fast, trash: trash, protection: .lifted)
        try await forced.delete(lab.tree("Documents/d"), deletion)
        #expect(!lab.tree.holds("Documents/d"))
      }
    }
  }
}

extension Int64 {
  /// Seconds since 1970.
  fileprivate static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec)
  }
}
