internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// One of the trashes of a user: a directory with `files` and `info`.
struct TrashDirectory {
  private let path: FilePath
  private let files: OpenFile
  private let information: OpenFile
  /// What the paths in it are relative to; `nil` for absolute ones.
  private let top: FilePath?

  /// The trash for an item, made if it does not exist yet. `nil` if its volume has none for this
  /// user.
  static func find(for place: Place, trash: Trash) throws(Errno) -> TrashDirectory? {
    let device = try place.directory.status().device
    if try nearestDevice(to: trash.home) == device {
      try makeDirectories(to: trash.home)
      let home = try OpenFile(trash.home.orCurrentDirectory, for: .directory)
      return try TrashDirectory(trash.home, home, top: nil)
    }
    guard let top = try topOfVolume(holding: place.directory, device: device) else { return nil }
    if let shared = try shared(at: top) { return shared }
    return try own(at: top)
  }

  /// The trash in an open directory. What its path leads to by now does not matter.
  private init(_ path: FilePath, _ directory: OpenFile, top: FilePath?) throws(Errno) {
    self.path = path
    self.top = top
    self.files = try directory.directory("files")
    self.information = try directory.directory("info")
  }

  /// `.Trash/UID`, if the administrator has prepared it as the specification demands.
  private static func shared(at top: FilePath) throws(Errno) -> TrashDirectory? {
    guard let common = try? OpenFile(top, for: .directory).open(".Trash", for: .listing),
      try common.status().mode & UInt32(S_ISVTX) != 0
    else { return nil }
    return try? own("\(getuid())", in: common, at: top.appending(".Trash"), top: top)
  }

  /// `.Trash-UID`.
  private static func own(at top: FilePath) throws(Errno) -> TrashDirectory? {
    do throws(Errno) {
      let directory = try OpenFile(top, for: .directory)
      return try own(".Trash-\(getuid())", in: directory, at: top, top: top)
    } catch {
      // A volume that may not be written to at its top has none.
      if error == .permissionDenied || error == .notDirectory || error == .readOnlyFileSystem {
        return nil
      }
      throw error
    }
  }

  /// A directory that belongs to this user, and is not a link that somebody has put there.
  private static func own(
    _ text: String, in directory: OpenFile, at path: FilePath, top: FilePath
  ) throws(Errno) -> TrashDirectory {
    guard let name = FilePath.Component(text) else { throw .invalidArgument }
    let directory = try directory.directory(name)
    guard try directory.status().uid == getuid() else { throw .permissionDenied }
    return try TrashDirectory(path.appending(name), directory, top: top)
  }

  /// The device of a directory, or of the one that it would be made in.
  private static func nearestDevice(to path: FilePath) throws(Errno) -> UInt64 {
    var current = path
    while true {
      do throws(Errno) {
        return try OpenFile(current.orCurrentDirectory, for: .passage).status().device
      } catch {
        guard error == .noSuchFileOrDirectory, current.removeLastComponent() else { throw error }
      }
    }
  }

  private static func makeDirectories(to path: FilePath) throws(Errno) {
    do throws(Errno) {
      try Errno.retrying { path.withPlatformString { mkdir($0, 0o700) } }
    } catch {
      if error == .fileExists { return }
      let parent = path.removingLastComponent()
      guard error == .noSuchFileOrDirectory, parent != path else { throw error }
      try makeDirectories(to: parent)
      try Errno.retrying { path.withPlatformString { mkdir($0, 0o700) } }
    }
  }

  /// The highest directory above that is on the same volume, by its path without links.
  private static func topOfVolume(
    holding directory: OpenFile, device: UInt64
  ) throws(Errno) -> FilePath? {
    guard var path = try? directory.path() else { return nil }
    var status = try directory.status()
    while !status.isMountRoot {
      let parent = path.removingLastComponent()
      if parent == path { return path }
      status = try FileStatus(ofPath: parent)
      if status.device != device { return path }
      path = parent
    }
    return path
  }
}

extension TrashDirectory {
  /// Moves an item here, under its own name or one with a number.
  ///
  /// The information is written first, under a name that only one can make; so names are never given
  /// twice, and a crash leaves at most information without an item, which the specification has
  /// ignored.
  ///
  /// - Parameter announce: called with the two places that are chosen, before anything is there.
  func take(
    _ place: Place, concern: WriteConcern, now: time_t = time(nil),
    announce: ([FilePath]) -> Void
  ) throws(Errno) -> (Trash.Item, unflushed: Errno?) {
    let original = place.realPath
    let text = TrashInformation(path: recorded(original), deleted: now).text
    var number = 1
    while true {
      let name = TrashName(place.name, number: number)
      number += 1
      guard try information.status(of: name.information) == nil else { continue }
      announce([
        realPath(files, "files").appending(name.file),
        realPath(information, "info").appending(name.information),
      ])
      guard let file = try create(name.information) else { continue }
      do throws(Errno) {
        try file.write(Array(text.utf8))
        if concern == .durable { try file.flush() }
        try place.directory.rename(place.name, toFreeName: name.file, in: files)
      } catch {
        try? information.remove(name.information)
        // Something lies there of which nothing is known.
        if error == .fileExists { continue }
        throw error
      }
      let unflushed = concern.flushNames(in: [files, information, place.directory])
      let item = Trash.Item(
        originalPath: original, path: path.appending("files").appending(name.file),
        informationPath: path.appending("info").appending(name.information))
      return (item, unflushed)
    }
  }

  /// One of the two directories without any symbolic link, as far as the system tells.
  private func realPath(_ directory: OpenFile, _ name: FilePath.Component) -> FilePath {
    (try? directory.path()) ?? path.appending(name)
  }

  private func create(_ name: FilePath.Component) throws(Errno) -> OpenFile? {
    do throws(Errno) {
      return try information.open(name, for: .creating, mode: 0o600)
    } catch {
      if error == .fileExists { return nil }
      throw error
    }
  }

  /// The path as it is written down: relative to the top of a volume that may be mounted elsewhere
  /// next time, absolute in the home trash.
  private func recorded(_ original: FilePath) -> [UInt8] {
    guard let top else { return original.bytes }
    var relative = original
    return relative.removePrefix(top) ? relative.bytes : original.bytes
  }
}

extension OpenFile {
  /// Opens a directory of this name, made for its owner alone if there is none.
  fileprivate func directory(_ name: FilePath.Component) throws(Errno) -> OpenFile {
    do throws(Errno) {
      try makeDirectory(name, mode: 0o700)
    } catch {
      if error != .fileExists { throw error }
    }
    return try open(name, for: .listing)
  }
}
