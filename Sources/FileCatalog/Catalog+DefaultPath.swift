internal import Foundation
public import SystemPackage

extension Catalog {
  /// The catalog that the command uses when none is named: `$FILECAT_CATALOG`, else
  /// `filecat/catalog.sqlite` in `$XDG_DATA_HOME` or `~/.local/share`, on macOS in
  /// Application Support.
  public static var defaultPath: FilePath {
    let environment = ProcessInfo.processInfo.environment
    if let file = environment["FILECAT_CATALOG"], !file.isEmpty { return FilePath(file) }
    return dataFolder(environment).appending("filecat").appending("catalog.sqlite")
  }

  private static func dataFolder(_ environment: [String: String]) -> FilePath {
    // The XDG specification says to ignore a path that is not absolute.
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return FilePath(data) }
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
    #if os(macOS)
      return FilePath(home).appending("Library").appending("Application Support")
    #else
      return FilePath(home).appending(".local").appending("share")
    #endif
  }
}
