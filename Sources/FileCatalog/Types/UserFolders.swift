internal import Foundation
internal import SystemPackage

/// The folders that a user keeps things in, by the XDG base directory specification; on macOS,
/// Application Support.
enum UserFolders {
  /// What the user has set: `filecat` in `$XDG_CONFIG_HOME` or `~/.config`.
  static func configuration(_ environment: [String: String]) -> FilePath {
    folder("XDG_CONFIG_HOME", standard: ".config", environment).appending("filecat")
  }

  private static func folder(
    _ variable: String, standard: String, _ environment: [String: String]
  ) -> FilePath {
    // The specification says to ignore a path that is not absolute.
    if let path = environment[variable], path.hasPrefix("/") { return FilePath(path) }
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
    #if os(macOS)
      return FilePath(home).appending("Library").appending("Application Support")
    #else
      return FilePath(home).appending(standard)
    #endif
  }
}
