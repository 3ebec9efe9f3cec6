import CatalogStore
import FileSystem
import SQLite
import SystemPackage
import TestSupport
import Testing

@testable import CatalogScan

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("An array of which a part is in memory")
struct PagedArrayTests {
  /// As large as what is kept of a directory, so that pages are written and read back.
  private struct Value: BitwiseCopyable, Equatable {
    var words: (Int, Int, Int, Int) = (0, 0, 0, 0)

    init(_ number: Int) { words = (number, ~number, number &* 31, -number) }

    static func == (one: Self, other: Self) -> Bool { one.words == other.words }
  }

  @Test("holds what an array holds, whatever is done to it", arguments: [1, 2, 3, 4])
  func model(seed: UInt64) throws {
    try withTemporaryDirectory { directory in
      var random = SeededRandom(seed: seed)
      // Two pages of some forty.
      var array = PagedArray<Value>(beside: directory.path.appending("catalog"), memory: 16 << 10)
      var model: [Value] = []
      var older: (PagedArray<Value>, [Value])?
      for step in 0..<6000 {
        let value = Value(step)
        if model.count < 3000, Bool.random(using: &random) || model.isEmpty {
          array.append(value)
          model.append(value)
        } else {
          let near = max(0, model.count - 300)..<model.count
          let range = Bool.random(using: &random) ? near : model.indices
          let index = Int.random(in: range, using: &random)
          let found = array[index]
          #expect(found == model[index], "seed \(seed), step \(step)")
          array[index] = value
          model[index] = value
          array[index / 2].words.1 += 1
          model[index / 2].words.1 += 1
        }
        if step == 5000 { older = (array, model) }
      }
      #expect(array.count == model.count)
      #expect(array.indices.allSatisfy { array[$0] == model[$0] }, "seed \(seed)")
      let (copy, expected) = try #require(older)
      #expect(copy.indices.elementsEqual(expected.indices))
      #expect(copy.indices.allSatisfy { copy[$0] == expected[$0] }, "a copy is another value")
      try array.requireSound()
      // Nobody sees the file.
      #expect(try directory.names().isEmpty)
    }
  }

  @Test("stays in memory where there can be no file")
  func noFile() throws {
    var array = PagedArray<Value>(beside: "/nowhere/at/all/catalog", memory: 16 << 10)
    for number in 0..<10_000 { array.append(Value(number)) }
    #expect(array.indices.allSatisfy { array[$0] == Value($0) })
    try array.requireSound()
  }

  #if os(Linux)
    @Test("tells when what it had written cannot be read")
    func lostFile() throws {
      try withTemporaryDirectory { directory in
        var array = PagedArray<Value>(
          beside: directory.path.appending("catalog"), memory: 16 << 10)
        for number in 0..<10_000 { array.append(Value(number)) }
        try array.requireSound()
        try loseFiles(besideCatalogIn: directory)
        _ = array[0]
        #expect(throws: PageLoaderError.self) { try array.requireSound() }
      }
    }

    @Test("a tree of directories that cannot be read back comes to an end, and is not used")
    func lostTree() throws {
      try withTemporaryDirectory { directory in
        var known = PagedArray<RescanTree.Directory>(
          beside: directory.path.appending("catalog"), memory: 16 << 10)
        let count = 10_000
        for id in 1...count {
          known.append(RescanTree.Directory(id: Int64(id), nameHash: UInt64(id), inode: UInt64(id)))
        }
        // Each in the next one, the last is the root.
        var tree = RescanTree(known, parents: (2...count).map { Int64($0) } + [0])
        try tree.requireSound()
        #expect(tree.isTree)
        try loseFiles(besideCatalogIn: directory)
        var met = 0
        for moment in [RescanTree.Moment.before, .now] {
          tree.children(moment).forEach(from: 0) { _ in
            met += 1
            return true
          }
        }
        #expect(met <= 2 * count)
        _ = tree.append(id: Int64(count) + 1, parent: 0, nameHash: 0, inode: 0)
        #expect(throws: PageLoaderError.self) { try tree.requireSound() }
      }
    }

    @Test("sums that cannot be read back are not written")
    func lostTotals() throws {
      try withTemporaryDirectory { directory in
        var totals = TreeTotals(beside: directory.path.appending("catalog"))
        for index in 0..<Int32(100_000) {
          totals.add(
            index: index, id: Int64(index) + 1, parent: index - 1, depth: index, ownBlocks: 8)
        }
        try totals.sumUp()
        #expect(try totals.row(at: 0).total.allocated == 8)
        try loseFiles(besideCatalogIn: directory)
        #expect(throws: PageLoaderError.self) {
          for index in totals.directories.indices { _ = try totals.row(at: index) }
        }
      }
    }

    /// What is written to the unnamed files beside a catalog goes nowhere, and nothing can be read.
    private func loseFiles(besideCatalogIn directory: TemporaryDirectory) throws {
      let place = "\(directory.path.lastComponent?.string ?? "")/catalog-"
      for name in try directory.names(in: "/proc/self/fd") {
        guard let descriptor = Int32(name), target(of: name).contains(place) else { continue }
        let sink = try FileDescriptor.open("/dev/null", .writeOnly)
        _ = try sink.duplicate(as: FileDescriptor(rawValue: descriptor))
        try sink.close()
      }
    }

    private func target(of descriptor: String) -> String {
      var buffer = [CChar](repeating: 0, count: 4096)
      let length = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
      return String(
        decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  #endif
}
