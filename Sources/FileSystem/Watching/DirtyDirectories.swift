public import SystemPackage

extension DirectoryWatcher {
  /// The directories of one root that must be read again.
  ///
  /// This is never a claim about what changed, and a directory may turn out to be unchanged, or to be
  /// gone. Changes that reach a file through a hard link in another directory, through a writable
  /// memory map, or on another machine's side of a network file system are not seen by any kernel.
  public struct DirtyDirectories: Sendable, Hashable {
    /// How much must be read again.
    public enum Extent: String, Sendable, Hashable, Codable {
      /// The directory's own values and its entries, not what is in its sub-directories.
      case shallow
      /// The directory with everything below it.
      case deep
    }

    /// Why there is nothing to read.
    public enum Loss: String, Sendable, Hashable, Codable {
      /// There is no directory at the root's path: it was removed or renamed, or cannot be opened.
      case missing
      /// There is another file system at the root's path: its own was unmounted, or one was mounted
      /// over it.
      case otherVolume = "other_volume"
    }

    /// The root, as it was given to the watcher.
    public let root: FilePath
    /// The directories, with the root in front. No directory is listed below one that is deep. Empty
    /// if the root is lost.
    public let directories: [FilePath: Extent]
    /// Set if the root is lost. When there is a directory again, the root is reported deep.
    public let loss: Loss?

    /// What must be read again in a root.
    public init(root: FilePath, directories: [FilePath: Extent], loss: Loss? = nil) {
      self.root = root
      self.directories = directories
      self.loss = loss
    }
  }
}

/// Directories to read again, of bounded number.
package struct DirtySet: Sendable {
  package typealias Extent = DirectoryWatcher.DirtyDirectories.Extent

  private var extents: [TreePath: Extent] = [:]
  private var deepCount = 0
  private let limit: Int
  /// Counts all marks, also those that added nothing.
  package private(set) var marks = 0

  package init(limit: Int) {
    self.limit = max(1, limit)
  }

  package var isEmpty: Bool { extents.isEmpty }

  package mutating func mark(_ path: TreePath, _ extent: Extent) {
    marks &+= 1
    switch extents[path] {
    case .deep: return
    case .shallow where extent == .shallow: return
    default: break
    }
    guard !isBelowDeep(path) else { return }
    if extent == .deep { deepCount += 1 }
    extents[path] = extent
    if extents.count > limit {
      extents = [.root: .deep]
      deepCount = 1
    }
  }

  package mutating func merge(_ other: DirtySet) {
    for (path, extent) in other.extents { mark(path, extent) }
  }

  /// Empties the set and returns what was in it, without what lies below a deep directory.
  package mutating func take() -> [TreePath: Extent] {
    let taken = deepCount == 0 ? extents : extents.filter { !isBelowDeep($0.key) }
    extents = [:]
    deepCount = 0
    return taken
  }

  private func isBelowDeep(_ path: TreePath) -> Bool {
    guard deepCount > 0 else { return false }
    var ancestor = path.parent
    while let current = ancestor {
      if extents[current] == .deep { return true }
      ancestor = current.parent
    }
    return false
  }
}
