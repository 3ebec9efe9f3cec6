internal import SystemPackage

/// What of a root is not watched.
struct WatchFilter {
  private let root: FilePath
  private let isExcluded: (@Sendable (FilePath) -> Bool)?
  private var ignored: [TreePath: Set<[UInt8]>] = [:]

  /// - Parameter canonical: the root's path without symbolic links, if known: files to ignore may be
  ///   given either way.
  init(root: FilePath, canonical: [UInt8]?, options: WatchOptions) {
    self.root = root
    isExcluded = options.isExcluded
    for path in options.ignoredPaths {
      let bytes = path.bytes
      let given = TreePath(bytes, in: root.bytes)
      guard let place = given ?? canonical.flatMap({ TreePath(bytes, in: $0) }),
        let parent = place.parent
      else { continue }
      ignored[parent, default: []].insert(Array(place.name))
    }
  }

  /// Whether this directory itself is left out.
  func excludes(_ directory: TreePath) -> Bool {
    guard let isExcluded, directory != .root else { return false }
    return isExcluded(directory.absolute(in: root))
  }

  /// Whether this directory or one above it is left out.
  func excludesTree(at directory: TreePath) -> Bool {
    guard isExcluded != nil else { return false }
    var current = TreePath.root
    for name in directory.names {
      current = current.appending(name)
      if excludes(current) { return true }
    }
    return false
  }

  func ignores(_ name: UnsafeBufferPointer<UInt8>, in directory: TreePath) -> Bool {
    guard !ignored.isEmpty, !name.isEmpty, let names = ignored[directory] else { return false }
    return names.contains(Array(name))
  }
}
