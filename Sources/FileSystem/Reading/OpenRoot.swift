package import SystemPackage

/// A directory that is open, and below which files are opened by their absolute paths.
///
/// Links lead to the directory, as far as its own path says so, and nowhere below it: a directory that is
/// exchanged for a link after it was listed leads to no file outside.
package struct OpenRoot: Sendable {
  /// The absolute path of the directory.
  package let path: FilePath
  private let directory: OpenFile

  /// Opens the directory, which is no link itself.
  package init(_ path: FilePath) throws(Errno) {
    self.path = path
    directory = try OpenFile(path, for: .listing)
  }

  /// Whether a path is that of the directory or of something below it.
  package func contains(_ file: FilePath) -> Bool { file.starts(with: path) }

  /// Opens a file for reading.
  ///
  /// - Parameter file: the path of something below the directory, as a path from the root of the system.
  package func open(_ file: FilePath) throws(Errno) -> OpenFile {
    var below = file
    guard below.removePrefix(path) else { throw .noSuchFileOrDirectory }
    return try directory.open(beneath: below, for: .reading)
  }
}
