import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Fingerprints of directories", .timeLimit(.minutes(20)))
struct FingerprintTests {
  /// One child with all its values.
  struct Child: Sendable {
    var name = Array("name".utf8)
    var target: [UInt8] = []
    var record = EntryRecord()

    init() {
      record.status.inode = 1
      record.status.links = 1
    }

    var fingerprint: DirectoryFingerprint {
      var fingerprint = DirectoryFingerprint()
      name.withUnsafeBufferPointer { name in
        target.withUnsafeBufferPointer { fingerprint.add(record, name: name, target: $0) }
      }
      return fingerprint
    }
  }

  /// A change of a child, and what it changes.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (inout Child) -> Void

    init(_ name: String, _ apply: @escaping @Sendable (inout Child) -> Void) {
      testDescription = name
      self.apply = apply
    }
  }

  static let stored: [Change] = [
    Change("name") { $0.name = Array("nama".utf8) },
    Change("longer name") { $0.name.append(0x61) },
    Change("name with a final NUL") { $0.name.append(0) },
    Change("name of eight bytes more") { $0.name += Array(repeating: 0, count: 8) },
    Change("target") { $0.target = Array("to".utf8) },
    Change("kind") { $0.record.kind = .symlink },
    Change("broken") { $0.record.traits = .broken },
    Change("package") { $0.record.traits = .package },
    Change("without values") { $0.record.traits = .withoutStatus },
    Change("mode") { $0.record.status.mode = 0o600 },
    Change("inode") { $0.record.status.inode = 2 },
    Change("size") { $0.record.status.size = 1 },
    Change("allocated") { $0.record.status.allocated = 512 },
    Change("created") { $0.record.status.created = 5 },
    Change("modified") { $0.record.status.modified = 5 },
    Change("changed") { $0.record.status.changed = 5 },
    Change("uid") { $0.record.status.uid = 1 },
    Change("gid") { $0.record.status.gid = 1 },
    Change("links") { $0.record.status.links = 2 },
    Change("attributes") { $0.record.status.attributes = 1 },
    Change("content of a package") {
      $0.record.kind = .package
      $0.record.packageFingerprint = 1
    },
    Change("files of a package") {
      $0.record.kind = .package
      $0.record.packagedFiles = 1
    },
  ]

  static let others: [Change] = [
    Change("accessed") { $0.record.status.accessed = 5 },
    Change("device") { $0.record.status.device = 5 },
    Change("type code") { $0.record.typeCode = 5 },
    Change("number in the walk") { $0.record.directoryIndex = 5 },
    Change("mount point") { $0.record.traits = .beyondBoundary },
  ]

  @Test("each stored value changes it", .feature("JB-29"), arguments: stored)
  func storedValues(change: Change) {
    var child = Child()
    change.apply(&child)
    #expect(child.fingerprint != Child().fingerprint)
    #expect(child.fingerprint.low != Child().fingerprint.low)
    #expect(child.fingerprint.high != Child().fingerprint.high)
  }

  @Test("all these changes differ from each other")
  func distinct() {
    let fingerprints = Self.stored.map { change in
      var child = Child()
      change.apply(&child)
      return child.fingerprint
    }
    #expect(Set(fingerprints).count == Self.stored.count)
  }

  @Test("what is not stored, or is no change of the entry, does not", arguments: others)
  func otherValues(change: Change) {
    var child = Child()
    change.apply(&child)
    #expect(child.fingerprint == Child().fingerprint)
  }

  @Test("an empty directory has the empty fingerprint, and no child is like none")
  func empty() async throws {
    let tree = SimulatedTree()
    tree.directory("empty")
    let walk = try await Walk.through(tree)
    #expect(walk.fingerprints["empty"] == DirectoryFingerprint())
    #expect(walk.fingerprints[""] != DirectoryFingerprint())
  }

  @Test("values that change places between two entries change it")
  func swappedValues() {
    func pair(_ one: Int64, _ other: Int64) -> DirectoryFingerprint {
      var sum = DirectoryFingerprint()
      for (name, size) in [("a", one), ("b", other)] {
        var child = Child()
        child.name = Array(name.utf8)
        child.record.status.size = size
        sum.add(child.fingerprint)
      }
      return sum
    }
    #expect(pair(1, 2) != pair(2, 1))
  }

  @Test("neither the order of a listing nor its pieces matter", arguments: [1, 4])
  func orderAndPieces(jobs: Int) async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    let tree = TreeWalkerTests.randomTree(seed: seed)
    let first = try await Walk.through(tree, jobs: jobs).fingerprints
    for _ in 1...2 {
      tree.shuffle(using: &random)
      // Other threads and another order: directories are cut elsewhere.
      let again = try await Walk.through(tree, jobs: jobs % 4 + 1).fingerprints
      #expect(again == first, "seed \(seed)")
    }
  }

  @Test("the sum over pieces is that over all children")
  func sums() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    let children = (0..<100).map { i in
      var child = Child()
      child.name = Array("f\(i)".utf8)
      child.record.status.size = Int64.random(in: 0...1000, using: &random)
      return child.fingerprint
    }
    var whole = DirectoryFingerprint()
    for child in children { whole.add(child) }
    var pieces = DirectoryFingerprint()
    var rest = children.shuffled(using: &random)[...]
    while !rest.isEmpty {
      var piece = DirectoryFingerprint()
      let count = Int.random(in: 1...20, using: &random)
      for child in rest.prefix(count) { piece.add(child) }
      rest = rest.dropFirst(count)
      pieces.add(piece)
    }
    #expect(pieces == whole, "seed \(seed)")
  }

  @Test("a real directory has the same one when it is read again, and another after a change")
  func realDirectory() async throws {
    try await withWatchedTree { tree in
      for i in 0..<20 { try tree.file("root/f\(i)") }
      let first = try await Walk.through(tree.root).fingerprints
      #expect(try await Walk.through(tree.root).fingerprints == first)
      try tree.file("root/f7", "longer")
      #expect(try await Walk.through(tree.root).fingerprints != first)
    }
  }
}
