import CPlatform
import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The sums of a directory, added up one by one from an independent walk.
struct ExpectedTotals: Equatable {
  var files = 0
  var directories = 0
  var size: Int64 = 0
  var allocated: Int64 = 0
  var totalFiles = 0
  var totalDirectories = 0
  var totalSize: Int64 = 0
  var totalAllocated: Int64 = 0

  init(of directory: WalkedEntry, in walk: [[UInt8]: WalkedEntry]) {
    let prefix = directory.path + [UInt8(ascii: "/")]
    var counted: Set<UInt64> = []
    var countedHere: Set<UInt64> = []
    totalAllocated = directory.allocated
    for entry in walk.values where entry.path.starts(with: prefix) {
      let isChild = entry.parent == directory.path
      if entry.isDirectory {
        totalDirectories += 1
        totalAllocated += entry.allocated
        if isChild {
          directories += 1
          allocated += entry.allocated
        }
        continue
      }
      totalFiles += 1
      totalSize += Int64(entry.status.st_size)
      if counted.insert(UInt64(entry.status.st_ino)).inserted { totalAllocated += entry.allocated }
      guard isChild else { continue }
      files += 1
      size += Int64(entry.status.st_size)
      if countedHere.insert(UInt64(entry.status.st_ino)).inserted { allocated += entry.allocated }
    }
  }

  init(_ totals: DirectoryTotals) {
    files = totals.files
    directories = totals.directories
    size = totals.size
    allocated = totals.allocated
    totalFiles = totals.totalFiles
    totalDirectories = totals.totalDirectories
    totalSize = totals.totalSize
    totalAllocated = totals.totalAllocated
  }
}

/// Expects the sums of every directory of a tree without packages, on one file system.
func expectTotals(
  of laboratory: Laboratory, as walk: [[UInt8]: WalkedEntry],
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let stored = try await laboratory.catalog.totals(below: laboratory.tree.path, depth: 1 << 20)
  let directories = walk.values.filter(\.isDirectory)
  #expect(stored.count == directories.count, sourceLocation: sourceLocation)
  let byPath = Dictionary(stored.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
  for directory in directories {
    let path = FilePath(bytes: directory.path)
    let totals = try #require(byPath[path], "\(path)", sourceLocation: sourceLocation)
    #expect(
      ExpectedTotals(totals) == ExpectedTotals(of: directory, in: walk), "sums of \(path)",
      sourceLocation: sourceLocation)
    let newest =
      walk.values.filter { $0.path.starts(with: directory.path + [UInt8(ascii: "/")]) }
      .map { $0.status.st_mtim.tv_sec }.max()
    #expect(
      totals.newestModified == newest.map { Int64($0) }, "newest in \(path)",
      sourceLocation: sourceLocation)
  }
}
