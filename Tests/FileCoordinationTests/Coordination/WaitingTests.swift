import FileCoordination
import FileSystem
import SystemPackage
import TestSupport
import Testing

@Suite("Holding items and waiting for them")
struct WaitingTests {
  let coordinator = FileCoordinator(writeConcern: .fast, timeout: .milliseconds(80))

  @Test(
    "a time limit ends the wait, among tasks of one coordinator and of two",
    arguments: [
      true, false,
    ])
  func timeout(sameCoordinator: Bool) async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("old", to: "file")
      let other = sameCoordinator ? coordinator : FileCoordinator.fast
      try await coordinator.withCoordinatedAccess(writing: [directory("file")]) { _ in
        await Task.detached {
          let hasty = sameCoordinator ? other : coordinator
          await expectError(.timedOut, cocoa: 255) { _ = try await hasty.read(directory("file")) }
        }.value
      }
      #expect(try await coordinator.read(directory("file")) == bytes("old"))
    }
  }

  @Test("cancelling ends the wait and does nothing", arguments: [true, false])
  func cancelling(sameCoordinator: Bool) async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("old", to: "file")
      let holder = FileCoordinator.fast
      try await holder.withCoordinatedAccess(writing: [directory("file")]) { _ in
        let task = Task.detached {
          let waiting = sameCoordinator ? holder : FileCoordinator.fast
          await expectError(.cancelled, cocoa: 3072) {
            try await waiting.write(bytes("new"), to: directory("file"))
          }
        }
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        await task.value
      }
      #expect(try directory.text(of: "file") == "old")
      try await holder.write(bytes("new"), to: directory("file"))
    }
  }

  @Test("readers do not wait for each other")
  func readers() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("text", to: "file")
      try await FileCoordinator.fast.withCoordinatedAccess(reading: [directory("file")]) { access in
        var contents = [try await coordinator.read(directory("file"))]
        for _ in 1...2 { contents.append(try await access.read(directory("file"))) }
        #expect(contents.allSatisfy { $0 == bytes("text") })
        await Task.detached {
          await expectError(.timedOut) { try await coordinator.write([], to: directory("file")) }
        }.value
      }
    }
  }

  @Test("asking again for what the task holds is an error at once")
  func reentrance() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("old", to: "file")
      let patient = FileCoordinator.fast
      try await patient.withCoordinatedAccess(writing: [directory("file")]) { access in
        await expectError(.wouldDeadlock) { _ = try await patient.read(directory("file")) }
        try await access.write(bytes("new"), to: directory("file"))
        #expect(try await access.read(directory("file")) == bytes("new"))
        try await patient.write(bytes("beside"), to: directory("other"))
      }
      try await patient.update(at: directory("file")) { content in
        await expectError(.wouldDeadlock) { try await patient.write([], to: directory("file")) }
        return content
      }
      #expect(try directory.text(of: "file") == "new")
    }
  }

  @Test("a file replaced inside an access is held as the old one was")
  func handingOver() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("0", to: "file")
      try await FileCoordinator.fast.withCoordinatedAccess(writing: [directory("file")]) { access in
        for round in 1...3 {
          try await access.write(bytes("\(round)"), to: directory("file"))
          await Task.detached {
            await expectError(.timedOut) { _ = try await coordinator.read(directory("file")) }
          }.value
        }
      }
      #expect(try await coordinator.read(directory("file")) == bytes("3"))
    }
  }

  @Test("a free name can be held, and nobody makes a file there meanwhile")
  func freeName() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory("new")
      try await FileCoordinator.fast.withCoordinatedAccess(writing: [path]) { access in
        await Task.detached {
          await expectError(.timedOut) { try await coordinator.write([], to: path) }
          await expectError(.notFound) { _ = try await coordinator.read(path) }
        }.value
        try await access.write(bytes("made"), to: path)
      }
      #expect(try directory.text(of: "new") == "made")
    }
  }

  @Test("what an access was not given it does not touch")
  func foreignPaths() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("old", to: "file")
      try await coordinator.withCoordinatedAccess(reading: [directory("file")]) { access in
        await expectError(.noPermission) { try await access.write([], to: directory("file")) }
        await expectError(.noPermission) { _ = try await access.read(directory("other")) }
      }
      #expect(try directory.text(of: "file") == "old")
    }
  }

  @Test("one file under two names is one item, and can be asked for twice")
  func aliases() async throws {
    try await withTemporaryDirectory { directory in
      try directory.write("old", to: "file")
      try directory.makeLink("link", to: "file")
      let paths = [directory("file"), directory("link")]
      try await coordinator.withCoordinatedAccess(reading: paths, writing: paths) { access in
        try await access.write(bytes("new"), to: directory("link"))
        #expect(try await access.read(directory("file")) == bytes("new"))
        await Task.detached {
          await expectError(.timedOut) { _ = try await coordinator.read(directory("file")) }
        }.value
      }
    }
  }

  @Test("nobody swaps a package while somebody writes inside it")
  func containment() async throws {
    try await withTemporaryDirectory { directory in
      let package = directory("package")
      try await coordinator.write(DocumentPackage(["file": .file(bytes("1"))]), to: package)
      try await coordinator.withCoordinatedAccess(writing: [package.appending("file")]) { access in
        await Task.detached {
          await expectError(.timedOut) {
            try await coordinator.write(DocumentPackage(), to: package)
          }
        }.value
        try await access.write(bytes("2"), to: package.appending("file"))
      }
      #expect(try directory.text(of: "package/file") == "2")
    }
  }

  @Test("nobody swaps a package while somebody writes deep inside it, or the other way round")
  func deepContainment() async throws {
    try await withTemporaryDirectory { directory in
      let package = directory("package")
      let deep = package.appending("Contents").appending("file")
      try await coordinator.write(
        DocumentPackage([
          "Contents": .directory(
            DocumentPackage.Directory([
              "file": .file(bytes("1")), "Deep": .directory(DocumentPackage.Directory()),
            ]))
        ]), to: package)
      // The second time it is read as by whoever knows the volume.
      for _ in 1...2 { #expect(try await coordinator.read(deep) == bytes("1")) }
      try await FileCoordinator.fast.withCoordinatedAccess(writing: [package]) { _ in
        await Task.detached {
          await expectError(.timedOut) { try await coordinator.write([], to: deep) }
          await expectError(.timedOut) { _ = try await coordinator.read(deep) }
          await expectError(.timedOut) {
            try await coordinator.write([], to: directory("package/Contents/Deep/new"))
          }
        }.value
        try await FileCoordinator.fast.write(bytes("beside"), to: directory("other"))
      }
      try await coordinator.withCoordinatedAccess(writing: [deep]) { access in
        await Task.detached {
          await expectError(.timedOut) {
            try await coordinator.write(DocumentPackage(), to: package)
          }
          _ = try? await coordinator.delete(package, .permanent)
        }.value
        try await access.write(bytes("2"), to: deep)
      }
      #expect(try directory.text(of: "package/Contents/file") == "2")
    }
  }

  @Test("asking for what is in a directory that the task holds, or around it, is an error at once")
  func reentranceInside() async throws {
    try await withTemporaryDirectory { directory in
      try directory.makeDirectory("package/Contents")
      try directory.write("old", to: "package/Contents/file")
      let patient = FileCoordinator.fast
      let (package, file) = (directory("package"), directory("package/Contents/file"))
      try await patient.withCoordinatedAccess(writing: [package]) { _ in
        await expectError(.wouldDeadlock) { try await patient.write([], to: file) }
        await expectError(.wouldDeadlock) { _ = try await patient.read(file) }
      }
      try await patient.withCoordinatedAccess(writing: [file]) { _ in
        await expectError(.wouldDeadlock) { try await patient.delete(package, .permanent) }
        let inside = try await patient.readPackage(at: package).paths
        #expect(inside == ["Contents/file"])
      }
      try await patient.withCoordinatedAccess(writing: [package, file]) { access in
        try await access.write(bytes("new"), to: file)
      }
      #expect(try directory.text(of: "package/Contents/file") == "new")
    }
  }
}
