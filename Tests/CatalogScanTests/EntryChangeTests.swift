import CatalogStore
import FileSystem
import Testing

@testable import CatalogScan

@Suite("What a listed entry means for its row")
struct EntryChangeTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let kind: EntryChange.Kind
    let displaces: Bool
    let fields: [EntryColumn]
    let isPackageContent: Bool
    /// Compares what was listed with a row.
    let change: @Sendable () -> EntryChange

    init(
      _ description: String, _ kind: EntryChange.Kind, _ fields: [EntryColumn] = [],
      displaces: Bool = false, isPackageContent: Bool = false,
      _ change: @escaping @Sendable () -> EntryChange
    ) {
      testDescription = description
      self.kind = kind
      self.displaces = displaces
      self.fields = fields
      self.isPackageContent = isPackageContent
      self.change = change
    }
  }

  /// What an entry that is no directory means.
  private static func change(
    _ listed: EntryRecord, from row: StoredEntry?, volume: Int64 = 1, target: String = ""
  ) -> EntryChange {
    Array(target.utf8).withUnsafeBufferPointer { target in
      EntryChange(
        of: listed, target: target,
        identity: EntryIdentity(
          listed.status.inode, volume: volume, created: listed.status.created), from: row)
    }
  }

  private static func change(
    ofDirectory listed: EntryRecord = .listed(.directory), _ directory: EntryChange.DirectoryRow,
    from row: StoredEntry?
  ) -> EntryChange {
    EntryChange(ofDirectory: listed, directory, volume: 1, from: row)
  }

  static let files = [
    Vector("a file as it was", .none) { change(.listed(), from: StoredEntry(.listed())) },
    Vector("a file that nobody has seen", .addition) { change(.listed(), from: nil) },
    Vector("a file that was written to", .modification, [.size, .modified, .changed]) {
      change(
        .listed {
          $0.status.size = 11
          $0.status.modified = 201
          $0.status.changed = 301
        }, from: StoredEntry(.listed()))
    },
    Vector("a file that was only read", .none) {
      change(.listed { $0.status.accessed = 999 }, from: StoredEntry(.listed()))
    },
    Vector("a file with one more name", .modification, [.changed, .links]) {
      change(
        .listed {
          $0.status.changed = 301
          $0.status.links = 2
        }, from: StoredEntry(.listed()))
    },
    Vector("another file in its place", .replacement, [.inode]) {
      change(.listed(inode: 8), from: StoredEntry(.listed()))
    },
    Vector("a new file that got the inode of a deleted one", .replacement, [.created]) {
      change(.listed { $0.status.created = 101 }, from: StoredEntry(.listed()))
    },
    Vector("a file on another file system", .replacement, [.device]) {
      change(.listed(), from: StoredEntry(.listed()), volume: 2)
    },
    Vector("a file whose values cannot be read any more", .none) {
      change(.unknown(), from: StoredEntry(.listed()))
    },
    Vector("a link that leads somewhere else", .modification, [.linkTarget]) {
      change(
        .listed(.symlink), from: StoredEntry(.listed(.symlink), target: "here"), target: "there")
    },
    Vector("a link whose target is gone", .restatement) {
      change(
        .listed(.symlink) { $0.traits = .broken },
        from: StoredEntry(.listed(.symlink), target: "here"), target: "here")
    },
    Vector("a pipe in the place of a file", .replacement, [.kind, .inode]) {
      change(.listed(.fifo, inode: 8), from: StoredEntry(.listed()))
    },
    Vector("a file in the place of a directory", .addition, displaces: true) {
      change(.listed(inode: 8), from: StoredEntry(.listed(.directory)))
    },
  ]

  static let packages = [
    Vector("a package as it was", .none) {
      change(.listed(.package), from: StoredEntry(.listed(.package)))
    },
    Vector(
      "a package of the same size that holds something else", .modification,
      isPackageContent: true
    ) {
      change(
        .listed(.package) { $0.packageFingerprint = 5 }, from: StoredEntry(.listed(.package)))
    },
    Vector("a package whose content nobody has summed up", .restatement) {
      change(.listed(.package), from: StoredEntry(.listed(.package), fingerprint: nil))
    },
    Vector("a directory that counts as a package now", .becamePackage) {
      change(.listed(.package), from: StoredEntry(.listed(.directory)))
    },
    Vector("a package in the place of a directory", .addition, displaces: true) {
      change(.listed(.package, inode: 8), from: StoredEntry(.listed(.directory)))
    },
    Vector("a package that counts as a directory now", .becameDirectory, [.kind, .isPackage]) {
      change(.new(1), from: StoredEntry(.listed(.package)))
    },
  ]

  static let directories = [
    Vector("a directory as it was", .none) {
      change(.known(1), from: StoredEntry(.listed(.directory)))
    },
    Vector("a directory in which something changed", .modification, [.modified, .changed]) {
      change(
        ofDirectory: .listed(.directory) {
          $0.status.modified = 201
          $0.status.changed = 301
        }, .known(1), from: StoredEntry(.listed(.directory)))
    },
    Vector("another directory that takes the row over", .modification, [.inode]) {
      change(
        ofDirectory: .listed(.directory, inode: 8), .known(1),
        from: StoredEntry(.listed(.directory)))
    },
    Vector("a directory that has come to a free name", .move) { change(.known(2), from: nil) },
    Vector("a directory that has come in the place of another", .move, displaces: true) {
      change(.known(2), from: StoredEntry(.listed(.directory)))
    },
    Vector("a directory that has come in the place of a file", .move, displaces: true) {
      change(.known(2), from: StoredEntry(.listed()))
    },
    Vector("a directory that nobody has seen", .addition) { change(.new(2), from: nil) },
    Vector("a new directory in the place of a file", .addition, displaces: true) {
      change(.new(2), from: StoredEntry(.listed()))
    },
    Vector("a new directory that is listed a second time", .none) {
      change(.new(1), from: StoredEntry(.listed(.directory)))
    },
    Vector("a directory whose values cannot be read any more", .none) {
      change(
        ofDirectory: .unknown(.directory), .known(1), from: StoredEntry(.listed(.directory)))
    },
  ]

  @Test("is told by its values and its row", arguments: files + packages + directories)
  func kinds(_ vector: Vector) {
    let change = vector.change()
    #expect(change.kind == vector.kind)
    #expect(change.displaces == vector.displaces)
    #expect(change.difference.fields == vector.fields)
    #expect(change.difference.isPackageContent == vector.isPackageContent)
  }

  @Test("every value that becomes known of an entry is a difference")
  func unknownBefore() {
    let change = Self.change(.listed(), from: StoredEntry(.unknown()))
    #expect(change.kind == .replacement)
    #expect(
      Set(change.difference.fields) == [
        .size, .allocated, .created, .modified, .changed, .mode, .uid, .gid, .inode, .device,
        .links, .flags,
      ])
  }

  @Test(
    "a directory of which only the content changed is told from one that changed itself",
    arguments: [
      ([.size, .allocated, .modified, .changed, .links], true), ([], true),
      ([.modified, .mode], false), ([.inode], false),
    ] as [([EntryColumn], Bool)])
  func contentOnly(_ fields: [EntryColumn], _ expected: Bool) {
    #expect(fields.areContentOnly == expected)
  }

  @Test("the rows that a listing did not name are missing")
  func missing() throws {
    let rows = zip(Int64(1)..., ["a", "b", "c"]).map { StoredEntry(.listed(), id: $0, name: $1) }
    var comparison = ListingComparison(rows)
    func take(_ name: String) throws -> Int64? {
      let match = try comparison.take(
        .listed(), named: Array(name.utf8), target: UnsafeBufferPointer(start: nil, count: 0),
        volume: 1)
      guard case .row(let row) = match else { return nil }
      return row.id
    }
    #expect(try ["b", "b", "d"].map(take) == [2, nil, nil])
    var missing: Set<Int64> = []
    try comparison.forEachMissing { missing.insert($0.id) }
    #expect(missing == [1, 3])
    comparison = .nothing
    #expect(try take("a") == nil)
    try comparison.forEachMissing { Issue.record("\($0.id) is missing in nothing") }
  }
}
