internal import Foundation
public import SystemPackage

/// What the operating system itself answers, to compare with what a container says.
public enum SystemDirectories {
  /// The directories that the system names for a role of the current user, in its order.
  ///
  /// There may be none, as for the library on Linux, and on macOS several.
  public static func paths(for role: Role) -> [FilePath] {
    if role == .temporary { return [FilePath(NSTemporaryDirectory())] }
    guard let kind = searchPath(for: role) else { return [] }
    return FileManager.default.urls(for: kind, in: .userDomainMask).map { FilePath($0.path) }
  }

  private static func searchPath(for role: Role) -> FileManager.SearchPathDirectory? {
    switch role {
    case .documents: .documentDirectory
    case .library: .libraryDirectory
    case .caches: .cachesDirectory
    case .applicationSupport: .applicationSupportDirectory
    case .preferences, .offlineData, .state, .temporary, .resources: nil
    }
  }
}
