internal import StandardDirectories
public import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

extension Catalog {
  /// The catalog that the command uses when none is named: `$FILECAT_CATALOG`, else
  /// `filecat/catalog.sqlite` in `$XDG_DATA_HOME` or `~/.local/share`, on macOS in
  /// Application Support.
  ///
  /// - Throws: `DirectoryError.unknownHome` where it would be in a home that nothing names.
  public static var defaultPath: FilePath {
    get throws {
      if let file = getenv("FILECAT_CATALOG"), file.pointee != 0 {
        return FilePath(platformString: file)
      }
      return try HostEnvironment.process.applicationData.pushing("filecat/catalog.sqlite")
    }
  }
}
