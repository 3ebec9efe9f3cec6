internal import FileCoordination
internal import FileSystem
internal import SystemPackage

/// A role's directory as it is on the disk: what is removed in it is reached from here alone.
struct PurgeBase: Sendable {
  let path: FilePath
  let status: FileStatus
  /// Open, for what is asked of its file system.
  let file: OpenFile

  /// Looks whether it is the directory that was scanned, and without another file system in it.
  init(_ row: PurgeRows.Base, _ mounts: MountTable) throws(PurgeRefusal.Trouble) {
    path = row.path
    guard row.isOnline else { throw .init(.offline) }
    guard let below = row.container.container.relative(row.path), !below.isEmpty else {
      throw .init(.outside)
    }
    do throws(Errno) {
      _ = try OpenFile(unlinked: row.root, for: .passage)
    } catch {
      throw .init(error == .noSuchFileOrDirectory ? .offline : .replaced)
    }
    let volume: VolumeIdentity
    do throws(Errno) {
      file = try OpenFile(unlinked: row.path, for: .listing)
      status = try file.status()
      volume = try file.volume()
    } catch {
      throw .init(error.saysReplaced ? .replaced : .unreadable(error))
    }
    guard status.inode == row.inode, row.volume == volume.description else {
      throw .init(.replaced)
    }
    let inside = mounts.mounts(below: path.bytes).map(\.point)
    if let first = inside.min(by: { $0.lexicographicallyPrecedes($1) }) {
      throw .init(.mount(FilePath(bytes: first)))
    }
  }

  /// Opens a directory in it. No link is followed on the way, and no mount crossed.
  func open(_ directory: FilePath) throws(PurgeResult.Reason) -> OpenFile {
    do throws(Errno) {
      var relative = directory
      guard relative.removePrefix(path) else { throw .improperLink }
      var place = try OpenFile(unlinked: path, for: .listing)
      guard try place.status().isSame(as: status) else { throw .noSuchFileOrDirectory }
      for name in relative.components {
        place = try place.open(name, for: .listing)
        let found = try place.status()
        if found.device != status.device || found.isMountRoot { throw .improperLink }
      }
      return place
    } catch {
      if error == .improperLink { throw .mount }
      throw PurgeResult.Reason(error, directory)
    }
  }

  /// The values of something in a directory that is open.
  func status(
    of name: FilePath.Component, in directory: OpenFile, at path: FilePath
  ) throws(PurgeResult.Reason) -> FileStatus {
    var code: CInt = 0
    let found = name.withPlatformString {
      FileStatus(of: $0, in: directory.descriptor, errno: &code)
    }
    if code != 0 { throw PurgeResult.Reason(Errno(rawValue: code), path) }
    if found.device != status.device || found.isMountRoot { throw .mount }
    return found
  }
}

extension PurgeRefusal {
  /// Why a directory is not touched.
  struct Trouble: Error {
    let reason: Reason

    init(_ reason: Reason) { self.reason = reason }
  }
}

extension FileStatus {
  /// Whether this is the same entry, under whatever name.
  func isSame(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

  /// When it was last read or written. Directories and links are read by whoever only looks around, such as a
  /// scan: that is no use of them.
  var lastUsed: Int64? {
    let last = isReadInPassing ? modified : max(accessed, modified)
    return last == Self.unknownTime ? nil : last
  }

  var isReadInPassing: Bool {
    let kind = EntryKind(mode: mode)
    return kind == .directory || kind == .symlink
  }
}

/// What is in a package, as far as it matters for whoever removes it as a whole.
struct PackageContents: Sendable, Hashable {
  private(set) var lastUsed: Int64?
  private(set) var size: Int64 = 0
  /// The bytes on disk that are free without it.
  private(set) var freed: Int64 = 0
  /// Tells what is in it from anything else, in this process.
  private(set) var digest = 0

  /// Looks at all that is in it, without following links.
  init(
    _ name: FilePath.Component, in directory: OpenFile, of base: PurgeBase, at path: FilePath
  ) throws(PurgeResult.Reason) {
    var hasher = Hasher()
    var names: [UInt64: (found: Int64, of: Int64, allocated: Int64)] = [:]
    do throws(Errno) {
      let top = try directory.open(name, for: .listing)
      try add(top.status(), EntryKind.directory, &hasher)
      var open: [FilePath] = ["."]
      while let place = open.popLast() {
        let inner = try top.open(beneath: place, for: .listing)
        for child in try inner.sortedNames() {
          let below = place.appending(child)
          let status: FileStatus
          do throws(PurgeResult.Reason) {
            status = try base.status(of: child, in: inner, at: path.pushing(below))
          } catch {
            if error == .mount { throw .improperLink }
            throw .noSuchFileOrDirectory
          }
          let kind = EntryKind(mode: status.mode)
          hasher.combine(below)
          add(status, kind, &hasher)
          if kind == .directory { open.append(below) }
          if kind != .directory, status.links > 1 {
            let known = names[status.inode]?.found ?? 0
            names[status.inode] = (known + 1, Int64(status.links), status.allocated)
          } else {
            freed.add(clamped: status.allocated)
          }
        }
      }
    } catch {
      if error == .improperLink { throw .mount }
      throw PurgeResult.Reason(error, path)
    }
    for file in names.values where file.found >= file.of { freed.add(clamped: file.allocated) }
    digest = hasher.finalize()
  }

  private mutating func add(_ status: FileStatus, _ kind: EntryKind?, _ hasher: inout Hasher) {
    hasher.combine(status.inode)
    hasher.combine(status.mode)
    hasher.combine(status.size)
    hasher.combine(status.modified)
    hasher.combine(status.changed)
    hasher.combine(status.links)
    hasher.combine(status.lastUsed)
    if kind != .directory { size.add(clamped: status.size) }
    lastUsed = [lastUsed, status.lastUsed].compactMap(\.self).max()
  }
}

extension OpenFile {
  /// The names in a directory, always in the same order.
  func sortedNames() throws(Errno) -> [FilePath.Component] {
    var names: [FilePath.Component] = []
    try forEachEntry { name, _, _ in
      if let name = FilePath.Component(platformString: name) { names.append(name) }
    }
    return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}
