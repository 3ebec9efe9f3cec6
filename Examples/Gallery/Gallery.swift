import FileCatalog
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Lists a folder live: what changes in it, by whomever, is printed by index.
///
///     swift run gallery DIR           until it is interrupted
///     swift run gallery DIR --demo    while another part of it writes there
@main
struct Gallery {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first, arguments.dropFirst().allSatisfy({ $0 == "--demo" }) else {
      complain("usage: gallery DIR [--demo]")
      exit(64)
    }
    do {
      try await show(FilePath(path), whileWriting: arguments.contains("--demo"))
    } catch {
      complain("gallery: \(error)")
      exit(1)
    }
  }

  private static func complain(_ line: String) {
    _ = try? FileDescriptor.standardError.writeAll("\(line)\n".utf8)
  }

  /// Prints what a folder has, and then each change of it.
  private static func show(_ path: FilePath, whileWriting: Bool) async throws {
    // Under a claim: nothing is listed that a coordinator has written half of.
    let coordinator = FileCoordinator()
    let folder = try await ObservedDirectory(
      at: path, ifMissing: .create,
      options: ObservedDirectory.Options(coordination: .claimed(by: coordinator)))
    let before = try DirectoryTree(of: path)
    let listing = Listing(await folder.items)
    let events = await folder.events
    let writing = Task {
      guard whileWriting else { return }
      do {
        try await Writer(path: path, coordinator: coordinator, listing: listing).run()
        await folder.stop()
      } catch {
        await folder.stop()
        throw error
      }
    }
    for await event in events { await listing.tell(event) }
    try await writing.value

    let after = try DirectoryTree(of: path)
    let difference = after.difference(from: before)
    print("\(after.sums.files) files with \(after.sums.size) bytes")
    print("\(difference.added.count) added, \(difference.removed.count) removed")
  }
}

/// What is on the screen.
private actor Listing {
  private(set) var items: [DirectoryTable.Item]

  init(_ items: [DirectoryTable.Item]) {
    self.items = items
    for item in items { print("  \(item.name)") }
  }

  func tell(_ event: ObservedDirectory.Event) {
    switch event {
    case .changed(let update): tell(update)
    case .returned(let update):
      print("the folder is there again")
      tell(update)
    case .gone: print("the folder is gone")
    case .failed(let error): print("the folder cannot be read: \(error)")
    }
  }

  private func tell(_ update: ObservedDirectory.Update) {
    items = update.diff.applied(to: items) { update.new[$0] }
    for index in update.diff.deletions { print("- \(index) \(update.old[index].name)") }
    for index in update.diff.insertions { print("+ \(index) \(update.new[index].name)") }
    for index in update.diff.updates { print("~ \(index) \(update.old[index].name)") }
    for move in update.diff.moves {
      print("> \(move.from) to \(move.to) \(update.new[move.to].name)")
    }
  }
}

/// Another part of the program, which knows nothing of the listing but what it shows.
private struct Writer {
  let path: FilePath
  let coordinator: FileCoordinator
  let listing: Listing

  struct NothingShown: Error, CustomStringConvertible {
    let description = "a minute later the listing still does not show what was written"
  }

  /// Makes, changes, renames and removes three files, and waits after each step until it is shown.
  func run() async throws {
    let names = ["gallery 1.txt", "gallery 2.txt", "gallery 3.txt"]
    for name in names { try await coordinator.write(Array(name.utf8), to: path.appending(name)) }
    try await waitUntilShown { items in
      names.allSatisfy { name in items.contains { $0.name == name } }
    }

    try await coordinator.update(at: path.appending(names[1])) { $0 + Array(", changed".utf8) }
    let size = try await coordinator.read(path.appending(names[1])).count
    try await waitUntilShown { items in
      items.contains { $0.name == names[1] && $0.status.size == Int64(size) }
    }

    let renamed = "gallery 4.txt"
    try await coordinator.move(path.appending(names[0]), to: path.appending(renamed))
    try await waitUntilShown { items in items.contains { $0.name == renamed } }

    let rest = [names[1], names[2], renamed]
    let deletions = await coordinator.delete(rest.map { path.appending($0) }, .permanent)
    for case .failed(let error) in deletions.map(\.outcome) { throw error }
    try await waitUntilShown { items in !items.contains { rest.contains($0.name) } }
  }

  private func waitUntilShown(_ isShown: ([DirectoryTable.Item]) -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while await !isShown(listing.items) {
      guard ContinuousClock.now < deadline else { throw NothingShown() }
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}
