import CatalogStore
import FileSystem
import Testing

@testable import CatalogScan

/// A directory by its inode, with more where that is not all.
struct Place: Sendable, ExpressibleByIntegerLiteral {
  var identity: EntryIdentity
  var hasStatus = true

  init(integerLiteral inode: UInt64) { identity = EntryIdentity(inode) }

  init(_ inode: UInt64, volume: Int64 = 1, created: Int64 = 100) {
    identity = EntryIdentity(inode, volume: volume, created: created)
  }

  /// A directory of which only the name can be read.
  static var unknown: Place {
    var place = Place(0)
    place.hasStatus = false
    return place
  }
}

/// The directories of a catalog, by path; the root is "".
typealias Places = KeyValuePairs<String, Place>

extension RescanTree {
  /// A tree as it comes from a catalog: the root has the id 1, the others those after it in turn.
  init(_ places: Places) {
    let paths = [""] + places.map(\.key)
    let inodes = [100] + places.map(\.value.identity.inode)
    let ids = Dictionary(uniqueKeysWithValues: zip(paths, Int64(1)...))
    var known = PagedArray<Directory>(beside: nil)
    for (position, place) in zip(paths, inodes).enumerated() {
      known.append(
        Directory(
          id: Int64(position) + 1, nameHash: Self.hash(ofNameOf: place.0), inode: place.1))
    }
    self.init(
      known, parents: paths.map { $0 == "" ? 0 : ids[String($0.parent)] ?? 0 })
  }

  static func hash(ofNameOf path: String) -> UInt64 {
    Array(path.utf8).withUnsafeBytes { hash(ofLastComponentOf: $0) }
  }
}

extension String {
  /// The path of the directory around that of a path.
  var parent: Substring { self[..<(lastIndex(of: "/") ?? startIndex)] }
}

@Suite("Who is who among directories")
struct DirectoryMatcherTests {
  /// A walk over the directories of a catalog: what each listing has, in the order of the walk.
  struct Vector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let before: Places
    let walk: KeyValuePairs<String, Places>
    let answers: [String: String]
    var unmounted = DirectoryMatcher.Unmounted.kept
    /// The directories that have lost one to another place.
    var disturbed: Set<String> = []

    init(
      _ description: String, _ before: Places, _ walk: KeyValuePairs<String, Places>,
      _ answers: [String: String], _ change: (inout Vector) -> Void = { _ in }
    ) {
      testDescription = description
      self.before = before
      self.walk = walk
      self.answers = answers
      change(&self)
    }
  }

  static let inPlace = [
    Vector(
      "directories that are where they were", ["a": 10, "a/x": 11, "b": 20],
      ["": ["a": 10, "b": 20], "a": ["x": 11]],
      ["a": "in place", "b": "in place", "a/x": "in place"]),
    Vector("a directory that nobody has seen", [:], ["": ["a": 10]], ["a": "new"]),
    Vector("another directory of the same name", ["a": 10], ["": ["a": 20]], ["a": "replaced"]),
    Vector(
      "a directory of which only the name can be read", ["a": 10],
      ["": ["a": .unknown, "b": .unknown]], ["a": "in place", "b": "new"]),
    Vector(
      "a new directory that got the inode of a deleted one", ["a": 10],
      ["": ["b": Place(10, created: 101)]], ["b": "new"]),
    Vector(
      "a directory of another file system with the same inode", ["a": 10],
      ["": ["b": Place(10, volume: 2)]], ["b": "new"]),
    Vector(
      "a directory that is listed twice", ["a": 10], ["": ["a": 10, "a ": 11], " ": ["a": 10]],
      ["a": "in place", "a ": "new"]),
  ]

  static let moved = [
    Vector("a directory with another name", ["a": 10], ["": ["b": 10]], ["b": "moved from a"]) {
      $0.disturbed = [""]
    },
    Vector(
      "a directory in another directory", ["a": 10, "a/x": 11, "b": 20],
      ["": ["a": 10, "b": 20], "a": [:], "b": ["x": 11]],
      ["a": "in place", "b": "in place", "b/x": "moved from a/x"]
    ) { $0.disturbed = ["a"] },
    Vector(
      "two directories that have swapped names", ["a": 10, "b": 20], ["": ["a": 20, "b": 10]],
      ["a": "moved from b", "b": "moved from a"]
    ) { $0.disturbed = [""] },
    Vector(
      "a chain of renamings", ["a": 10, "b": 20, "c": 30], ["": ["b": 10, "c": 20, "d": 30]],
      ["b": "moved from a", "c": "moved from b", "d": "moved from c"]
    ) { $0.disturbed = [""] },
    Vector(
      "a directory that was kept beside what replaced it", ["a": 10],
      ["": ["a": 20, "b": 10]], ["a": "new", "b": "moved from a"]
    ) { $0.disturbed = [""] },
    Vector(
      "two directories turned inside out", ["a": 10, "a/b": 20],
      ["": ["b": 20], "b": ["a": 10]], ["b": "moved from a/b", "b/a": "moved from a"]
    ) { $0.disturbed = ["", "a"] },
    Vector(
      "a directory moved with what is in it", ["a": 10, "a/x": 11],
      ["": ["b": 10], "b": ["x": 11]], ["b": "moved from a", "b/x": "in place"]
    ) { $0.disturbed = [""] },
  ]

  static let mounted = [
    Vector(
      "the place of a file system that is not mounted", ["m": Place(2, volume: 2)],
      ["": ["m": 50]], ["m": "unmounted"]),
    Vector(
      "the place of a file system that is not to be kept", ["m": Place(2, volume: 2)],
      ["": ["m": 50]], ["m": "replaced"]
    ) { $0.unmounted = .removed },
    Vector(
      "another file system in the place of one", ["m": Place(2, volume: 2)],
      ["": ["m": Place(2, volume: 3)]], ["m": "in place"]),
    Vector(
      "a file system in the place of a directory", ["m": 50], ["": ["m": Place(2, volume: 2)]],
      ["m": "replaced"]),
  ]

  static let late = [
    Vector(
      "a directory that turns up elsewhere after another was taken for it",
      ["a": 10, "a/x": 11, "b": 20],
      ["": ["a": 10, "b": 20], "a": ["x": 12], "b": ["x": 11]],
      ["a": "in place", "b": "in place", "a/x": "new", "b/x": "moved from a/x"]
    ) { $0.disturbed = ["a"] },
    Vector(
      "a directory that is where it was after it was met elsewhere",
      ["a": 10, "a/x": 11, "b": 20],
      ["": ["a": 10, "b": 20], "b": ["x": 11], "a": ["x": 11]],
      ["a": "in place", "b": "in place", "b/x": "new", "a/x": "in place"]),
    Vector(
      "a directory that is listed twice in a directory that was moved",
      ["a": 10, "a/x": 11, "b": 20],
      ["": ["b": 20, "c": 10], "b": ["x": 11], "c": ["x": 11]],
      ["b": "in place", "c": "moved from a", "b/x": "new", "c/x": "in place"]
    ) { $0.disturbed = [""] },
    Vector(
      "what is in a directory that turns up elsewhere",
      ["a": 10, "a/x": 11, "a/x/y": 12, "a/x/z": 13, "b": 20],
      [
        "": ["a": 10, "b": 20], "a": ["x": 14], "a/x": ["y": 15, "z": 13], "b": ["x": 11],
        "b/x": ["y": 12],
      ],
      [
        "a": "in place", "b": "in place", "a/x": "new", "a/x/y": "new",
        "a/x/z": "moved from a/x/z", "b/x": "moved from a/x", "b/x/y": "in place",
      ]
    ) { $0.disturbed = ["a", "a/x"] },
    Vector(
      "what is in a directory that was replaced", ["a": 10, "a/x": 11, "a/y": 12],
      ["": ["a": 20], "a": ["x": 21, "y": 12, "z": 22], "a/z": ["x": 11]],
      [
        "a": "replaced", "a/x": "new", "a/y": "in place", "a/z": "new",
        "a/z/x": "moved from a/x",
      ]
    ) { $0.disturbed = ["a"] },
    Vector(
      "a place of a file system that is not mounted, in a directory that was moved",
      ["a": 10, "a/m": Place(2, volume: 2)],
      ["": ["b": 10], "b": ["m": 50], "b/m": ["x": 51]],
      ["b": "moved from a", "b/m": "unmounted"]
    ) { $0.disturbed = [""] },
    Vector(
      "a ring of renamings between directories",
      ["a": 10, "a/x": 11, "b": 20, "b/x": 21],
      ["": ["a": 10, "b": 20], "a": ["x": 12], "b": ["x": 11], "b/x": ["y": 21]],
      [
        "a": "in place", "b": "in place", "a/x": "new", "b/x": "moved from a/x",
        "b/x/y": "moved from b/x",
      ]
    ) { $0.disturbed = ["a", "b"] },
  ]

  @Test(
    "is decided by names and identities, and when the walk is over where it is not certain",
    arguments: inPlace + moved + mounted + late)
  func answers(_ vector: Vector) throws {
    let paths = [""] + vector.before.map(\.key)
    let places = [Place(100)] + vector.before.map(\.value)
    var matcher = DirectoryMatcher(RescanTree(vector.before), unmounted: vector.unmounted)
    func stored(_ id: Int64) -> DirectoryMatcher.Stored? {
      guard id > 0, id <= places.count else { return nil }
      let stored = places[Int(id) - 1]
      return .init(identity: stored.identity, hasStatus: stored.hasStatus)
    }
    var slots: [String: RescanTree.Slot] = ["": matcher.tree.root]
    var undecided: [RescanTree.Slot: String] = [:]
    var answers: [String: String] = [:]
    func text(_ answer: DirectoryMatcher.Answer) -> String {
      switch answer {
      case .inPlace: "in place"
      case .replaced: "replaced"
      case .unmounted: "unmounted"
      case .moved(let slot): "moved from \(paths[Int(slot)])"
      case .new: "new"
      case .undecided: "undecided"
      }
    }
    // Asks for every directory of a walk, as a rescan does.
    for (path, listing) in vector.walk {
      guard let parent = slots[path] else { continue }
      for (name, place) in listing {
        let child = path.isEmpty ? name : "\(path)/\(name)"
        let hash = RescanTree.hash(ofNameOf: name)
        let answer = try matcher.match(
          .init(nameHash: hash, identity: place.identity, hasStatus: place.hasStatus), in: parent,
          stored: stored)
        answers[child] = text(answer)
        switch answer {
        case .inPlace(let slot), .replaced(let slot), .moved(let slot), .unmounted(let slot):
          slots[child] = slot
        case .undecided(let slot):
          slots[child] = slot
          undecided[slot] = child
        case .new:
          slots[child] = matcher.tree.append(
            id: Int64(matcher.tree.directories.count) + 1, parent: parent, nameHash: hash,
            inode: place.identity.inode)
        }
      }
    }
    for (slot, answer) in try matcher.decide(stored: stored) {
      let removed = undecided.removeValue(forKey: slot)
      let path = try #require(removed)
      let isIgnored = matcher.tree[matcher.tree[slot].parent].isIgnored
      answers[path] = isIgnored ? nil : text(answer)
    }
    #expect(undecided.isEmpty)
    #expect(answers == vector.answers)
    #expect(Set(matcher.disturbed.map { paths[Int($0)] }) == vector.disturbed)
  }
}

@Suite("The directories of a rescan")
struct RescanTreeTests {
  private static let places: Places = ["a": 10, "a/x": 11, "a/x/y": 12, "b": 20]

  private func below(
    _ start: RescanTree.Slot, _ tree: RescanTree, _ moment: RescanTree.Moment
  ) -> Set<RescanTree.Slot> {
    var found: Set<RescanTree.Slot> = []
    tree.children(moment).forEach(from: start) { slot in
      found.insert(slot)
      return true
    }
    return found
  }

  @Test("stand in the order of their ids and are found by name, id and inode")
  func lookup() {
    var tree = RescanTree(Self.places)
    #expect(tree.root == 0)
    #expect(tree.knownCount == 5)
    #expect(tree.child(RescanTree.hash(ofNameOf: "a"), of: 0) == 1)
    #expect(tree.child(RescanTree.hash(ofNameOf: "x"), of: 1) == 2)
    #expect(tree.child(RescanTree.hash(ofNameOf: "x"), of: 0) == nil)
    #expect(tree.slot(ofID: 4) == 3)
    #expect(tree.slot(ofID: 9) == nil)
    #expect(Array(tree.directories(withInode: 12)) == [3])
    #expect(Array(tree.directories(withInode: 13)).isEmpty)
  }

  @Test("of several file systems may have one inode")
  func sharedInode() {
    var tree = RescanTree(["a": 10, "b": 10, "c": 11])
    #expect(Set(tree.directories(withInode: 10)) == [1, 2])
  }

  @Test("know what was below them and what is now")
  func moments() {
    var tree = RescanTree(Self.places)
    tree.move(2, to: 4, nameHash: RescanTree.hash(ofNameOf: "z"))
    #expect(below(1, tree, .before) == [1, 2, 3])
    #expect(below(1, tree, .now) == [1])
    #expect(below(4, tree, .now) == [4, 2, 3])
    #expect(tree.child(RescanTree.hash(ofNameOf: "z"), of: 4) == 2)
    tree[3].fate = .gone
    #expect(below(4, tree, .now) == [4, 2])
  }

  @Test("that are new are not below anything that was")
  func additions() {
    var tree = RescanTree(Self.places)
    let slot = tree.append(
      id: 9, parent: 4, nameHash: RescanTree.hash(ofNameOf: "n"), inode: 90)
    #expect(tree[slot].isNew)
    #expect(tree.child(RescanTree.hash(ofNameOf: "n"), of: 4) == slot)
    #expect(below(4, tree, .before) == [4])
    #expect(below(4, tree, .now) == [4, slot])
    #expect(Array(tree.directories(withInode: 90)).isEmpty)
  }

  @Test("are found when there are many more than expected")
  func many() {
    var tree = RescanTree([:])
    let hashes = (0..<1000).map { RescanTree.hash(ofNameOf: "directory \($0)") }
    #expect(Set(hashes).count == hashes.count)
    let slots = hashes.enumerated().map { position, hash in
      tree.append(id: Int64(position) + 2, parent: 0, nameHash: hash, inode: UInt64(position))
    }
    #expect(hashes.map { tree.child($0, of: 0) } == slots)
  }
}
