internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Building a package beside the one it will replace.
///
/// A child that has not changed is not written again: the new package gets a hard link to the file of
/// the old one, which goes away with it. So the child keeps its time, its attributes and its place on
/// the disk. Where the file system refuses the link, the file is copied. Files of other packages are
/// always copied: two documents must not share one.
struct PackageStaging {
  /// The package that will be replaced, by the path that its stored contents begin with.
  var oldPath: FilePath
  var concern: WriteConcern
  var operation: CoordinationError.Operation

  /// Makes the content of a directory.
  ///
  /// - Parameters:
  ///   - target: the directory, empty.
  ///   - old: the directory whose place it takes, if there is one.
  ///   - path: where it will be, for messages.
  func fill(
    _ target: OpenFile, with directory: DocumentPackage.Directory, replacing old: OpenFile?,
    at path: FilePath
  ) throws(CoordinationError) {
    for (name, node) in directory.children {
      let path = path.appending(name)
      guard name.kind == .regular else { throw CoordinationError(.invalidName, operation, path) }
      switch node {
      case .file(let file):
        try add(file, name, to: target, replacing: old, at: path)
      case .directory(let child):
        let (new, old) = try reporting(operation, path) { () throws(Errno) in
          try target.makeDirectory(name)
          let old = try old?.existing(name, kind: .directory)
          return (try target.open(name, for: .listing), old)
        }
        try fill(new, with: child, replacing: old, at: path)
      case .symlink(let link):
        try reporting(operation, path) { () throws(Errno) in
          try target.makeLink(name, to: link)
        }
      }
    }
    try reporting(operation, path) { () throws(Errno) in
      if let old { try target.takeAttributes(of: old) }
      if let permissions = directory.permissions {
        try target.setPermissions(permissions.rawValue)
      }
      if concern == .durable { try target.flush() }
    }
  }

  private func add(
    _ file: DocumentPackage.File, _ name: FilePath.Component, to target: OpenFile,
    replacing old: OpenFile?, at path: FilePath
  ) throws(CoordinationError) {
    let original = try reporting(operation, path) { () throws(Errno) in
      try old?.existing(name, kind: .file)
    }
    if let old, let original, try isSame(file, as: original, at: path) {
      if link(FilePath(root: nil, [name]), in: old, to: name, in: target) { return }
    }
    var source: OpenFile?
    if case .stored(let stored) = file.content {
      let opened = try stored.open()
      if try isMoved(stored, opened, file),
        link(stored.path, in: target, to: name, in: target)
      {
        return
      }
      source = opened
    }
    try reporting(operation, path) { () throws(Errno) in
      let new = try target.open(name, for: .creating)
      switch file.content {
      case .bytes(let bytes): try new.write(bytes)
      case .stored: if let source { try new.write(restOf: source) }
      }
      if let original = original ?? source { try new.takeAttributes(of: original) }
      if let permissions = file.permissions { try new.setPermissions(permissions.rawValue) }
      if concern == .durable { try new.flush() }
    }
  }

  /// Whether a file of the old package is what the new one shall have.
  private func isSame(
    _ file: DocumentPackage.File, as original: OpenFile, at path: FilePath
  ) throws(CoordinationError) -> Bool {
    try reporting(operation, path) { () throws(Errno) in
      let status = try original.status()
      if let permissions = file.permissions, permissions != status.permissions { return false }
      switch file.content {
      case .stored(let stored): return stored.isUnchanged(status)
      case .bytes(let bytes):
        guard Int(clamping: status.size) == bytes.count else { return false }
        return try original.readToEnd(expected: bytes.count) == bytes
      }
    }
  }

  /// Whether a stored file has another name in the package that is being replaced, and can be kept as
  /// it is.
  private func isMoved(
    _ stored: DocumentPackage.StoredContent, _ opened: OpenFile, _ file: DocumentPackage.File
  ) throws(CoordinationError) -> Bool {
    guard stored.path.starts(with: oldPath) else { return false }
    guard let permissions = file.permissions else { return true }
    return try reporting(operation, stored.path) { () throws(Errno) in
      try opened.status().permissions == permissions
    }
  }

  private func link(
    _ path: FilePath, in directory: OpenFile, to name: FilePath.Component, in target: OpenFile
  ) -> Bool {
    (try? directory.link(path, to: name, in: target)) != nil
  }
}

extension OpenFile {
  /// Opens a name if it is one of this kind of thing.
  fileprivate func existing(
    _ name: FilePath.Component, kind: EntryKind
  ) throws(Errno) -> OpenFile? {
    guard let status = try status(of: name), EntryKind(mode: status.mode) == kind else {
      return nil
    }
    return try open(name, for: kind == .directory ? .listing : .reading)
  }
}
