internal import CatalogStore
public import FileSystem
public import SystemPackage
public import UniformTypes

/// Types files on the disk, one at a time, just as a scan types them.
///
/// ```swift
/// let typer = FileTyper()
/// try typer.type(ofFileAt: "/usr/share/pixmaps/debian-logo.png").type  // public.png
/// ```
public struct FileTyper: Sendable {
  /// What a file is typed by.
  public enum Evidence: Sendable {
    /// Its name and what it is.
    case name
    /// Its first bytes as well, where the name does not settle it.
    case content
  }

  /// A file and its type.
  public struct TypedFile: Sendable {
    /// The path as it was given.
    public let path: FilePath
    /// What the file is, with packages told from directories.
    public let kind: EntryKind
    /// Its type.
    public let type: UniformType
  }

  private let layers: TypeLayers
  private let matcher: TypeMatcher
  private let evidence: Evidence

  /// Reads the declarations of the user; those of the system once they are needed.
  public init(_ sources: TypeSources = .standard, evidence: Evidence = .name) {
    layers = TypeLayers(sources)
    matcher = TypeMatcher(layers.declared)
    self.evidence = evidence
  }

  /// What was wrong with the declarations of the user.
  public var diagnostics: [TypeDiagnostic] { layers.declared.diagnostics }

  /// The type of what is at a path. A symbolic link is a link, whatever it points to.
  ///
  /// - Throws: `FileError` when there is nothing or it cannot be read.
  public func type(ofFileAt path: FilePath) throws(FileError) -> TypedFile {
    let status: FileStatus
    do throws(Errno) {
      status = try FileStatus(ofPath: path)
    } catch {
      throw FileError(.status, path, error)
    }
    guard let kind = EntryKind(mode: status.mode) else {
      throw FileError(.status, path, .notSupported)
    }
    let entryClass = EntryClass(kind, status)
    // The root of the file system has no name, and `.` not its own.
    let name = path.absolute.lastComponent?.bytes ?? []
    let match = name.withUnsafeBufferPointer { matcher.match($0, as: entryClass) }
    if match.flags.contains(.isPackage) {
      let index = layers.declared.resolve(match) { child in
        (try? FileStatus(ofPath: path.pushing(FilePath(child)))) != nil
      }
      let isPackage = index == match.type || BundleBit.isSet(onDirectoryAt: path.absolute)
      return TypedFile(
        path: path, kind: isPackage ? .package : kind,
        type: layers.declared.type(at: isPackage ? match.type : index))
    }
    if entryClass == .directory, let package = markedPackage(match, name, path) {
      return TypedFile(path: path, kind: .package, type: package)
    }
    if match.flags.contains(.isUndeclared),
      let type = name.withUnsafeBufferPointer({ layers.systemType(ofName: $0, as: entryClass) })
    {
      return TypedFile(path: path, kind: kind, type: type)
    }
    let named =
      match.extensionRange.map {
        layers.declared.dynamicType(forExtension: name[$0], as: entryClass)
      } ?? layers.declared.type(at: match.type)
    guard evidence == .content, kind == .file, match.flags.contains(.mayBeSniffed) else {
      return TypedFile(path: path, kind: kind, type: named)
    }
    return TypedFile(path: path, kind: kind, type: try refine(named, match, path))
  }

  /// The type of a directory that only a Mac's note makes a package.
  private func markedPackage(
    _ match: TypeMatch, _ name: [UInt8], _ path: FilePath
  ) -> UniformType? {
    guard
      layers.declared.type(at: match.type).identifier == EntryClass.directory.fallbackIdentifier,
      name.withUnsafeBufferPointer(BundleNames.mayBeBundle),
      BundleBit.isSet(onDirectoryAt: path.absolute)
    else { return nil }
    return layers.declared.type(identifier: BundleNames.package)
  }

  private func refine(
    _ named: UniformType, _ match: TypeMatch, _ path: FilePath
  ) throws(FileError) -> UniformType {
    let sniffer = ContentSniffer(layers.declared)
    do throws(Errno) {
      let (_, refined) = try FileBeginning(length: ContentSniffer.prefixLength)
        .read(OpenFile(path, for: .reading)) { sniffer.refine(match.type, with: $0) }
      return refined == .none ? named : layers.declared.type(at: refined)
    } catch {
      throw FileError(.open, path, error)
    }
  }
}
