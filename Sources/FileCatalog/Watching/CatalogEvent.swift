public import SystemPackage

/// What happens while a catalog is kept current.
public enum CatalogEvent: Sendable {
  /// A scan of a root, or of what changed in it, has been written. After the first one of a root, only
  /// scans that found something are told.
  case scanned(ScanSummary)
  /// A root could not be scanned. It is tried again with its next change.
  case failed(root: FilePath, error: CatalogError)
}
