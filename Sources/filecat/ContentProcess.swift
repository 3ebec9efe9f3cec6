import FileCatalog
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The process in which a scan has files read for the values that they hold: this program once more. What a
/// file makes of its reader does no harm to the scan.
enum ContentProcess {
  /// The first word of its command line. It is for this program alone, so no help tells of it.
  private static let word = "read-content"

  static var host: ContentHost {
    let program = FilePath("/proc/self/exe")
    // Where the system does not tell it, a program does not know for certain which it is.
    guard access(program.string, X_OK) == 0 else { return .thisProcess }
    return .program(program, arguments: [word])
  }

  /// Does what this process was started for, if that is it.
  ///
  /// - Returns: whether it was.
  static func run(_ words: [String]) -> Bool {
    words.first == word && Catalog.serveContent(named: words.dropFirst())
  }
}
