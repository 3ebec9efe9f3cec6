import ArgumentParser
import FileSystem
import SystemPackage

/// A path on the command line: its bytes as they were given.
struct PathArgument: ExpressibleByArgument {
  let path: FilePath

  /// Refuses an empty path, which names nothing.
  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    path = FilePath(bytes: RawArguments.bytes(of: argument))
  }
}
