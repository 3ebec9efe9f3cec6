internal import CPlatform
package import SystemPackage

/// How a tree is walked.
package struct WalkOptions: Sendable {
  package enum Depth: Sendable {
    /// The children of the root only.
    case shallow
    case deep
  }

  package enum Boundary: Sendable {
    /// Mounted file systems inside the tree belong to it.
    case crossDevices
    /// Directories on other devices are entries, but not entered.
    case oneFileSystem
  }

  package var depth = Depth.deep
  /// How many steps below the root entries are: directories there are not entered. `nil` for any.
  package var maxDepth: Int32?
  package var boundary = Boundary.crossDevices
  /// Mounted file systems that are not entered, by their types. One that the walk starts on is.
  package var skippedFileSystems = FileSystemTypes.none
  /// Files in the tree that say what is left out; `nil` looks for none.
  package var ignoreFiles: IgnoreFiles?
  /// How many threads read directories, at first.
  package var jobs: Int
  /// How many there may be where they mostly wait.
  package var mostJobs: Int
  /// How many directories that are to be entered stay open. Above it, directories are opened again by
  /// path.
  package var openDirectories = 256
  /// Whether the entry `name` of the directory `path` (below the root) is left out; called before
  /// anything is asked about it. `nil` leaves nothing out.
  package var isExcluded: Exclusion?

  package typealias Exclusion =
    @Sendable (
      _ path: UnsafeBufferPointer<UInt8>, _ name: UnsafeBufferPointer<UInt8>
    ) -> Bool

  /// The usual options, within what this process may have open.
  ///
  /// - Parameters:
  ///   - jobs: how many threads read directories.
  ///   - most: how many there may be where they mostly wait; `nil` for no more.
  package init(jobs: Int, atMost most: Int? = nil) {
    let wanted = openDirectories + jobs * Self.openEach
    let ours = Int(cplatform_free_descriptors(CInt(wanted + Self.openBeside))) - Self.openBeside
    self.jobs = max(1, min(jobs, ours / Self.openEach))
    mostJobs = self.jobs
    openDirectories = max(0, ours - self.jobs * Self.openEach)
    guard let most, most > jobs, self.jobs == jobs else { return }
    mostJobs = most
    // Where little may be open, threads have half of it.
    if ours < wanted { openDirectories /= 2 }
  }

  /// How many threads more can read directories, of so many that are wanted.
  func moreJobs(_ wanted: Int, beside jobs: Int, keeping open: Int) -> Int {
    let taken = max(0, openDirectories - open) + jobs * Self.openEach + Self.openBeside
    let free = Int(cplatform_free_descriptors(CInt(taken + wanted * Self.openEach)))
    let more = max(0, min(wanted, (free - taken) / Self.openEach))
    return cplatform_has_room_for(Self.roomBeside + more * Self.roomOfEach) == 0 ? 0 : more
  }

  /// What a thread takes of memory at most: its stack and two batches; and what others may need.
  private static let roomOfEach = 2 << 20
  private static let roomBeside = 64 << 20

  /// How many directories a thread has open at a time: the one that it reads, and two while it goes down
  /// from one to the next.
  private static let openEach = 3
  /// How many files whoever walks may open meanwhile.
  private static let openBeside = 5
}

/// Lets a classifier look closer at the directory whose entries it classifies.
package struct DirectoryProbe {
  let source: any DirectorySource
  let directory: DirectoryHandle
  let node: DirectoryNode

  /// Whether the directory has something at a relative path, to which no symbolic link leads.
  package func exists(_ path: String) throws(Errno) -> Bool {
    let bytes = path.utf8.map { CChar(bitPattern: $0) } + [0]
    return try source.exists(bytes, in: directory)
  }

  /// Whether a Mac has noted that a sub-directory is to be shown as one item: the bundle bit of its
  /// FinderInfo, in an extended attribute or in an AppleDouble file `._name`. Takes a few
  /// microseconds, so it is for names that leave it open.
  ///
  /// - Throws: where that could not be found out: the failure, with a path inside the directory.
  package func hasBundleBit(
    _ name: UnsafeBufferPointer<UInt8>, listedAs status: FileStatus
  ) throws(FileError) -> Bool {
    try source.hasBundleBit(name, in: directory, listed: DirectoryIdentity(status))
  }

  /// A path by which other calls of the system reach the directory while it is open; `nil` where there
  /// is none.
  package var systemPath: FilePath? { source.systemPath(of: directory) }

  /// The path of the directory below the root, without a leading slash; empty for the root.
  package var relativePath: [UInt8] { node.relativePath }
}
