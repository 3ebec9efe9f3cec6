internal import FileSystem
internal import SystemPackage

extension HeldItem {
  /// Reads the content of a file that must be there.
  func read(for operation: CoordinationError.Operation) throws(CoordinationError) -> [UInt8] {
    let (file, status) = try existingFile(for: operation)
    return try reporting(operation, request.path) { () throws(Errno) in
      try file.readToEnd(expected: Int(clamping: status.size))
    }
  }

  /// The item as it is now: within one access it may have been made, replaced or removed since it
  /// was locked.
  func reopened(
    for operation: CoordinationError.Operation
  ) throws(CoordinationError) -> HeldItem {
    var item = self
    let place = place
    (item.status, item.file) = try reporting(operation, request.path) { () throws(Errno) in
      let status = try place.directory.status(of: place.name)
      let isFile = status.flatMap { EntryKind(mode: $0.mode) } == .file
      return (status, isFile ? try place.directory.open(place.name, for: .reading) : nil)
    }
    return item
  }

  /// The open file, if this is one.
  func existingFile(
    for operation: CoordinationError.Operation
  ) throws(CoordinationError) -> (OpenFile, FileStatus) {
    guard let status else {
      throw CoordinationError(operation, request.path, .noSuchFileOrDirectory)
    }
    guard kind != .directory else {
      throw CoordinationError(.isADirectory, operation, request.path)
    }
    guard kind == .file, let file else {
      throw CoordinationError(.unsupported, operation, request.path)
    }
    return (file, status)
  }
}

extension ItemLocks {
  /// Replaces the content of a held file, or makes it.
  ///
  /// - Parameter permissions: those of a file that is made.
  /// - Returns: what has changed; `nil` if somebody made a file at the name that was free.
  func replace(
    _ item: HeldItem, with bytes: [UInt8], _ concern: WriteConcern,
    permissions: FilePermissions = FileCoordinator.WriteOptions().permissions,
    for operation: CoordinationError.Operation
  ) throws(CoordinationError) -> CoordinatedChange? {
    let exists = item.status != nil
    if exists { _ = try item.existingFile(for: operation) }
    let replacement = FileReplacement(
      directory: item.place.directory, name: item.place.name, original: item.file,
      permissions: permissions, concern: concern)
    let new = try reporting(operation, item.request.path) { () throws(Errno) in
      try replacement.commit { file throws(Errno) in try file.write(bytes) }
    }
    guard let new else { return nil }
    keep(new)
    var change = CoordinatedChange(exists ? .written : .created, item.place.realPath)
    change.unflushed = concern.flushNames(in: [item.place.directory])
    return change
  }
}
