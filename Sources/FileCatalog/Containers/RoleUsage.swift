public import StandardDirectories

/// What the files of one role in one container take, and what the role's policy makes of them.
public struct RoleUsage: Sendable, Hashable {
  /// The container.
  public let container: RegisteredContainer
  /// The role; `nil` for what has none.
  public let role: Role?
  /// How many files there are, those inside packages included.
  public let files: Int
  /// The bytes of their content.
  public let size: Int64
  /// The bytes on disk, directories included.
  public let allocated: Int64
  /// The bytes of content that a mark on disk keeps out of backups.
  public let markedSize: Int64

  /// The bytes that are free when all is deleted that the system may delete, or that can be deleted
  /// without loss, in this container: sizes of files, of those with holes what they take on the disk.
  ///
  /// A file with several names counts once, and only if all of them are in such directories; of one in
  /// a package that is not known, so it does not count.
  public let reclaimable: Int64
  /// The bytes of content that a backup holds: what the policy includes, without what is marked.
  public var backedUp: Int64 { totals.backedUp }
  /// The bytes of content whose mark on disk contradicts the policy.
  ///
  /// Without marks on disk that is so for offline data, unless ``areMarksKnown`` is false.
  public var contradicting: Int64 {
    guard let role, areMarksKnown || !BackupMark.unmarked.contradicts(role.policy) else { return 0 }
    return totals.contradicting
  }
  /// Whether all scans of the container store extended attributes, which marks are.
  public let areMarksKnown: Bool

  private var totals: (backedUp: Int64, contradicting: Int64) {
    var totals = Role.Policy.Totals()
    totals.add(bytes: Int(size - markedSize), role: role, observed: .unmarked)
    totals.add(bytes: Int(markedSize), role: role, observed: .excluded)
    return (Int64(totals.backedUp), Int64(totals.contradicting))
  }

  init(
    _ container: RegisteredContainer, _ role: Role?, files: Int, size: Int64, allocated: Int64,
    reclaimable: Int64, markedSize: Int64, areMarksKnown: Bool
  ) {
    self.container = container
    self.role = role
    self.files = files
    self.size = size
    self.allocated = allocated
    self.reclaimable = reclaimable
    // Of what is in the place, even where sums are damaged.
    self.markedSize = min(markedSize, size)
    self.areMarksKnown = areMarksKnown
  }
}
