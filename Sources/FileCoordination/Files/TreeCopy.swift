internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Copying an entry with everything below it, attributes and times included.
final class TreeCopy {
  private struct Identity: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  private let top: OpenFile
  private let concern: WriteConcern
  /// The copy at the top, locked from its beginning, if it is a file or a directory.
  private(set) var root: OpenFile?
  /// Where files with several names were copied to, relative to the top.
  private var copies: [Identity: FilePath] = [:]

  init(into top: OpenFile, concern: WriteConcern) {
    self.top = top
    self.concern = concern
  }

  /// Copies an entry of a directory to a free name at the top. What is incomplete after an error is
  /// left for the caller to remove.
  ///
  /// Names that belong to one file still do so in the copy. Sockets and devices cannot be copied.
  func copy(
    _ name: FilePath.Component, from directory: OpenFile, as new: FilePath.Component
  ) throws(Errno) {
    try copy(name, from: directory, as: new, in: top, at: FilePath(root: nil, [new]))
  }

  private func copy(
    _ name: FilePath.Component, from directory: OpenFile, as new: FilePath.Component,
    in target: OpenFile, at path: FilePath
  ) throws(Errno) {
    guard let status = try directory.status(of: name) else { throw .noSuchFileOrDirectory }
    switch EntryKind(mode: status.mode) {
    case .file:
      try copyFile(name, from: directory, as: new, in: target, at: path, status)
    case .directory:
      let source = try directory.open(name, for: .listing)
      try target.makeDirectory(new, mode: 0o700)
      let copy = try hold(target.open(new, for: .listing))
      for child in try source.names() {
        try self.copy(child, from: source, as: child, in: copy, at: path.appending(child))
      }
      try finish(copy, from: source, status)
    case .symlink:
      guard let link = try directory.target(of: name) else { throw .noSuchFileOrDirectory }
      try target.makeLink(new, to: link)
    case .fifo:
      try target.makePipe(new, mode: mode_t(status.mode & 0o7777))
    default:
      throw .notSupported
    }
  }

  /// Locks the copy at the top, so that nobody takes it for a thing left behind.
  private func hold(_ copy: OpenFile) throws(Errno) -> OpenFile {
    if root == nil {
      guard try copy.tryLock(.exclusive) else { throw .fileExists }
      root = copy
    }
    return copy
  }

  private func copyFile(
    _ name: FilePath.Component, from directory: OpenFile, as new: FilePath.Component,
    in target: OpenFile, at path: FilePath, _ status: FileStatus
  ) throws(Errno) {
    let identity = Identity(device: status.device, inode: status.inode)
    if status.links > 1, let first = copies[identity] {
      do throws(Errno) {
        return try top.link(first, to: new, in: target)
      } catch {
        // The path may be too long for one call, or the file system without hard links.
        if error == .fileExists { throw error }
      }
    }
    let source = try directory.open(name, for: .reading)
    let copy = try hold(target.open(new, for: .creating, mode: 0o600))
    try copy.write(restOf: source)
    try finish(copy, from: source, status)
    copies[identity] = path
  }

  private func finish(
    _ copy: OpenFile, from source: OpenFile, _ status: FileStatus
  ) throws(Errno) {
    try copy.takeAttributes(of: source)
    try copy.takeTimes(of: status)
    if concern == .durable { try copy.flush() }
  }
}
