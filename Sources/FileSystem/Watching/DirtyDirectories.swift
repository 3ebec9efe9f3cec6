public import SystemPackage

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
