internal import CPlatform
internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The locks of one access: on every item it names, and on the directories above.
///
/// What is locked is the item itself (`flock` on an open file), not a file beside it. So there is
/// nothing to leave behind, the kernel releases the locks of a process that dies, and processes of
/// other users and in other containers take part. Three rules make that hold while files are
/// replaced by renaming:
///
/// - After locking, the name is looked up again. If it leads elsewhere now, the item was replaced
///   while we waited, and all starts anew.
/// - Whoever replaces an item locks the new one before it gets the name, and keeps both locks.
/// - The directory that holds an item is locked too, shared, and so are those above; see
///   ``Ancestors``. So nobody swaps a package while somebody writes inside it, however deep. A free
///   name has nothing to lock; whoever makes an item there does it in a step that fails if the name
///   is taken, and starts anew. Whoever *claims* a free name locks its directory exclusively.
///
/// Nobody waits while holding a lock: an attempt takes all of them at once or none. So accesses to
/// the same items in different orders cannot block each other for ever.
final class ItemLocks: Sendable {
  let items: [HeldItem]
  private let held: Monitor<[OpenFile]>

  private init(items: [HeldItem], held: [OpenFile]) {
    self.items = items
    self.held = Monitor(held)
  }

  /// Holds a further file, locked already, as long as the others.
  func keep(_ file: OpenFile) {
    held.withLock { $0.append(file) }
  }

  /// Unlocks everything, whoever still has the files open.
  func release() {
    for file in held.withLock({ files in
      defer { files = [] }
      return files
    }) {
      file.unlock()
    }
  }

  /// Opens what was requested and locks it. `nil` if something is held by somebody else, or was
  /// replaced meanwhile.
  static func attempt(
    _ requests: [AccessRequest], for operation: CoordinationError.Operation
  ) throws(CoordinationError) -> ItemLocks? {
    var opened: [OpenedItem] = []
    for request in requests {
      guard let item = try open(request, for: operation) else { return nil }
      opened.append(item)
    }
    var needed = NeededLocks()
    var isComplete = false
    // Closing would not be enough: a process that is being started has the descriptors as well, until
    // it runs its own program.
    defer { if !isComplete { needed.unlockAll() } }
    for item in opened { try needed.add(item, for: operation) }
    guard try needed.lockAll(for: operation) else { return nil }
    for item in opened where try !needed.lockAncestors(of: item.item, for: operation) { return nil }
    for item in opened where try !isStillInPlace(item, for: operation) { return nil }
    isComplete = true
    return ItemLocks(items: opened.map(\.item), held: needed.files)
  }

  /// `nil` if the item will be there in a moment.
  private static func open(
    _ request: AccessRequest, for operation: CoordinationError.Operation
  ) throws(CoordinationError) -> OpenedItem? {
    var (place, status) = try Place.find(request.path, links: request.links, for: operation)
    return try reporting(operation, request.path) { () throws(Errno) in
      if status == nil && request.form == .package {
        switch try NameSwap.restore(place.name, in: place.directory) {
        case .real:
          // The swap may have come to its end since we looked.
          if try place.directory.status(of: place.name) != nil { return nil }
        case .repaired: status = try place.directory.status(of: place.name)
        case .passing: return nil
        }
      }
      var item = HeldItem(request: request, place: place, file: nil, status: status)
      let directory = try place.directory.status()
      guard status != nil else {
        if request.mustExist { throw .noSuchFileOrDirectory }
        return OpenedItem(item: item, directory: directory, file: nil)
      }
      // Opening anything else could block, or do something.
      if item.kind == .file || item.kind == .directory {
        do throws(Errno) {
          item.file = try openForLocking(place, request.intent)
        } catch {
          // Taken away since we looked: what is there now shows when we look again.
          if error == .noSuchFileOrDirectory { return nil }
          if error != .permissionDenied || request.intent != .removing { throw error }
        }
      }
      // What was opened may be another one than what was there before.
      if let file = item.file { item.status = try file.status() }
      return OpenedItem(
        item: item, directory: directory, file: item.file == nil ? nil : item.status)
    }
  }

  /// A file that may only be written to can be locked as well.
  private static func openForLocking(
    _ place: Place, _ intent: AccessRequest.Intent
  ) throws(Errno) -> OpenFile {
    do throws(Errno) {
      return try place.directory.open(place.name, for: .reading)
    } catch {
      guard error == .permissionDenied, intent != .reading, intent != .updating else { throw error }
      return try place.directory.open(place.name, for: .writing)
    }
  }

  /// Whether the path still leads to what was locked.
  private static func isStillInPlace(
    _ opened: OpenedItem, for operation: CoordinationError.Operation
  ) throws(CoordinationError) -> Bool {
    let item = opened.item
    do throws(Errno) {
      if item.place.isLockable,
        try !leads(item.place.directoryPath, to: opened.directory)
      {
        return false
      }
      let now = try item.place.directory.status(of: item.place.name)
      guard let file = opened.file else { return (now == nil) == (item.status == nil) }
      return now.map { $0.isSameEntry(as: file) } ?? false
    } catch {
      if error == .noSuchFileOrDirectory || error == .notDirectory { return false }
      throw CoordinationError(operation, item.request.path, error)
    }
  }

  /// Whether a path, links followed, leads to this entry.
  private static func leads(_ path: FilePath, to status: FileStatus) throws(Errno) -> Bool {
    var now = cplatform_status()
    try Errno.check(
      path.orCurrentDirectory.withPlatformString {
        cplatform_status_at(AT_FDCWD, $0, cplatform_follow, &now)
      })
    return now.device == status.device && now.inode == status.inode
  }
}

/// An item before it is locked, with the values that tell whether it is still the same afterwards.
private struct OpenedItem {
  var item: HeldItem
  var directory: FileStatus
  var file: FileStatus?
}

/// What has to be locked, each thing once, however many items of an access it belongs to.
private struct NeededLocks {
  private struct Identity: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  private struct Need {
    var file: OpenFile
    var mode: LockMode
    var path: FilePath
  }

  private var needs: [Identity: Need] = [:]

  var files: [OpenFile] { needs.values.map(\.file) }

  mutating func add(
    _ opened: OpenedItem, for operation: CoordinationError.Operation
  ) throws(CoordinationError) {
    let item = opened.item
    let request = item.request
    let claimsName = request.intent == .claiming && item.status == nil
    if item.place.isLockable {
      add(
        item.place.directory, opened.directory, claimsName ? .exclusive : .shared, request.path)
    } else if claimsName {
      throw CoordinationError(operation, request.path, .permissionDenied)
    }
    if let file = item.file, let status = opened.file {
      add(file, status, request.mode, request.path)
    }
  }

  private mutating func add(
    _ file: OpenFile, _ status: FileStatus, _ mode: LockMode, _ path: FilePath
  ) {
    let identity = Identity(device: status.device, inode: status.inode)
    let known = needs[identity]
    needs[identity] = Need(
      file: known?.file ?? file, mode: max(mode, known?.mode ?? .shared), path: path)
  }

  /// Unlocks what is locked so far.
  func unlockAll() {
    for need in needs.values { need.file.unlock() }
  }

  /// Locks everything, or returns `false`.
  func lockAll(for operation: CoordinationError.Operation) throws(CoordinationError) -> Bool {
    for need in needs.values {
      let locked = try reporting(operation, need.path) { () throws(Errno) in
        try need.file.tryLock(need.mode)
      }
      if !locked { return false }
    }
    return true
  }

  /// Locks the directories above the one that holds an item, each before the next, or returns
  /// `false`. Everything else must be locked by then.
  mutating func lockAncestors(
    of item: HeldItem, for operation: CoordinationError.Operation
  ) throws(CoordinationError) -> Bool {
    let path = item.request.path
    do throws(Errno) {
      var ancestors = try Ancestors(of: item.place.directory)
      while let (directory, status) = try ancestors.next() {
        let identity = Identity(device: status.device, inode: status.inode)
        guard needs[identity] == nil else { continue }
        guard try directory.tryLock(.shared) else { return false }
        needs[identity] = Need(file: directory, mode: .shared, path: path)
      }
      return true
    } catch {
      // The directory was removed since it was opened.
      if error == .noSuchFileOrDirectory { return false }
      throw CoordinationError(operation, path, error)
    }
  }
}

extension FileStatus {
  /// Whether this is the same entry, under whatever name.
  func isSameEntry(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode
  }
}
