internal import CPlatform
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Directories of the file system: handles instead of paths, one reused buffer instead of one
/// allocation a directory, one status call an entry.
///
/// A walk opens nothing but directories, so pipes cannot block and devices are not touched.
final class DirectoryReader: DirectorySource {
  /// Large enough that most directories need one call for their names.
  private static let bufferSize = 64 * 1024
  /// `PATH_MAX` on Linux, more than on macOS: the longest text a symbolic link can have.
  private static let linkSize = 4096

  private let buffer = UnsafeMutableRawPointer.allocate(byteCount: bufferSize, alignment: 8)
  private let linkBuffer = UnsafeMutableRawPointer.allocate(byteCount: linkSize, alignment: 8)
  private var listing = cplatform_listing()
  private var current: Int32 = -1
  /// Why a child could be neither described nor named: the listing is not whole then.
  private var loss: Errno?
  private let mounts = MountedTypes()

  deinit {
    buffer.deallocate()
    linkBuffer.deallocate()
  }

  func open(root: FilePath) throws(Errno) -> DirectoryHandle {
    guard let name = root.lastComponent else { return try open(path: root) }
    let parent = try OpenFile(unlinked: root.removingLastComponent(), for: .passage)
    return DirectoryHandle(
      rawValue: try Errno.unlessNegative(
        name.withPlatformString { cplatform_open_directory(parent.descriptor, $0) }))
  }

  /// Opens the directory at a path. Symbolic links on the way are followed, a link in the last component
  /// is not.
  func open(path: FilePath) throws(Errno) -> DirectoryHandle {
    DirectoryHandle(
      rawValue: try Errno.unlessNegative(
        path.withPlatformString { cplatform_open_directory(AT_FDCWD, $0) }))
  }

  func open(
    _ path: UnsafePointer<CChar>, in parent: DirectoryHandle
  ) throws(Errno) -> DirectoryHandle {
    DirectoryHandle(
      rawValue: try Errno.unlessNegative(
        cplatform_open_beneath(parent.rawValue, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK)))
  }

  func systemPath(of handle: DirectoryHandle) -> FilePath? {
    OpenFile.systemPath(of: handle.rawValue)
  }

  func close(_ handle: DirectoryHandle) {
    _ = Self.systemClose(handle.rawValue)
  }

  private static func systemClose(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
      Darwin.close(descriptor)
    #else
      Glibc.close(descriptor)
    #endif
  }

  func status(of handle: DirectoryHandle) throws(Errno) -> FileStatus {
    try FileStatus(ofOpen: handle.rawValue)
  }

  func volume(of handle: DirectoryHandle, device: UInt64) throws(Errno) -> VolumeIdentity {
    try VolumeIdentity(descriptor: handle.rawValue, device: device)
  }

  func exists(
    _ path: UnsafePointer<CChar>, in parent: DirectoryHandle
  ) throws(Errno) -> Bool {
    let code = cplatform_find_beneath(parent.rawValue, path)
    if code == 0 { return true }
    if Self.absences.contains(Errno(rawValue: code)) { return false }
    throw Errno(rawValue: code)
  }

  func attribute(_ name: String, of directory: DirectoryHandle) throws(Errno) -> [UInt8]? {
    let count = cplatform_attribute_of_open(
      directory.rawValue, name, linkBuffer, Self.linkSize)
    return try value(ofLength: count, absentFor: Self.absencesOfAttributes)
  }

  func beginning(
    of file: UnsafePointer<CChar>, in parent: DirectoryHandle, length: Int
  ) throws(Errno) -> [UInt8]? {
    let count = cplatform_read_beginning(
      parent.rawValue, file, linkBuffer, min(length, Self.linkSize))
    return try value(ofLength: count, absentFor: Self.absences)
  }

  func content(
    of file: UnsafePointer<CChar>, in parent: DirectoryHandle, limit: Int
  ) throws(Errno) -> [UInt8]? {
    do throws(Errno) {
      var code: Int32 = 0
      let listed = FileStatus(of: file, in: parent.rawValue, errno: &code)
      try Errno.check(code)
      // A device is not even opened, which some take for an order.
      guard EntryKind(mode: listed.mode) == .file else { return nil }
      if listed.size > limit { throw .fileTooLarge }
      let open = OpenFile(
        taking: try Errno.unlessNegative(
          cplatform_open_beneath(parent.rawValue, file, O_RDONLY | O_NONBLOCK)))
      let (_, bytes) = try FileBeginning(length: limit + 1).read(open) { Array($0) }
      if bytes.count > limit { throw .fileTooLarge }
      return bytes
    } catch {
      if Self.absences.contains(error) { return nil }
      throw error
    }
  }

  func fileSystem(
    of entry: UnsafePointer<CChar>, in parent: DirectoryHandle, device: UInt64
  ) -> FileSystemType? {
    if let type = mounts.type(ofDevice: device) { return type }
    let opened = openat(parent.rawValue, entry, OpenFile.Purpose.passage.flags | O_NOFOLLOW)
    guard opened >= 0 else { return nil }
    return FileSystemType(ofOpen: OpenFile(taking: opened).descriptor)
  }

  /// What the system says where there is nothing by a name, or something else than what is looked for.
  private static let absences: Set<Errno> = [
    .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels, .fileNameTooLong,
    .invalidArgument,
  ]
  /// An attribute that is not there, or not of the length of those that are looked for.
  private static let absencesOfAttributes: Set<Errno> = [
    .noAttribute, .notSupported, .outOfRange, .permissionDenied, .notPermitted,
  ]

  private func value(
    ofLength count: Int, absentFor absences: Set<Errno>
  ) throws(Errno) -> [UInt8]? {
    guard count < 0 else {
      return Array(UnsafeRawBufferPointer(start: linkBuffer, count: count))
    }
    let error = Errno(rawValue: CInt(-count))
    if absences.contains(error) { return nil }
    throw error
  }

  func startReading(_ handle: DirectoryHandle) throws(Errno) {
    try Errno.check(
      cplatform_listing_start(
        &listing, handle.rawValue, buffer.assumingMemoryBound(to: CChar.self), Self.bufferSize))
    current = handle.rawValue
    loss = nil
  }

  func find(_ names: SoughtNames) throws(Errno) -> SoughtNames.Found {
    let found = cplatform_listing_find(&listing, names.bytes)
    guard found < 0 else { return SoughtNames.Found(rawValue: UInt8(truncatingIfNeeded: found)) }
    return try find(names, in: DirectoryHandle(rawValue: current))
  }

  func readEntries(
    into batch: EntryBatch,
    leavingOut isExcluded: EntryExclusion?,
    onFailure: (FileError.Operation, UnsafeBufferPointer<UInt8>, Errno) -> Void
  ) throws(Errno) -> ReadProgress {
    // Read once: each look at a property of an object is checked for exclusive access.
    let directory = current
    var listing = self.listing
    defer { self.listing = listing }
    while !batch.isFull {
      var start: UnsafePointer<CChar>?
      var length = 0
      var type: UInt8 = 0
      let outcome = cplatform_listing_next(&listing, &start, &length, &type)
      guard outcome == 1, let start else {
        cplatform_listing_end(&listing)
        if outcome < 0 { throw Errno(rawValue: -outcome) }
        if let loss { throw loss }
        return .finished
      }
      let name = UnsafeBufferPointer(
        start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: length)
      let listedKind = EntryKind(directoryEntryType: type)
      if let isExcluded, listedKind != nil, isExcluded(name, listedKind) { continue }

      var code: Int32 = 0
      let status = FileStatus(of: start, in: directory, errno: &code)
      guard code == 0 else {
        if code == ENOENT { continue }
        if let isExcluded, listedKind == nil, isExcluded(name, nil) { continue }
        onFailure(.status, name, Errno(rawValue: code))
        // The name is known even where the values are not: it must not be lost.
        if let kind = listedKind {
          batch.append(name: start, length: length, kind: kind, status: status)
            .pointee.traits.insert(.withoutStatus)
        } else {
          loss = Errno(rawValue: code)
        }
        continue
      }
      guard let kind = EntryKind(mode: status.mode) else { continue }
      if let isExcluded, listedKind == nil, isExcluded(name, kind) { continue }
      let record = batch.append(name: start, length: length, kind: kind, status: status)
      if kind == .symlink { readLink(start, into: record, of: batch, onFailure: onFailure) }
    }
    return .more
  }

  private func readLink(
    _ name: UnsafePointer<CChar>,
    into record: UnsafeMutablePointer<EntryRecord>,
    of batch: EntryBatch,
    onFailure: (FileError.Operation, UnsafeBufferPointer<UInt8>, Errno) -> Void
  ) {
    let length = readlinkat(
      current, name, linkBuffer.assumingMemoryBound(to: CChar.self), Self.linkSize)
    guard length >= 0 else {
      if errno != ENOENT {
        record.pointee.traits.insert(.partialContent)
        onFailure(.readLink, batch.name(of: record.pointee), Errno(rawValue: errno))
      }
      return
    }
    batch.setTarget(UnsafeRawBufferPointer(start: linkBuffer, count: length), of: record)
    guard faccessat(current, name, F_OK, 0) != 0 else { return }
    switch errno {
    case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: record.pointee.traits.insert(.broken)
    default: break
    }
  }
}
