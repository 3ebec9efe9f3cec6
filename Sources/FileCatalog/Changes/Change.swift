public import FileSystem
public import SystemPackage

/// A difference between two states of an entry.
public struct Change: Sendable, Hashable {
  /// What happened.
  public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    case added, removed, modified, moved
  }

  /// What happened.
  public var kind: Kind
  /// Where the entry is now; for a removed one where it was.
  public var path: FilePath
  /// Where a moved entry was before.
  public var oldPath: FilePath?
  /// The entry's number; `nil` while it has none.
  public var entryID: EntryID?
  /// What the entry is; for a removed one what it was.
  public var entryKind: EntryKind
  /// The columns that differ, named as in the SQL view `files`.
  public var fields: [EntryColumn]
  /// Bytes now; for a removed entry those it had.
  public var size: Int64?
  /// Bytes before; `nil` for an added entry.
  public var oldSize: Int64?
}
