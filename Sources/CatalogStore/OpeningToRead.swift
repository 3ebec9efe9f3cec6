internal import FileSystem
package import SQLite
package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Opens a catalog for somebody who only reads it, and who may be allowed nothing else.
///
/// A database with a write-ahead log is read by way of an index of the log, a file that SQLite makes
/// beside it. Where that cannot be, because of the directory, the volume or the room on it, there are
/// other ways, each for one case.
package struct OpeningToRead {
  private let path: FilePath

  /// How often the file is looked at again while somebody else begins or ends to write, and how long
  /// after each time.
  private static let patience = 200
  private static let pause: UInt32 = 10_000

  package init(_ path: FilePath) { self.path = path }

  /// Calls `open` with the way for this file, and with another where that turns out to fail.
  ///
  /// - Parameters:
  ///   - mode: the way where nothing stands against it.
  ///   - open: opens the file, and reads from it.
  package func open<Opened>(
    usually mode: Connection.Mode, _ open: (Connection.Mode) throws -> Opened
  ) throws -> Opened {
    var attempts = 0
    while true {
      do {
        return try open(isLeftAlone ? .immutable : mode)
      } catch let error as SQLiteError where error.isAboutLogIndex {
        return try open(.alone)
      } catch let error as SQLiteError where error.code == .cannotOpen || error.code == .readOnly {
        if isOnReadOnlyVolume { return try open(.sealed) }
        // Who writes makes the log and then its index, and removes them in this order.
        guard !mayWriteBeside, attempts < Self.patience else { throw error }
        attempts += 1
        usleep(Self.pause)
      }
    }
  }

  /// Whether SQLite could make no log, and there is none: nobody writes then.
  private var isLeftAlone: Bool {
    !mayWriteBeside && !path.with(ending: "-wal").isThere
  }

  private var mayWriteBeside: Bool {
    path.absolute.removingLastComponent().allows(W_OK)
  }

  private var isOnReadOnlyVolume: Bool {
    var volume = statvfs()
    return path.withPlatformString({ statvfs($0, &volume) }) == 0
      && volume.f_flag & UInt(ST_RDONLY) != 0
  }
}
