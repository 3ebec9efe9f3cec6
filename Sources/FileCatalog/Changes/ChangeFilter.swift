public import SystemPackage

/// Which changes of a catalog's history are wanted.
public struct ChangeFilter: Sendable {
  /// What happened; all kinds where empty.
  public var kinds: Set<Change.Kind> = []
  /// Only entries in or below a directory, before or after the change; `nil` for all.
  public var directory: FilePath?
  /// What to do with directories of which only the content changed.
  public var directories = ContentChanges.leftOut

  /// What to do with directories of which only the content changed.
  public enum ContentChanges: Sendable {
    case leftOut
    case included
  }

  /// All changes but those of directories whose content alone changed.
  public init() {}
}
