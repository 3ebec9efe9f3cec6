import FileSystem
import SystemPackage

/// Seconds to walk a tree and read every entry's values, and nothing else: what no scan can beat.
@Sendable func measureWalk(_ directory: String) async throws {
  var entries = 0
  let time = try Duration.best(of: 5) {
    entries = 1
    let walker = try TreeWalker(root: FilePath(directory), options: WalkOptions(jobs: 2)) {
      { _, _, _ in }
    }
    try walker.start()
    while let batch = walker.next() {
      for section in batch.sections { entries += section.records.count }
      walker.recycle(batch)
    }
  }
  print("walk: \(milliseconds(time)) s for \(grouped(entries)) entries, nothing kept")
}

/// Seconds with three decimals.
func milliseconds(_ time: Duration) -> String {
  "\((time.nanoseconds / 1e6).rounded() / 1000)"
}
