internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Where an item is, or would be: an open directory and a name in it.
struct Place: Sendable {
  /// What is done with a symbolic link at the end of a path.
  enum Links: Sendable {
    /// What it leads to is meant, there or not.
    case followed
    /// The link itself is meant.
    case kept
  }

  /// As many links as Linux follows in one path.
  private static let mostLinks = 40

  /// The directory by path, as it was given or as links led to it.
  var directoryPath: FilePath
  var directory: OpenFile
  /// Whether the directory was opened for reading, without which it cannot be locked.
  var isLockable: Bool
  var name: FilePath.Component

  /// The path of the item, with the links before its last name as they are.
  var path: FilePath { directoryPath.appending(name) }

  /// The path of the item without any symbolic link, as far as the system tells.
  var realPath: FilePath { ((try? directory.path()) ?? directoryPath).appending(name) }

  /// Finds the place of a path, and the values of what is there; `nil` if the name is free.
  static func find(
    _ path: FilePath, links: Links, for operation: CoordinationError.Operation
  ) throws(CoordinationError) -> (Place, FileStatus?) {
    var current = path
    for _ in 0...mostLinks {
      let place = try open(current, original: path, for: operation)
      let (status, target) = try reporting(operation, path) {
        () throws(Errno) -> (FileStatus?, FilePath?) in
        let status = try place.directory.status(of: place.name)
        let isLink = status.flatMap { EntryKind(mode: $0.mode) } == .symlink
        guard isLink, links == .followed, let status else { return (status, nil) }
        // Whoever resolves links without the kernel has to keep its rules as well.
        guard try place.directory.trusts(linkOf: status.uid) else { throw .permissionDenied }
        return (status, try place.directory.target(of: place.name))
      }
      guard let target else { return (place, status) }
      // An absolute target takes the place of the whole path.
      current = place.directoryPath.pushing(target)
    }
    throw CoordinationError(operation, path, .tooManySymbolicLinkLevels)
  }

  private static func open(
    _ path: FilePath, original: FilePath, for operation: CoordinationError.Operation
  ) throws(CoordinationError) -> Place {
    guard let name = path.lastComponent else {
      throw CoordinationError(.invalidName, operation, original)
    }
    guard name.kind == .regular else {
      // `a/.` and `a/..` are names of directories that have better ones.
      let real = try reporting(operation, original) { () throws(Errno) in
        try OpenFile(path, for: .passage)
      }
      guard let real = try? real.path(), real.lastComponent?.kind == .regular else {
        throw CoordinationError(.invalidName, operation, original)
      }
      return try open(real, original: original, for: operation)
    }
    let parent = path.removingLastComponent()
    do throws(Errno) {
      let directory = try OpenFile(parent.orCurrentDirectory, for: .directory)
      return Place(directoryPath: parent, directory: directory, isLockable: true, name: name)
    } catch {
      if error == .permissionDenied,
        let directory = try? OpenFile(parent.orCurrentDirectory, for: .passage)
      {
        return Place(directoryPath: parent, directory: directory, isLockable: false, name: name)
      }
      throw parentError(error, parent: parent, original: original, for: operation)
    }
  }

  /// For whoever reads or deletes, an item in a missing directory is missing; for whoever makes one,
  /// it is the directory that is.
  private static func parentError(
    _ error: Errno, parent: FilePath, original: FilePath,
    for operation: CoordinationError.Operation
  ) -> CoordinationError {
    let makes = operation == .write || operation == .move || operation == .access
    guard error == .noSuchFileOrDirectory else {
      return CoordinationError(operation, error == .notDirectory ? parent : original, error)
    }
    return CoordinationError(makes ? .parentNotFound : .notFound, operation, original, errno: error)
  }
}

extension OpenFile {
  /// Whether a link in this directory may be followed: in one like `/tmp`, where everybody makes names
  /// and nobody removes those of others, only a link of this process's user or of the directory's
  /// owner. What somebody else's link leads to is not what the path was meant for.
  fileprivate func trusts(linkOf owner: UInt32) throws(Errno) -> Bool {
    let directory = try status()
    let isShared = directory.mode & UInt32(S_ISVTX) != 0 && directory.mode & UInt32(S_IWOTH) != 0
    return !isShared || owner == geteuid() || owner == directory.uid
  }
}

extension FilePath {
  /// The path, or that of the directory in which the process runs if it is empty.
  var orCurrentDirectory: FilePath { isEmpty ? "." : self }
}
