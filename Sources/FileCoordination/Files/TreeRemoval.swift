internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Removing a directory with everything in it, however deep it is.
struct TreeRemoval {
  /// Open directories at one time. What is deeper is moved up first.
  private static let deepest = 100

  /// What is done with directories whose owner has no right to change them.
  enum Protection {
    /// They stop the removal, as items of people should.
    case respected
    /// The owner gets the right: what is removed was thrown away as a whole already.
    case lifted
  }

  private let top: OpenFile
  private let device: UInt64
  private let protection: Protection
  private var moved = 0

  /// Removes an entry of a directory, with everything below it if it is a directory itself.
  ///
  /// Links are removed and never followed, and other volumes that are mounted inside are left alone:
  /// meeting one is an error.
  static func remove(
    _ name: FilePath.Component, in directory: OpenFile, _ protection: Protection = .lifted
  ) throws(Errno) {
    guard let status = try directory.status(of: name) else { throw .noSuchFileOrDirectory }
    guard EntryKind(mode: status.mode) == .directory else { return try directory.remove(name) }
    if protection == .lifted { directory.liftProtection(of: name, status) }
    let top = try directory.open(name, for: .listing)
    var removal = TreeRemoval(top: top, device: status.device, protection: protection)
    // Once more whenever something deep was moved up.
    while try removal.empty(top, depth: 0) {}
    try directory.removeDirectory(name)
  }

  private init(top: OpenFile, device: UInt64, protection: Protection) {
    self.top = top
    self.device = device
    self.protection = protection
  }

  /// Removes the content of a directory. Returns whether something came in at the top instead.
  private mutating func empty(_ directory: OpenFile, depth: Int) throws(Errno) -> Bool {
    var movedUp = false
    for name in try directory.names() {
      guard let status = try directory.status(of: name) else { continue }
      guard EntryKind(mode: status.mode) == .directory else {
        try directory.remove(name)
        continue
      }
      if status.device != device || status.isMountRoot { throw .resourceBusy }
      if protection == .lifted { directory.liftProtection(of: name, status) }
      if depth >= Self.deepest {
        try moveUp(name, from: directory)
        movedUp = true
        continue
      }
      if try empty(directory.open(name, for: .listing), depth: depth + 1) { movedUp = true }
      try directory.removeDirectory(name)
    }
    return movedUp
  }

  private mutating func moveUp(
    _ name: FilePath.Component, from directory: OpenFile
  ) throws(Errno) {
    while true {
      moved += 1
      guard let free = FilePath.Component("filecat-deep-\(moved)") else { throw .invalidArgument }
      do throws(Errno) {
        return try directory.rename(name, toFreeName: free, in: top)
      } catch {
        if error != .fileExists { throw error }
      }
    }
  }
}

extension OpenFile {
  /// Gives the owner of a directory all rights in it, if some are missing. Where that fails, so does what
  /// needs them.
  fileprivate func liftProtection(of name: FilePath.Component, _ status: FileStatus) {
    let all = mode_t(S_IRWXU)
    let mode = mode_t(status.mode & 0o7777)
    if mode & all == all { return }
    // A link that has taken the name meanwhile is not followed.
    _ = name.withPlatformString { fchmodat(descriptor, $0, mode | all, AT_SYMLINK_NOFOLLOW) }
  }
}
