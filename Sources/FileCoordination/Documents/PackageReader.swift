internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Reading a directory as the value of a package.
struct PackageReader {
  /// Files of more bytes are left on the disk.
  var largest: Int
  var operation: CoordinationError.Operation

  func read(
    _ directory: OpenFile, at path: FilePath
  ) throws(CoordinationError) -> DocumentPackage.Directory {
    let (names, status) = try reporting(operation, path) { () throws(Errno) in
      (try directory.names(), try directory.status())
    }
    var children: [FilePath.Component: DocumentPackage.Node] = [:]
    for name in names {
      children[name] = try node(name, in: directory, at: path.appending(name))
    }
    return DocumentPackage.Directory(children, permissions: status.permissions)
  }

  /// `nil` for what has vanished meanwhile, and for what somebody is preparing.
  private func node(
    _ name: FilePath.Component, in directory: OpenFile, at path: FilePath
  ) throws(CoordinationError) -> DocumentPackage.Node? {
    if ScratchName.isOne(name, .new) || ScratchName.isOne(name, .old) { return nil }
    let status = try reporting(operation, path) { () throws(Errno) in
      try directory.status(of: name)
    }
    guard let status else { return nil }
    switch EntryKind(mode: status.mode) {
    case .file:
      return try file(name, in: directory, at: path, status)
    case .directory:
      let child = try reporting(operation, path) { () throws(Errno) in
        try directory.open(name, for: .listing)
      }
      return .directory(try read(child, at: path))
    case .symlink:
      return try reporting(operation, path) { () throws(Errno) in
        try directory.target(of: name)
      }.map { .symlink($0) }
    default:
      throw CoordinationError(.unsupported, operation, path)
    }
  }

  private func file(
    _ name: FilePath.Component, in directory: OpenFile, at path: FilePath, _ status: FileStatus
  ) throws(CoordinationError) -> DocumentPackage.Node {
    let content: DocumentPackage.Content
    if status.size > Int64(largest) {
      content = .stored(DocumentPackage.StoredContent(path: path, status: status))
    } else {
      content = .bytes(
        try reporting(operation, path) { () throws(Errno) in
          try directory.open(name, for: .reading).readToEnd(expected: Int(status.size))
        })
    }
    return .file(DocumentPackage.File(content, permissions: status.permissions))
  }
}

extension FileStatus {
  var permissions: FilePermissions { FilePermissions(rawValue: mode_t(mode & 0o7777)) }
}
