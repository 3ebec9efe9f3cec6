/// What has to be true when a write returns.
///
/// Either way readers see the old content or the new one, whole, and so they do after the process
/// was killed. The difference is what a loss of power can take away.
public enum WriteConcern: Sendable, Hashable {
  /// The content and its name are on the disk.
  case durable
  /// The system has the new content and will write it when it sees fit.
  case fast
}
