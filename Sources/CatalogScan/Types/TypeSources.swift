internal import CatalogStore
internal import FileSystem
internal import StandardDirectories
public import SystemPackage
public import UniformTypes

/// Where declarations of uniform types come from, beside the built-in table.
///
/// The layers, strongest first: the user's declarations, the built-in table, the system's
/// shared-mime-info, dynamic types. A value only names places; nothing is read before a type is
/// needed.
///
/// ```swift
/// var sources = TypeSources.standard
/// sources.declarationDirectories.insert("/srv/studio/types.d", at: 0)
/// let catalog = try Catalog(at: "studio.sqlite", types: sources)
/// ```
///
/// The system's layer takes about 30 ms to read, more than a small scan as a whole. So a scan asks
/// it only about names that nobody above it declares, and of those only about such as its list of
/// extensions, names and patterns has, which is read in less than a millisecond. The catalog
/// remembers the answers for each line of that list as long as the layers stay as they are: a rescan
/// reads the layer when it meets one for the first time, and most never do.
public struct TypeSources: Sendable, Hashable {
  /// Directories with `.plist` and `.json` files in the form of Info.plist, the strongest first.
  public var declarationDirectories: [FilePath]
  /// Directories of shared-mime-info, each with a file `globs2`, the strongest first.
  public var mimeDirectories: [FilePath]

  /// Names the places of the two layers that are read from files.
  public init(declarationDirectories: [FilePath] = [], mimeDirectories: [FilePath] = []) {
    self.declarationDirectories = declarationDirectories
    self.mimeDirectories = mimeDirectories
  }

  /// The built-in table and nothing else: the same answers on every machine.
  public static let builtIn = TypeSources()

  /// What users expect: their own `types.d`, and the system's shared-mime-info.
  public static var standard: TypeSources {
    let environment = HostEnvironment.process
    // Without a home there is nothing that the user could have declared.
    let settings = try? environment.applicationSettings
    return TypeSources(
      declarationDirectories: settings.map { [$0.pushing("filecat/types.d")] } ?? [],
      mimeDirectories: SharedMimeInfo.systemDirectories(of: environment))
  }

  // MARK: - Reading

  /// The user's declarations over the built-in table: what decides during a scan. Without any
  /// declaration it is the built-in table itself, at no cost.
  public func declaredTypes() -> TypeRegistry {
    let isDeclared = declarationDirectories.contains {
      !TypeRegistry.declarationFiles(in: $0).isEmpty
    }
    guard isDeclared else { return .builtIn }
    return TypeRegistry(declarationDirectories: declarationDirectories)
  }

  /// All layers, the system's included. Takes some 30 ms where shared-mime-info is installed.
  public func allTypes() -> TypeRegistry {
    TypeRegistry(
      declarationDirectories: declarationDirectories,
      mimeDirectories: mimeDirectories)
  }

  /// The extensions, names and patterns that the system knows.
  package func systemNames() -> SharedMimeNames {
    SharedMimeNames(directories: mimeDirectories)
  }

  /// A number that changes when the files of the system's layer do; 0 without that layer. Told from
  /// sizes and times: the point is not to read the files.
  package func systemStamp() -> UInt64 {
    var stamp: UInt64 = 0
    for directory in mimeDirectories {
      for name in ["aliases", "generic-icons", "globs2", "subclasses", "types"] {
        guard let status = try? FileStatus(ofPath: directory.appending(name)) else { continue }
        for part in [UInt64(bitPattern: status.size), UInt64(bitPattern: status.modified)] {
          stamp = (stamp ^ part) &* 0x0000_0100_0000_01B3
        }
      }
    }
    return stamp
  }
}
