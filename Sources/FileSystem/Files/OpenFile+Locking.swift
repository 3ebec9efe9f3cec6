internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// How an item is held.
enum LockMode: Int, Sendable, Comparable {
  /// Together with others that hold it so.
  case shared
  case exclusive

  static func < (one: LockMode, other: LockMode) -> Bool { one.rawValue < other.rawValue }
}

extension OpenFile {
  /// Locks the file itself, whatever its name, until it is closed or the process dies. Returns
  /// whether that was possible at once.
  ///
  /// `flock(2)` rather than `fcntl(2)`: it takes directories and files opened for reading, and it
  /// belongs to this open file, so that the tasks of one process exclude each other as well.
  func tryLock(_ mode: LockMode) throws(Errno) -> Bool {
    let operation = (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
    do throws(Errno) {
      try retrying { flock(descriptor, operation) }
      return true
    } catch {
      if error == .wouldBlock { return false }
      throw error
    }
  }

  /// Gives the lock up before the file is closed.
  func unlock() {
    _ = flock(descriptor, LOCK_UN)
  }
}
