internal import SystemPackage

/// What the files of a lake lie in. Their places are those below the lake.
protocol LakeStore: Sendable {
  /// Refuses what is not there, where that can be told from what is empty.
  func requireThere() throws(FleetError)

  /// The files so many levels below a directory, in the order of their places; none where there is no such
  /// directory.
  func files(in directory: FilePath, levels: Int) throws(FleetError) -> [FilePath]

  /// The first bytes of each file, at most `limit` of them.
  func beginnings(
    of files: [FilePath], atMost limit: Int
  ) -> [Result<[UInt8], FleetError>]

  /// How long each file is and what it holds; `nil` where it is not there.
  func contents(of files: [FilePath]) -> [Result<FileContent?, FleetError>]

  /// Opens a file for reading, or a copy of it that is gone when it is closed.
  func open(_ file: FilePath) throws(FleetError) -> FileDescriptor

  /// How long each file is and when it was put there; `nil` where it is not there.
  func status(of files: [FilePath]) throws(FleetError) -> [StoredFile?]

  /// Removes files, one after the other.
  func remove(_ files: [FilePath]) throws(FleetError)

  /// Makes a directory for what others are to write, where there are directories.
  func makeDirectory(_ directory: FilePath) throws(FleetError)

  /// Begins to put what one publishes whose records are in a directory.
  ///
  /// - Throws: ``FleetError`` with ``FleetError/Code/busy`` where somebody else does, and that can be told.
  func beginPublishing(_ records: FilePath) throws(FleetError) -> any LakePublishing
}

/// Puts the files of one publication. Nobody sees a file before it is whole.
protocol LakePublishing {
  /// Puts a file that `body` writes.
  ///
  /// - Returns: what it holds; `nil` where there is another one that is kept.
  func put(
    _ file: FilePath, _ conflict: FileConflict, _ body: (FileDescriptor) throws -> Void
  ) throws -> FileContent?

  /// By how many seconds this machine's clock is ahead of the one that dates the files.
  ///
  /// - Parameter now: nanoseconds since 1970, by this machine's clock.
  func clockSkew(now: Int64) -> Int64
}

/// What becomes of a file that has the place already.
enum FileConflict {
  /// It stays: a record counts for ever.
  case kept
  /// It goes: a publisher has left it that was stopped before it had put its record.
  case replaced
}

/// What is known of a file without reading it.
struct StoredFile: Hashable {
  let size: Int64
  /// Seconds since 1970, by the clock of what it lies in.
  let modified: Int64
}

/// How long a file is, and the hash of its bytes.
package struct FileContent: Sendable, Hashable {
  let size: Int64
  /// BLAKE2b, 32 bytes in base 16.
  let hash: String
}
