internal import CatalogScan
internal import CatalogStore
internal import FileSystem
public import StandardDirectories
public import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// What became of the marks of something, or would.
public struct BackupMarking: Sendable, Hashable {
  /// What was to be marked, without symbolic links on the way.
  public let path: FilePath
  /// The marks that were set, or taken away: extended attributes, or `CACHEDIR.TAG`. None where everything was so
  /// already.
  public let marks: [String]
  /// The nearest directory above whose own mark leaves it out of backups all the same.
  public let coveredBy: FilePath?
}

extension Catalog {
  /// Marks what lies at a path to be left out of backups, or takes away all marks that say so.
  ///
  /// The mark is an extended attribute: `user.xdg.robots.backup` on Linux, that of Time Machine on macOS. A
  /// directory on a file system without attributes gets a `CACHEDIR.TAG`. A file of that name that
  /// is none of the specification's is neither overwritten nor removed. What the catalog knows of it is brought up
  /// to date.
  ///
  /// - Parameters:
  ///   - mark: ``/StandardDirectories/BackupMark/unmarked`` takes marks away.
  ///   - rehearsal: whether only to say what would be done.
  /// - Throws: `FileError` when it cannot be read or marked. Symbolic links have no marks.
  @discardableResult
  public func setBackupMark(
    _ mark: BackupMark, of path: FilePath, rehearsal: DirectoryTable.Rehearsal = .no
  ) async throws -> BackupMarking {
    var item = try MarkedItem(at: path)
    let marks = mark == .excluded ? item.missing : item.marks
    let marking = BackupMarking(
      path: item.path, marks: try rehearsal == .dryRun ? marks : item.set(mark),
      coveredBy: MarkedItem.nearest(above: item.path))
    guard rehearsal == .no, !marking.marks.isEmpty else { return marking }
    try await note(item)
    return marking
  }

  /// Has the catalog know of an item what a scan would find.
  private func note(_ item: MarkedItem) async throws {
    let values = item.attributes
    let isKnown = try await write { db in
      let lookup = try PathLookup(db, reach: .index)
      do {
        let id = try lookup.entry(at: item.path)
        let table = AttributeTable(db)
        for name in MarkedItem.attributeNames {
          try table.set(values[name], ExtendedAttributeValues.key(of: name), of: id)
        }
        return true
      } catch let error as CatalogError where error.code == .notInCatalog {
        return false
      }
    }
    if isKnown, item.hasTagChanged { _ = try await scan([item.path]) }
  }
}

/// What lies at a path, with what says that it is to be left out of backups.
private struct MarkedItem: Sendable {
  /// Those that the library knows, as this system has them.
  static let attributeNames: [String] = {
    let names = [
      "xdg.robots.backup", "com.apple.metadata:com_apple_backup_excludeItem",
      "com.apple.MobileBackup",
    ]
    #if os(Linux)
      return names.map { "user." + $0 }
    #else
      return names
    #endif
  }()

  /// The mark that is set here.
  private static let usual: (name: String, value: [UInt8]) = {
    #if os(Linux)
      ("user.xdg.robots.backup", Array("false".utf8))
    #else
      // The text com.apple.backupd as a binary property list, as tmutil writes it.
      (
        "com.apple.metadata:com_apple_backup_excludeItem",
        Array("bplist00_".utf8) + [0x10, 0x11] + Array("com.apple.backupd".utf8)
          + [8] + Array(repeating: 0, count: 6) + [1, 1] + Array(repeating: 0, count: 7) + [1]
          + Array(repeating: 0, count: 7) + [0] + Array(repeating: 0, count: 7) + [0x1C]
      )
    #endif
  }()

  let path: FilePath
  private let isDirectory: Bool
  private(set) var attributes: [String: [UInt8]]
  private var isTagged: Bool
  private(set) var hasTagChanged = false

  init(at path: FilePath) throws(FileError) {
    let absolute = path.absolute
    let above = absolute.removingLastComponent().resolved
    self.path = absolute.lastComponent.flatMap { above?.appending($0) } ?? absolute
    do throws(Errno) {
      let status = try FileStatus(ofPath: self.path)
      isDirectory = status.mode & 0o170_000 == 0o040_000
      if status.mode & 0o170_000 == 0o120_000 { throw .tooManySymbolicLinkLevels }
    } catch {
      throw FileError(.status, self.path, error)
    }
    attributes = try Self.attributes(of: self.path)
    isTagged = isDirectory && Self.isTagged(self.path)
  }

  private static func attributes(of path: FilePath) throws(FileError) -> [String: [UInt8]] {
    try ExtendedAttributes.all(of: path).filter {
      BackupMark(attribute: $0.key, value: $0.value) == .excluded
    }
  }

  private static func isTagged(_ directory: FilePath) -> Bool {
    guard
      let file = try? OpenFile(
        directory.appending(CacheDirectoryTag.fileName), for: .reading),
      let status = try? file.status(), status.mode & 0o170_000 == 0o100_000
    else { return false }
    var beginning = [UInt8](repeating: 0, count: CacheDirectoryTag.signature.count)
    let count = beginning.withUnsafeMutableBytes {
      read(file.descriptor, $0.baseAddress, $0.count)
    }
    return count > 0 && CacheDirectoryTag.isTag(beginning: beginning[..<count])
  }

  /// The nearest directory above that is marked.
  static func nearest(above path: FilePath) -> FilePath? {
    path.ancestors.first { directory in
      isTagged(directory) || (try? attributes(of: directory))?.isEmpty == false
    }
  }

  /// What says so now.
  var marks: [String] {
    attributes.keys.sorted() + (isTagged ? [CacheDirectoryTag.fileName] : [])
  }

  /// What would have to be set for it to say so.
  var missing: [String] { marks.isEmpty ? [Self.usual.name] : [] }

  /// Sets a mark, or takes all away.
  ///
  /// - Returns: those that have changed.
  mutating func set(_ mark: BackupMark) throws(FileError) -> [String] {
    mark == .excluded ? try exclude() : try include()
  }

  private mutating func exclude() throws(FileError) -> [String] {
    guard marks.isEmpty else { return [] }
    do throws(FileError) {
      try ExtendedAttributes.set(Self.usual.value, Self.usual.name, of: path)
      attributes[Self.usual.name] = Self.usual.value
      return [Self.usual.name]
    } catch {
      guard isDirectory, error.errno == .notSupported else { throw error }
    }
    let file = path.appending(CacheDirectoryTag.fileName)
    do {
      let descriptor = try FileDescriptor.open(
        file, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      let text = CacheDirectoryTag.signature + Array("\n".utf8)
      try descriptor.closeAfter { _ = try descriptor.writeAll(text) }
    } catch let error as Errno {
      throw FileError(.open, file, error)
    } catch {
      throw FileError(.open, file, .ioError)
    }
    (isTagged, hasTagChanged) = (true, true)
    return [CacheDirectoryTag.fileName]
  }

  private mutating func include() throws(FileError) -> [String] {
    let taken = marks
    for name in attributes.keys.sorted() {
      try ExtendedAttributes.set(nil, name, of: path)
      attributes[name] = nil
    }
    if isTagged {
      let file = path.appending(CacheDirectoryTag.fileName)
      if file.withPlatformString({ unlink($0) }) != 0 {
        throw FileError(.open, file, Errno(rawValue: errno))
      }
      (isTagged, hasTagChanged) = (false, true)
    }
    return taken
  }
}
