package import SystemPackage

/// Files that say what a walk leaves out of the directories that they are in, and of all below.
///
/// What they say is for others to read: the walk looks for their names, and hands on from a directory to
/// those in it what goes there.
package struct IgnoreFiles: Sendable {
  /// What goes for the entries of a directory.
  package typealias Rules = any IgnoreRules

  /// The names to look for.
  package let names: SoughtNames
  /// What changes what goes in a directory and below, by its path from there, in components.
  let paths: [[[UInt8]]]
  /// What goes for the directory where a walk begins, by files above; `nil` for nothing.
  package let above: Rules?
  /// What goes for a directory in which some of the names were found.
  ///
  /// - Throws: where one of the files cannot be read: the failure, with a path inside the directory, or an
  ///   absolute one.
  package typealias Reading =
    @Sendable (_ above: Rules?, _ directory: IgnoreDirectory) throws(FileError) -> Rules?
  package let read: Reading

  /// - Parameter paths: from a directory, the paths of what changes what goes there and below.
  package init(
    named names: SoughtNames, at paths: [String], above: Rules?, read: @escaping Reading
  ) {
    self.names = names
    self.paths = paths.map { $0.split(separator: "/").map { Array($0.utf8) } }
    self.above = above
    self.read = read
  }
}

/// What goes for the entries of a directory, and for all below it, by files that were found.
package protocol IgnoreRules: AnyObject, Sendable {
  /// Which entries of a directory are left out; `nil` leaves nothing out.
  ///
  /// - Parameter path: the absolute path of the directory.
  func exclusion(in path: [UInt8]) -> EntryExclusion?
}

/// A directory in which files that say what is left out were found.
package struct IgnoreDirectory {
  /// The absolute path.
  package let path: [UInt8]
  /// Which of the names it has.
  package let found: SoughtNames.Found
  private let source: any DirectorySource
  private let directory: DirectoryHandle
  /// Keeps the directory open where no walk does.
  private let opened: OpenFile?

  init(
    path: [UInt8], found: SoughtNames.Found, source: any DirectorySource,
    directory: DirectoryHandle, opened: OpenFile? = nil
  ) {
    self.path = path
    self.found = found
    self.source = source
    self.directory = directory
    self.opened = opened
  }

  /// A directory that no walk has opened; `nil` where it has none of the names, or cannot be entered.
  package init?(_ path: FilePath, lookingFor names: SoughtNames) {
    guard let opened = try? OpenFile(unlinked: path, for: .passage) else { return nil }
    let source = DirectoryReader()
    let directory = DirectoryHandle(rawValue: opened.descriptor)
    guard let found = try? source.find(names, in: directory), !found.isEmpty else { return nil }
    self.init(
      path: path.bytes, found: found, source: source, directory: directory, opened: opened)
  }

  /// The content of a file at a path inside the directory; `nil` where there is none. No link is followed.
  package func content(of file: String, limit: Int) throws(Errno) -> [UInt8]? {
    try source.content(of: Array(file.utf8CString), in: directory, limit: limit)
  }
}
