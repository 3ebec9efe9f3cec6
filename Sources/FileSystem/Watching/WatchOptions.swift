public import SystemPackage

extension DirectoryWatcher {
  /// What a ``DirectoryWatcher`` watches, and how.
  public struct Options: Sendable {
    /// What becomes of file systems that are mounted inside a root.
    public enum Boundary: String, Sendable, Hashable, Codable {
      /// They belong to the tree.
      case crossDevices
      /// Their mount points are watched as entries, but not what is in them.
      case oneFileSystem
    }

    /// How to learn of changes.
    public var method = DirectoryWatcher.Method.automatic
    /// What becomes of file systems that are mounted inside a root.
    public var boundary = Boundary.crossDevices
    /// How long nothing must happen in a root before its changes are reported.
    public var quiet = Duration.milliseconds(200)
    /// How long changes wait at most when something happens all the time.
    public var longestDelay = Duration.seconds(2)
    /// How often what cannot be watched is reported as changed, and a lost root looked for: sooner at
    /// first, for another directory may be about to take its place.
    public var pollingInterval = Duration.seconds(60)
    /// How many changed directories of a root are remembered; with more, the whole root is reported.
    public var directoryLimit = 10_000
    /// How many inotify watches a root may use; `nil` for as many as the system gives. All programs of
    /// a user share the system's number.
    public var watchLimit: Int?
    /// Files whose changes are not reported, such as those of a catalog that lies in the tree it
    /// describes. Absolute paths; the files need not exist.
    public var ignoredPaths: Set<FilePath> = []
    /// Whether a directory, given with the root in front, is left out with everything below it. Called
    /// on the watcher's own threads, not necessarily once a directory. `nil` leaves nothing out.
    public var isExcluded: (@Sendable (_ directory: FilePath) -> Bool)?

    /// Mounted file systems inside a root that are not watched, by their types.
    package var skippedFileSystems = FileSystemTypes.none

    /// Files in the tree that say what is left out, and so is not watched; `nil` looks for none.
    package var ignoreFiles: IgnoreFiles?

    /// What a root is when there is a symbolic link on its path.
    package enum LinkedRoots: Sendable {
      case followed
      /// It is missing: its path had no links when it was chosen.
      case missing
    }

    /// What a root is when there is a symbolic link on its path, but for the last name: a root that is a
    /// link is missing.
    package var linkedRoots = LinkedRoots.followed

    /// Options with the values that suit a catalog.
    public init() {}
  }
}

extension DirectoryWatcher {
  /// How a ``DirectoryWatcher`` learns of changes.
  public enum Method: String, Sendable, Hashable, Codable, CaseIterable {
    /// The best of the others that works: fanotify where permitted, else inotify, else polling. File
    /// systems that other machines write to are polled, because no kernel is told of their changes.
    case automatic
    /// `fanotify(7)` of Linux 5.9 and later, one mark for a whole file system: starts at once however
    /// large the tree is. Needs `CAP_SYS_ADMIN` and `CAP_DAC_READ_SEARCH`.
    case fanotify
    /// `inotify(7)` of Linux, one watch for each directory; the system limits their number
    /// (`fs.inotify.max_user_watches`).
    case inotify
    /// Asks for a look at the whole root at regular times. Works everywhere.
    case polling
  }
}
