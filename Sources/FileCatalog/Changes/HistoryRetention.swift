/// How long a catalog keeps what has changed.
public struct HistoryRetention: Sendable, Hashable {
  /// Changes found longer ago are dropped.
  public var days: Int
  /// Of more changes than this, the oldest are dropped.
  public var changes: Int

  /// 400 days and five million changes: somewhat more than a year, and about half a gigabyte.
  public init(days: Int = 400, changes: Int = 5_000_000) {
    self.days = days
    self.changes = changes
  }
}
