/// What the policies of roles mean for the bytes of a container.
///
/// ```swift
/// var totals = PolicyTotals()
/// totals.add(bytes: 4096, role: .caches, observed: .unmarked)
/// totals.reclaimable   // 4096
/// ```
public struct PolicyTotals: Hashable, Sendable {
  /// Bytes by role; `nil` stands for what has none.
  public private(set) var bytesByRole: [Role?: Int] = [:]
  /// Bytes that the system may delete, or that can be deleted without loss.
  public private(set) var reclaimable = 0
  /// Bytes that a backup holds: what policy includes, without what is marked on disk.
  public private(set) var backedUp = 0
  /// Bytes whose mark on disk contradicts the policy of their role.
  public private(set) var contradicting = 0

  /// Nothing yet.
  public init() {}

  /// All bytes added.
  public var total: Int { bytesByRole.values.reduce(0, +) }

  /// Adds files of one role that carry the same mark on disk.
  ///
  /// What has no role belongs to nobody known: it is neither reclaimable nor, without a mark,
  /// left out of a backup.
  public mutating func add(bytes: Int, role: Role?, observed: BackupMark) {
    bytesByRole[role, default: 0] += bytes
    if role?.policy.isPurgeable ?? false { reclaimable += bytes }
    if role?.policy.backup != .excluded, observed == .unmarked { backedUp += bytes }
    if let role, observed.contradicts(role.policy) { contradicting += bytes }
  }
}
