public import StandardDirectories

/// What is to be removed of what containers can do without.
///
/// ```swift
/// var request = PurgeRequest()
/// request.olderThan = .days(30)
/// let rehearsal = try await catalog.purge(request, rehearsal: .dryRun)
/// print(rehearsal.results.count, rehearsal.freed)
/// ```
public struct PurgeRequest: Sendable, Hashable {
  /// How much is removed of what role and age allow.
  public enum Extent: Sendable, Hashable {
    /// All of it.
    case everything
    /// What was not used for the longest time, until so many bytes on disk were freed.
    case freeing(Int64)
    /// What was not used for the longest time, until so many bytes are free on the file system that it is on.
    case untilFree(Int64)
  }

  /// The containers; none means all.
  public var containers: Set<ContainerID> = []
  /// The roles; none means those whose files the system may delete by itself.
  public var roles: Set<Role> = []
  /// Only what was neither read nor written within this time; see ``PurgeItem/lastUsed``.
  public var olderThan: Filter.Age?
  /// How much of it.
  public var extent = Extent.everything
  /// Whether roles may be named whose files are to be kept. Without that they are refused.
  public var protection = RoleProtection.respected
  /// The time by which ages are told, in nanoseconds since 1970; `nil` is that of the system's clock.
  public var now: Int64?

  /// All that containers can do without.
  public init() {}
}
