internal import FileSystem
internal import SystemPackage

/// What has to be true when a write returns.
///
/// Either way readers see the old content or the new one, whole, and so they do after the process
/// was killed. The difference is what a loss of power can take away.
public enum WriteConcern: Sendable, Hashable {
  /// The content and its name are on the disk.
  case durable
  /// The system has the new content and will write it when it sees fit.
  case fast

  /// Brings the names in directories to the disk, if that is asked for. Returns why it failed: the names
  /// are what they are all the same, so this is no error of what gave them.
  func flushNames(in directories: [OpenFile]) -> Errno? {
    guard self == .durable else { return nil }
    var failure: Errno?
    for directory in directories {
      do throws(Errno) {
        try directory.flush()
      } catch {
        failure = failure ?? error
      }
    }
    return failure
  }
}
