import FileSystem
import SystemPackage

/// What a walk hands over, without a catalog.
struct WalkResult {
  /// Paths below the root, each with a leading slash but for the root's own, which is empty.
  private(set) var paths: Set<[UInt8]> = [[]]
  private(set) var failures: [FileError] = []
  /// The directories that could not be read, by path below the root.
  private(set) var unreadable: [[UInt8]: Errno] = [:]
  /// Whether a directory's entry ever came after its content.
  private(set) var isOrdered = true
  private(set) var withoutStatus: Set<[UInt8]> = []

  init(
    walking root: FilePath, _ options: WalkOptions,
    source: @escaping @Sendable () -> any DirectorySource
  ) throws {
    let walker = try TreeWalker(root: root, options: options, makeSource: source) {
      { _, _, _ in }
    }
    try collect(walker)
  }

  init(walking root: FilePath, _ options: WalkOptions) throws {
    let walker = try TreeWalker(root: root, options: options) { { _, _, _ in } }
    try collect(walker)
  }

  private mutating func collect(_ walker: TreeWalker) throws {
    try walker.start()
    while let batch = walker.next() {
      failures += batch.failures
      for section in batch.sections {
        let below = Array(batch.path(of: section))
        let directory = below.isEmpty ? [] : [UInt8(ascii: "/")] + below
        if !paths.contains(directory) { isOrdered = false }
        if case .unreadable(let error) = section.outcome { unreadable[directory] = error }
        for i in section.records {
          let path = directory + [UInt8(ascii: "/")] + batch.name(of: batch.records[i])
          paths.insert(path)
          if batch.records[i].traits.contains(.withoutStatus) { withoutStatus.insert(path) }
        }
      }
      walker.recycle(batch)
    }
  }
}
