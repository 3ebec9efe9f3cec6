internal import StandardDirectories
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The process that is writing to a catalog, as far as the system tells.
///
/// SQLite locks the byte 120 of the file `-shm` for the time of a write transaction
/// (sqlite.org/walformat.html, "WAL-Index File Locking"). Linux lists all locks in `/proc/locks`; the
/// file itself is not opened, because closing it would drop our own locks.
struct LockHolder: CustomStringConvertible {
  let process: Int32

  init?(of catalog: FilePath) {
    #if os(Linux)
      var status = stat()
      guard stat(catalog.string + "-shm", &status) == 0,
        let locks = try? LocalFiles().contents(of: "/proc/locks")
      else { return nil }
      for line in String(decoding: locks, as: UTF8.self).split(separator: "\n") {
        // 1: POSIX  ADVISORY  WRITE 4711 08:01:123456 120 120
        let words = line.split(separator: " ")
        guard words.count >= 8, words[1] == "POSIX", words[3] == "WRITE", words[6] == "120",
          let process = Int32(words[4]), process != getpid(),
          words[5].split(separator: ":").last == Substring(String(status.st_ino))
        else { continue }
        self.process = process
        return
      }
    #endif
    return nil
  }

  var description: String {
    guard let command = try? LocalFiles().contents(of: FilePath("/proc/\(process)/comm")) else {
      return "process \(process)"
    }
    let name = String(decoding: command.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    return "process \(process) (\(name))"
  }
}
