/// How a ``DirectoryWatcher`` learns of changes.
public enum WatchMethod: String, Sendable, Hashable, Codable, CaseIterable {
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
